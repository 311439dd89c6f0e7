#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/grid.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "credence/selection/in_sample.hpp"
#include "credence/selection/kernel_validity.hpp"
#include "credence/selection/nonconformity.hpp"
#include "credence/svm/train.hpp"

namespace credence::selection {

/// Where the preprocessing is fitted.
enum class ScaleScope {
  fold,  ///< on the training rows of each resample: nothing leaks
  all,   ///< once on all training rows, labels never seen; one Gram serves all resamples
};

/// What is chosen from.
enum class Learner {
  svm,  ///< SVMs over the grid
  knn,  ///< nearest neighbours over Options::k, for methods that hold rows out once
  rvm,  ///< relevance vector machines over the grid's gammas, for kernel-validity, evidence, cv, bootstrap and methods
        ///< that hold rows out once
};

/// Which honest estimate is to stand beside the selected score.
enum class Estimate { none, bbc, nested };

/// The bootstrap's score of a cell (Efron and Tibshirani, JASA 92, 1997).
enum class BootstrapError {
  out_of_bag,  ///< mean over rows of the mean loss in the resamples that left the row out
  e632,        ///< 0.368 training error + 0.632 out-of-bag error
  e632_plus,   ///< the same with the weight moved by the relative overfitting rate
};

/// Which margin the maximum-margin method compares.
enum class Margin {
  functional,  ///< |f(x)|, as in the paper
  geometric,   ///< |f(x)| / |w|
};

/// What a method whose models were trained without the validation rows hands over.
enum class Refit {
  all_rows,       ///< the chosen cell, trained on all rows
  training_rows,  ///< the model that was judged, trained without the validation rows
};

struct Options {
  std::string method = "cv";                     ///< a name of the registry
  data::Task task = data::Task::classification;  ///< regression: kernel-validity, evidence and cv, with RVMs
  /// Default: rvm for kernel-validity, evidence and regressions, else svm. With kernel-validity or evidence, svm means
  /// that RVMs choose the kernel and an SVM is trained with it, its C chosen by cross-validation where the grid has
  /// several.
  std::optional<Learner> learner;
  Grid grid;
  std::vector<int> k{1, 3, 5, 7, 9, 11, 13, 15};  ///< of nearest neighbours; >= 1, ascending
  kernel::Kernel kernel;                          ///< type, coef0, degree; gamma comes from the grid
  int folds = 10;                                 ///< >= 2; not used where the data set brings fixed folds
  int resamples = 50;                             ///< of the bootstrap; >= 2
  BootstrapError bootstrap = BootstrapError::out_of_bag;
  std::optional<std::size_t> validation_rows;  ///< of hold-out methods; default min(n / 5, 50), as the paper
  NonconformityOptions nonconformity;          ///< its seed is not looked at, see `seed`
  Margin margin = Margin::functional;
  Refit refit = Refit::all_rows;
  InSampleOptions in_sample;                                      ///< of rademacher and maximal-discrepancy
  Loss loss = Loss::hard;                                         ///< cv, kfold-nested, loo, bootstrap choose by it
  FinalClassifier final_classifier = FinalClassifier::retrained;  ///< of kfold-nested, loo and bootstrap
  bool nested_bootstrap = false;  ///< bootstrap: a second sample in each one chooses, the rows out of bag only judge
  rvm::FitOptions rvm;
  rvm::ValidityOptions validity;
  std::optional<std::size_t> centres;  ///< candidate centres of RVMs; default: rvm::default_centres of all rows
  /// A kernel is chosen by its index only if its log evidence is above that of the null model by more than this (if
  /// there is one); none: no guard. The null model pays no penalty for unstable centres, and would win on weak data.
  std::optional<double> null_margin = 0.5;
  /// kernel-validity and evidence, where they choose the model itself: cross-validation with the chosen kernel alone,
  /// in `folds` folds, whose scores of rows left out become the calibration. The other methods leave rows out anyway.
  bool cross_fit = false;
  double delta = 0.05;       ///< of the bounds; in (0, 1)
  bool union_bound = false;  ///< bounds hold for all cells (in-sample) or resamples at once: delta is divided
  Estimate estimate = Estimate::bbc;
  BbcOptions bbc;                        ///< its seed is not looked at, see `seed`
  std::optional<data::Scaling> scaling;  ///< default: minmax where RVMs take part, else standard
  /// Default: all for leave-one-out, fold for the others. Methods that hold rows out once fit on the training rows.
  std::optional<ScaleScope> scale_scope;
  data::Missing missing = data::Missing::error;
  svm::ClassWeights class_weights;
  qp::Options solver;
  std::uint64_t seed = 0;

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
  ScaleScope resolved_scale_scope() const;
  Learner resolved_learner() const;
  data::Scaling resolved_scaling() const;
};

/// One cell of the grid and what the method found there.
struct Cell {
  double C = 0;      ///< 0 for nu-SVC and nearest neighbours
  double nu = 0;     ///< 0 unless nu-SVC
  double rho = 0;    ///< 0 unless the method bounds the norm
  double gamma = 0;  ///< as asked, or resolved on all training rows for the words; 0 for kernels without
  int k = 0;         ///< nearest neighbours
  std::optional<KernelEvidence> evidence;  ///< of kernel-validity and evidence
  bool complete = false;                   ///< false if the computation was stopped before, or the cell is infeasible
  bool infeasible = false;                 ///< a nu that some resample cannot have
  double error = 0;         ///< the method's score: see Selection::score; held-out errors over held-out rows
  double error_std = 0;     ///< standard deviation (n - 1) of the resamples' error rates; 0 if there is only one
  double n_sv = 0;          ///< support vectors, mean over resamples
  std::uint64_t steps = 0;  ///< SMO steps, all resamples and machines
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< solves that met the step limit
  /// Not of the grid that was asked for: the best cell lay on the border, and Grid::further allowed one more value of
  /// gamma, at the ratio of the two outermost. Such values are added one at a time, until the best is no longer on the
  /// border or the last one added is no better.
  bool added = false;
};

struct Selection {
  std::string method;
  data::Task task = data::Task::classification;
  std::string score;                ///< what Cell::error is: "CV error", "validation error", "minus log validity", ...
  std::vector<Cell> grid;           ///< gamma-major, most regularised first
  std::optional<std::size_t> best;  ///< smallest finite error; ties to smaller C (larger nu), then smaller gamma
  std::optional<std::size_t> runner_up;
  bool best_on_border = false;  ///< of an axis with more than one value
  bool memorised = false;       ///< the machine of the chosen cell repeats its training targets (rvm::Fit::memorised)
  /// Regression: effective kernels (rvm::effective_kernels) of the chosen cell's machine, trained on all rows.
  std::optional<double> effective;
  std::optional<HonestEstimate> honest;
  std::optional<InSample> in_sample;              ///< of rademacher and maximal-discrepancy
  std::optional<KernelValidity> kernel_validity;  ///< of kernel-validity and evidence
  std::optional<ErrorEstimation> estimation;      ///< of kfold-nested, loo and bootstrap
  /// The predictor itself, where the method's result is not one cell retrained: all models and a rule; and where the
  /// chosen cell is trained already.
  std::shared_ptr<const model::Predictor> predictor;
  /// Scores that the chosen cell gave to rows which its models had not seen (of a regression, its residuals there);
  /// empty for partial results and for methods that keep several models.
  model::Calibration calibration;
  core::StopReason stopped = core::StopReason::none;  ///< other than none: a partial result
  std::size_t n = 0;
  std::size_t features = 0;  ///< raw columns
  std::vector<std::string> classes;
  std::vector<std::size_t> class_counts;
  int folds = 0;                    ///< resamples: folds, bootstrap samples; 1 for a hold-out; n for leave-one-out
  std::size_t validation_rows = 0;  ///< held out by hold-out methods
  ScaleScope scale_scope = ScaleScope::fold;
  std::uint64_t seed = 0;
  int threads = 0;
  double seconds = 0;
  std::string version;
  std::vector<std::string> warnings;
};

/// A method that chooses a cell of the grid, or a way to use all of them.
class Selector {
 public:
  virtual ~Selector() = default;
  /// @throws Error invalid_data, invalid_argument, memory
  virtual Selection select(const data::Dataset& dataset, const core::Context& context) const = 0;
};

/// Names of the registered methods.
std::vector<std::string> methods();
/// What a method does, in one line for people. @throws Error invalid_argument for an unknown method
std::string describe_method(const std::string& name);
/// @throws Error invalid_argument for an unknown method or invalid options
std::unique_ptr<Selector> make_selector(const Options& options);

/// The rows that hold-out methods keep for validation: drawn at random, by the seed (fixed folds or groups as wholes,
/// see data::Dataset::clusters).
/// @throws Error invalid_data, invalid_argument if so many rows cannot be held out
std::vector<bool> validation_split(const data::Dataset& dataset, const Options& options);

/// Trains the chosen cell on all rows, with preprocessing fitted on all rows, and records the selection in the model,
/// with its calibration.
/// @throws Error invalid_argument if nothing was chosen, or for relevance vector machines, which `fitted` trains
svm::TrainResult retrain(const data::Dataset& dataset, const Options& options, const Selection& selection,
                         const core::Context& context);

/// The predictor that a selection leads to: its own, or the chosen cell retrained on all rows.
/// @throws Error invalid_argument if nothing was chosen; interrupted if the monitor stopped the training
std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const Options& options,
                                               const Selection& selection, const core::Context& context);

}  // namespace credence::selection
