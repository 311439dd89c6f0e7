#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "credence/core/error.hpp"
#include "credence/selection/selector.hpp"
#include "selection/methods.hpp"

namespace credence::selection {
namespace {

struct Method {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Selector> (*make)(const Options& options);
};

/// Every selection method: its name, what it does, and what makes it. A new method is one file and one line here.
constexpr std::array<Method, 10> registry{{
    {"cv", "the cell with the smallest cross-validation error", make_cross_validation},
    {"nonconformity", "all models; for each row the one in whose eyes a class is strangest", make_nonconformity},
    {"max-margin", "all models; for each row the one with the largest margin", make_max_margin},
    {"holdout", "the cell with the smallest error on rows held out once", make_hold_out},
    {"holdout-vote", "the vote of all models with the smallest error on rows held out once", make_hold_out_vote},
    {"kfold-nested", "cross-validation that chooses within cross-validation that judges, with bounds on the error",
     make_kfold_nested},
    {"loo", "the cell with the smallest leave-one-out error", make_leave_one_out},
    {"rademacher", "the norm with the smallest bound by Rademacher complexity, from the training rows alone",
     make_rademacher},
    {"maximal-discrepancy", "the norm with the smallest bound by maximal discrepancy, from the training rows alone",
     make_maximal_discrepancy},
    {"bootstrap", "the cell with the smallest error on rows that bootstrap samples leave out", make_bootstrap},
}};

const Method* find_method(std::string_view name) {
  const auto* found =
      std::find_if(registry.begin(), registry.end(), [&](const Method& method) { return method.name == name; });
  return found == registry.end() ? nullptr : found;
}

std::string unknown_method(std::string_view name) {
  return fmt::format("unknown method '{}'; allowed are {}", name, fmt::join(methods(), ", "));
}

std::vector<std::string> neighbour_problems(const Options& options) {
  std::vector<std::string> problems;
  if (options.k.empty() || options.k.front() < 1 ||
      std::adjacent_find(options.k.begin(), options.k.end(), std::greater_equal<>{}) != options.k.end()) {
    problems.emplace_back("the numbers of neighbours must be at least 1 and ascend");
  }
  if (options.method == "cv" || options.method == "kfold-nested" || options.method == "loo" ||
      options.method == "bootstrap") {
    problems.push_back(
        fmt::format("nearest neighbours are chosen by nonconformity, max-margin, holdout or holdout-vote, not by {}",
                    options.method));
  }
  if (options.kernel.type == kernel::KernelType::precomputed || options.class_weights.balanced ||
      !options.class_weights.named.empty()) {
    problems.emplace_back("nearest neighbours take neither a precomputed kernel nor class weights");
  }
  return problems;
}

std::vector<std::string> estimation_problems(const Options& options) {
  std::vector<std::string> problems;
  if (!(options.delta > 0 && options.delta < 1)) {
    problems.push_back(fmt::format("delta of the bounds must lie between 0 and 1, not {}", options.delta));
  }
  const bool weighs_training_error = options.method == "bootstrap" && options.bootstrap != BootstrapError::out_of_bag;
  if (weighs_training_error && options.loss == Loss::soft) {
    problems.emplace_back("the 0.632 rules are about error rates: the soft loss goes with out-of-bag errors only");
  }
  if (weighs_training_error && options.nested_bootstrap) {
    problems.emplace_back("a nested bootstrap chooses by the rows left out: the 0.632 rules do not go with it");
  }
  return problems;
}

void append(std::vector<std::string>& problems, const std::vector<std::string>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const Method& method : registry) {
    names.emplace_back(method.name);
  }
  return names;
}

std::string describe_method(const std::string& name) {
  const Method* method = find_method(name);
  if (method == nullptr) {
    throw Error(ErrorCode::invalid_argument, unknown_method(name));
  }
  return std::string(method->description);
}

std::unique_ptr<Selector> make_selector(const Options& options) {
  throw_if_any(options.validate());
  return find_method(options.method)->make(options);
}

std::vector<std::string> Options::validate() const {
  std::vector<std::string> problems = grid.validate();
  kernel::Kernel any = kernel;
  any.gamma = 1;  // gamma comes from the grid
  append(problems, any.validate());
  append(problems, solver.validate());
  append(problems, nonconformity.validate());
  append(problems, class_weights.validate());
  if (find_method(method) == nullptr) {
    problems.push_back(unknown_method(method));
  }
  const auto at_least = [&](const char* what, long long value, long long least) {
    if (value < least) {
      problems.push_back(fmt::format("{} must be at least {}, not {}", what, least, value));
    }
  };
  at_least("the number of folds", folds, method == "kfold-nested" ? 3 : 2);
  at_least("the number of bootstrap samples", resamples, 2);
  if (validation_rows) {
    at_least("the number of validation rows", static_cast<long long>(*validation_rows), 1);
  }
  if (estimate == Estimate::bbc) {
    at_least("the number of samples of the honest estimate", static_cast<long long>(bbc.resamples), 2);
  }
  if (!(bbc.delta > 0 && bbc.delta < 1)) {
    problems.push_back(fmt::format("delta must lie between 0 and 1, not {}", bbc.delta));
  }
  append(problems, estimation_problems(*this));
  append(problems, in_sample.validate());
  if (method == "rademacher" || method == "maximal-discrepancy") {
    append(problems, in_sample_problems(*this));
  }
  if (resolved_learner() == Learner::knn) {
    append(problems, neighbour_problems(*this));
  }
  if (estimate == Estimate::nested && kernel.type == kernel::KernelType::precomputed) {
    problems.emplace_back(
        "nested cross-validation trains on parts of the rows, which a precomputed kernel cannot follow");
  }
  return problems;
}

ScaleScope Options::resolved_scale_scope() const {
  // Rows that are held out once must not have had a say in the models that they judge.
  const bool holds_out = method != "cv" && method != "kfold-nested" && method != "loo" && method != "bootstrap";
  return holds_out ? ScaleScope::fold : scale_scope.value_or(method == "loo" ? ScaleScope::all : ScaleScope::fold);
}

namespace {

bool asks_evidence(const Options& options) {
  return options.method == "kernel-validity" || options.method == "evidence";
}

}  // namespace

Learner Options::resolved_learner() const {
  const bool relevance = asks_evidence(*this) || task == data::Task::regression;
  return learner.value_or(relevance ? Learner::rvm : Learner::svm);
}

data::Scaling Options::resolved_scaling() const {
  const bool relevance = asks_evidence(*this) || resolved_learner() == Learner::rvm;
  return scaling.value_or(relevance ? data::Scaling::minmax : data::Scaling::standard);
}

svm::TrainResult retrain(const data::Dataset& dataset, const Options& options, const Selection& selection,
                         const core::Context& context) {
  if (!selection.best) {
    throw Error(ErrorCode::invalid_argument, "there is no chosen cell to train");
  }
  const Cell& best = selection.grid[*selection.best];
  svm::TrainOptions chosen;
  if (options.grid.nu.empty()) {
    chosen.C = best.C;
  } else {
    chosen.nu = best.nu;
  }
  chosen.kernel = options.kernel;
  chosen.gamma = {kernel::GammaRule::Kind::value, best.gamma};
  if (chosen.kernel.uses_gamma()) {
    chosen.kernel.gamma = best.gamma;
  }
  chosen.scaling = options.resolved_scaling();
  chosen.missing = options.missing;
  chosen.class_weights = options.class_weights;
  chosen.solver = options.solver;
  chosen.seed = options.seed;
  svm::TrainResult result = svm::train(dataset, chosen, context);
  result.model.record.method = selection.method;
  result.model.record.selected_error = best.error;
  result.model.record.folds = selection.folds;
  result.model.calibration = selection.calibration;
  return result;
}

std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const Options& options,
                                               const Selection& selection, const core::Context& context) {
  if (selection.predictor) {
    return selection.predictor;
  }
  svm::TrainResult result = retrain(dataset, options, selection, context);
  if (result.statistics.status == qp::Status::cancelled || result.statistics.status == qp::Status::time_budget) {
    throw Error(ErrorCode::interrupted, "training the chosen cell on all rows was stopped");
  }
  return std::make_shared<svm::SvmModel>(std::move(result.model));
}

}  // namespace credence::selection
