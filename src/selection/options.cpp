#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "credence/selection/selector.hpp"
#include "selection/methods.hpp"

namespace credence::selection {
namespace {

bool is_one_of(const std::string& method, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), method) != names.end();
}

bool weighs_classes(const Options& options) {
  return options.class_weights.balanced || !options.class_weights.named.empty();
}

std::vector<std::string> neighbour_problems(const Options& options) {
  std::vector<std::string> problems;
  if (options.k.empty() || options.k.front() < 1 ||
      std::adjacent_find(options.k.begin(), options.k.end(), std::greater_equal<>{}) != options.k.end()) {
    problems.emplace_back("the numbers of neighbours must be at least 1 and ascend");
  }
  if (asks_evidence(options) || is_one_of(options.method, {"cv", "kfold-nested", "loo", "bootstrap"})) {
    problems.push_back(
        fmt::format("nearest neighbours are chosen by nonconformity, max-margin, holdout or holdout-vote, not by {}",
                    options.method));
  }
  if (options.kernel.type == kernel::KernelType::precomputed || weighs_classes(options))
    problems.emplace_back("nearest neighbours take neither a precomputed kernel nor class weights");
  return problems;
}

/// Of what fits relevance vector machines, whatever is made of them.
std::vector<std::string> fit_problems(const Options& options) {
  std::vector<std::string> problems = options.rvm.validate();
  if (options.centres == std::size_t{0})
    problems.emplace_back("the number of candidate centres must be at least 1, not 0");
  if (options.null_margin && !std::isfinite(*options.null_margin))
    problems.emplace_back("the margin above the null model must be a finite number");
  if (options.method == "kernel-validity" && !rvm::has_validity(options.kernel.type)) {
    problems.push_back(
        fmt::format("the {} kernel has no validity index, only rbf, laplacian and polynomial have one; the methods "
                    "evidence and cv take it",
                    kernel::name(options.kernel.type)));
  }
  return problems;
}

/// Of options that relevance vector machines cannot have where they are the models.
std::vector<std::string> relevance_vector_problems(const Options& options) {
  std::vector<std::string> problems;
  const auto refuse_if = [&](bool refused, const std::string& sentence) {
    if (refused) problems.push_back(sentence);
  };
  refuse_if(options.method == "kfold-nested",
            "kfold-nested trains SVMs; for relevance vector machines take cv with a nested estimate");
  refuse_if(options.method == "loo",
            "loo leaves rows out of SVMs; for relevance vector machines take cv with more folds");
  refuse_if(!options.grid.nu.empty(), "relevance vector machines take no nu");
  refuse_if(weighs_classes(options), "relevance vector machines take no class weights");
  refuse_if(options.method == "max-margin" && options.margin == Margin::geometric,
            "relevance vector machines have no geometric margin, only the functional one");
  refuse_if(options.method == "bootstrap" &&
                (options.nested_bootstrap || options.final_classifier == FinalClassifier::random),
            "a nested bootstrap, and drawing one of its classifiers, train SVMs, not relevance vector machines");
  return problems;
}

std::vector<std::string> regression_problems(const Options& options) {
  std::vector<std::string> problems;
  if (!asks_evidence(options) && options.method != "cv") {
    problems.push_back(
        fmt::format("regressions are chosen by kernel-validity, evidence or cv, not by {}", options.method));
  }
  if (options.resolved_learner() != Learner::rvm)
    problems.emplace_back("regressions are relevance vector machines; SVMs and nearest neighbours classify");
  if (options.estimate == Estimate::nested)
    problems.emplace_back("nested cross-validation counts misclassified rows, which a regression has none of");
  if (options.loss == Loss::soft)
    problems.emplace_back("the soft loss is one of classifiers; regressions are judged by squared errors");
  return problems;
}

std::vector<std::string> estimation_problems(const Options& options) {
  std::vector<std::string> problems;
  if (!(options.delta > 0 && options.delta < 1))
    problems.push_back(fmt::format("delta of the bounds must lie between 0 and 1, not {}", options.delta));
  const bool weighs_training_error = options.method == "bootstrap" && options.bootstrap != BootstrapError::out_of_bag;
  if (weighs_training_error && options.loss == Loss::soft)
    problems.emplace_back("the 0.632 rules are about error rates: the soft loss goes with out-of-bag errors only");
  if (weighs_training_error && options.nested_bootstrap)
    problems.emplace_back("a nested bootstrap chooses by the rows left out: the 0.632 rules do not go with it");
  return problems;
}

void append(std::vector<std::string>& problems, const std::vector<std::string>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

/// Of options whose meaning depends on what is chosen from.
std::vector<std::string> learner_problems(const Options& options) {
  std::vector<std::string> problems;
  const Learner learner = options.resolved_learner();
  if (is_one_of(options.method, {"rademacher", "maximal-discrepancy"})) append(problems, in_sample_problems(options));
  if (learner == Learner::knn) append(problems, neighbour_problems(options));
  if (learner == Learner::rvm || asks_evidence(options)) append(problems, fit_problems(options));
  if (learner == Learner::rvm) append(problems, relevance_vector_problems(options));
  if (options.task == data::Task::regression) append(problems, regression_problems(options));
  return problems;
}

}  // namespace

std::vector<std::string> Options::validate() const {
  std::vector<std::string> problems = grid.validate();
  kernel::Kernel any = kernel;
  any.gamma = 1;  // gamma comes from the grid
  append(problems, any.validate());
  append(problems, solver.validate());
  append(problems, nonconformity.validate());
  append(problems, class_weights.validate());
  const std::vector<std::string> known = methods();
  if (std::find(known.begin(), known.end(), method) == known.end()) problems.push_back(unknown_method(method));
  const auto at_least = [&](const char* what, long long value, long long least) {
    if (value < least) problems.push_back(fmt::format("{} must be at least {}, not {}", what, least, value));
  };
  at_least("the number of folds", folds, method == "kfold-nested" ? 3 : 2);
  at_least("the number of bootstrap samples", resamples, 2);
  if (validation_rows) at_least("the number of validation rows", static_cast<long long>(*validation_rows), 1);
  if (estimate == Estimate::bbc)
    at_least("the number of samples of the honest estimate", static_cast<long long>(bbc.resamples), 2);
  if (!(bbc.delta > 0 && bbc.delta < 1))
    problems.push_back(fmt::format("delta must lie between 0 and 1, not {}", bbc.delta));
  append(problems, estimation_problems(*this));
  append(problems, in_sample.validate());
  append(problems, learner_problems(*this));
  if (estimate == Estimate::nested && kernel.type == kernel::KernelType::precomputed) {
    problems.emplace_back(
        "nested cross-validation trains on parts of the rows, which a precomputed kernel cannot follow");
  }
  return problems;
}

ScaleScope Options::resolved_scale_scope() const {
  // Rows that are held out once must not have had a say in the models that they judge.
  const bool holds_out = !is_one_of(method, {"cv", "kfold-nested", "loo", "bootstrap"});
  return holds_out ? ScaleScope::fold : scale_scope.value_or(method == "loo" ? ScaleScope::all : ScaleScope::fold);
}

Learner Options::resolved_learner() const {
  const bool relevance = asks_evidence(*this) || task == data::Task::regression;
  return learner.value_or(relevance ? Learner::rvm : Learner::svm);
}

data::Scaling Options::resolved_scaling() const {
  const bool relevance = asks_evidence(*this) || resolved_learner() == Learner::rvm;
  return scaling.value_or(relevance ? data::Scaling::minmax : data::Scaling::standard);
}

}  // namespace credence::selection
