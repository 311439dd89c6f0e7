#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/model/sigmoid.hpp"
#include "credence/neighbours/metric.hpp"
#include "qp/left_out.hpp"
#include "support/naive_calibration.hpp"
#include "support/qp_cases.hpp"
#include "support/rvm_fits.hpp"
#include "support/svm_vs_libsvm.hpp"
#include "support/tcm_problems.hpp"

// 20,000 random problems of 2 to 12 rows, on numbers with ties, copies and wild magnitudes, each beside a slow oracle.
// A problem is its number: CREDENCE_PROBLEM=17 runs that one alone in the tests that --gtest_filter names.
namespace credence {
namespace small_problems_vs_slow_oracles_tests {

using core::RandomStream;
using test::MatrixRows;
using test::Numbers;
using test::TcmProblem;

template <class Check>
void each_problem(std::uint64_t count, const Check& check) {
  const char* chosen = std::getenv("CREDENCE_PROBLEM");
  const std::uint64_t first = chosen == nullptr ? 0 : std::strtoull(chosen, nullptr, 10);
  const std::uint64_t last = chosen == nullptr ? count : first + 1;
  for (std::uint64_t number = first; number < last; ++number) {
    SCOPED_TRACE("problem " + std::to_string(number));
    RandomStream random(number, 1801);
    check(random, number);
    if (testing::Test::HasFailure()) return;
  }
}

std::string text(std::span<const double> values) {
  std::string result;
  for (const double value : values) result += testing::PrintToString(value) + " ";
  return result;
}

double log_uniform(RandomStream& random, double low, double high) {
  return std::pow(10.0, low + (high - low) * random.uniform());
}

template <class T, std::size_t n>
T one_of(RandomStream& random, const std::array<T, n>& choices) {
  return choices[random.below(n)];
}

/// Rows on a grid, normal ones, or copies of few; a third of them repeat an earlier one.
data::DenseMatrix hostile_rows(RandomStream& random, std::size_t n) {
  const std::size_t d = 1 + random.below(3);
  const Numbers kind = one_of(random, std::array{Numbers::normal, Numbers::grid, Numbers::tenths});
  data::DenseMatrix x = test::random_numbers(kind, n, d, random);
  for (std::size_t i = 1; i < n; ++i)
    if (random.below(3) == 0) test::copy_row(x, random.below(i), x, i);
  return x;
}

kernel::Kernel definite_kernel(RandomStream& random) {
  switch (random.below(4)) {
    case 0:
      return {.type = kernel::KernelType::linear};
    case 1:
      return {.type = kernel::KernelType::polynomial, .gamma = 0.5, .coef0 = 1, .degree = 2};
    case 2:
      return {.type = kernel::KernelType::laplacian, .gamma = log_uniform(random, -3, 2)};
    default:
      return {.type = kernel::KernelType::rbf, .gamma = log_uniform(random, -4, 3)};
  }
}

std::vector<double> both_signs(RandomStream& random, std::size_t n) {
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) y.push_back(random.below(2) == 0 ? 1 : -1);
  y.back() = -y.front();
  return y;
}

/// Boxes of one C, of a C for each row, or any; some are closed, as those of rows with weight 0.
qp::Problem hostile_boxes(RandomStream& random, std::size_t n) {
  const std::vector<double> y = both_signs(random, n);
  std::vector<double> bounds(n, log_uniform(random, -6, 4));
  if (random.below(3) == 0)
    for (double& bound : bounds) bound = log_uniform(random, -3, 3);
  for (double& bound : bounds) bound = random.below(8) == 0 ? 0 : bound;
  qp::Problem problem = test::classification_problem(y, bounds);
  if (random.below(4) != 0) return problem;
  for (std::size_t i = 0; i < n; ++i) {
    problem.linear[i] = 3 * random.normal();
    problem.lower[i] = random.below(3) == 0 ? 0 : -2 * random.uniform();
    problem.upper[i] = random.below(3) == 0 ? 0 : 2 * random.uniform();
  }
  return problem;
}

TEST(SmallProblems, BoxesVsTheTextbookSolver) {
  each_problem(6000, [](RandomStream& random, std::uint64_t) {
    const std::size_t n = 2 + random.below(11);
    const data::DenseMatrix x = hostile_rows(random, n);
    MatrixRows rows(test::reference_block(definite_kernel(random), x, x));
    const data::DenseMatrix k = rows.matrix();
    const qp::Problem problem = hostile_boxes(random, n);
    qp::State state = qp::zero_state(problem);
    const core::Monitor monitor;
    const qp::Options options{.tolerance = 1e-6, .max_steps = 200'000, .newton = random.below(4) != 0};
    const qp::Statistics statistics = qp::solve(rows, problem, state, options, monitor);
    const std::string what = "K " + text(k.values) + "\np " + text(problem.linear) + "\nl " + text(problem.lower) +
                             "\nu " + text(problem.upper);
    EXPECT_EQ(statistics.status, qp::Status::converged) << qp::name(statistics.status) << "\n" << what;
    test::expect_feasible(k, problem, state, what);
    const test::PointReport ours = test::report(k, problem, state.beta);
    const test::PointReport theirs = test::report(k, problem, test::reference_solution(k, problem, 1e-8, 20'000));
    double squares = 0;
    for (const double b : state.beta) squares += b * b;
    // What rounding to float may have bent of the matrix's definiteness, and of sums in double.
    const double rounding = 2e-7 * test::largest(k.values) * squares + 1e-9 * (1 + std::abs(theirs.objective));
    EXPECT_LE(ours.objective, theirs.objective + ours.suboptimality + rounding) << what;
    EXPECT_GE(ours.objective, theirs.objective - theirs.suboptimality - rounding) << what;
    double sum = 0;
    for (const double b : state.beta) sum += std::abs(b);
    EXPECT_LE(ours.gap, 1.01e-6 + 1.2e-7 * sum * test::largest(k.values)) << what;
  });
}

TEST(SmallProblems, MachinesVsLibsvm) {
  each_problem(3000, [](RandomStream& random, std::uint64_t number) {
    const std::size_t n = 2 + random.below(11);
    test::SvmCase one{.data = {}, .kernel = definite_kernel(random), .C = log_uniform(random, -4, 3), .eps = 1e-5};
    one.data.x = hostile_rows(random, n);
    test::copy_row(test::random_matrix(1, one.data.x.columns, number), 0, one.data.x, n - 1);  // not all rows equal
    const int classes = n < 4 ? 2 : 2 + static_cast<int>(random.below(2));
    for (std::size_t i = 0; i < n; ++i) {
      const int label = i < static_cast<std::size_t>(classes)
                            ? static_cast<int>(i)
                            : static_cast<int>(random.below(static_cast<std::uint64_t>(classes)));
      one.data.classes.push_back(label);
      one.data.labels.push_back(test::class_name(label));
    }
    one.what = "C " + std::to_string(one.C) + ", " + std::string(kernel::name(one.kernel.type)) + " gamma " +
               std::to_string(one.kernel.gamma) + ", x " + text(one.data.x.values) + ", " +
               testing::PrintToString(one.data.labels);
    test::expect_agreement(one, {.objective = 1e-4, .decision = 0.02, .interval = 1});
  });
}

TEST(SmallProblems, LeaveOneOutVsRefits) {
  each_problem(2000, [](RandomStream& random, std::uint64_t) {
    const std::size_t n = 3 + random.below(8);
    const data::DenseMatrix x = hostile_rows(random, n);
    MatrixRows rows(test::reference_block(definite_kernel(random), x, x));
    std::vector<double> y = both_signs(random, n);
    const double C = log_uniform(random, -3, 2);
    const qp::Problem problem = test::classification_problem(y, C);
    const qp::Options options{.tolerance = 1e-8};
    const core::Monitor monitor;
    qp::State state = qp::zero_state(problem);
    ASSERT_EQ(qp::solve(rows, problem, state, options, monitor).status, qp::Status::converged);
    qp::LeftOut left_out(rows, problem, state, options, monitor);
    for (std::size_t i = 0; i < n; ++i) {
      const double found = left_out.without(i).decision;
      qp::Problem rest = problem;
      rest.lower[i] = rest.upper[i] = 0;
      qp::State refit = qp::zero_state(rest);
      ASSERT_EQ(qp::solve(rows, rest, refit, options, monitor).status, qp::Status::converged);
      const double expected = refit.gradient[i] + rest.linear[i] + qp::bias(rest, refit);
      const double scale = 1 + test::largest(refit.gradient);
      ASSERT_NEAR(found, expected, 2e-4 * scale)
          << "row " << i << ", C " << C << "\nK " << text(rows.matrix().values) << "\ny " << text(y);
    }
  });
}

TEST(SmallProblems, TransductivePValuesVsNaive) {
  const test::Surroundings one;
  each_problem(3000, [&](RandomStream& random, std::uint64_t number) {
    const Numbers kind = one_of(random, test::all_numbers);
    neighbours::Metric metric = one_of(random, test::all_metrics);
    if (metric == neighbours::Metric::cosine && kind == Numbers::denormal) metric = neighbours::Metric::euclidean;
    const std::size_t n = 2 + random.below(11);
    const TcmProblem problem = test::fit_for(
        metric, test::random_problem(kind, n, 1 + random.below(4), 2 + random.below(2), 1 + random.below(3), number));
    const conformal::NeighbourOptions options{test::all_measures[random.below(test::all_measures.size())],
                                              1 + static_cast<int>(random.below(4)), metric};
    const auto fast = test::trained(problem, options, one.context);
    const test::NaiveTcm naive = test::naive_of(problem, options);
    for (const bool conditional : {false, true}) {
      SCOPED_TRACE(test::told(options) + "\nx " + text(problem.rows.values) + "\nlabels " +
                   testing::PrintToString(problem.labels) + "\nqueries " + text(problem.queries.values));
      test::expect_same_ranks(fast.ranks(data::Features(problem.queries), conditional, one.context),
                              naive.ranks(problem.queries, conditional));
    }
  });
}

/// P(first <= Bin(n, p) <= last), term by term.
double binomial_mass(std::size_t first, std::size_t last, std::size_t n, double p) {
  double sum = 0;
  for (std::size_t k = first; k <= last; ++k) {
    double term = 1;
    for (std::size_t i = 0; i < k; ++i) term *= p * static_cast<double>(n - i) / static_cast<double>(k - i);
    sum += term * std::pow(1 - p, static_cast<double>(n - k));
  }
  return sum;
}

TEST(SmallProblems, BinomialLimitsVsTails) {
  each_problem(1500, [](RandomStream& random, std::uint64_t) {
    const std::size_t n = 1 + random.below(40);
    const std::size_t errors = random.below(n + 1);
    const double delta = log_uniform(random, -6, -0.3);
    const std::string what =
        std::to_string(errors) + " of " + std::to_string(n) + ", delta " + testing::PrintToString(delta);
    const bounds::Interval interval = bounds::clopper_pearson(errors, n, delta);
    const double limit = bounds::binomial_upper_limit(static_cast<double>(errors), static_cast<double>(n), delta);
    if (errors < n) {
      EXPECT_NEAR(binomial_mass(0, errors, n, interval.upper) / (delta / 2), 1, 1e-7) << what;
      EXPECT_NEAR(binomial_mass(0, errors, n, limit) / delta, 1, 1e-7) << what;
    } else {
      EXPECT_EQ(interval.upper, 1) << what;
      EXPECT_EQ(limit, 1) << what;
    }
    if (errors > 0)
      EXPECT_NEAR(binomial_mass(errors, n, n, interval.lower) / (delta / 2), 1, 1e-7) << what;
    else
      EXPECT_EQ(interval.lower, 0) << what;
  });
}

test::Labelled tied_margins(RandomStream& random, std::uint64_t number) {
  const std::size_t n = 1 + random.below(12);
  const double steps = one_of(random, std::array{1.0, 3.0, 1000.0});
  return test::random_margins(n, number, steps, one_of(random, std::array{1.5, 0.0, -2.0, 30.0}));
}

TEST(SmallProblems, IsotonicVsTheMinMaxFormula) {
  each_problem(1000, [](RandomStream& random, std::uint64_t number) {
    const test::Labelled rows = tied_margins(random, number);
    const model::Isotonic isotonic(rows.margins, rows.labels);
    for (const double margin : rows.margins)
      ASSERT_NEAR(isotonic(margin), test::isotonic_at(rows, margin), 1e-15)
          << text(rows.margins) << testing::PrintToString(rows.labels);
  });
}

TEST(SmallProblems, VennAbersVsRefits) {
  each_problem(1000, [](RandomStream& random, std::uint64_t number) {
    const test::Labelled rows = tied_margins(random, number);
    const model::VennAbers venn_abers(rows.margins, rows.labels);
    std::vector<double> queries = rows.margins;
    for (int i = 0; i < 3; ++i) queries.push_back(2 * random.normal());
    for (const double margin : queries) {
      test::Labelled with = rows;
      with.add(margin, 0);
      const double lower = test::isotonic_at(with, margin);
      with.labels.back() = 1;
      ASSERT_NEAR(venn_abers(margin).lower, lower, 1e-14) << text(rows.margins) << testing::PrintToString(rows.labels);
      ASSERT_NEAR(venn_abers(margin).upper, test::isotonic_at(with, margin), 1e-14)
          << text(rows.margins) << testing::PrintToString(rows.labels);
    }
  });
}

/// log N(t; 0, noise I + Phi A^-1 Phi').
double log_marginal(const test::SparseProblem& problem, const std::vector<double>& alpha, double noise) {
  const std::size_t n = problem.rows();
  data::DenseMatrix covariance(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      covariance.row(i)[j] = i == j ? noise : 0;
      for (std::size_t m = 0; m < alpha.size(); ++m)
        covariance.row(i)[j] += problem.phi.row(i)[m] * problem.phi.row(j)[m] / alpha[m];
    }
  }
  const data::DenseMatrix factor = test::cholesky(covariance);
  return -0.5 * (test::dot(problem.targets, test::solve(factor, problem.targets)) + test::log_determinant(factor) +
                 static_cast<double>(n) * std::log(2 * std::numbers::pi));
}

TEST(SmallProblems, RelevanceVectorMachinesOfFixedAlphaVsDenseAlgebra) {
  each_problem(1000, [](RandomStream& random, std::uint64_t) {
    const std::size_t n = 2 + random.below(9);
    const data::DenseMatrix x = hostile_rows(random, n);
    test::SparseProblem problem{test::gaussian_columns(x, x, log_uniform(random, -1, 1)),
                                {},
                                random.below(2) == 0 ? data::Task::regression : data::Task::classification};
    for (std::size_t i = 0; i < n; ++i)
      problem.targets.push_back(problem.is_regression() ? random.normal() : static_cast<double>(random.below(2)));
    std::vector<double> alpha;
    for (std::size_t m = 0; m < problem.phi.columns; ++m) alpha.push_back(log_uniform(random, -2, 3));
    const double noise = problem.is_regression() ? log_uniform(random, -2, 1) : 1;
    const test::Columns columns = test::all_columns(problem);
    const rvm::Posterior fit = test::posterior_of(problem, columns, alpha, noise);
    const test::SlowMode slow(problem, columns, alpha, noise, test::Vector(alpha.size()), 1e-20);
    const std::string what = "phi " + text(problem.phi.values) + "\nt " + text(problem.targets) + "\nalpha " +
                             text(alpha) + "\nnoise " + testing::PrintToString(noise);
    const test::Vector weights = slow.weights();
    const test::Vector gamma = slow.gamma();
    ASSERT_EQ(fit.weights.size(), weights.size()) << what;
    for (std::size_t m = 0; m < weights.size(); ++m) {
      EXPECT_NEAR(fit.weights[m], weights[m], 1e-7 * (1 + test::largest(weights))) << what;
      EXPECT_NEAR(fit.gamma[m], gamma[m], 1e-6) << what;
    }
    EXPECT_NEAR(fit.log_evidence, slow.log_evidence(), 1e-8 * (1 + std::abs(slow.log_evidence()))) << what;
    const double expected = problem.is_regression() ? log_marginal(problem, alpha, noise) : slow.log_evidence();
    EXPECT_NEAR(fit.log_evidence, expected, 1e-7 * (1 + std::abs(expected))) << what;
  });
}

}  // namespace small_problems_vs_slow_oracles_tests
}  // namespace credence
