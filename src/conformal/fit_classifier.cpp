#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformal/fit_parts.hpp"
#include "credence/core/error.hpp"
#include "credence/neighbours/family.hpp"
#include "credence/svm/family.hpp"

namespace credence::conformal {
namespace {

TrainedClassifier train_neighbours(const data::Dataset& training, int k, data::Scaling scaling) {
  check_neighbour_count(k, training.rows());
  TrainedClassifier trained;
  trained.preprocessing = data::Preprocessing::fit(training, scaling);
  auto family = std::make_shared<neighbours::NeighbourFamily>();
  family->rows = trained.preprocessing.apply(training);
  family->labels = training.labels;
  family->k = {k};
  family->class_count = training.class_count();
  trained.classifier = std::move(family);
  return trained;
}

TrainedClassifier train_svm(const data::Dataset& training, const svm::TrainOptions& options,
                            const core::Context& context) {
  const svm::TrainResult result = svm::train(training, options, context);
  if (result.statistics.status != qp::Status::converged) {
    throw Error(ErrorCode::interrupted,
                fmt::format("training the SVM did not finish ({})", qp::name(result.statistics.status)));
  }
  return classifier_of(result.model);
}

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
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < rows.size(); ++b) {
        square += machine.coefficients[first + a] * machine.coefficients[b] * values.row(a)[b];
      }
    }
  }
  return std::sqrt(std::max(square, 0.0));
}

}  // namespace

TrainedClassifier classifier_of(const svm::SvmModel& model) {
  auto family = std::make_shared<svm::SvmFamily>();
  family->kernel = model.kernel;
  family->gammas = {model.kernel.uses_gamma() ? model.kernel.gamma : 0.0};
  family->cost_count = 1;
  family->class_count = model.schema.classes.size();
  family->support_vectors = model.support_vectors;
  family->support_rows = model.support_rows;
  family->bias = data::DenseMatrix(1, model.machines.size());
  family->norm = data::DenseMatrix(1, model.machines.size());
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const svm::BinaryMachine& machine = model.machines[m];
    data::DenseMatrix coefficients(machine.support.size(), 1);
    coefficients.values = machine.coefficients;
    family->machines.push_back({machine.support, std::move(coefficients)});
    family->bias.row(0)[m] = machine.bias;
    family->norm.row(0)[m] = norm_of(model, machine);
  }
  return {model.preprocessing, std::move(family), model.record};
}

Train trainer(const FitOptions& options, data::Scaling scaling) {
  if (options.measure == margin) {
    return [training = svm_options(options, scaling)](const data::Dataset& rows, const core::Context& context) {
      return train_svm(rows, training, context);
    };
  }
  return [k = options.k, scaling](const data::Dataset& rows, const core::Context&) {
    return train_neighbours(rows, k, scaling);
  };
}

}  // namespace credence::conformal
