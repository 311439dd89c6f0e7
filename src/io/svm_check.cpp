#include "io/svm_check.hpp"

#include <cmath>

#include "io/check_parts.hpp"

namespace credence::io {
namespace {

std::string check_machines(const svm::SvmModel& model) {
  const std::size_t classes = model.schema.classes.size();
  if (model.machines.size() != classes * (classes - 1) / 2) return "the number of machines does not fit the classes";
  std::size_t index = 0;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b, ++index) {
      const svm::BinaryMachine& machine = model.machines[index];
      const std::size_t positive = classes == 2 ? b : a;
      const std::size_t negative = classes == 2 ? a : b;
      if (machine.positive != static_cast<int>(positive) || machine.negative != static_cast<int>(negative)) {
        return "the machines do not fit the classes";
      }
      if (machine.support.size() != machine.coefficients.size()) return "a machine has a damaged list of coefficients";
      for (const std::uint32_t row : machine.support) {
        if (row >= model.support_count()) return "a machine refers to a support vector that does not exist";
      }
      if (!all_finite(machine.coefficients) || !std::isfinite(machine.bias)) {
        return "a machine has a value that is not finite";
      }
    }
  }
  return {};
}

}  // namespace

std::string check_svm(const svm::SvmModel& model) {
  std::string problem = check_kernel(model.kernel);
  if (problem.empty()) {
    problem =
        check_support_vectors(model.kernel, model.support_vectors, model.support_rows, model.preprocessing.columns());
  }
  return problem.empty() ? check_machines(model) : problem;
}

}  // namespace credence::io
