#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/selector.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/paper_numbers.hpp"
#include "report/json.hpp"
#include "report/plan.hpp"
#include "report/setting_words.hpp"
#include "report/story.hpp"
#include "report/text.hpp"

/// Reports of a selection, and of what each family of methods finds (selection::Findings): rows held out and their
/// bounds, bounds from the training rows alone, regions of the feature space, relevance vector machines.
namespace credence::report {

/// What terminal, page and document say of a selection.
/// @param source   the file of the data; empty: rows from memory
/// @param of_rows  what is said of single rows  @param columns  of the chosen model
Story selection_story(const selection::Selection& selection, const std::string& source, std::vector<Block> of_rows = {},
                      const ColumnEffects& columns = {});
/// What the rows left out come to by the models that had not seen them, and whether that is corrected for the choice.
/// None of a regression, and where no scores of all classes are kept.
std::optional<PaperNumbers> paper_numbers(const selection::Selection& selection);
/// Everything, for programs: the selection, and how far single predictions can be trusted
/// (report/evaluation/evaluation_report.hpp) by the rows left out and the decision regions, where two features make a
/// picture and the training is quick (`selection::rows_trained_quickly`). Equal inputs and seeds give equal documents
/// but for `seconds` (also that of the honest estimate) and `threads`.
/// @param reading  of the data  @param trained  the chosen model on all rows; nullptr: there is none
Json selection_document(const selection::Selection& selection, const data::Dataset& dataset,
                        const data::ReadOptions& reading, const std::string& source, const model::Predictor* trained,
                        const core::Context& context, const ColumnEffects& columns = {});

/// What an honest estimate was made by: "nested cross-validation: 5 outer folds, 150 rows".
/// @param in_regions  whether the draws were made in each region of the feature space
std::string honest_basis(const selection::HonestEstimate& estimate, bool in_regions);
/// @param score_kind  empty: without the score
/// "2.81 %, 95 % interval 1.10 % to 6.03 % (binomial)". @param scale  of the estimate
std::string error_with_interval(const selection::HonestEstimate& estimate, const Scale& scale);
Json estimate_json(const selection::HonestEstimate& estimate, bool in_regions, std::string_view score_kind = {});

/// "complete", "interrupted", "time limit".
const char* status_word(core::StopReason reason);

/// "768 out-of-fold, kept with the model for p-values and confidence" (of a regression: for intervals).
std::string margin_summary(const model::Calibration& calibration);

/// "3 classes: 'a' (50), 'b' (50), 'c' (50)" (the first few of many).
std::string class_summary(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts);

/// Rows of each class; those of a class that is not known are left out.
std::vector<std::size_t> class_counts(const data::Dataset& dataset);

/// What was read: "train.csv: 150 rows, 4 features, 3 classes: 'a' (50), 'b' (50), 'c' (50)", and the label.
void add_data(const data::Dataset& dataset, const std::string& path, Section& section);

Json estimation_json(const selection::ErrorEstimation& estimation);

/// What the facts of a selection say in the words of its findings. Empty texts leave the facts as they are for a method
/// without.
struct FindingsReport {
  std::string basis;            ///< how the rows were used
  std::string candidates;       ///< more about what was chosen from
  std::string best_score;       ///< of the chosen setting, beside its parameters
  std::string runner_up_score;  ///< of the second best
  std::string work;             ///< what solving took
  bool estimates = true;        ///< the scores of the settings estimate the error
  bool silent_without = false;  ///< nothing is said where there is no honest estimate
};
FindingsReport findings_report(const selection::Selection& selection);

/// Adds the section of the findings.
void add_findings(const selection::Selection& selection, Story& story);
/// Adds in_sample, estimation and kernel_validity to the document of a selection, null where there are none.
void add_findings(const selection::Selection& selection, Json& document);

/// The grid's errors as a map: C (or nu, or rho) to the right, gamma upwards, the best setting marked. Empty if there
/// is nothing to see (one setting, or no such axis: nearest neighbours, relevance vector machines) or the width does
/// not suffice.
std::string heat_map(const selection::Selection& selection, bool colour, int width);

/// "Rademacher complexity over 100 label vectors, 398 rows in the bound, 171 for the hint".
std::string in_sample_basis(const selection::InSample& found);

// Sections of the findings, of methods that have some.

/// Training loss, complexity, deviation and bounds of the chosen class, and what they rest on.
void add_finding(const selection::InSample& found, const selection::Selection& selection, Story& story);
/// Mean losses and their upper limits, and what they are about.
void add_finding(const selection::ErrorEstimation& found, const selection::Selection& selection, Story& story);
/// The kernels of kernel-validity or evidence, what the choice rests on, and what it does not say.
void add_finding(const selection::EvidenceReport& found, const selection::Selection& selection, Story& story);
/// Where the errors of the regions are, and what they chose.
void add_finding(const selection::PartitionReport& found, const selection::Selection& selection, Story& story);
/// Relevance vector machines of a method that counts errors: error and kernels for each width.
void add_widths(const selection::Selection& selection, Story& story);

/// How good the choice is, on one axis: honest estimate, selected score, bounds and baseline. None for fewer than two.
std::optional<Chart> score_chart(const selection::Selection& selection);
/// How sure the choice is: which settings the data cannot tell apart, and the scores of all.
void add_settings(const selection::Selection& selection, Section& section);

/// Every setting of every model with every trial; numbers of settings that are not complete are null.
Json in_sample_json(const selection::InSample& found, const std::vector<std::string>& classes);

/// Where an axis of evidences may begin: narrow kernels can lie so far below the others that nothing else would show.
double least_shown(std::vector<double> values);

/// "log validity -123.4" or "log evidence -120.1": what the method compares.
std::string evidence_score(const selection::KernelEvidence& evidence, const selection::EvidenceReport& report);

Json kernel_validity_json(const selection::EvidenceReport& report);
Json kernel_evidence_json(const selection::KernelEvidence& evidence);

/// "26 regions of the feature space of about 2000 rows, 5 folds in each".
std::string partition_basis(const selection::PartitionReport& found, const selection::Selection& selection);
/// The size that was asked for, the number of regions, the settings tried in each, how many regions hold half of the
/// errors, and every complete region: rows, classes, choice, errors. Partitions and regions count from 1.
Json partition_json(const selection::PartitionReport& found);

/// Evidence, index, relevance vectors and how the fit ended; a line for each class where there is a model for each.
void add_machines(const rvm::KernelFit& fit, const rvm::RvmModel& model, Section& section);
/// Models that say nothing, repeat their targets, or did not converge.
std::vector<std::string> machine_warnings(const rvm::KernelFit& fit, const rvm::RvmModel& model);

/// What a model file says of the model: data, label, columns with their ranges, classes, members, estimate with its
/// interval, kind of p-values, version. What the file does not hold is "not recorded".
/// @param source  the file of the model
Story model_story(const model::Predictor& model, const std::string& source);
Json model_json(const model::Predictor& model, const std::string& source);

/// With two decimals, zero without a sign.
std::string two_decimals(double value);

/// The data and the outer folds, a line for each method, and which differences are beyond noise.
/// @param source  the file of the data; empty: rows from memory
Story comparison_story(const selection::Comparison& comparison, const data::Dataset& dataset,
                       const std::string& source);

/// What became of one file of several.
struct ComparedFile {
  std::string source;
  std::optional<selection::Comparison> found{};
  Story story{};
  std::string problem{};  ///< why there is no comparison
};
Story comparisons_story(const std::vector<ComparedFile>& files);

/// Everything, every fold.
Json comparison_json(const selection::Comparison& comparison);

}  // namespace credence::report
