#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/run_selection.hpp"
#include "support/same_selection.hpp"

/// The default average where the scores of all settings do not fit into memory: the run with what remains.
namespace little_memory_vs_what_remains_tests {

using namespace credence;
using data::Scaling;
using kernel::KernelType;
using selection::Options;
using selection::Rule;
using selection::Selection;

constexpr std::size_t rows = 60;
constexpr std::size_t settings = 36;  // of each kernel and scaling
constexpr std::size_t bytes = 10;     // of a row and setting: a label and a score

data::Dataset long_tails() {
  test::Clouds clouds = test::random_clouds(rows, 3, 2, 0.8, 4);
  for (double& value : clouds.x.values) value = std::exp(value);
  return clouds.dataset();
}

Options of(std::vector<KernelType> kernels, std::vector<Scaling> scalings, std::optional<Rule> rule = {}) {
  Options options;
  options.method = selection::CrossValidation{.folds = 4};
  options.kernels.types = std::move(kernels);
  options.preparation.scalings = std::move(scalings);
  options.rule = rule;
  options.seed = 3;
  return options;
}

const std::vector<KernelType> both_kernels{KernelType::rbf, KernelType::laplacian};
const std::vector<Scaling> both_scalings{Scaling::standard, Scaling::quantile};
const std::string no_average = "the average (the best setting is chosen)";

/// @param grids  of one kernel and scaling, whose scores fit; 0: those of one do not
void expect_what_remains(const data::Dataset& dataset, const Options& given, std::size_t grids,
                         const Options& remaining, const std::string& left_out, std::size_t times = 1) {
  SCOPED_TRACE(left_out);
  test::Surroundings surroundings(2);
  surroundings.context.memory_budget = times * rows * bytes * (grids == 0 ? settings - 1 : grids * settings);
  const Selection little = selection::Selector(given).select(dataset, surroundings.context);
  const Selection whole = test::run_selection(dataset, remaining);
  test::expect_same(little, whole);
  ASSERT_EQ(little.average.has_value(), whole.average.has_value());
  if (whole.average) EXPECT_EQ(little.average->members, whole.average->members);
  std::vector<std::string> notes = whole.notes;
  if (!left_out.empty())
    notes.insert(notes.begin(), "the scores of all settings do not fit into 0 MB: left out " + left_out);
  EXPECT_EQ(little.notes, notes);
}

TEST(LittleMemory, LeavesKernelsAndScalingsOfTheDefaultGridOut) {
  const data::Dataset dataset = long_tails();
  const Options standard = of(both_kernels, {Scaling::standard}, Rule::average);
  const Options rbf = of({KernelType::rbf}, {Scaling::standard}, Rule::average);
  const Options best = of({KernelType::rbf}, {Scaling::standard}, Rule::best);
  expect_what_remains(dataset, of({}, {}), 4, of(both_kernels, both_scalings, Rule::average), "");
  expect_what_remains(dataset, of({}, {}), 3, standard, "is the scaling quantile");
  expect_what_remains(dataset, of({}, {}), 1, rbf, "are the scaling quantile, the laplacian kernel");
  expect_what_remains(dataset, of({}, {}), 0, best, "are the scaling quantile, the laplacian kernel, " + no_average);
}

TEST(LittleMemory, KeepsWhatWasGiven) {
  const data::Dataset dataset = long_tails();
  expect_what_remains(dataset, of(both_kernels, {}), 1, of(both_kernels, {Scaling::standard}, Rule::best),
                      "are the scaling quantile, " + no_average);
  expect_what_remains(dataset, of({}, both_scalings), 2, of({KernelType::rbf}, both_scalings, Rule::average),
                      "is the laplacian kernel");
  expect_what_remains(dataset, of({}, both_scalings), 1, of({KernelType::rbf}, both_scalings, Rule::best),
                      "are the laplacian kernel, " + no_average);
  expect_what_remains(dataset, of(both_kernels, both_scalings), 3, of(both_kernels, both_scalings, Rule::best),
                      "is " + no_average);
}

/// Options that are resolved already, as those of comparisons, know what was not given.
TEST(LittleMemory, IsTheSameForResolvedOptions) {
  const data::Dataset dataset = long_tails();
  expect_what_remains(dataset, of({}, {}).resolved_for(dataset), 2,
                      of(both_kernels, {Scaling::standard}, Rule::average), "is the scaling quantile");
}

/// Splits that hold rows out twice keep twice the scores.
TEST(LittleMemory, CountsARowAsOftenAsItIsHeldOut) {
  data::Dataset dataset = long_tails();
  for (std::size_t part = 0; part < 4; ++part) {
    data::Split split;
    for (std::size_t i = 0; i < rows; ++i)
      (i % 4 == part || (i + 1) % 4 == part ? split.held_out : split.training).push_back(i);
    dataset.splits.push_back(split);
  }
  expect_what_remains(dataset, of({}, {}), 4, of(both_kernels, both_scalings, Rule::average), "", 2);
  expect_what_remains(dataset, of({}, {}), 2, of({KernelType::rbf}, {Scaling::standard}, Rule::average),
                      "are the scaling quantile, the laplacian kernel");
}

}  // namespace little_memory_vs_what_remains_tests
