#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "credence/selection/in_sample.hpp"
#include "credence/selection/method_parts.hpp"
#include "credence/selection/options.hpp"
#include "credence/selection/partition.hpp"
#include "credence/svm/train.hpp"

/// ```cpp
/// using namespace credence;
/// const core::Threads threads;
/// core::Monitor monitor;
/// const core::Context context{.threads = threads, .monitor = monitor};
/// const data::Dataset dataset = data::read("data/breast_cancer.csv");
/// selection::Options options;
/// options.method = selection::CrossValidation{.folds = 5};
/// options.seed = 1;
/// const selection::Selection chosen = selection::Selector(options).select(dataset, context);
/// std::cout << chosen.grid.size() << " settings, " << chosen.resamples << " folds\n";  // prints 144 settings, 5 folds
/// const selection::Setting& best = chosen.grid[chosen.best.value()];
/// std::cout << (best.error < chosen.honest->error ? "optimistic" : "not optimistic") << '\n';  // prints optimistic
/// const std::shared_ptr<const model::Predictor> predictor = selection::fitted(dataset, chosen, context);
/// std::cout << predictor->predict(dataset, context).label.size() << " labels\n";  // prints 569 labels
/// ```
namespace credence::selection {

// Choosing a kernel of relevance vector machines by a single fit to all rows: by the kernel validity index
// (rvm/validity.hpp), or by the evidence alone.

/// The fit of one kernel. With several RVMs (one against the rest) numbers are summed, and a flag is set if any of them
/// has it.
struct KernelEvidence {
  double log_evidence = 0;
  /// Empty if the kernel has no index. With the method evidence also empty if the index is not a number, or needs more
  /// memory than the budget.
  std::optional<double> log_validity;
  double stability = 0;       ///< log validity - log evidence
  double effective = 0;       ///< sum of gamma (rvm::Posterior) over kernels
  std::size_t kernels = 0;    ///< retained
  std::size_t relevant = 0;   ///< those among them with gamma > 0.1
  double noise_sd = 0;        ///< regression
  double largest_weight = 0;  ///< max |w|
  std::size_t capped = 0;     ///< pairs of kernel and feature whose A (rvm::Validity) met the cap
  std::size_t saddles = 0;    ///< pairs whose curvature b is at most 0
  int iterations = 0;
  rvm::Status status = rvm::Status::converged;
  bool null_model = false;  ///< no kernel of some RVM is determined by the data
  bool memorised = false;   ///< the model repeats its training targets (rvm::Fit::memorised): its evidence says nothing
  bool below_null = false;  ///< evidence at most EvidenceReport::null_margin above that of the bias alone
  bool reused = false;      ///< copied from the previous kernel of the grid, whose matrix is the same to 1e-10
};

/// The report of the methods kernel-validity and evidence.
struct EvidenceReport {
  std::string criterion{};      ///< "kernel validity" or "evidence"
  double null_evidence = 0;     ///< of the bias alone
  bool guarded = false;         ///< kernels below the null model may not win
  bool all_below_null = false;  ///< no kernel is above it, so that all take part in a choice of little meaning
  bool literal = false;
  bool cap = true;
  std::size_t candidates = 0;  ///< candidate centres
  double null_margin = 0;      ///< 0 without a guard
};

/// The average of settings that the data cannot tell from the best one (Rule::average).
struct SettingAverage {
  /// More members do not lower the error (docs/average.md), and each costs a training, and kernel values for each
  /// prediction.
  static constexpr std::size_t most_members = 10;

  /// Indices into the grid, ascending: of the settings whose error is at most the smallest one plus its standard error,
  /// those with the smallest errors, at most `most_members`. Of equal errors the most regularised are taken.
  std::vector<std::size_t> members;
  double error = 0;     ///< of the average of their out-of-fold scores, as Setting::error
  double error_se = 0;  ///< as Setting::error_se
};

/// Why a setting was not solved on all resamples, although nothing stopped the computation; see SvmCosts::give_up.
enum class GivenUp {
  no,
  step_budget,  ///< a smaller C was clearly better when the steps of the path were spent
  step_limit,   ///< a solve of a smaller C reached the step limit
};
std::string_view name(GivenUp reason);

/// One setting of the grid: its hyper-parameters and its results.
struct Setting {
  std::optional<kernel::KernelType> kernel{};  ///< none for nearest neighbours, and where each region has its own
  std::optional<data::Scaling> scale{};        ///< none where each region has its own
  double C = 0;                                ///< 0 for nu-SVC and nearest neighbours
  double nu = 0;                               ///< 0 unless nu-SVC
  double rho = 0;                              ///< 0 unless the method bounds the norm
  double gamma = 0;  ///< of a rule (`scale`, `median`) its value on all training rows; 0 for kernels without gamma
  int k = 0;         ///< nearest neighbours
  std::optional<KernelEvidence> evidence{};  ///< for kernel-validity and evidence
  bool complete = false;                     ///< false if the run was stopped before it, or it was left out
  bool infeasible = false;                   ///< its nu is too large or too small in some resample
  GivenUp given_up = GivenUp::no;            ///< other than no: not complete, without error and counts
  /// The loss of the setting; smaller is better. For the score accuracy: held-out errors over held-out rows. For other
  /// scores: 1 - score (log loss: the loss itself) of the held-out predictions of all resamples together. An AUC
  /// compares pairs within each resample. NaN where the score is undefined.
  double error = 0;
  double error_std = 0;  ///< standard deviation (n - 1) of `error` over the resamples; 0 if there is only one
  double error_se = 0;   ///< standard error of `error`: error_std over the root of the number of resamples that count
  /// In each resample: the score (the larger the better), or the log loss, soft loss or mean squared error (the smaller
  /// the better); NaN where it is undefined. Empty for leave-one-out, hold-outs and in-sample methods.
  std::vector<double> split_scores{};
  /// Seconds of each resample, where resamples hold rows out. fit: the training since the point before on the
  /// path of C or nu. score: an equal share of the decision values of the whole path. Other settings run meanwhile.
  std::vector<double> fit_seconds{};
  std::vector<double> score_seconds{};
  double n_sv = 0;          ///< support vectors, mean over resamples
  std::uint64_t steps = 0;  ///< SMO steps, all resamples and models
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< solves that ended before the tolerance
  /// Added to the grid of the options: the best setting lay on the border, and RvmCandidates::further allowed one more
  /// value of gamma, at the ratio of the two outermost. Such values are added one at a time, until the best is no
  /// longer on the border or the last one added is no better.
  bool added = false;
  /// Number of rows of the last rung (subset in a race) that judged the setting and gave its numbers. 0: all rows.
  std::size_t rung = 0;

  /// Calls parameter("C", &Setting::C) and so on for each hyper-parameter; one that the setting lacks is 0.
  static void parameters(auto&& parameter) {
    parameter("C", &Setting::C);
    parameter("nu", &Setting::nu);
    parameter("rho", &Setting::rho);
    parameter("gamma", &Setting::gamma);
    parameter("k", &Setting::k);
  }
  /// The same for the parameters and for what was found, as tables of settings have them.
  static void describe(auto&& field) {
    field("kernel", &Setting::kernel);
    field("scale", &Setting::scale);
    parameters(field);
    field("split_scores", &Setting::split_scores);
    field("fit_seconds", &Setting::fit_seconds);
    field("score_seconds", &Setting::score_seconds);
    field("error", &Setting::error);
    field("error_se", &Setting::error_se);
    field("error_std", &Setting::error_std);
    field("n_sv", &Setting::n_sv);
    field("steps", &Setting::steps);
    field("factorisations", &Setting::factorisations);
    field("unconverged", &Setting::unconverged);
    field("complete", &Setting::complete);
    field("infeasible", &Setting::infeasible);
    field("given_up", &Setting::given_up);
  }
};

/// What some methods report beside the choice. A method with a report of its own adds its struct here.
using Findings = std::variant<std::monostate, InSample, EvidenceReport, ErrorEstimation, PartitionReport>;

/// The data and options of a selection.
struct SelectionBasis {
  Options options;    ///< resolved: with the same data set they repeat the selection
  std::string score;  ///< what Setting::error is: "CV error", "CV 1 - balanced accuracy", "minus log validity", ...
  /// Setting::error and the honest estimate are means of errors (or soft losses) with class and sample weights.
  bool weighted = false;
  std::size_t n = 0;          ///< rows, with those set aside
  std::size_t set_aside = 0;  ///< rows that only the estimate `holdout` used
  std::size_t features = 0;   ///< raw columns
  std::string label;          ///< data::Schema::label_column
  std::string positive;       ///< of two classes, the one that reports call positive; empty: the second
  std::vector<std::string> classes;
  std::vector<std::size_t> class_counts;
  /// Each class's share of the rows that chose, or of their weights where errors are weighted; and of the rows set
  /// aside.
  std::vector<double> class_shares, judged_shares;
  int resamples = 0;                ///< folds, bootstrap samples; 1 for a hold-out; n for leave-one-out
  std::size_t validation_rows = 0;  ///< held out by hold-out methods
  ScaleScope scale_scope = ScaleScope::fold;
};

/// The scores of all settings, and the choice.
struct SelectionFindings {
  /// By scaling, then by kernel function, then by gamma, then the most regularised first. A selection in regions of the
  /// feature space has one setting for the choices of all regions, without C and gamma.
  std::vector<Setting> grid;
  /// Smallest finite error; ties go to smaller C (larger nu), then to the first kernel and scaling, then to smaller
  /// gamma. With Rule::one_se the first in that order whose error is at most the smallest plus its standard error.
  std::optional<std::size_t> best;
  std::optional<std::size_t> runner_up;  ///< smallest error of the others
  bool best_on_border = false;           ///< of an axis with several values
  bool memorised = false;  ///< the model of the chosen setting repeats its training targets (rvm::Fit::memorised)
  /// Regression: effective kernels (rvm::effective_kernels) of the chosen setting's model, trained on all rows.
  std::optional<double> effective;
  std::optional<SettingAverage> average;  ///< with Rule::average, where the grid was judged to its end
  std::optional<HonestEstimate> honest;
  std::optional<RaceReport> race;  ///< where the settings raced
  Findings found;                  ///< what the method reports beside the choice
  /// The predictor, if the method keeps several models with a rule, or if the chosen setting is trained already; else
  /// null.
  std::shared_ptr<const model::Predictor> predictor;
  /// Scores that the chosen setting gave to rows which its models had not seen (of a regression, its residuals there);
  /// empty for partial results and for methods that keep several models.
  model::Calibration calibration;
  /// With PValues::nested: models of the folds, each with the setting chosen without its fold.
  model::Members fold_models;
};

/// The course of a selection, with its warnings.
struct SelectionCourse {
  core::StopReason stopped = core::StopReason::none;  ///< other than none: a partial result
  int threads = 0;
  double seconds = 0;
  std::string version;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< worth knowing, but no cause for doubt
  /// Warnings of the trained model, and what became of the model of a run that was stopped.
  std::vector<std::string> later_warnings;
};

struct Selection : SelectionBasis, SelectionFindings, SelectionCourse {
  /// The score of what was chosen, as Setting::error: of the best setting, or of the average. None without a choice.
  std::optional<double> chosen_error() const;
  /// What kind of number Setting::error is, whatever `score` calls it.
  ScoreKind score_kind() const;
  /// The same for the honest estimate, which judges labels where the method compares bounds or evidence.
  ScoreKind honest_kind() const;
  const InSample* in_sample() const { return std::get_if<InSample>(&found); }
  const EvidenceReport* evidence() const { return std::get_if<EvidenceReport>(&found); }
  const ErrorEstimation* estimation() const { return std::get_if<ErrorEstimation>(&found); }
  const PartitionReport* partition() const { return std::get_if<PartitionReport>(&found); }
  /// Upper limit of the error rate: InSample::error_bound, or the Clopper-Pearson one of an ErrorEstimation that is
  /// independent; as the formula gives it, perhaps above 1. None where the method bounds nothing.
  std::optional<double> error_bound() const;
};

/// The rows of a data set after Options::copies, and a sentence on the copies.
struct RowsInUse {
  std::shared_ptr<const data::Dataset> rows;  ///< if copies change nothing: the given rows, which must outlive this
  Options options;                            ///< with the word of `copies` that was used, if there are copies
  std::string note{};                         ///< empty where there are fewer copies than 1 % of the rows
  std::vector<int> kept_as{};                 ///< the index in `rows` of each row given; empty: they are the same

  /// Returns flags of the given rows, from flags of `rows`.
  std::vector<bool> of_given(const std::vector<bool>& of_rows) const;
  /// Adds to a selection of these rows the word of `copies` that was used, and the sentence: as a note where copies are
  /// kept, else as a warning.
  void add_note_to(Selection& selection) const;
};
/// Every function that selects calls this first. A second call changes nothing.
RowsInUse rows_in_use(const data::Dataset& dataset, const Options& options);

/// How well each column alone predicts the class, judged on rows left out. A column of numbers is split where its two
/// sides are purest (Gini), as by a tree of depth one. A column of texts has a part for each level. A column of at most
/// ten different numbers has a part for each number, if a number occurs twice or more on average. Missing values are a
/// part. Each side or part predicts its commonest class.
struct ColumnsAlone {
  double baseline = 0;  ///< error of always naming the commonest class
  std::vector<double>
      errors;  ///< of each column; empty for regressions, for wide sparse rows, and where the monitor says stop
  double by_chance = 0;  ///< upper limit of the expected number of columns without an error, if all were noise

  /// A warning that names the columns without an error, and asks whether they are known when the model predicts. Empty
  /// if there are none, if the baseline errs on at most 10 %, or if `by_chance` is above 0.01.
  std::string warning(const data::Dataset& dataset) const;
  /// If there is no warning, a note that asks the same about the column with the least error, if this is at most a
  /// tenth of the baseline.
  std::string doubt(const data::Dataset& dataset) const;
  /// A note on the best column, if it errs at most 1.25 times as often as what was chosen, and less than the baseline
  /// by more than noise.  @param dataset  the rows judged  @param chosen  error of what was chosen
  std::string note(const data::Dataset& dataset, double chosen) const;
};
/// Judges by the folds of cv, for other methods by ten folds (at most one for each row).  @param dataset  rows_in_use
/// Cost: a sort of each column, and a walk through it for each fold.
ColumnsAlone columns_alone(const data::Dataset& dataset, const Options& options, const core::Context& context);

struct Forecast;

/// Runs the method of its options.
class Selector {
 public:
  /// @throws Error invalid_argument that names every problem of the options
  explicit Selector(const Options& options);
  /// @param forecast  of the same data and options, so that no pilot is run again; nullptr: there is none
  /// @throws Error invalid_data, invalid_argument, memory
  Selection select(const data::Dataset& dataset, const core::Context& context,
                   const Forecast* forecast = nullptr) const;
  const Options& options() const { return options_; }  ///< resolved

 private:
  Options options_;  ///< resolved
};

/// The rows that hold-out methods keep for validation: drawn at random, by the seed (fixed folds or groups as wholes,
/// see data::Dataset::clusters).
/// @throws Error invalid_data, invalid_argument if that number of rows cannot be held out
std::vector<bool> validation_split(const data::Dataset& dataset, const Options& options);

/// The rows that Estimate::holdout sets aside, at most 10,000, drawn by the seed; with groups or fixed folds
/// (data::Dataset::clusters) whole ones. A tenth of the rows, drawn within the classes; with PValues::split three
/// tenths, drawn without looking at the classes, as exact p-values require.
/// @throws Error invalid_data for fewer than 10 rows; invalid_argument if all rows are of one group or fixed fold
std::vector<bool> set_aside_rows(const data::Dataset& dataset, const Options& options);

/// Trains the chosen setting on all rows, with preprocessing fitted on all rows, and records the selection in the
/// model, with its calibration.
/// @throws Error invalid_argument if nothing was chosen, or for relevance vector machines, which `fitted` trains
svm::TrainResult retrain(const data::Dataset& dataset, const Selection& selection, const core::Context& context);

/// As `fitted`, but without fold models: for callers that judge the model and do not keep it.
/// @throws Error as `fitted`
std::shared_ptr<const model::Predictor> model_without_folds(const data::Dataset& dataset, const Selection& selection,
                                                            const core::Context& context);

/// Gives a trained model the models by which it compares new rows (model::Members), and the scores that they give to
/// rows which they left out. A regression gets the fold models of the selection's predictor. Nothing happens to models
/// of selections that were stopped, of methods that keep no scores of rows left out, and of PValues::split.
/// @param model  that the selection led to, trained on all rows
/// @return false if a time budget ended first: the model then keeps no scores either, and has no p-values
/// @throws Error interrupted if the monitor was cancelled
/// Cost: one training at the chosen setting for each fold.
bool add_fold_models(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                     model::Predictor& model);

/// Whether a model of this selection lacks fold models because a time budget ended (add_fold_models).
bool lacks_fold_models(const Selection& selection, const model::Predictor& model);

/// The predictor that a selection leads to: its own, or the chosen setting retrained on all rows, with its fold models
/// unless a time budget ends while they are trained (lacks_fold_models).
/// @throws Error invalid_argument if nothing was chosen; interrupted if the monitor stopped the training
std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const Selection& selection,
                                               const core::Context& context);

}  // namespace credence::selection
