#include "conformal/transductive/pair_ranking.hpp"

#include <algorithm>
#include <utility>

#include "core/numbers.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

using core::infinity;

}  // namespace

PairSvms::PairSvms(std::span<const std::size_t> counts, const TransductiveSvmOptions& options)
    : machines_(svm::machine_layout(counts.size())) {
  std::size_t first = 0;
  for (const std::size_t count : counts) {
    ranges_.push_back({first, count});
    first += count;
  }
  pairs_.reserve(machines_.size());
  for (const svm::BinaryMachine& machine : machines_) {
    const auto [low, high] = std::minmax(machine.positive, machine.negative);
    const double sign = low == machine.positive ? 1 : -1;
    pairs_.emplace_back(std::array{range(low), range(high)}, std::array{sign, -sign}, options);
  }
  least_.assign(first, infinity);
  least_pair_.assign(first, 0);
  second_.assign(first, infinity);
}

void PairSvms::measure() {
  for (std::size_t m = 0; m < size(); ++m) {
    if (!pairs_[m].both_occur()) continue;
    for (std::size_t a = 0; a < pairs_[m].size(); ++a) {
      const std::size_t row = pairs_[m].row(a);
      const double margin = pairs_[m].margins()[a];
      if (margin < least_[row]) {
        second_[row] = std::exchange(least_[row], margin);
        least_pair_[row] = m;
      } else {
        second_[row] = std::min(second_[row], margin);
      }
    }
  }
}

PairRanking::PairRanking(const PairSvms& pairs, kernel::Rows& rows, std::span<const double> weights,
                         const core::Monitor& monitor, TransductiveCost& cost)
    : pairs_(pairs), rows_(rows), weights_(weights), monitor_(monitor), cost_(cost), scores_(rows.size()) {}

Rank PairRanking::rank(const NewExample& example, int label, bool label_conditional) {
  const RowRange& own = pairs_.range(label);
  std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(own.first), own.count, infinity);
  new_score_ = infinity;
  for (std::size_t m = 0; m < pairs_.size(); ++m) {
    const auto [low, high] = std::minmax(pairs_.machine(m).positive, pairs_.machine(m).negative);
    const int opponent = label == low ? high : low;
    if ((label == low || label == high) && pairs_.range(opponent).count > 0) fight(m, example, label == low ? 0 : 1);
  }
  return count(label_conditional ? own : RowRange{0, scores_.size()});
}

/// All pairs of the new example's class change, and of each other class one.
void PairRanking::fight(std::size_t m, const NewExample& example, std::size_t side) {
  if (monitor_.should_stop())
    throw Error(ErrorCode::interrupted, "transductive prediction was stopped before it was done");
  const PairSvm& pair = pairs_.all()[m];
  pair.extend(rows_, example, side, monitor_, cost_, extension_);
  const double* margin = extension_.margins.data();
  for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
    const RowRange& range = pair.ranges()[s];
    for (std::size_t row = range.first; row < range.first + range.count; ++row)
      scores_[row] = std::min(s == side ? scores_[row] : pairs_.score_without(row, m), *margin++);
  }
  new_score_ = std::min(new_score_, *margin);
}

Rank PairRanking::count(const RowRange& range) const {
  const double nonconformity = margin_nonconformity(new_score_);
  Rank rank;
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    const double weight = weights_.empty() ? 1 : weights_[i];
    rank.of += weight;
    rank.greater += margin_nonconformity(scores_[i]) > nonconformity ? weight : 0;
    rank.equal += margin_nonconformity(scores_[i]) == nonconformity ? weight : 0;
  }
  return rank;
}

}  // namespace credence::conformal
