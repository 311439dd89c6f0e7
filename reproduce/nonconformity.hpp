#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/bound_curve.hpp"
#include "credence/selection/comparison.hpp"

/// Table 3 and Figure 2 of Hardoon, Hussain, Shawe-Taylor, "A Nonconformity Approach to Model Selection for SVMs"
/// (2009).
namespace credence::reproduce {

/// A cell of Table 3: error and standard deviation over the ten folds, run-time of all of them.
struct PaperFigure {
  double error;
  double deviation;
  double seconds;
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
  std::array<PaperFigure, 3> figures;  ///< nonconformity, cross-validation, SVM-Linf
  const char* stands_in;               ///< what it is if not the paper's set; then no part of the overall rows
};

/// The eight sets in the paper's order, and after Votes the surrogate of its size.
std::span<const PaperSet> paper_sets();
/// The sets of a list of keys with commas, all of them if it is empty. @throws Error invalid_argument
std::vector<const PaperSet*> sets_of(const std::string& keys);

/// @throws Error file with the file's name and where anyone gets the data
data::Dataset read_set(const PaperSet& set, const std::string& folder);
/// In what the data differ from Table 1, counted from them; empty if in nothing.
std::vector<std::string> mismatches(const PaperSet& set, const data::Dataset& dataset);

/// The columns of our table: the paper's three, then ours.
inline constexpr std::array<const char*, 6> columns{"nonconformity",    "cv",      "max-margin",
                                                    "nonconformity-ve", "holdout", "holdout-vote"};
inline constexpr std::size_t paper_columns = 3;
enum Column : std::size_t { nonconformity = 0, cross_validation = 1 };

/// The contestants of one shuffle, in the order of `columns`. All train on the same rows: those of the other outer
/// folds without the validation rows, which are drawn once. Features are not scaled.
std::vector<selection::Contestant> contestants(std::uint64_t seed);

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

struct ColumnResult {
  double error = 0;                      ///< mean over folds and shuffles
  double deviation = 0;                  ///< over the folds of a shuffle, mean over shuffles
  std::optional<double> standard_error;  ///< of `error` over shuffles; none for one shuffle
  double seconds = 0;                    ///< of one shuffle, mean
};

/// Over the complete shuffles; none if there is none.
std::optional<ColumnResult> column_result(const SetResult& result, std::size_t column);

/// Runs all shuffles of one data set; stops early if the monitor says so.
SetResult run_set(const PaperSet& set, const data::Dataset& dataset, int repeats, std::uint64_t seed,
                  const core::Context& context);

/// Error against what the paper calls its bound, for one split: the first outer fold.
struct Figure2 {
  std::size_t validation_rows = 0;
  std::size_t models = 0;
  double delta = 0;
  std::vector<selection::BoundPoint> points;
};
/// @throws Error interrupted
Figure2 figure_2(const data::Dataset& dataset, std::uint64_t seed, const core::Context& context);

}  // namespace credence::reproduce
