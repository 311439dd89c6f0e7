#include "credence/selection/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/rvm/validity.hpp"
#include "credence/selection/options.hpp"

namespace credence::selection {

std::string MaxMargin::words(std::size_t) const {
  return fmt::format("{} margin", core::word(margin));
}

std::vector<std::string> MaxMargin::problems(const Options& options) const {
  if (options.learner() != Learner::rvm || margin == Margin::functional) return {};
  return {"relevance vector machines have no geometric margin, only the functional one"};
}

std::string Nonconformity::words(std::size_t) const {
  return fmt::format("ties by {}, p-values by {}", core::word(tie), core::word(p_value));
}

std::vector<std::string> KFoldNested::problems(const Options& options) const {
  if (options.final_classifier != FinalClassifier::random || options.learner() == Learner::svm) return {};
  return {"final: random draws SVMs; relevance vector machines are retrained"};
}

std::string LeaveOneOut::words(std::size_t n) const {
  return fmt::format("each of {} rows left out once", n);
}

std::string Bootstrap::words(std::size_t) const {
  return fmt::format("{} bootstrap samples", resamples);
}

std::string Bootstrap::against_race() const {
  const bool out_of_bag = !two_samples && error == BootstrapError::out_of_bag;
  return out_of_bag ? "" : "a race of bootstrap samples judges by the rows out of bag alone";
}

std::vector<std::string> Bootstrap::problems(const Options& options) const {
  std::vector<std::string> problems;
  const bool weighs_training_error = error != BootstrapError::out_of_bag;
  if (weighs_training_error && options.loss == Loss::soft)
    problems.emplace_back("the 0.632 rules are about error rates: the soft loss goes with out-of-bag errors only");
  if (weighs_training_error && two_samples)
    problems.emplace_back("a nested bootstrap chooses by the rows left out: the 0.632 rules do not go with it");
  if (options.rule_or_best() != Rule::best && (weighs_training_error || two_samples))
    problems.emplace_back("rule: one_se and average compare out-of-bag errors, without the 0.632 rules and --nested");
  if (options.learner() == Learner::rvm && (two_samples || options.final_classifier == FinalClassifier::random)) {
    problems.emplace_back(
        "a nested bootstrap, and drawing one of its classifiers, train SVMs, not relevance vector machines");
  }
  return problems;
}

std::vector<std::string> KernelValidity::problems(const Options& options) const {
  std::vector<std::string> problems;
  if (!std::isfinite(null_margin)) problems.emplace_back("the margin above the null model must be a finite number");
  const kernel::KernelType type = options.kernels.shape().type;
  if (!rvm::has_validity(type)) {
    problems.push_back(
        fmt::format("the {} kernel has no validity index, only rbf, laplacian and polynomial have one; the methods "
                    "evidence and cv take it",
                    kernel::name(type)));
  }
  return problems;
}

std::size_t Regions::holdout_from(const Options& options) const {
  if (averages() || options.score != Score::accuracy) return least_rows;
  return std::min(selection::holdout_from, 5 * size());
}

std::vector<std::string> Regions::problems(const Options& options) const {
  std::vector<std::string> problems;
  if (options.kernels.shape().type == kernel::KernelType::precomputed)
    problems.emplace_back("regions: a precomputed kernel has no feature space to split into regions");
  if (!options.costs.nu.empty()) problems.emplace_back("regions: SVMs in regions take C; few nu exist in every region");
  if (options.rule == Rule::average)
    problems.emplace_back(
        "rule: regions average partitions; of five data sets, averages of settings as well helped on one; take best or "
        "one_se");
  if (!averages() && (options.kernels.types.size() > 1 || options.preparation.scalings.size() > 1))
    problems.emplace_back(
        "partitions: a partition has one kernel and one scaling, and several are averaged; take 2 or more");
  if (options.estimate == Estimate::nested)
    problems.emplace_back(
        "regions: the honest estimate of regions is the bootstrap correction, rows held out, or none");
  if (averages() && options.estimate == Estimate::bbc)
    problems.emplace_back(
        "estimate: the bootstrap correction repeats the choices of one partition; take holdout or none, or partitions "
        "= 1");
  if (!averages() && options.score != Score::accuracy && options.estimate == Estimate::bbc)
    problems.push_back(fmt::format(
        "estimate: the bootstrap corrections of regions add up for the error and the soft loss, not for the {}; take "
        "holdout or none",
        title(options.score)));
  if (options.preparation.scope == ScaleScope::fold)
    problems.emplace_back("scale_scope: the scaling is fitted on all rows before they are split into regions");
  return problems;
}

}  // namespace credence::selection
