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
#include "credence/core/list.hpp"
#include "credence/data/splits.hpp"
#include "credence/rvm/train.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/fold_models.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/methods/kernel_evidence.hpp"
#include "selection/methods/methods.hpp"

namespace credence::selection {
namespace {

/// A kernel explains little whose evidence is above the null model's by less than this share of what the best reaches.
constexpr double little = 0.1;

/// The SVM of the chosen setting; nothing if it was stopped.
std::optional<svm::TrainResult> retrained(const data::Dataset& dataset, const Selection& selection,
                                          const core::Context& context) {
  try {
    svm::TrainResult result = retrain(dataset, selection, context);
    const qp::Status status = result.statistics.status;
    if (status == qp::Status::cancelled || status == qp::Status::time_budget) return std::nullopt;
    add_fold_models(dataset, selection, context, result.model);
    return result;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) return std::nullopt;
    throw;
  }
}

/// The kernel by the validity index, or by the evidence, of a single fit on all rows.
class KernelSelection {
 public:
  /// @param index  nullptr: by the evidence  @param folds  that leave rows out of the chosen kernel's machine
  KernelSelection(const Options& options, const KernelValidity* index, std::optional<int> folds)
      : options_(options), index_(index), folds_(folds) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const {
    check_data(dataset, options_);
    Selection selection = begin_report(dataset, options_, context);
    selection.score = index_ ? "minus log validity" : "minus log evidence";
    const data::Preprocessing preprocessing = fit_preprocessing(dataset, options_);
    const rvm::Problem problem = rvm::make_problem(dataset, preprocessing.apply(dataset), options_.kernels.shape().type,
                                                   options_.rvms.centres, options_.seed);
    const KeptParts kept("fitted kernel", dataset, options_, context);
    std::vector<FittedKernel> fitted = fit_and_choose(problem, kept, context, selection);
    selection.scale_scope = ScaleScope::all;
    std::vector<std::string> warnings;
    if (context.monitor.should_stop()) {
      selection.stopped = context.monitor.stop_reason();  // the winner is not trained, even if all kernels are known
    } else if (selection.best) {
      if (options_.learner() == Learner::rvm)
        keep_machine(dataset, preprocessing, problem, fitted[*selection.best], context, selection);
      else
        warnings = keep_svm(dataset, context, selection);
    }
    conclude(dataset, context, selection);
    for (std::string& warning : warnings)
      if (std::ranges::find(selection.warnings, warning) == selection.warnings.end())
        selection.warnings.push_back(std::move(warning));
    return selection;
  }

 private:
  void fill_settings(const std::vector<FittedKernel>& fitted, Selection& selection) const {
    for (std::size_t k = 0; k < fitted.size(); ++k) {
      Setting& setting = selection.grid[k];
      const FittedKernel& one = fitted[k];
      setting.complete = one.complete;
      if (!one.complete) continue;
      setting.evidence = one.evidence;
      setting.error = -(index_ ? *one.evidence.log_validity : one.evidence.log_evidence);
      setting.n_sv = static_cast<double>(one.evidence.kernels);
      setting.steps = one.newton_steps;
      setting.factorisations = one.factorisations;
      setting.unconverged = one.unconverged;
    }
  }

  /// What was fitted, with more widths while the best lies on the border, and the choice among all.
  std::vector<FittedKernel> fit_and_choose(const rvm::Problem& problem, const KeptParts& kept,
                                           const core::Context& context, Selection& selection) const {
    const std::vector<double> gammas = resolved_gammas(options_, [&] { return problem.rows; });
    const auto kernels = core::mapped(gammas, [&](double gamma) { return kernel_of(options_, gamma); });
    selection.grid = named_settings(gammas, options_);
    std::vector<FittedKernel> fitted = fit_kernels(problem, kernels, options_, kept, context);
    fill_settings(fitted, selection);
    EvidenceReport report = report_of(problem);
    std::vector<Setting*> rivals = choose_kernel(report, selection);
    WidthWalk walk(options_, selection);
    while (!report.all_below_null) {
      const std::optional<FurtherWidth> further = walk.next(selection, context);
      if (!further) break;
      const kernel::Kernel kernel = kernel_of(options_, further->gamma);
      std::vector<FittedKernel> one = fit_kernels(problem, std::span(&kernel, 1), options_, kept, context);
      fitted.insert(further->front ? fitted.begin() : fitted.end(), std::move(one.front()));
      const Setting more{selection.grid.front().kernel, selection.grid.front().scale, 0, 0, 0, further->gamma};
      selection.grid.insert(further->front ? selection.grid.begin() : selection.grid.end(), more);
      fill_settings(fitted, selection);
      rivals = choose_kernel(report, selection);
    }
    walk.mark_added(selection);
    if (std::ranges::any_of(fitted, &FittedKernel::without_room)) {
      selection.warnings.emplace_back(
          "the kernel validity index asks for more memory than was granted, so that it is left out; more memory or "
          "fewer candidate centres give it");
    }
    warn_of_choice(report, rivals, selection);
    selection.found = std::move(report);
    return fitted;
  }

  /// Machines that repeat their targets, and kernels that say no more than the null model, which pays no penalty for
  /// unstable centres, may only win among themselves. Returned are the settings that might have won without a guard.
  std::vector<Setting*> choose_kernel(EvidenceReport& report, Selection& selection) const {
    std::vector<Setting*> eligible;
    for (Setting& setting : selection.grid) {
      if (setting.complete) {
        setting.evidence->below_null = !(setting.evidence->log_evidence > report.null_evidence + report.null_margin);
        if (std::isfinite(setting.error)) eligible.push_back(&setting);
      }
    }
    const auto narrow = [&](bool KernelEvidence::*flag) {
      const auto spared = [&](const Setting* setting) { return !((*setting->evidence).*flag); };
      const bool any = std::ranges::any_of(eligible, spared);
      if (any) std::erase_if(eligible, std::not_fn(spared));
      return any;
    };
    narrow(&KernelEvidence::memorised);
    std::vector<Setting*> honest = eligible;
    report.all_below_null = !narrow(&KernelEvidence::below_null) && !eligible.empty();
    if (!report.guarded) eligible = honest;
    choose(options_, selection,
           [&](const Setting& setting) { return std::ranges::find(eligible, &setting) != eligible.end(); });
    return honest;
  }

  EvidenceReport report_of(const rvm::Problem& problem) const {
    const KernelValidity own = index_ ? *index_ : KernelValidity{};
    return {.criterion = index_ ? "kernel validity" : "evidence",
            .null_evidence = rvm::null_evidence(problem, options_.rvms.fit),
            .guarded = own.guard,
            .literal = own.index.literal,
            .cap = own.index.cap,
            .candidates = problem.centre_rows.size(),
            .null_margin = index_ && !own.guard ? 0 : own.null_margin};
  }

  /// @param rivals  settings that might have won
  void warn_of_choice(const EvidenceReport& report, const std::vector<Setting*>& rivals, Selection& selection) const {
    const bool all_done = std::ranges::all_of(selection.grid, std::mem_fn(&Setting::complete));
    if (all_done && !selection.best) {
      selection.warnings.push_back(fmt::format("no kernel has a {} that is a finite number, so none is chosen",
                                               index_ ? "validity index" : "log evidence"));
    }
    if (report.all_below_null) {
      selection.warnings.push_back(
          fmt::format("no kernel's evidence is more than {} above that of the model without kernels: these rows tell "
                      "little, and the choice among the kernels rests on little",
                      report.null_margin));
    }
    if (!selection.best) return;
    const Setting& chosen = selection.grid[*selection.best];
    if (chosen.evidence->memorised) warn_of_memory(selection);
    if (selection.options.task == data::Task::regression) note_effective(chosen.evidence->effective, selection);
    if (chosen.evidence->memorised) return;
    const auto gain = [&](const Setting* setting) { return setting->evidence->log_evidence - report.null_evidence; };
    const Setting* most =
        *std::ranges::max_element(rivals, [&](const Setting* a, const Setting* b) { return gain(a) < gain(b); });
    if (!report.all_below_null && gain(&chosen) < little * gain(most)) {
      const std::string own = gain(&chosen) > 0 ? fmt::format("{:.4g} above the null model's", gain(&chosen))
                                                : "not above the null model's";
      selection.warnings.push_back(
          fmt::format("the chosen kernel explains little: its log evidence is {}, that of {} {:.4g} above; the method "
                      "evidence or cv may serve better",
                      own, width_of(*most), gain(most)));
    }
  }

  /// "sigma 0.5" of an rbf kernel, "gamma 2" of others.
  std::string width_of(const Setting& setting) const {
    return options_.kernels.shape().type == kernel::KernelType::rbf
               ? fmt::format("sigma {:.4g}", rvm::sigma_of_gamma(setting.gamma))
               : fmt::format("gamma {:.4g}", setting.gamma);
  }

  void keep_machine(const data::Dataset& dataset, const data::Preprocessing& preprocessing, const rvm::Problem& problem,
                    FittedKernel& chosen, const core::Context& context, Selection& selection) const {
    if (!add_covariances(problem, chosen.fit, context) || context.monitor.should_stop()) {
      selection.stopped = context.monitor.stop_reason();
      return;
    }
    auto model = std::make_shared<rvm::RvmModel>(rvm::model_of(problem, chosen.fit, dataset));
    set_head(*model, dataset, preprocessing, options_);
    model->record.C = 0;
    model->record.tolerance = options_.rvms.fit.evidence_tolerance;
    if (folds_) compare_by_folds(dataset, context, *model, selection);
    selection.predictor = std::move(model);
  }

  /// Of a cross-validation with the chosen kernel.
  Options by_folds(const Setting& setting, Learner learner) const {
    Options options = options_;
    options.model = learner;
    options = options.with(CrossValidation{.folds = folds_.value_or(CrossValidation{}.folds)});
    options.estimate = Estimate::none;
    if (options.kernels.shape().uses_gamma()) options.kernels.gamma = {{kernel::GammaRule::Kind::value, setting.gamma}};
    if (learner == Learner::rvm) options.rvms.further = 0;
    return options;
  }

  /// Fold models, and the scores or residuals of the rows that they left out.
  void compare_by_folds(const data::Dataset& dataset, const core::Context& context, rvm::RvmModel& model,
                        Selection& selection) const {
    Selection one_setting;
    one_setting.options = by_folds(selection.grid[*selection.best], Learner::rvm).resolved();
    one_setting.grid = {selection.grid[*selection.best]};
    one_setting.best = 0;
    try {
      train_fold_models(dataset, one_setting, context, model);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      selection.stopped = context.monitor.stop_reason();
      return;
    }
    selection.calibration = model.calibration;
    selection.resamples = static_cast<int>(model.fold_models.count());
  }

  /// The C (or nu) of the grid for the chosen kernel: by cross-validation, if there is more than one.
  /// @param by_error  options of that cross-validation
  Selection choose_cost(const data::Dataset& dataset, const Options& by_error, const Setting& setting,
                        const core::Context& context) const {
    if (options_.costs.axis().size() > 1) return Selector(by_error).select(dataset, context);
    Selection chosen;
    Setting& only = chosen.grid.emplace_back();
    (options_.costs.nu.empty() ? only.C : only.nu) = options_.costs.axis().front();
    only.gamma = setting.gamma;
    chosen.best = 0;
    chosen.scale_scope = ScaleScope::all;
    chosen.options = by_error.resolved();
    return chosen;
  }

  /// The paper's SVM MV. What the choice of C has to warn about is returned.
  std::vector<std::string> keep_svm(const data::Dataset& dataset, const core::Context& context,
                                    Selection& selection) const {
    Setting& setting = selection.grid[*selection.best];
    const Options by_error = by_folds(setting, Learner::svm);
    Selection chosen = choose_cost(dataset, by_error, setting, context);
    std::optional<svm::TrainResult> trained;
    if (chosen.stopped == core::StopReason::none) trained = retrained(dataset, chosen, context);
    if (!trained) {
      selection.stopped = context.monitor.stop_reason();
      return {};
    }
    if (qp::is_approximate(trained->statistics.status)) {
      chosen.warnings.push_back(fmt::format("the SVM ended before the tolerance ({}); it is approximate",
                                            qp::name(trained->statistics.status)));
    }
    setting.C = chosen.grid[*chosen.best].C;
    setting.nu = chosen.grid[*chosen.best].nu;
    selection.resamples = chosen.resamples;
    selection.scale_scope = chosen.scale_scope;
    selection.calibration = trained->model.calibration;
    if (lacks_fold_models(chosen, trained->model)) selection.stopped = context.monitor.stop_reason();
    trained->model.record.method = options_.name();
    trained->model.record.selected_error.reset();
    trained->model.record.resamples.reset();
    selection.predictor = std::make_shared<svm::SvmModel>(std::move(trained->model));
    return std::move(chosen.warnings);
  }

  const Options& options_;
  const KernelValidity* index_;
  std::optional<int> folds_;
};

}  // namespace

Selection select_by(const KernelValidity& method, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  return KernelSelection(options, &method, method.folds).select(dataset, context);
}

Selection select_by(const Evidence& method, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  return KernelSelection(options, nullptr, method.folds).select(dataset, context);
}

}  // namespace credence::selection
