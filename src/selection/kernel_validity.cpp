#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "selection/choice.hpp"
#include "selection/kernel_evidence.hpp"
#include "selection/methods.hpp"

namespace credence::selection {
namespace {

/// The SVM of the chosen cell; nothing if it was stopped.
std::optional<svm::TrainResult> retrained(const data::Dataset& dataset, const Options& options,
                                          const Selection& selection, const core::Context& context) {
  try {
    svm::TrainResult result = retrain(dataset, options, selection, context);
    const qp::Status status = result.statistics.status;
    if (status == qp::Status::cancelled || status == qp::Status::time_budget) {
      return std::nullopt;
    }
    return result;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) {
      return std::nullopt;
    }
    throw;
  }
}

/// The kernel by the validity index, or by the evidence, of a single fit on all rows.
class KernelSelection final : public Selector {
 public:
  KernelSelection(Options options, bool by_index) : options_(std::move(options)), by_index_(by_index) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const override;

 private:
  data::Preprocessing preprocessing_of(const data::Dataset& dataset) const;
  std::vector<kernel::Kernel> kernels_of(const data::Features& rows) const;
  void fill_cells(const std::vector<FittedKernel>& fitted, Selection& selection) const;
  void choose_kernel(const rvm::Problem& problem, Selection& selection) const;
  void keep_machine(const data::Dataset& dataset, const data::Preprocessing& preprocessing, const rvm::Problem& problem,
                    FittedKernel& chosen, const core::Context& context, Selection& selection) const;
  Selection choose_cost(const data::Dataset& dataset, const Options& by_error, const Cell& cell,
                        const core::Context& context) const;
  /// The paper's SVM MV. What the choice of C has to warn about is returned.
  std::vector<std::string> keep_svm(const data::Dataset& dataset, const core::Context& context,
                                    Selection& selection) const;

  Options options_;
  bool by_index_;
};

data::Preprocessing KernelSelection::preprocessing_of(const data::Dataset& dataset) const {
  const bool precomputed = options_.kernel.type == kernel::KernelType::precomputed;
  return data::Preprocessing::fit(dataset, precomputed ? data::Scaling::none : options_.resolved_scaling());
}

std::vector<kernel::Kernel> KernelSelection::kernels_of(const data::Features& rows) const {
  std::vector<kernel::Kernel> kernels;
  if (!options_.kernel.uses_gamma()) {
    kernels.push_back(options_.kernel);
    return kernels;
  }
  for (const kernel::GammaRule& rule : options_.grid.gamma) {
    kernel::Kernel& kernel = kernels.emplace_back(options_.kernel);
    kernel.gamma = kernel::resolve_gamma(rule, kernel.type, rows);
  }
  return kernels;
}

void KernelSelection::fill_cells(const std::vector<FittedKernel>& fitted, Selection& selection) const {
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    Cell& cell = selection.grid[k];
    const FittedKernel& one = fitted[k];
    cell.complete = one.complete;
    if (!one.complete) {
      continue;
    }
    cell.evidence = one.evidence;
    cell.error = -(by_index_ ? *one.evidence.log_validity : one.evidence.log_evidence);
    cell.n_sv = static_cast<double>(one.evidence.kernels);
    cell.steps = one.newton_steps;
    cell.factorisations = one.factorisations;
    cell.unconverged = one.unconverged;
  }
}

/// The null model pays no penalty for unstable centres: kernels that say no more than it may only win among
/// themselves.
void KernelSelection::choose_kernel(const rvm::Problem& problem, Selection& selection) const {
  KernelValidity report;
  report.criterion = by_index_ ? "kernel validity" : "evidence";
  report.null_evidence = rvm::null_evidence(problem, options_.rvm);
  report.guarded = options_.null_margin.has_value();
  report.null_margin = options_.null_margin.value_or(0);
  report.literal = options_.validity.literal;
  report.cap = options_.validity.cap;
  report.candidates = problem.centre_rows.size();
  bool any_above = false;
  bool any = false;
  for (Cell& cell : selection.grid) {
    if (cell.complete) {
      cell.evidence->below_null = !(cell.evidence->log_evidence > report.null_evidence + report.null_margin);
      any_above = any_above || !cell.evidence->below_null;
      any = true;
    }
  }
  report.all_below_null = any && !any_above;
  if (report.guarded && any_above) {
    choose(options_, selection, [](const Cell& cell) { return !cell.evidence->below_null; });
  } else {
    choose(options_, selection);
  }
  if (report.all_below_null) {
    selection.warnings.push_back(
        fmt::format("no kernel's evidence is more than {} above that of the model without kernels: these rows tell "
                    "little, and the choice among the kernels rests on little",
                    report.null_margin));
  }
  selection.kernel_validity = std::move(report);
}

void KernelSelection::keep_machine(const data::Dataset& dataset, const data::Preprocessing& preprocessing,
                                   const rvm::Problem& problem, FittedKernel& chosen, const core::Context& context,
                                   Selection& selection) const {
  add_covariances(problem, chosen.fit, context);
  if (context.monitor.should_stop()) {
    selection.stopped = context.monitor.stop_reason();
    return;
  }
  auto model = std::make_shared<rvm::RvmModel>(rvm::model_of(problem, chosen.fit, dataset));
  model->preprocessing = preprocessing;
  model->missing = options_.missing;
  model->record.method = options_.method;
  model->record.rows = dataset.rows();
  model->record.seed = options_.seed;
  model->record.C = 0;
  model->record.tolerance = options_.rvm.evidence_tolerance;
  model->record.version = version();
  selection.predictor = std::move(model);
}

/// The C (or nu) of the grid for the chosen kernel: by cross-validation, if there is more than one.
/// @param by_error  options of that cross-validation
Selection KernelSelection::choose_cost(const data::Dataset& dataset, const Options& by_error, const Cell& cell,
                                       const core::Context& context) const {
  if (options_.grid.costs().size() > 1) {
    return make_selector(by_error)->select(dataset, context);
  }
  Selection chosen;
  Cell& only = chosen.grid.emplace_back();
  (options_.grid.nu.empty() ? only.C : only.nu) = options_.grid.costs().front();
  only.gamma = cell.gamma;
  chosen.best = 0;
  chosen.scale_scope = ScaleScope::all;
  return chosen;
}

std::vector<std::string> KernelSelection::keep_svm(const data::Dataset& dataset, const core::Context& context,
                                                   Selection& selection) const {
  Cell& cell = selection.grid[*selection.best];
  Options by_error = options_;
  by_error.method = "cv";
  by_error.learner = Learner::svm;
  by_error.scaling = options_.resolved_scaling();
  by_error.estimate = Estimate::none;
  if (options_.kernel.uses_gamma()) {
    by_error.grid.gamma = {{kernel::GammaRule::Kind::value, cell.gamma}};
  }
  Selection chosen = choose_cost(dataset, by_error, cell, context);
  std::optional<svm::TrainResult> trained;
  if (chosen.stopped == core::StopReason::none) {
    trained = retrained(dataset, by_error, chosen, context);
  }
  if (!trained) {
    selection.stopped = context.monitor.stop_reason();
    return {};
  }
  if (trained->statistics.status == qp::Status::step_limit) {
    chosen.warnings.emplace_back("the SVM met the step limit before the tolerance; it is approximate");
  }
  cell.C = chosen.grid[*chosen.best].C;
  cell.nu = chosen.grid[*chosen.best].nu;
  selection.folds = chosen.folds;
  selection.scale_scope = chosen.scale_scope;
  selection.calibration = trained->model.calibration;
  trained->model.record.method = options_.method;
  trained->model.record.selected_error.reset();
  trained->model.record.folds.reset();
  selection.predictor = std::make_shared<svm::SvmModel>(std::move(trained->model));
  return std::move(chosen.warnings);
}

Selection KernelSelection::select(const data::Dataset& dataset, const core::Context& context) const {
  check_data(dataset, options_);
  Selection selection = describe(dataset, options_, context);
  selection.score = by_index_ ? "minus log validity" : "minus log evidence";
  const data::Preprocessing preprocessing = preprocessing_of(dataset);
  const rvm::Problem problem =
      rvm::make_problem(dataset, preprocessing.apply(dataset), options_.kernel.type, options_.centres, options_.seed);
  const std::vector<kernel::Kernel> kernels = kernels_of(problem.rows);
  std::vector<double> gammas;
  for (const kernel::Kernel& kernel : kernels) {
    gammas.push_back(kernel.uses_gamma() ? kernel.gamma : 0);
  }
  selection.grid = named_cells(gammas, options_);
  std::vector<FittedKernel> fitted = fit_kernels(problem, kernels, options_, context);
  fill_cells(fitted, selection);
  choose_kernel(problem, selection);
  selection.scale_scope = ScaleScope::all;
  std::vector<std::string> warnings;
  if (context.monitor.should_stop()) {
    selection.stopped = context.monitor.stop_reason();  // the winner is not trained, even if all kernels are known
  } else if (selection.best) {
    if (options_.resolved_learner() == Learner::rvm) {
      keep_machine(dataset, preprocessing, problem, fitted[*selection.best], context, selection);
    } else {
      warnings = keep_svm(dataset, context, selection);
    }
  }
  conclude(dataset, options_, context, selection);
  for (std::string& warning : warnings) {
    if (std::find(selection.warnings.begin(), selection.warnings.end(), warning) == selection.warnings.end()) {
      selection.warnings.push_back(std::move(warning));
    }
  }
  return selection;
}

}  // namespace

std::unique_ptr<Selector> make_kernel_validity(const Options& options) {
  return std::make_unique<KernelSelection>(options, true);
}

std::unique_ptr<Selector> make_evidence(const Options& options) {
  return std::make_unique<KernelSelection>(options, false);
}

}  // namespace credence::selection
