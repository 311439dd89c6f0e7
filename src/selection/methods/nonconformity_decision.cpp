#include "selection/methods/nonconformity_decision.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "credence/core/random.hpp"

namespace credence::selection {
namespace {

/// Of core::random_choice.
constexpr std::uint64_t tie_purpose = 0x6e6f6e636f6e66;  // "nonconf"

/// The largest and the second largest of at least two counts.
std::pair<Count, Count> two_largest(const Count* counts, std::size_t classes) {
  Count first = std::max(counts[0], counts[1]);
  Count second = std::min(counts[0], counts[1]);
  for (std::size_t y = 2; y < classes; ++y) {
    second = std::max(second, std::min(first, counts[y]));
    first = std::max(first, counts[y]);
  }
  return {first, second};
}

}  // namespace

void NonconformityDecision::start(const double* scores) {
  scores_ = scores;
  critical_ = std::numeric_limits<Count>::max();
  candidates_.clear();
}

void NonconformityDecision::show(std::size_t k, const Count* counts) {
  const auto [largest, eps] = two_largest(counts, classes_);
  if (eps > critical_) return;
  if (eps < critical_) candidates_.clear();
  critical_ = eps;
  for (std::size_t y = 0; y < classes_; ++y)
    if (counts[y] == largest) candidates_.push_back({k, y});
}

NonconformityDecision::Candidate NonconformityDecision::choose(const NonconformityOptions& options,
                                                               std::uint64_t row) const {
  if (options.tie == Tie::random)
    return candidates_[core::random_choice(options.seed, tie_purpose, row, candidates_.size())];
  if (options.tie == Tie::validation_error) return first_in_order(candidates_);
  return first_in_order(with_most_votes());
}

NonconformityDecision::Candidate NonconformityDecision::first_in_order(const std::vector<Candidate>& candidates) const {
  const auto key = [this](const Candidate& c) {
    return std::tuple(errors_[c.model], c.model, -scores_[c.model * classes_ + c.label], c.label);
  };
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
}

std::vector<NonconformityDecision::Candidate> NonconformityDecision::with_most_votes() const {
  std::vector<std::size_t> votes(classes_, 0);
  for (const Candidate& c : candidates_) ++votes[c.label];
  const std::size_t most = *std::max_element(votes.begin(), votes.end());
  std::vector<Candidate> best;
  std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(best),
               [&](const Candidate& c) { return votes[c.label] == most; });
  return best;
}

}  // namespace credence::selection
