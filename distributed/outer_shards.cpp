#include "distributed/outer_shards.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/bytes/sealed.hpp"
#include "credence/core/error.hpp"
#include "credence/core/fingerprint.hpp"
#include "credence/data/fingerprint.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/fit/kept_parts.hpp"
#include "selection/frame/frame.hpp"

namespace credence::distributed {

using namespace selection;

namespace {

constexpr char outer_kind = 'o';

/// A run on an outer fold, or the sentence of the Error in which it ended.
struct OuterPart {
  OuterFold fold;
  std::optional<std::string> problem;
};

void visit(auto& bytes, OuterPart& part) {
  bytes(part.fold, part.problem);
}

}  // namespace

OuterShards::OuterShards(const data::Dataset& dataset, const Options& options)
    : used_(rows_in_use(dataset, Selector(options).options())), options_(used_.options) {
  check_data(*used_.rows, options_);
  if (options_.estimate != Estimate::nested)
    refuse(
        fmt::format("{} has no shards of its own: other computers take the outer folds of a nested estimate, or "
                    "the regions of the method regions; ask for one of these, or fit in one process",
                    options_.name()));
  core::Fingerprint sum;
  data::add_to(sum, *used_.rows);
  add_to(sum, options_);
  fingerprint_ = sum.value();
  try {
    runs_ = nested_runs(*used_.rows, options_);
  } catch (const Error& error) {
    problem_ = error.sentence();
  }
}

std::string OuterShards::run(std::size_t shard, const core::Context& context) const {
  if (shard >= size()) refuse(fmt::format("there is no shard {}; the first of {} is shard 0", shard, size()));
  OuterPart part;
  try {
    part.fold = runs_.run(shard, context);
  } catch (const Error& error) {
    part.problem = error.sentence();  // which ends the nested estimate, but not the selection
  }
  if (!part.problem && !part.fold.complete)
    throw Error(ErrorCode::interrupted, "the shard was stopped before it was complete");
  return core::sealed_value({outer_kind, fingerprint_, shard}, part);
}

Selection OuterShards::merged(std::span<const std::string> results, const core::Context& context) const {
  if (results.size() != size()) refuse(fmt::format("there are {} results of {} shards", results.size(), size()));
  Options without = options_;
  without.estimate = Estimate::none;
  Selection selection = Selector(without).select(*used_.rows, context);
  used_.add_note_to(selection);
  selection.options.estimate = Estimate::nested;
  add_estimate(results, context, selection);
  return selection;
}

void OuterShards::add_estimate(std::span<const std::string> results, const core::Context& context,
                               Selection& selection) const {
  std::string problem = problem_;
  std::vector<OuterFold> folds;
  double seconds = 0;
  for (std::size_t shard = 0; shard < size() && problem.empty(); ++shard) {
    OuterPart part = core::unsealed_value<OuterPart>({outer_kind, fingerprint_, shard}, results[shard]);
    problem = part.problem.value_or("");
    seconds += part.fold.seconds;
    folds.push_back(std::move(part.fold));
  }
  if (!problem.empty()) {
    selection.warnings.push_back(fmt::format("there is no nested estimate: {}", problem));
    return;
  }
  selection.honest = nested_estimate_of(*used_.rows, options_, runs_.merged(std::move(folds), seconds, context));
}

}  // namespace credence::distributed
