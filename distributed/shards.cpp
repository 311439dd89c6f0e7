#include "distributed/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "credence/core/error.hpp"
#include "distributed/visits.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/head.hpp"
#include "selection/methods/left_out_losses.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::distributed {

using namespace selection;

namespace {

constexpr char gamma_kind = 'g';
constexpr char outer_kind = 'o';

core::Fingerprint sum_of(const ComparisonOptions& options) {
  core::Fingerprint sum;
  sum.add_described(options);
  return sum;
}

void check_count(std::size_t results, std::size_t shards) {
  if (results != shards)
    throw Error(ErrorCode::invalid_argument, fmt::format("there are {} results of {} shards", results, shards));
}

void check_number(std::size_t shard, std::size_t shards) {
  if (shard >= shards)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there is no shard {}; the first of {} is shard 0", shard, shards));
}

[[noreturn]] void refuse_stopped() {
  throw Error(ErrorCode::interrupted, "the shard was stopped before it was complete");
}

}  // namespace

namespace {

/// The options of shards: the gammas of the grid are judged on all rows, also where one process would race, and no rows
/// are set aside.
Options exact_options(const Options& options) {
  if (options.race == Race::yes) {
    throw Error(ErrorCode::invalid_argument,
                "race: a race drops cells by what all gammas found, so that gammas are no shards of their own");
  }
  if (options.estimate == Estimate::holdout)
    throw Error(ErrorCode::invalid_argument, "estimate: rows are set aside by one process; shards take bbc or nested");
  Options exact = Selector(options).options();
  exact.estimate = options.estimate.value_or(Estimate::bbc);
  return exact;
}

}  // namespace

SelectionShards::SelectionShards(const data::Dataset& given, const Options& options)
    : used_(rows_in_use(given, exact_options(options))), dataset_(*used_.rows), options_(used_.options) {
  const data::Dataset& dataset = dataset_;
  check_data(dataset, options_);
  const Contestant one{std::string(options_.name()), options_};
  fingerprint_ = fingerprint_of(dataset, std::span(&one, 1));
  const bool one_cell = options_.rule != Rule::average;  // an average needs the scores of all gammas at once
  if (options_.traits().by_gamma && one_cell) gammas_ = kernels_of(options_).size();
  if (options_.estimate == Estimate::nested) {
    try {
      outer_ = nested_runs(dataset, options_);
    } catch (const Error& error) {
      no_nested_ = error.sentence();
    }
  }
  if (size() == 0 && !one_cell)
    throw Error(
        ErrorCode::invalid_argument,
        "the rule average needs the scores of all settings in one place, so that it has no shards; the rule best "
        "has them");
  if (size() == 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has no shards of its own: the gammas of cv are shards, the regions of regions "
                            "(RegionShards), and the outer folds of a nested estimate of any method",
                            options_.name()));
  }
}

std::string SelectionShards::run(std::size_t shard, const core::Context& context) const {
  check_number(shard, size());
  if (shard < gammas_) {
    GridPart part = judge_part(dataset_, options_, shard, context);
    return core::sealed_value({gamma_kind, fingerprint_, shard}, part);
  }
  OuterPart part;
  try {
    part.fold = outer_->run(shard - gammas_, context);
  } catch (const Error& error) {
    part.problem = error.sentence();  // which ends the nested estimate, but not the selection
  }
  if (!part.problem && !part.fold.complete) refuse_stopped();
  return core::sealed_value({outer_kind, fingerprint_, shard}, part);
}

Selection SelectionShards::merged(std::span<const std::string> results, const core::Context& context) const {
  check_count(results.size(), size());
  Options without = options_;
  without.estimate = Estimate::none;
  Selection selection =
      gammas_ > 0 ? selected(results, options_, context) : Selector(without).select(dataset_, context);
  used_.tell(selection);
  if (gammas_ > 0) return selection;
  selection.options.estimate = Estimate::nested;
  add_nested_of(results, context, selection);
  return selection;
}

Selection SelectionShards::selected(std::span<const std::string> results, const Options& options,
                                    const core::Context& context) const {
  const std::vector<Resample> resamples = resamples_of_cv(dataset_, options);
  const std::vector<double> gammas = reported_gammas(dataset_, options);
  const std::vector<Cell> named = named_cells(gammas, options);
  const std::size_t cells = named.size();
  FoundElsewhere found{empty_grid(dataset_, options, resamples, cells), {}, {}};
  found.judged.strangeness.clear();
  std::vector<GridPart> parts;
  for (std::size_t gamma = 0; gamma < gammas_; ++gamma) {
    parts.push_back(core::unsealed_value<GridPart>({gamma_kind, fingerprint_, gamma}, results[gamma]));
    put_part(parts.back(), gamma, options, found.judged);
  }
  const std::size_t costs = cells / gammas_;
  found.calibration = [&](const Selection& selection) -> const model::Calibration* {
    // A grid that went on has widths that no shard judged, and other numbers of cells.
    for (std::size_t gamma = 0; gamma < gammas_; ++gamma) {
      const Cell& best = selection.grid[*selection.best];
      const bool same = parts[gamma].best == *selection.best % costs && gammas[gamma] == best.gamma &&
                        same_space(named[gamma * costs], best) && !parts[gamma].calibration.empty();
      if (same) return &parts[gamma].calibration;
    }
    return nullptr;
  };
  if (options.estimate == Estimate::nested)
    found.add_nested = [&](Selection& selection) { add_nested_of(results, context, selection); };
  return select_by_left_out_losses(dataset_, options, resamples, "CV", context, {.found = &found});
}

void SelectionShards::add_nested_of(std::span<const std::string> results, const core::Context& context,
                                    Selection& selection) const {
  std::string problem = no_nested_;
  std::vector<OuterFold> folds;
  double seconds = 0;
  for (std::size_t shard = gammas_; shard < size() && problem.empty(); ++shard) {
    OuterPart part = core::unsealed_value<OuterPart>({outer_kind, fingerprint_, shard}, results[shard]);
    problem = part.problem.value_or("");
    seconds += part.fold.seconds;
    folds.push_back(std::move(part.fold));
  }
  if (!problem.empty()) {
    selection.warnings.push_back(fmt::format("there is no nested estimate: {}", problem));
    return;
  }
  selection.honest = nested_estimate_of(dataset_, options_, outer_->merged(std::move(folds), seconds, context));
}

ComparisonShards::ComparisonShards(const data::Dataset& dataset, const std::vector<Contestant>& contestants,
                                   const ComparisonOptions& options)
    : rows_(dataset.rows()),
      fingerprint_(fingerprint_of(dataset, contestants, sum_of(options))),
      runs_(dataset, contestants, options) {}

std::string ComparisonShards::run(std::size_t shard, const core::Context& context) const {
  check_number(shard, size());
  OuterPart part{runs_.run(shard, context), {}};
  if (!part.fold.complete) refuse_stopped();
  return core::sealed_value({outer_kind, fingerprint_, shard}, part);
}

Comparison ComparisonShards::merged(std::span<const std::string> results, const core::Context& context) const {
  check_count(results.size(), size());
  std::vector<OuterFold> folds;
  double seconds = 0;
  for (std::size_t shard = 0; shard < results.size(); ++shard) {
    folds.push_back(core::unsealed_value<OuterPart>({outer_kind, fingerprint_, shard}, results[shard]).fold);
    seconds += folds.back().seconds;
  }
  return runs_.merged(std::move(folds), seconds, context);
}

}  // namespace credence::distributed
