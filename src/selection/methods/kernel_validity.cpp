#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "selection/choice.hpp"
#include "selection/grid/further_widths.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/methods.hpp"
#include "selection/methods/cross_validation.hpp"
#include "selection/methods/kernel_evidence.hpp"

namespace credence::selection {
namespace {

/// A kernel explains little whose evidence is above the null model's by less than this share of what the best reaches.
constexpr double little = 0.1;

/// The SVM of the chosen cell; nothing if it was stopped.
std::optional<svm::TrainResult> retrained(const data::Dataset& dataset, const Options& options,
                                          const Selection& selection, const core::Context& context) {
  try {
    svm::TrainResult result = retrain(dataset, options, selection, context);
    const qp::Status status = result.statistics.status;
    if (status == qp::Status::cancelled || status == qp::Status::time_budget) return std::nullopt;
    return result;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) return std::nullopt;
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
  /// What was fitted, with more widths while the best lies on the border, and the choice among all.
  std::vector<FittedKernel> fit_and_choose(const rvm::Problem& problem, const core::Context& context,
                                           Selection& selection) const;
  std::vector<Cell*> choose_kernel(KernelValidity& report, Selection& selection) const;
  KernelValidity report_of(const rvm::Problem& problem) const;
  void warn_of_choice(const KernelValidity& report, const std::vector<Cell*>& rivals, Selection& selection) const;
  std::string width_of(const Cell& cell) const;
  void keep_machine(const data::Dataset& dataset, const data::Preprocessing& preprocessing, const rvm::Problem& problem,
                    FittedKernel& chosen, const core::Context& context, Selection& selection) const;
  /// Of a cross-validation with the chosen kernel.
  Options by_folds(const Cell& cell, Learner learner) const;
  void cross_fit(const data::Dataset& dataset, const core::Context& context, Selection& selection) const;
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
    if (!one.complete) continue;
    cell.evidence = one.evidence;
    cell.error = -(by_index_ ? *one.evidence.log_validity : one.evidence.log_evidence);
    cell.n_sv = static_cast<double>(one.evidence.kernels);
    cell.steps = one.newton_steps;
    cell.factorisations = one.factorisations;
    cell.unconverged = one.unconverged;
  }
}

/// Machines that repeat their targets, and kernels that say no more than the null model, which pays no penalty for
/// unstable centres, may only win among themselves. Returned are the cells that might have won without a guard.
std::vector<Cell*> KernelSelection::choose_kernel(KernelValidity& report, Selection& selection) const {
  std::vector<Cell*> eligible;
  for (Cell& cell : selection.grid) {
    if (cell.complete) {
      cell.evidence->below_null = !(cell.evidence->log_evidence > report.null_evidence + report.null_margin);
      if (std::isfinite(cell.error)) eligible.push_back(&cell);
    }
  }
  const auto narrow = [&](bool KernelEvidence::*flag) {
    const auto spared = [&](const Cell* cell) { return !((*cell->evidence).*flag); };
    const bool any = std::any_of(eligible.begin(), eligible.end(), spared);
    if (any) std::erase_if(eligible, std::not_fn(spared));
    return any;
  };
  narrow(&KernelEvidence::memorised);
  const std::vector<Cell*> honest = eligible;
  report.all_below_null = !narrow(&KernelEvidence::below_null) && !eligible.empty();
  if (!report.guarded) eligible = honest;
  choose(options_, selection,
         [&](const Cell& cell) { return std::find(eligible.begin(), eligible.end(), &cell) != eligible.end(); });
  return honest;
}

std::vector<FittedKernel> KernelSelection::fit_and_choose(const rvm::Problem& problem, const core::Context& context,
                                                          Selection& selection) const {
  const std::vector<kernel::Kernel> kernels = kernels_of(problem.rows);
  std::vector<double> gammas;
  for (const kernel::Kernel& kernel : kernels) gammas.push_back(kernel.uses_gamma() ? kernel.gamma : 0);
  selection.grid = named_cells(gammas, options_);
  std::vector<FittedKernel> fitted = fit_kernels(problem, kernels, options_, context);
  fill_cells(fitted, selection);
  KernelValidity report = report_of(problem);
  std::vector<Cell*> rivals = choose_kernel(report, selection);
  WidthWalk walk(options_, selection);
  while (!report.all_below_null) {
    const std::optional<FurtherWidth> further = walk.next(selection, context);
    if (!further) break;
    kernel::Kernel kernel = kernels.front();
    kernel.gamma = further->gamma;
    std::vector<FittedKernel> one = fit_kernels(problem, std::span(&kernel, 1), options_, context);
    fitted.insert(further->front ? fitted.begin() : fitted.end(), std::move(one.front()));
    selection.grid.emplace(further->front ? selection.grid.begin() : selection.grid.end())->gamma = further->gamma;
    fill_cells(fitted, selection);
    rivals = choose_kernel(report, selection);
  }
  walk.mark_added(selection);
  warn_of_choice(report, rivals, selection);
  selection.kernel_validity = std::move(report);
  return fitted;
}

KernelValidity KernelSelection::report_of(const rvm::Problem& problem) const {
  KernelValidity report;
  report.criterion = by_index_ ? "kernel validity" : "evidence";
  report.null_evidence = rvm::null_evidence(problem, options_.rvm);
  report.guarded = options_.null_margin.has_value();
  report.null_margin = options_.null_margin.value_or(0);
  report.literal = options_.validity.literal;
  report.cap = options_.validity.cap;
  report.candidates = problem.centre_rows.size();
  return report;
}

/// @param rivals  cells that might have won
void KernelSelection::warn_of_choice(const KernelValidity& report, const std::vector<Cell*>& rivals,
                                     Selection& selection) const {
  const bool all_done = std::all_of(selection.grid.begin(), selection.grid.end(), std::mem_fn(&Cell::complete));
  if (all_done && !selection.best) {
    selection.warnings.push_back(fmt::format("no kernel has a {} that is a finite number, so none is chosen",
                                             by_index_ ? "validity index" : "log evidence"));
  }
  if (report.all_below_null) {
    selection.warnings.push_back(
        fmt::format("no kernel's evidence is more than {} above that of the model without kernels: these rows tell "
                    "little, and the choice among the kernels rests on little",
                    report.null_margin));
  }
  if (!selection.best) return;
  const Cell& chosen = selection.grid[*selection.best];
  if (chosen.evidence->memorised) warn_of_memory(selection);
  if (selection.task == data::Task::regression) note_effective(chosen.evidence->effective, selection);
  if (chosen.evidence->memorised) return;
  const auto gain = [&](const Cell* cell) { return cell->evidence->log_evidence - report.null_evidence; };
  const Cell* most =
      *std::max_element(rivals.begin(), rivals.end(), [&](const Cell* a, const Cell* b) { return gain(a) < gain(b); });
  if (!report.all_below_null && gain(&chosen) < little * gain(most)) {
    const std::string own =
        gain(&chosen) > 0 ? fmt::format("{:.4g} above the null model's", gain(&chosen)) : "not above the null model's";
    selection.warnings.push_back(
        fmt::format("the chosen kernel explains little: its log evidence is {}, that of {} {:.4g} above; the method "
                    "evidence or cv may serve better",
                    own, width_of(*most), gain(most)));
  }
}

/// "sigma 0.5" of an rbf kernel, "gamma 2" of others.
std::string KernelSelection::width_of(const Cell& cell) const {
  return options_.kernel.type == kernel::KernelType::rbf ? fmt::format("sigma {:.4g}", rvm::sigma_of_gamma(cell.gamma))
                                                         : fmt::format("gamma {:.4g}", cell.gamma);
}

void KernelSelection::keep_machine(const data::Dataset& dataset, const data::Preprocessing& preprocessing,
                                   const rvm::Problem& problem, FittedKernel& chosen, const core::Context& context,
                                   Selection& selection) const {
  if (!add_covariances(problem, chosen.fit, context) || context.monitor.should_stop()) {
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
  if (options_.cross_fit) {
    cross_fit(dataset, context, selection);
    model->calibration = selection.calibration;
  }
  selection.predictor = std::move(model);
}

Options KernelSelection::by_folds(const Cell& cell, Learner learner) const {
  Options options = options_;
  options.method = "cv";
  options.learner = learner;
  options.scaling = options_.resolved_scaling();
  options.estimate = Estimate::none;
  options.grid.further = 0;
  if (options.kernel.uses_gamma()) options.grid.gamma = {{kernel::GammaRule::Kind::value, cell.gamma}};
  return options;
}

void KernelSelection::cross_fit(const data::Dataset& dataset, const core::Context& context,
                                Selection& selection) const {
  const Options one_cell = by_folds(selection.grid[*selection.best], Learner::rvm);
  const std::vector<Resample> resamples = resamples_of_folds(folds_of(dataset, one_cell, 2));
  const JudgedGrid judged = judge_grid(dataset, one_cell, resamples, context);
  selection.folds = static_cast<int>(resamples.size());
  if (context.monitor.should_stop()) {
    selection.stopped = context.monitor.stop_reason();
    return;
  }
  selection.calibration = judged.calibration(0, dataset.labels, "out-of-fold");
}

/// The C (or nu) of the grid for the chosen kernel: by cross-validation, if there is more than one.
/// @param by_error  options of that cross-validation
Selection KernelSelection::choose_cost(const data::Dataset& dataset, const Options& by_error, const Cell& cell,
                                       const core::Context& context) const {
  if (options_.grid.costs().size() > 1) return make_selector(by_error)->select(dataset, context);
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
  const Options by_error = by_folds(cell, Learner::svm);
  Selection chosen = choose_cost(dataset, by_error, cell, context);
  std::optional<svm::TrainResult> trained;
  if (chosen.stopped == core::StopReason::none) trained = retrained(dataset, by_error, chosen, context);
  if (!trained) {
    selection.stopped = context.monitor.stop_reason();
    return {};
  }
  if (trained->statistics.status == qp::Status::step_limit)
    chosen.warnings.emplace_back("the SVM met the step limit before the tolerance; it is approximate");
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
  std::vector<FittedKernel> fitted = fit_and_choose(problem, context, selection);
  selection.scale_scope = ScaleScope::all;
  std::vector<std::string> warnings;
  if (context.monitor.should_stop()) {
    selection.stopped = context.monitor.stop_reason();  // the winner is not trained, even if all kernels are known
  } else if (selection.best) {
    if (options_.resolved_learner() == Learner::rvm)
      keep_machine(dataset, preprocessing, problem, fitted[*selection.best], context, selection);
    else
      warnings = keep_svm(dataset, context, selection);
  }
  Options of_estimate = options_;
  of_estimate.cross_fit = false;  // an error is estimated without a calibration
  conclude(dataset, of_estimate, context, selection);
  for (std::string& warning : warnings)
    if (std::find(selection.warnings.begin(), selection.warnings.end(), warning) == selection.warnings.end())
      selection.warnings.push_back(std::move(warning));
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
