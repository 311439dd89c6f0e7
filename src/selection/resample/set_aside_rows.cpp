#include "selection/resample/set_aside_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/run.hpp"
#include "credence/selection/selector.hpp"
#include "selection/asked.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {
namespace {

constexpr std::uint64_t purpose_of_rows = 0x5345'5441'5349'4401;

std::size_t clusters_of(const data::Dataset& dataset) {
  return std::set<int>(dataset.clusters().begin(), dataset.clusters().end()).size();
}

/// Rows from which on a tenth is set aside by default; none for methods whose choice is not trained on all rows.
std::optional<std::size_t> rows_to_set_aside_from(const Options& options) {
  const std::optional<std::size_t> usual = trains_best_cell(options) ? std::optional(holdout_from) : std::nullopt;
  return asked(
      options.method, usual,
      [&](const auto& own)
        requires requires { own.holdout_from(options); }
      { return own.holdout_from(options); });
}

}  // namespace

Estimate default_estimate(const data::Dataset& dataset, const Options& options) {
  const std::optional<std::size_t> from = rows_to_set_aside_from(options);
  const bool many = from && dataset.rows() >= *from && dataset.splits.empty();
  const bool apart = dataset.clusters().empty() || clusters_of(dataset) >= least_clusters;
  return many && apart && !is_precomputed(options) ? Estimate::holdout : Estimate::bbc;
}

std::vector<bool> set_aside_rows(const data::Dataset& given, const Options& options) {
  const RowsInUse used = rows_in_use(given, options);
  const data::Dataset& dataset = *used.rows;
  const std::size_t n = dataset.rows();
  const bool compares = options.trust == model::Trust::split;
  const std::size_t count = std::min<std::size_t>(n * (compares ? 3 : 1) / 10, 10000);
  if (n < 10) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} of the rows are set aside; {} are too few", compares ? "three tenths" : "a tenth", n),
                {dataset.source, 0, ""});
  }
  const std::uint64_t stream = core::random_choice(options.seed, purpose_of_rows, 0, ~std::uint64_t{0});
  const bool by_class = (dataset.clusters().empty() || dataset.copies_count_once) && !dataset.is_regression();
  return used.of_given(by_class && !compares
                           ? data::hold_out(dataset, static_cast<double>(count) / static_cast<double>(n), stream)
                           : data::random_hold_out(n, count, dataset.together(), stream));
}

data::Dataset rows_set_aside(const data::Dataset& dataset, const Options& options) {
  return dataset.select_rows(data::rows_where(set_aside_rows(dataset, options), true));
}

data::Dataset rows_not_set_aside(const data::Dataset& dataset, const Options& options) {
  return dataset.select_rows(data::rows_where(set_aside_rows(dataset, options), false));
}

}  // namespace credence::selection
