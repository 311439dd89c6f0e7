#include <algorithm>
#include <cmath>
#include <utility>

#include "credence/conformal/fit.hpp"
#include "credence/core/error.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/model.hpp"

namespace credence::conformal {
namespace {

/// |w| of a machine: sum over support vectors of beta_s (f(x_s) - bias), in blocks that keep the memory small.
double norm_of(const svm::SvmModel& model, const svm::BinaryMachine& machine) {
  constexpr std::size_t block = 256;
  const std::vector<std::size_t> rows(machine.support.begin(), machine.support.end());
  const data::Features vectors = model.support_vectors.select_rows(rows);
  double square = 0;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const std::size_t count = std::min(block, rows.size() - first);
    const std::vector<std::size_t> some(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                        rows.begin() + static_cast<std::ptrdiff_t>(first + count));
    const data::DenseMatrix values =
        kernel::kernel_block(model.kernel, model.support_vectors.select_rows(some), vectors);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < rows.size(); ++b)
        square += machine.coefficients[first + a] * machine.coefficients[b] * values.row(a)[b];
  }
  return std::sqrt(std::max(square, 0.0));
}

TrainedClassifier classifier_with_norms(const svm::SvmModel& model) {
  const std::shared_ptr<svm::SvmFamily> family = svm::family_of(model);
  for (std::size_t m = 0; m < model.machines.size(); ++m) family->norm.row(0)[m] = norm_of(model, model.machines[m]);
  return {model.preprocessing, family, model.record, model.missing};
}

}  // namespace

TrainedClassifier classifier_of(const model::Predictor& model) {
  if (const auto* svm = dynamic_cast<const svm::SvmModel*>(&model)) return classifier_with_norms(*svm);
  if (model.schema.task != data::Task::classification) refuse("a regression is no classifier");
  auto family = model.classifiers();
  if (family == nullptr) refuse("this kind of model is no single classifier with margins");
  return {model.preprocessing, std::move(family), model.record, model.missing};
}

}  // namespace credence::conformal
