#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/libsvm_oracle.hpp"
#include "support/random_data.hpp"
#include "support/reference_qp.hpp"
#include "support/train_options.hpp"

namespace credence::test {

/// y_i alpha_i of a machine, one for each training row.
inline std::vector<double> beta_of(const svm::SvmModel& model, const svm::BinaryMachine& machine, std::size_t n) {
  std::vector<double> beta(n, 0);
  for (std::size_t s = 0; s < machine.support.size(); ++s)
    beta[model.support_rows[machine.support[s]]] = machine.coefficients[s];
  return beta;
}

/// The quadratic programme of a machine; rows of other classes are held out.
inline qp::Problem problem_of(const std::vector<int>& classes, const svm::BinaryMachine& machine, double C,
                              const std::vector<double>& class_factors) {
  std::vector<double> y;
  std::vector<double> bounds;
  for (const int c : classes) {
    y.push_back(c == machine.positive ? 1 : -1);
    const bool member = c == machine.positive || c == machine.negative;
    bounds.push_back(member ? C * (class_factors.empty() ? 1 : class_factors[static_cast<std::size_t>(c)]) : 0);
  }
  return classification_problem(y, bounds);
}

struct SvmCase {
  Clouds data;
  kernel::Kernel kernel{};
  double C = 1;
  double eps = 1e-3;
  std::vector<double> class_factors{};  ///< empty: all 1
  std::string what{};
};

/// How far two solutions that both meet the tolerance may be apart, as multiples of it or of what was computed.
struct Allowed {
  double objective = 1e-4;  ///< relative
  double decision = 0.04;   ///< relative to the largest decision value
  /// Of the interval that the optimal biases fill where no variable is free: LIBSVM may take a variable that its
  /// tolerance left inside its box for a free one, and the bias from it, at an end of the interval.
  double interval = 0;
};

/// Trains both sides on the same matrix with the same tolerance and compares all there is to compare.
inline void expect_agreement(const SvmCase& one, const Allowed& allowed) {
  const data::Dataset dataset = one.data.dataset();
  svm::TrainOptions options = train_options(one.kernel, one.C, one.eps);
  for (std::size_t c = 0; c < one.class_factors.size(); ++c)
    options.class_weights.named[dataset.schema.classes[c]] = one.class_factors[c];
  Surroundings surroundings;
  const svm::TrainResult ours = svm::train(dataset, options, surroundings.context);
  EXPECT_EQ(ours.statistics.status, qp::Status::converged) << one.what;
  const data::DenseMatrix& x = one.data.x;
  const LibsvmModel theirs(x, dataset.labels, one.kernel, one.C, one.eps, one.class_factors);
  ASSERT_EQ(ours.model.machines.size(), theirs.machine_count()) << one.what;

  const std::size_t n = x.rows;
  const data::DenseMatrix k =
      one.kernel.type == kernel::KernelType::precomputed ? x : reference_block(one.kernel, x, x);
  const data::DenseMatrix their_decisions = theirs.decisions(x);
  const model::Prediction prediction = ours.model.predict(dataset, surroundings.context);
  const std::vector<int> their_labels = theirs.labels(x);
  const bool definite = one.kernel.type != kernel::KernelType::sigmoid;
  double objective = 0;
  double objective_error = 0;
  std::vector<bool> doubtful(n, false);
  for (std::size_t m = 0; m < ours.model.machines.size(); ++m) {
    const svm::BinaryMachine& machine = ours.model.machines[m];
    const std::string what = one.what + ", machine " + std::to_string(m);
    const qp::Problem problem = problem_of(dataset.labels, machine, one.C, one.class_factors);
    const std::vector<double> our_beta = beta_of(ours.model, machine, n);
    const std::vector<double> their_beta =
        theirs.beta(static_cast<std::size_t>(std::min(machine.positive, machine.negative)),
                    static_cast<std::size_t>(std::max(machine.positive, machine.negative)));
    const PointReport our_point = report(k, problem, our_beta);
    const PointReport their_point = report(k, problem, their_beta);
    objective += our_point.objective;

    // The kernel values of the solver are floats: what that alone can do to a decision value.
    double squares = 0;
    for (const double b : our_beta) squares += b * b;
    const double rounding = 5e-7 * std::sqrt(squares) * largest(k.values);
    objective_error += rounding * std::sqrt(squares);

    EXPECT_LE(our_point.sum, 1e-6 * one.C) << what;
    EXPECT_LE(our_point.outside, 1e-9 * one.C) << what;
    EXPECT_LE(our_point.gap, 1.01 * one.eps + 4 * rounding) << what;
    if (!definite) continue;

    const double size = std::abs(their_point.objective);
    EXPECT_NEAR(our_point.objective, their_point.objective, allowed.objective * size + 1e-9) << what;
    EXPECT_LE(our_point.objective, their_point.objective + our_point.suboptimality + 1e-9 * size) << what;
    double scale = 1;
    for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(their_decisions.row(i)[m]));
    const double tolerance = allowed.decision * scale + 4 * rounding + allowed.interval * std::max(0.0, -our_point.gap);
    for (std::size_t i = 0; i < n; ++i) {
      const double f = our_point.product[i] + machine.bias;
      const double g = their_decisions.row(i)[m];
      ASSERT_NEAR(f, g, tolerance) << what << ", row " << i;
      ASSERT_NEAR(prediction.decision.row(i)[m], f, 1e-9 * (scale + std::sqrt(squares))) << what << ", row " << i;
      doubtful[i] = doubtful[i] || std::abs(g) < tolerance;
      const bool held_out = problem.lower[i] == problem.upper[i];
      if (held_out || (our_beta[i] != 0) == (their_beta[i] != 0)) continue;
      // Only a row at the margin may be a support vector on one side alone.
      const double y = problem.linear[i];
      EXPECT_LT(std::min(std::abs(y * f - 1), std::abs(y * g - 1)), 10 * one.eps + tolerance / 2)
          << what << ", row " << i;
    }
  }
  EXPECT_NEAR(ours.objective, objective, 1e-6 * std::abs(objective) + objective_error + 1e-9) << one.what;
  for (std::size_t i = 0; i < n && definite; ++i)
    if (!doubtful[i]) ASSERT_EQ(prediction.label[i], their_labels[i]) << one.what << ", row " << i;
}

}  // namespace credence::test
