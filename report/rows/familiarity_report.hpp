#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "report/json.hpp"

/// How many rows are like nothing that the model was trained on (conformal/familiarity.hpp).
namespace credence::report {

/// Counts rows at the levels that people look at.
class FamiliarityTally {
 public:
  static constexpr std::array<double, 2> levels{0.01, 0.05};

  /// @param known  rows that new rows are compared with
  explicit FamiliarityTally(std::size_t known) : known_(known) {}
  void add(std::span<const double> familiarity);

  std::size_t known() const { return known_; }
  std::size_t rows() const { return rows_; }
  /// Rows whose familiarity is at most levels[i].
  std::size_t at(std::size_t i) const { return counts_[i]; }
  /// The place of the smaller level that a p-value can reach: 0.01 from 99 known rows on.
  std::size_t listed() const { return known_ + 1 >= 100 ? 0 : 1; }
  /// The warning: empty unless there are clearly more unfamiliar rows than the level says. The limit is that of a
  /// beta-binomial count (bounds::split_miss_counts), so that rows like those of the training give a warning in at most
  /// about one of 2,000 files.
  std::string warning() const;

 private:
  std::size_t known_;
  std::size_t rows_ = 0;
  std::array<std::size_t, 2> counts_{};
};

struct FamiliarityReport {
  /// The list holds so many rows, the least familiar ones first.
  static constexpr std::size_t most_listed = 20;
  struct Unlike {
    std::size_t row;  ///< its number in its file
    double familiarity;
  };

  FamiliarityTally tally;
  std::vector<Unlike> unlike;  ///< rows at most at the level of the list
};

/// Nothing of predictions without familiarity.
std::optional<FamiliarityReport> familiarity_report(std::span<const double> familiarity, std::size_t known,
                                                    const data::Dataset& dataset);
/// A line of the evaluation.
std::string familiarity_line(const FamiliarityReport& report);
/// The same of other rows than those of a model. @param unlike_what  "unlike the rows before"
std::string familiarity_line(const FamiliarityTally& tally, const char* unlike_what);
/// Of each level `eps`, `n` and `share`.
Json familiarity_levels_json(const FamiliarityTally& tally);
/// Rows compared with, counts at the levels, and the list.
Json familiarity_json(const FamiliarityReport& report);

}  // namespace credence::report
