#include "io/svm_check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/check_parts.hpp"

namespace credence::io {
namespace {

bool same_layout(const std::vector<svm::BinaryMachine>& machines, const std::vector<svm::BinaryMachine>& layout) {
  return std::equal(machines.begin(), machines.end(), layout.begin(), layout.end(),
                    [](const auto& a, const auto& b) { return a.positive == b.positive && a.negative == b.negative; });
}

std::string check_layout(const svm::SvmModel& model) {
  const std::size_t classes = model.schema.classes.size();
  const std::size_t machines = model.machines.size();
  if (machines != classes * (classes - 1) / 2 && machines != classes)
    return "the number of machines does not fit the classes";
  const bool fit = same_layout(model.machines, svm::machine_layout(classes)) ||
                   same_layout(model.machines, svm::one_against_rest(classes));
  return fit ? "" : "the machines do not fit the classes";
}

std::string check_machine(const svm::BinaryMachine& machine, std::size_t support_count) {
  if (machine.support.size() != machine.coefficients.size()) return "a machine has a damaged list of coefficients";
  for (const std::uint32_t row : machine.support)
    if (row >= support_count) return "a machine refers to a support vector that does not exist";
  const bool finite = all_finite(machine.coefficients) && std::isfinite(machine.bias);
  return finite ? "" : "a machine has a value that is not finite";
}

/// Kernel, support vectors and machines.
std::string check_expansion(const svm::SvmModel& model) {
  std::string problem = check_kernel(model.kernel);
  if (problem.empty()) {
    problem =
        check_support_vectors(model.kernel, model.support_vectors, model.support_rows, model.preprocessing.columns());
  }
  if (problem.empty()) problem = check_layout(model);
  for (std::size_t m = 0; problem.empty() && m < model.machines.size(); ++m)
    problem = check_machine(model.machines[m], model.support_count());
  return problem;
}

std::string check_hint(const svm::SvmModel& model) {
  if (!model.hint) {
    const bool fits = model.schema.hint_name.empty() || model.schema.classes.size() == 2;
    return fits ? "" : "a given hint tells two classes apart, but there are more";
  }
  if (!model.schema.hint_name.empty()) return "it has two hints, one of its own and one that is given";
  if (model.hint->hint) return "its hint has a hint of its own";
  const std::string problem = check_expansion(*model.hint);
  if (!problem.empty()) return "in its hint, " + problem;
  return same_layout(model.machines, model.hint->machines) ? "" : "its hint has other machines";
}

}  // namespace

std::string check_svm(const svm::SvmModel& model) {
  const std::string problem = check_expansion(model);
  return problem.empty() ? check_hint(model) : problem;
}

}  // namespace credence::io
