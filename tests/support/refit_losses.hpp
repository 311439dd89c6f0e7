#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "credence/selection/selector.hpp"
#include "support/selection_oracle.hpp"

namespace credence::test {

/// What a classifier trained on some rows says of others, by the definitions of the losses.
struct RefitLosses {
  double rows = 0;
  double errors = 0;
  double soft = 0;      ///< sum
  double doubtful = 0;  ///< rows so near the boundary that rounding may turn their label
  std::vector<double> soft_of_row;

  RefitLosses& operator+=(const RefitLosses& other) {
    rows += other.rows;
    errors += other.errors;
    soft += other.soft;
    doubtful += other.doubtful;
    return *this;
  }
  double mean(selection::Loss loss) const { return (loss == selection::Loss::soft ? soft : errors) / rows; }
};

inline double clipped(double margin) {
  return std::clamp((1 - margin) / 2, 0.0, 1.0);
}

/// The decision values in which a row's class has a say, the worst for it: y f with two classes.
inline double worst_pair(const model::Prediction& prediction, std::size_t row, int truth,
                         const std::vector<svm::BinaryMachine>& machines) {
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const double f = prediction.decision.row(row)[m];
    if (machines[m].positive == truth) worst = std::min(worst, f);
    if (machines[m].negative == truth) worst = std::min(worst, -f);
  }
  return worst;
}

/// Trains on the rows `in` (repeats allowed), which hold all classes, and judges on the rows `out`.
inline RefitLosses refit_losses(const data::Dataset& dataset, const std::vector<std::size_t>& in,
                                const std::vector<std::size_t>& out, const svm::TrainOptions& options) {
  Surroundings surroundings;
  RefitLosses losses;
  losses.rows = static_cast<double>(out.size());
  if (out.empty()) return losses;
  const svm::SvmModel model = svm::train(dataset.select_rows(in), options, surroundings.context).model;
  const model::Prediction prediction = model.predict(dataset.select_rows(out), surroundings.context);
  for (std::size_t r = 0; r < out.size(); ++r) {
    const int truth = dataset.labels[out[r]];
    losses.errors += prediction.label[r] != truth ? 1 : 0;
    losses.soft_of_row.push_back(clipped(worst_pair(prediction, r, truth, model.machines)));
    losses.soft += losses.soft_of_row.back();
    double nearest = 1;
    for (const double decision : prediction.decision.row(r)) nearest = std::min(nearest, std::abs(decision));
    losses.doubtful += nearest < 200 * options.solver.tolerance ? 1 : 0;
  }
  return losses;
}

/// How the setting k of a grid is trained by itself.
inline svm::TrainOptions train_options_of_setting(const selection::Options& options,
                                                  const selection::Setting& setting) {
  svm::TrainOptions train = train_options_of(options, setting.C, {kernel::GammaRule::Kind::value, setting.gamma});
  if (options.kernels.types.size() > 1) train.kernel.type = setting.kernel.value();
  if (options.preparation.scalings.size() > 1) train.scaling = setting.scale.value();
  if (!options.costs.nu.empty()) train.nu = setting.nu;
  return train;
}

}  // namespace credence::test
