#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "credence/io/model_file.hpp"
#include "credence/rvm/model.hpp"
#include "support/temporary_folder.hpp"

namespace credence::test {

/// y(x) = bias + slope x, with the covariance of the two.
struct Line {
  double bias = 0;
  double slope = 0;
  double bias_variance = 0;
  double covariance = 0;
  double slope_variance = 0;

  double mean(double x) const { return bias + slope * x; }
  double variance(double x) const { return bias_variance + 2 * covariance * x + slope_variance * x * x; }
};

/// Hand-made relevance vector machines over one column x: linear kernel, one centre at 1, so K(x, 1) = x.
/// @param csv  columns x and another one: rows that were read for training
inline rvm::RvmModel lines_model(const TemporaryFolder& folder, const std::string& csv, data::Task task,
                                 const std::vector<Line>& lines, double noise_variance = 1) {
  const data::Dataset dataset = data::read(folder.write("training.csv", csv), {.task = task});
  rvm::RvmModel model;
  model.schema = dataset.schema;
  model.preprocessing = data::Preprocessing::fit(dataset, data::Scaling::none);
  model.record.rows = dataset.rows();
  model.kernel.type = kernel::KernelType::linear;
  data::DenseMatrix centre(1, 1);
  centre.values = {1};
  model.centres = centre;
  model.centre_rows = {0};
  model.class_counts.assign(dataset.class_count(), 1);
  for (std::size_t m = 0; m < lines.size(); ++m) {
    rvm::Machine machine;
    machine.positive = lines.size() > 1 ? static_cast<int>(m) : task == data::Task::regression ? 0 : 1;
    machine.has_bias = true;
    machine.bias = lines[m].bias;
    machine.centres = {0};
    machine.weights = {lines[m].slope};
    machine.covariance = data::DenseMatrix(2, 2);
    machine.covariance.values = {lines[m].bias_variance, lines[m].covariance, lines[m].covariance,
                                 lines[m].slope_variance};
    machine.noise_variance = noise_variance;
    model.machines.push_back(machine);
  }
  return model;
}

inline double logistic(double y) {
  return 1 / (1 + std::exp(-y));
}

/// MacKay's moderated output.
inline double moderated(double y, double variance) {
  return logistic(y / std::sqrt(1 + std::acos(-1.0) * variance / 8));
}

}  // namespace credence::test
