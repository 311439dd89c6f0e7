#pragma once

#include <span>

#include "credence/selection/as_strange.hpp"
#include "credence/selection/comparison.hpp"
#include "reproduce/experiment.hpp"

/// Table 3 and Figure 2 of Hardoon, Hussain, Shawe-Taylor, "A Nonconformity Approach to Model Selection for SVMs"
/// (2009).
namespace credence::reproduce {

/// A cell of Table 3.
struct ColumnResult {
  double error = 0;                           ///< mean over folds and shuffles
  double deviation = 0;                       ///< over the folds of a shuffle, mean over shuffles
  double seconds = 0;                         ///< of all folds of one shuffle, mean
  std::optional<double> standard_error = {};  ///< of `error` over shuffles; none for one shuffle
};

/// A data set of Table 1 and its line of Table 3.
struct PaperSet {
  const char* key;   ///< for --sets
  const char* name;  ///< in the tables
  const char* file;  ///< CSV with classes +1 and -1, without .csv or .csv.gz
  std::size_t rows;
  std::size_t features;
  std::size_t positive;
  std::size_t negative;
  std::array<ColumnResult, 3> figures;  ///< nonconformity, cross-validation, SVM-Linf
  const char* stands_in;                ///< what it is if not the paper's set; then no part of the overall rows
};

/// The columns of our table: the paper's three, then ours.
inline constexpr std::array<const char*, 6> columns{"nonconformity",    "cv",      "max-margin",
                                                    "nonconformity-ve", "holdout", "holdout-vote"};
inline constexpr std::size_t paper_columns = 3;
enum Column : std::size_t { nonconformity = 0, cross_validation = 1 };

/// One data set, all shuffles.
struct SetResult {
  const PaperSet* set;
  std::size_t rows = 0;
  std::vector<std::string> mismatches;
  std::vector<selection::Comparison> shuffles;  ///< seeds seed, seed + 1, ...; the last one may be partial

  bool complete(int repeats) const {
    return shuffles.size() == static_cast<std::size_t>(repeats) && shuffles.back().stopped == core::StopReason::none;
  }
};

/// Over the complete shuffles; none if there is none.
std::optional<ColumnResult> column_result(const SetResult& result, std::size_t column);

/// Error against what the paper calls its bound, for one split: the first outer fold.
struct Figure2 {
  std::size_t validation_rows = 0;
  std::size_t models = 0;
  double delta = 0;
  std::vector<selection::BoundPoint> points;
};
/// All that was computed.
struct NonconformityReport : Course {
  std::vector<SetResult> sets;
  std::optional<Figure2> figure;
  int repeats = 1;
  std::uint64_t seed = 0;
};

/// Table 3, our columns, run-times and Figure 2 as text.
std::string report_text(const NonconformityReport& report);
/// The same with every fold.
Json report_json(const NonconformityReport& report);

}  // namespace credence::reproduce
