#include "selection/resample/error_weights.hpp"

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/svm/train.hpp"

namespace credence::selection {

model::DecisionCosts label_costs(const Options& options, const std::vector<std::string>& classes) {
  const std::string text = options.label_costs;
  return under_name("cost", [&] {
    model::DecisionCosts costs = model::DecisionCosts::parse(text, classes);
    if (costs.ask) refuse("a selection gives every row a label and asks nobody; leave ask out");
    return costs;
  });
}

Loss judging_loss(const Options& options) {
  return options.task == data::Task::regression ? Loss::soft : options.loss;
}

bool weighs_errors(const data::Dataset& dataset, const Options& options) {
  if (dataset.is_regression() || options.score != Score::accuracy || !options.looks_at("score")) return false;
  return !dataset.weights.empty() || (options.has_costs() && options.costs.class_weights.any());
}

std::vector<double> class_costs(const data::Dataset& training, const Options& options) {
  std::vector<double> costs(training.class_count(), 1.0);
  if (!options.has_costs()) return costs;
  const std::vector<double> factors =
      svm::box_factors(training, options.costs.class_weights, std::vector<bool>(training.rows(), true));
  for (std::size_t i = 0; i < training.rows(); ++i) {
    const double weight = training.weights.empty() ? 1 : training.weights[i];
    if (weight > 0) costs[static_cast<std::size_t>(training.labels[i])] = factors[i] / weight;
  }
  return costs;
}

std::vector<double> error_costs(const data::Dataset& rows, std::span<const double> class_costs) {
  return core::made(rows.rows(), [&](std::size_t i) {
    return class_costs[static_cast<std::size_t>(rows.labels[i])] * (rows.weights.empty() ? 1 : rows.weights[i]);
  });
}

std::vector<double> error_weights(const data::Dataset& rows, std::span<const double> class_costs,
                                  std::span<const std::uint32_t> times) {
  std::vector<double> weights = error_costs(rows, class_costs);
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double often = times.empty() ? 1.0 : times[i];
    sum += often * weights[i];
    count += often;
  }
  for (double& weight : weights) weight = sum > 0 ? weight * count / sum : 0;
  return weights;
}

std::vector<double> class_shares(const data::Dataset& rows, std::span<const double> class_costs) {
  std::vector<double> weights(rows.rows(), 1.0);
  if (!class_costs.empty()) weights = error_weights(rows, class_costs);
  std::vector<double> shares(rows.class_count(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) shares[static_cast<std::size_t>(rows.labels[i])] += weights[i];
  for (double& share : shares) share /= static_cast<double>(rows.rows());
  return shares;
}

}  // namespace credence::selection
