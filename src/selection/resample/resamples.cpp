#include "selection/resample/resamples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "selection/asked.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

constexpr double share_to_say = 0.01;       ///< of the rows, from which on copies are treated and named
constexpr double share_to_count = 0.05;     ///< from which on honest estimates count the distinct rows
constexpr std::size_t least_distinct = 20;  ///< rows; fewer do not say whether a table has few values

/// What was done with the copies.
std::string treatment(const Options& options, bool clustered, bool few_values, bool many) {
  if (clustered) return "the groups, folds or splits of the data say which rows stay together";
  if (options.copies == data::Copies::drop)
    return "only the first of each trains and judges; copies = fold or keep changes this";
  if (options.copies == data::Copies::keep)
    return fmt::format("{}they count as rows of their own; if rows were entered twice, say so (copies = fold or drop)",
                       few_values ? "in a table of few values this may be chance, and " : "");
  if (!options.traits().folds && !options.traits().overlaps && !options.looks_at("validation"))
    return fmt::format("{} takes them as rows of their own, and a copy may judge another; copies = drop avoids this",
                       options.name());
  return fmt::format("they share a fold{}; copies = keep or drop changes this",
                     many ? ", and honest estimates count the distinct rows" : "");
}

}  // namespace

RowsInUse rows_in_use(const data::Dataset& dataset, const Options& options) {
  RowsInUse used{{std::shared_ptr<const data::Dataset>(), &dataset}, options.resolved_for(dataset)};
  if (!dataset.copies.empty()) return used;
  const bool clustered = !dataset.clusters().empty() || !dataset.splits.empty();
  data::RepeatedRows found = data::repeated_rows(dataset);
  if (found.copies() == 0) return used;
  const auto rows = static_cast<double>(dataset.rows());
  const double share = static_cast<double>(found.copies()) / rows;
  const bool said = share >= share_to_say;
  bool few_values = said && (found.distinct < least_distinct || data::is_of_few_values(dataset, found));
  const bool many = share >= share_to_count;
  if (const std::size_t times = data::times_entered(found);
      few_values && times > 1 && found.distinct >= least_distinct && options.copies != data::Copies::drop) {
    found = data::by_entry(found, times);
    few_values = false;  // what comes so evenly is no chance
  }
  if (clustered || !options.copies)
    used.options.copies = clustered || !said || few_values ? data::Copies::keep : data::Copies::fold;
  if (said) {
    used.note = fmt::format("{} of {} rows are copies of other rows, equal in all features and the {}: {}",
                            found.copies(), dataset.rows(), dataset.is_regression() ? "target" : "label",
                            treatment(used.options, clustered, few_values, many));
  }
  if (used.options.copies == data::Copies::keep) return used;
  if (used.options.copies == data::Copies::drop) {
    used.rows = std::make_shared<const data::Dataset>(dataset.select_rows(data::first_rows(found.number_of)));
    used.kept_as = std::move(found.number_of);
    return used;
  }
  data::Dataset sharing = dataset.with_features(dataset.features.view());
  sharing.copies = std::move(found.number_of);
  sharing.copies_count_once = many;
  used.rows = std::make_shared<const data::Dataset>(std::move(sharing));
  return used;
}

std::vector<bool> RowsInUse::of_given(const std::vector<bool>& of_rows) const {
  return kept_as.empty() ? of_rows : data::spread(of_rows, kept_as);
}

void RowsInUse::add_note_to(Selection& selection) const {
  selection.options.copies = options.copies;
  if (note.empty()) return;
  (options.copies == data::Copies::keep ? selection.notes : selection.warnings).push_back(note);
}

std::vector<std::size_t> Resample::training_rows() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < drawn.size(); ++i) rows.insert(rows.end(), drawn[i], i);
  return rows;
}

std::vector<std::size_t> Resample::held_out() const {
  if (!one_by_one.empty()) return one_by_one;
  return core::numbers_where(drawn.size(),
                             [&](std::size_t i) { return drawn[i] == 0 && (apart.empty() || !apart[i]); });
}

std::vector<Resample> resamples_of_folds(std::span<const int> folds) {
  const auto count = static_cast<std::size_t>(*std::ranges::max_element(folds) + 1);
  std::vector<Resample> resamples(count, all_rows(folds.size()));
  for (std::size_t i = 0; i < folds.size(); ++i) resamples[static_cast<std::size_t>(folds[i])].drawn[i] = 0;
  return resamples;
}

std::vector<Resample> resamples_of_splits(const data::Dataset& dataset) {
  data::check_splits(dataset);
  std::vector<Resample> resamples;
  for (const data::Split& split : dataset.splits) {
    resamples.push_back({std::vector<std::uint32_t>(dataset.rows(), 0), std::vector<bool>(dataset.rows(), true)});
    Resample& resample = resamples.back();
    for (const std::size_t row : split.training) ++resample.drawn[row];
    for (const std::size_t row : split.held_out) resample.apart[row] = false;
  }
  return resamples;
}

Resample all_rows(std::size_t n) {
  return {std::vector<std::uint32_t>(n, 1)};
}

std::vector<Resample> resamples_of_cv(const data::Dataset& dataset, const Options& options) {
  if (!dataset.splits.empty()) return resamples_of_splits(dataset);
  const auto folds = static_cast<int>(options.resample_count(dataset.rows()));
  return resamples_of_folds(data::folds_of(dataset, folds, options.seed, 2, options.name()));
}

namespace {

constexpr std::uint64_t purpose_of_rows = 0x5345'5441'5349'4401;

std::size_t clusters_of(const data::Dataset& dataset) {
  return std::set<int>(dataset.clusters().begin(), dataset.clusters().end()).size();
}

/// Rows from which on a tenth is set aside by default; none for methods whose choice is not trained on all rows.
std::optional<std::size_t> rows_to_set_aside_from(const Options& options) {
  const std::optional<std::size_t> usual = options.trains_best_setting() ? std::optional(holdout_from) : std::nullopt;
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
  const bool compares = options.p_values == model::PValues::split;
  const std::size_t count = std::min<std::size_t>(n * (compares ? 3 : 1) / 10, 10000);
  if (n < 10) {
    refuse_data(fmt::format("{} of the rows are set aside; {} are too few", compares ? "three tenths" : "a tenth", n),
                {dataset.source});
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
