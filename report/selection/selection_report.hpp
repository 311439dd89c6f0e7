#pragma once

#include "credence/data/dataset.hpp"
#include "credence/selection/selector.hpp"
#include "report/json.hpp"
#include "report/plan.hpp"
#include "report/text.hpp"

namespace credence::report {

/// What is said of the work: nothing by default, all of it with --verbose.
enum class Detail { usual, verbose };

/// The table for people, without the heat map.
std::string selection_table(const selection::Selection& selection, const std::string& source,
                            Detail detail = Detail::usual);
/// Everything, for programs: the selection, and how far single predictions can be trusted (report/trust_report.hpp) by
/// the rows left out and the decision regions, where two features make a picture and the training is quick
/// (`selection::rows_trained_quickly`). Equal inputs and seeds give equal documents but for `seconds` (also that of the
/// honest estimate) and `threads`.
/// @param reading  of the data  @param trained  the chosen model on all rows; nullptr: there is none
Json selection_document(const selection::Selection& selection, const data::Dataset& dataset,
                        const data::ReadOptions& reading, const std::string& source, const model::Predictor* trained,
                        const core::Context& context);

/// What an honest estimate was made by: "nested cross-validation: 5 outer folds, 150 rows".
/// @param in_regions  whether the draws were made in each region of the feature space
std::string honest_basis(const selection::HonestEstimate& estimate, bool in_regions);

/// "complete", "interrupted", "time limit".
const char* status_word(core::StopReason reason);

/// "768 out-of-fold, kept with the model for p-values and confidence" (of a regression: for intervals).
std::string margin_summary(const model::Calibration& calibration);
/// "12.3 kernels (sum of gamma) for 200 rows, a share of 0.0615".
std::string effective_text(double effective, std::size_t rows);

/// "3 classes: a 50, b 50, c 50" (the first few of many).
std::string class_summary(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts);

/// Rows of each class; those of a class that is not known are left out.
std::vector<std::size_t> class_counts(const data::Dataset& dataset);

/// "train.csv: 150 rows, 4 features, 3 classes: a 50, b 50, c 50".
std::string data_summary(const data::Dataset& dataset, const std::string& path);

}  // namespace credence::report
