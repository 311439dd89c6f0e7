#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "credence/svm/family.hpp"
#include "problems.hpp"
#include "timing.hpp"

namespace credence::bench {

/// What both sides are asked for in common.
inline constexpr double tolerance = 1e-3;
inline constexpr double libsvm_cache_megabytes = 200;

/// One cross-validation of a whole grid.
struct GridRun {
  Seconds seconds;
  std::vector<std::size_t> errors;  ///< misclassified held-out rows of each setting; gamma-major, C ascending
  std::uint64_t steps = 0;          ///< SMO steps (Credence; LIBSVM where rows are left out)
  std::uint64_t factorisations = 0;
};

enum class Scale { none, fold };

/// Credence through its public API: `none` on the standardised numbers, `fold` from the raw ones.
GridRun credence_grid(const Problem& problem, const Grid& grid, Scale scale, int threads);

/// Rows to train on (with repeats) and rows to judge.
struct HeldOutSplit {
  std::vector<std::size_t> training;
  std::vector<std::size_t> judging;
};
/// Each fold left out once.
std::vector<HeldOutSplit> splits_of_folds(const std::vector<int>& folds);

/// LIBSVM: svm_train for each setting and split, then svm_predict of the rows to judge.
/// @param between  called before each gamma, outside the timing
GridRun libsvm_grid(const Problem& problem, const Grid& grid, const std::vector<HeldOutSplit>& splits,
                    const std::function<void(std::size_t gamma)>& between);

/// A selection through the public API, timed with the training that it leads to if asked.
struct SelectionRun {
  Seconds seconds;
  selection::Selection selection;
};
SelectionRun credence_selection(const data::Dataset& dataset, const selection::Options& options, int threads,
                                bool with_training = false);

/// Leave-one-out of a grid on the standardised numbers: the method `loo`, or as n folds of cross-validation.
enum class LeftOut { in_turn, as_folds };
GridRun credence_leave_one_out(const Problem& problem, const Grid& grid, LeftOut way);

/// Every row but one, and that one, for each of the given rows.
std::vector<HeldOutSplit> splits_without(std::size_t n, const std::vector<std::size_t>& rows);

/// LIBSVM: svm_train of each setting on some rows, untimed, then svm_predict of new rows by each of the models.
struct LabelRun {
  Seconds seconds;          ///< of the prediction alone
  std::vector<int> labels;  ///< (model, row), row fastest
};
LabelRun libsvm_labels(const Problem& problem, const Grid& grid, const std::vector<std::size_t>& training,
                       const data::Features& rows);

/// What LIBSVM says with the very models of a family (two classes, rbf), one after another.
struct FamilyRun {
  Seconds seconds;              ///< of the prediction alone
  data::DenseMatrix decisions;  ///< rows x models
};
FamilyRun libsvm_family(const svm::SvmFamily& family, const data::Features& rows);

/// One training on all rows.
struct TrainingRun {
  Seconds seconds;               ///< of the training alone
  double objective = 0;          ///< summed over pairs of classes
  std::size_t support = 0;       ///< rows that support any machine
  double megabytes = 0;          ///< largest resident memory while it ran, above what was there before
  std::vector<int> predictions;  ///< of the training rows
};

TrainingRun credence_training(const data::Dataset& dataset, double C, double gamma, std::size_t memory_budget);
TrainingRun libsvm_training(const data::Dataset& dataset, double C, double gamma);

std::string libsvm_version_text();

}  // namespace credence::bench
