#include "credence/conformal/forecast.hpp"

#include <algorithm>
#include <vector>

#include "conformal/fit/set_apart.hpp"
#include "conformal/neighbours/neighbour_examples.hpp"
#include "core/numbers.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"

namespace credence::conformal {
namespace {

/// What training on some rows took.
struct Pilot {
  double rows = 0;  ///< that are compared with each other
  double distances = 0;
  double seconds = 0;
};

/// Trains on the rows as TransductiveNeighbours does.
Pilot pilot_on(const data::Dataset& dataset, std::span<const std::size_t> some, const FitOptions& options,
               const NeighbourOptions& measure, const core::Context& context) {
  const data::Dataset sample = dataset.select_rows({some.begin(), some.end()});
  const Apart apart = set_apart(sample, options);
  const data::Dataset& compared = apart.compared(sample);
  const data::Features rows = preprocessing_of(sample, options, apart).apply(compared, data::UnknownLevel::ignore);
  const core::Stopwatch stopwatch;
  NeighbourExamples examples(measure, rows.columns(), dataset.class_count());
  examples.put(rows, compared.labels, &context);
  std::size_t distances = 0;
  examples.set(examples.search(context, &distances));
  return {static_cast<double>(rows.rows()), static_cast<double>(distances), stopwatch.seconds()};
}

/// Rows in an order of chance, the same for the same number of rows.
std::vector<std::size_t> some_rows(std::size_t rows, std::size_t count) {
  constexpr std::uint64_t purpose = 0x70696c6f74;  // "pilot"
  core::RandomStream random(rows, purpose);
  std::vector<std::size_t> numbers = core::numbers_below(rows);
  for (std::size_t i = 0; i < count; ++i) std::swap(numbers[i], numbers[i + random.below(rows - i)]);
  numbers.resize(count);
  return numbers;
}

}  // namespace

std::optional<Forecast> forecast(const data::Dataset& dataset, const FitOptions& options,
                                 const core::Context& context) {
  constexpr std::size_t fewest = 1600;
  constexpr std::size_t most = 32768;
  const std::optional<NeighbourOptions> measure = neighbour_options(options.measure);
  if (!measure || !is_transductive(options.mode) || measure->metric == neighbours::Metric::precomputed) return {};
  if (dataset.rows() <= Forecast::from_rows) return {};
  core::Monitor monitor(context.monitor, 0);
  const core::Context aside{context.threads, monitor, context.memory_budget};
  const std::size_t count = std::clamp(dataset.rows() / 4, fewest, most);
  const std::vector<std::size_t> some = some_rows(dataset.rows(), count);
  pilot_on(dataset, std::span(some).first(count / 8), options, *measure, aside);  // threads start, code is loaded
  const Pilot small = pilot_on(dataset, std::span(some).first(count / 4), options, *measure, aside);
  const Pilot large = pilot_on(dataset, some, options, *measure, aside);
  const double compared = large.rows / static_cast<double>(count) * static_cast<double>(dataset.rows());
  const double growth = core::growth_between(small.rows, small.distances, large.rows, large.distances, 1.0, 2.0);
  const double times = core::times_as_much(compared, large.rows, growth);
  Forecast result;
  result.values = large.distances * times;
  result.seconds = large.seconds * times;
  result.bytes = neighbour_bytes(dataset.features, dataset.rows(), static_cast<std::size_t>(measure->k));
  return result;
}

}  // namespace credence::conformal
