#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/selection/nonconformity.hpp"

namespace credence::selection {

/// #{ j : m_kj <= s }: a p-value times n.
using Count = std::uint32_t;

/// Chooses which model decides on a row, by the counts of its p-values: the models are shown one after another, then
/// one of those that attain eps_crit is chosen. One object serves row after row.
class NonconformityDecision {
 public:
  /// A model and a class that it may give to the row.
  struct Candidate {
    std::size_t model = 0;
    std::size_t label = 0;
  };

  /// @param errors  validation errors of each model
  NonconformityDecision(std::span<const std::size_t> errors, std::size_t classes)
      : errors_(errors), classes_(classes) {}

  /// Begins a new row.  @param scores  models x classes
  void start(const double* scores);
  /// Shows the counts of model k for every class.
  void show(std::size_t k, const Count* counts);
  Candidate choose(const NonconformityOptions& options, std::uint64_t row) const;
  /// eps_crit times n, of the models shown.
  Count critical() const { return critical_; }

 private:
  Candidate first_in_order(const std::vector<Candidate>& candidates) const;
  std::vector<Candidate> with_most_votes() const;

  std::span<const std::size_t> errors_;
  std::size_t classes_;
  const double* scores_ = nullptr;
  Count critical_ = 0;
  std::vector<Candidate> candidates_;
};

}  // namespace credence::selection
