#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"

namespace {

using namespace credence;

constexpr int draws = 60;
constexpr std::size_t training_rows = 240;
constexpr std::size_t test_rows = 40;

/// A chessboard with one label in ten turned.
data::Dataset chessboard(std::uint64_t seed) {
  core::RandomStream random(seed, 1601);
  data::DenseMatrix x(training_rows + test_rows, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (double& value : x.row(i)) value = 4 * random.uniform();
    const bool black = (static_cast<int>(x.row(i)[0]) + static_cast<int>(x.row(i)[1])) % 2 == 0;
    labels.emplace_back(black != (random.uniform() < 0.1) ? "black" : "white");
  }
  return data::make_dataset(data::Features(x), labels);
}

/// Errors of regions at eps = 0.1 over all draws; 2,400 rows have a standard deviation of at most 0.02 around 0.1, the
/// dependence of the rows of one draw included.
TEST(CellsCover, SplitConformalRegionsAroundCellsErrAsOftenAsTheySay) {
  const test::Surroundings surroundings;
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 3, .cells = 50};
  options.costs().C = {1, 64};
  options.kernels().gamma = kernel::parse_gammas("0.5,4");
  options.estimate = selection::Estimate::none;
  double errors = 0;
  double smoothed = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const data::Dataset all = chessboard(static_cast<std::uint64_t>(draw));
    std::vector<std::size_t> first(training_rows);
    std::vector<std::size_t> last(test_rows);
    for (std::size_t i = 0; i < all.rows(); ++i) (i < training_rows ? first[i] : last[i - training_rows]) = i;
    const conformal::Train train = [&](const data::Dataset& rows, const core::Context& context) {
      const auto chosen = selection::Selector(options).select(rows, context);
      EXPECT_GE(chosen.partition()->parts, 3U);
      return conformal::classifier_of(*chosen.predictor);
    };
    conformal::PValueOptions p_values;
    p_values.seed = static_cast<std::uint64_t>(draw);
    const auto fitted = conformal::fit_inductive(all.select_rows(first), {}, p_values, train, surroundings.context);
    const model::Prediction said = fitted->predict(all.select_rows(last), surroundings.context);
    for (std::size_t i = 0; i < test_rows; ++i) {
      const double p = said.p_value.row(i)[static_cast<std::size_t>(all.labels[last[i]])];
      errors += model::in_region(p, 0.1) ? 0 : 1;
      smoothed += p;
    }
  }
  EXPECT_LT(errors / (draws * test_rows), 0.1 + 3 * 0.02);
  EXPECT_GT(errors / (draws * test_rows), 0.1 - 4 * 0.02);
  EXPECT_NEAR(smoothed / (draws * test_rows), 0.5, 0.06);
}

}  // namespace
