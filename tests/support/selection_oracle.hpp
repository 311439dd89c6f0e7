#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/libsvm_oracle.hpp"

namespace credence::test {

/// What cross-validation finds in a setting, by its definition: one training for each fold on the other folds' rows.
struct RefitSetting {
  std::vector<double> fold_errors;
  double errors = 0;
  double doubtful = 0;  ///< held-out rows with a decision value so near zero that the label may go either way
  double support = 0;   ///< mean over folds

  double standard_deviation() const {
    double mean = 0;
    double squares = 0;
    const auto count = static_cast<double>(fold_errors.size());
    for (const double error : fold_errors) mean += error / count;
    for (const double error : fold_errors) squares += (error - mean) * (error - mean);
    return std::sqrt(squares / (count - 1));
  }
};

inline svm::TrainOptions train_options_of(const selection::Options& options, double C, const kernel::GammaRule& gamma) {
  svm::TrainOptions result;
  result.C = C;
  result.kernel = options.kernels.shape();
  result.gamma = gamma;
  result.scaling = options.resolved().preparation.scaling();
  result.missing = options.preparation.missing;
  result.class_weights = options.costs.class_weights;
  result.solver = options.costs.solver;
  return result;
}

/// Rows whose fold is (or is not) `fold`.
inline std::vector<std::size_t> fold_rows(const std::vector<int>& folds, int fold, bool held_out) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < folds.size(); ++i)
    if ((folds[i] == fold) == held_out) rows.push_back(i);
  return rows;
}

inline int fold_count(const std::vector<int>& folds) {
  return 1 + *std::max_element(folds.begin(), folds.end());
}

/// What an error on each row counts, from the definitions: sample weight times class weight, with mean 1.
inline std::vector<double> costs_of_errors(const data::Dataset& dataset, const svm::ClassWeights& weights) {
  std::vector<double> costs;
  double sum = 0;
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const auto weight = [&](std::size_t j) { return dataset.weights.empty() ? 1.0 : dataset.weights[j]; };
    double cost = weight(i);
    const auto named = weights.named.find(dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])]);
    if (named != weights.named.end()) cost *= named->second;
    if (weights.balanced) {
      double same = 0;
      double all = 0;
      for (std::size_t j = 0; j < dataset.rows(); ++j) {
        all += weight(j);
        same += dataset.labels[j] == dataset.labels[i] ? weight(j) : 0;
      }
      cost *= all / (static_cast<double>(dataset.class_count()) * same);
    }
    costs.push_back(cost);
    sum += cost;
  }
  for (double& cost : costs) cost *= static_cast<double>(costs.size()) / sum;
  return costs;
}

inline RefitSetting refit_setting(const data::Dataset& dataset, const std::vector<int>& folds,
                                  const svm::TrainOptions& options, const core::Context& context) {
  RefitSetting setting;
  const int count = fold_count(folds);
  const std::vector<double> costs = costs_of_errors(dataset, options.class_weights);
  for (int fold = 0; fold < count; ++fold) {
    const std::vector<std::size_t> held_out = fold_rows(folds, fold, true);
    const data::Dataset training = dataset.select_rows(fold_rows(folds, fold, false));
    const svm::TrainResult trained = svm::train(training, options, context);
    const model::Prediction prediction = trained.model.predict(dataset.select_rows(held_out), context);
    double errors = 0;
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      errors += prediction.label[i] != dataset.labels[held_out[i]] ? costs[held_out[i]] : 0;
      double nearest = 1;
      for (const double decision : prediction.decision.row(i)) nearest = std::min(nearest, std::abs(decision));
      setting.doubtful += nearest < 200 * options.solver.tolerance ? costs[held_out[i]] : 0;
    }
    setting.errors += errors;
    setting.fold_errors.push_back(errors / static_cast<double>(held_out.size()));
    setting.support += static_cast<double>(trained.model.support_count()) / count;
  }
  return setting;
}

/// Every setting equals explicit refits on the given data set and folds.
/// @param refit_on  the data set for the refits (preprocessed beforehand where scaling belongs to all rows)
/// @param support_tolerance  relative, on the mean number of support vectors; equal rows may share theirs in many ways
inline void expect_refits(const selection::Selection& selection, const selection::Options& options,
                          const data::Dataset& refit_on, const std::vector<int>& folds, const std::string& what,
                          double support_tolerance = 0.02) {
  Surroundings surroundings;
  const std::vector<double>& C = options.costs.C;
  const std::size_t gammas = options.kernels.shape().uses_gamma() ? options.kernels.gamma.size() : 1;
  ASSERT_EQ(selection.grid.size(), C.size() * gammas) << what;
  const auto n = static_cast<double>(refit_on.rows());
  for (std::size_t index = 0; index < selection.grid.size(); ++index) {
    const selection::Setting& setting = selection.grid[index];
    const kernel::GammaRule& gamma = options.kernels.gamma[index / C.size()];  // gamma-major, C ascending
    EXPECT_EQ(setting.C, C[index % C.size()]) << what;
    const RefitSetting refit =
        refit_setting(refit_on, folds, train_options_of(options, setting.C, gamma), surroundings.context);
    const std::string where = what + ", C " + std::to_string(setting.C) + ", gamma " + std::to_string(setting.gamma);
    EXPECT_TRUE(setting.complete) << where;
    EXPECT_NEAR(setting.error * n, refit.errors, refit.doubtful + 1e-6) << where;
    if (refit.doubtful == 0) EXPECT_NEAR(setting.error_std, refit.standard_deviation(), 1e-12) << where;
    EXPECT_NEAR(setting.n_sv, refit.support, support_tolerance * refit.support + 0.5) << where;
    EXPECT_EQ(setting.unconverged, 0U) << where;
  }
}

/// The position of the chosen setting by its definition: smallest error, then smaller C, then smaller gamma.
inline std::size_t expected_best(const std::vector<selection::Setting>& grid, std::size_t skip) {
  std::size_t best = grid.size();
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (i == skip || !grid[i].complete) continue;
    if (best == grid.size()) {
      best = i;
      continue;
    }
    const auto key = [&](std::size_t j) { return std::make_tuple(grid[j].error, grid[j].C, grid[j].gamma); };
    if (key(i) < key(best)) best = i;
  }
  return best;
}

}  // namespace credence::test
