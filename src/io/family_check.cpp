#include "io/family_check.hpp"

#include <algorithm>
#include <cmath>

#include "credence/neighbours/family.hpp"
#include "credence/svm/family.hpp"
#include "io/check_parts.hpp"

namespace credence::io {
namespace {

template <class T>
bool strictly_ascending(const std::vector<T>& values) {
  return std::adjacent_find(values.begin(), values.end(), [](T a, T b) { return a >= b; }) == values.end();
}

std::string check_kernels(const svm::SvmFamily& family) {
  if (family.gammas.empty() || !all_finite(family.gammas)) return "it has no gamma, or one that is not finite";
  if (!family.kernel.uses_gamma() && family.gammas.size() != 1) return "its kernel has no gamma, but it names several";
  for (const double gamma : family.gammas) {
    kernel::Kernel kernel = family.kernel;
    kernel.gamma = gamma;
    std::string problem = check_kernel(kernel);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::size_t machines_of(const svm::SvmFamily& family) {
  return family.relevance_vectors ? svm::one_against_rest(family.class_count).size()
                                  : family.class_count * (family.class_count - 1) / 2;
}

std::string check_relevance_vectors(const svm::SvmFamily& family) {
  if (family.cost_count != 1) return "relevance vector machines have one cost";
  const bool norms = std::any_of(family.norm.values.begin(), family.norm.values.end(), [](double x) { return x != 0; });
  return norms || family.geometric ? "relevance vector machines have no norm to divide by" : "";
}

/// Sizes are compared with those of tables, whose values the file holds: no product of them overflows.
std::string check_machines(const svm::SvmFamily& family) {
  const std::size_t machines = machines_of(family);
  const std::size_t columns = family.bias.columns;
  if (family.bias.rows != family.gammas.size() || columns == 0 || columns % machines != 0 ||
      columns / machines != family.cost_count) {
    return "the number of machines does not fit gammas, costs and classes";
  }
  if (family.norm.rows != family.bias.rows || family.norm.columns != columns)
    return "a machine has no norm, or a norm has no machine";
  if (family.machines.size() / machines != family.gammas.size() || family.machines.size() % machines != 0)
    return "the number of machines does not fit gammas, costs and classes";
  for (const svm::MachineCosts& machine : family.machines) {
    if (machine.coefficients.rows != machine.support.size() || machine.coefficients.columns != family.cost_count)
      return "a machine has a damaged list of coefficients";
    if (!strictly_ascending(machine.support) ||
        (!machine.support.empty() && machine.support.back() >= family.support_rows.size())) {
      return "a machine refers to a support vector that does not exist, or to one twice";
    }
    if (!all_finite(machine.coefficients.values)) return "a machine has a value that is not finite";
  }
  const bool sound = all_finite(family.bias.values) && all_finite(family.norm.values) &&
                     std::all_of(family.norm.values.begin(), family.norm.values.end(), [](double x) { return x >= 0; });
  return sound ? "" : "a machine has a value that is not finite, or a norm below 0";
}

std::string check(const svm::SvmFamily& family, std::size_t columns) {
  std::string problem = check_kernels(family);
  if (problem.empty() && !strictly_ascending(family.support_rows)) problem = "the support vectors are out of order";
  if (problem.empty())
    problem = check_support_vectors(family.kernel, family.support_vectors, family.support_rows, columns);
  if (problem.empty()) problem = check_machines(family);
  if (problem.empty() && family.relevance_vectors) problem = check_relevance_vectors(family);
  return problem;
}

std::string check(const neighbours::NeighbourFamily& family, std::size_t columns) {
  if (family.labels.empty()) return "it has no rows";
  std::string problem = check_features(family.rows, family.labels.size(), columns);
  if (!problem.empty()) return problem;
  for (const int label : family.labels)
    if (label < 0 || static_cast<std::size_t>(label) >= family.class_count)
      return "a row has a class that does not exist";
  if (family.k.empty() || family.k.front() < 1 || !strictly_ascending(family.k))
    return "its numbers of neighbours are not positive and ascending";
  return {};
}

std::string check_members(const selection::FamilyPredictor& predictor) {
  if (predictor.members.size() != predictor.family->models())
    return "the list of models has another size than the family";
  for (const selection::FamilyMember& member : predictor.members) {
    const bool sound = std::isfinite(member.C) && std::isfinite(member.nu) && std::isfinite(member.gamma) &&
                       member.C >= 0 && member.nu >= 0 && member.gamma >= 0 && member.k >= 0;
    if (!sound) return "a model is named by a value that does not exist";
  }
  return {};
}

std::string check(const selection::NonconformityRule& rule, const model::ClassifierFamily& family) {
  const bool fits = rule.models() == family.models() && rule.classes() == family.classes();
  return fits ? "" : "the rule knows other models or classes than the family";
}

std::string check(const selection::MaxMarginRule&, const model::ClassifierFamily&) {
  return {};
}

std::string check(const selection::VoteRule& rule, const model::ClassifierFamily& family) {
  if (rule.members.empty()) return "nobody votes";
  const bool exist = std::all_of(rule.members.begin(), rule.members.end(), [&](auto k) { return k < family.models(); });
  return exist ? "" : "a model votes that does not exist";
}

}  // namespace

std::string check_classifiers(const model::ClassifierFamily& family, std::size_t classes, std::size_t columns) {
  if (family.classes() != classes) return "the family knows other classes than the data";
  if (const auto* svms = dynamic_cast<const svm::SvmFamily*>(&family)) return check(*svms, columns);
  if (const auto* neighbours = dynamic_cast<const neighbours::NeighbourFamily*>(&family))
    return check(*neighbours, columns);
  return {};
}

std::string check_family(const selection::FamilyPredictor& predictor) {
  const model::ClassifierFamily& family = *predictor.family;
  std::string problem = check_classifiers(family, predictor.schema.classes.size(), predictor.preprocessing.columns());
  if (problem.empty()) problem = check_members(predictor);
  if (problem.empty()) problem = std::visit([&](const auto& rule) { return check(rule, family); }, predictor.rule);
  return problem;
}

}  // namespace credence::io
