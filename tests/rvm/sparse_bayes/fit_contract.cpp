#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.hpp"
#include "support/rvm_fits.hpp"

namespace credence::rvm {
namespace fit_contract_tests {

using data::Task;
using test::basis_of;
using test::expect_error;
using test::fit_of;
using test::SparseProblem;
using test::Surroundings;
using test::Vector;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

SparseProblem problem_of(Task task, std::size_t n = 20) {
  return test::random_problem(n, 2, task, 3).with_width(1);
}

void expect_fit_error(const std::string& part, const SparseProblem& problem, const FitOptions& options = {}) {
  expect_error(ErrorCode::invalid_argument, part, [&] { fit_of(problem, options); });
}

bool all_finite(const Posterior& fit) {
  std::vector<double> numbers = fit.weights;
  numbers.insert(numbers.end(), fit.alpha.begin(), fit.alpha.end());
  numbers.insert(numbers.end(), fit.gamma.begin(), fit.gamma.end());
  numbers.insert(numbers.end(), fit.covariance.values.begin(), fit.covariance.values.end());
  for (const double one :
       {fit.noise_variance, fit.log_likelihood, fit.log_posterior, fit.log_hessian, fit.log_evidence}) {
    numbers.push_back(one);
  }
  return std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); });
}

struct WrongOption {
  std::string name;
  FitOptions options;
};

std::vector<WrongOption> wrong_options() {
  std::vector<WrongOption> all;
  const auto add = [&](const std::string& name, auto change) {
    FitOptions options;
    change(options);
    all.push_back({name, options});
  };
  for (const int starts : {0, -1, 4}) add("start", [&](FitOptions& o) { o.starts = starts; });
  add("start", [](FitOptions& o) {
    o.algorithm = Algorithm::sequential;
    o.starts = 2;
  });
  for (const int count : {0, -5}) add("iterations", [&](FitOptions& o) { o.max_iterations = count; });
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    add("noise", [&](FitOptions& o) { o.noise_variance = bad; });
    add("noise", [&](FitOptions& o) { o.noise_start = bad; });
    add("evidence", [&](FitOptions& o) { o.evidence_tolerance = bad; });
    add("alpha", [&](FitOptions& o) { o.alpha_tolerance = bad; });
    add("search for a mode", [&](FitOptions& o) { o.inner_tolerance = bad; });
    add("last search", [&](FitOptions& o) { o.final_tolerance = bad; });
    add("largest alpha", [&](FitOptions& o) { o.alpha_max = bad; });
    add("smallest alpha", [&](FitOptions& o) { o.alpha_min = bad; });
  }
  return all;
}

TEST(FitOptions, DefaultsAreFine) {
  EXPECT_TRUE(FitOptions{}.validate().empty());
  EXPECT_TRUE((FitOptions{.algorithm = Algorithm::sequential}.validate().empty()));
}

TEST(FitOptions, EachWrongValueIsNamed) {
  for (const WrongOption& wrong : wrong_options()) {
    const std::vector<std::string> problems = wrong.options.validate();
    ASSERT_FALSE(problems.empty()) << wrong.name;
    EXPECT_NE(problems[0].find(wrong.name), std::string::npos) << wrong.name << ": " << problems[0];
    EXPECT_LE(problems.size(), 2U) << wrong.name;
    expect_fit_error(problems[0], problem_of(Task::regression), wrong.options);
  }
}

TEST(FitOptions, AllProblemsAreReportedAtOnce) {
  const FitOptions options{.starts = 0,
                           .noise_variance = -1,
                           .noise_start = 0,
                           .max_iterations = 0,
                           .evidence_tolerance = 0,
                           .alpha_tolerance = 0,
                           .inner_tolerance = 0};
  EXPECT_GE(options.validate().size(), 7U);
}

TEST(FitOptions, StatusesHaveNames) {
  EXPECT_EQ(name(Status::converged), "converged");
  EXPECT_EQ(name(Status::plateau), "plateau");
  EXPECT_EQ(name(Status::iteration_limit), "iteration limit");
  EXPECT_EQ(name(Status::stopped), "stopped");
}

TEST(BadInput, OfAFitIsNamed) {
  for (const Task task : {Task::classification, Task::regression}) {
    for (const double bad : {not_a_number, infinity, -infinity}) {
      for (const std::size_t place : {std::size_t{0}, std::size_t{200}, std::size_t{20 * 21 - 1}}) {
        SparseProblem problem = problem_of(task);
        problem.phi.values[place] = bad;
        expect_error(ErrorCode::invalid_data, "finite", [&] { fit_of(problem); });
      }
    }
    SparseProblem problem = problem_of(task);
    problem.targets.pop_back();
    expect_fit_error("19", problem);
    problem.targets.clear();
    expect_fit_error("0", problem);
    expect_fit_error("", {data::DenseMatrix(0, 1), {}, task});
    expect_fit_error("", {data::DenseMatrix(20, 0), problem_of(task).targets, task});
  }
}

TEST(BadInput, OfTargetsIsNamed) {
  for (const double bad : {0.5, -1.0, 2.0, not_a_number, infinity}) {
    SparseProblem problem = problem_of(Task::classification);
    problem.targets[7] = bad;
    expect_fit_error("target", problem);
  }
  for (const double bad : {not_a_number, infinity, -infinity}) {
    SparseProblem problem = problem_of(Task::regression);
    problem.targets[7] = bad;
    expect_fit_error("target", problem);
  }
}

/// Also where their mean cannot be computed exactly.
TEST(BadInput, EqualTargetsAreRefused) {
  for (const double value : {0.0, 1.0}) {
    SparseProblem problem = problem_of(Task::classification);
    problem.targets.assign(20, value);
    expect_fit_error("class", problem);
  }
  for (const double value : {0.0, 1.0, 0.1, -3.7, 1e6, 1e-30}) {
    SparseProblem problem = problem_of(Task::regression);
    problem.targets.assign(20, value);
    expect_fit_error("equal", problem);
    expect_error(ErrorCode::invalid_argument, "equal", [&] { null_evidence(problem.targets, Task::regression, {}); });
  }
}

TEST(BadInput, OfABasisThatLiesAboutItsSizeIsNamed) {
  const Surroundings surroundings;
  const SparseProblem problem = problem_of(Task::classification);
  Basis basis = basis_of(problem.phi);
  basis.values.pop_back();
  expect_error(ErrorCode::invalid_argument, "",
               [&] { fit(basis, true, problem.targets, problem.task, {}, false, surroundings.context); });
}

TEST(BadInput, OfAPosteriorIsNamed) {
  const SparseProblem problem = problem_of(Task::regression);
  const auto expect = [&](const std::string& part, const test::Columns& columns, const Vector& alpha, double noise) {
    expect_error(ErrorCode::invalid_argument, part, [&] { test::posterior_of(problem, columns, alpha, noise); });
  };
  expect("alpha", {0, 1}, {1, 0}, 1);
  expect("alpha", {0, 1}, {1, -2}, 1);
  expect("alpha", {0, 1}, {not_a_number, 1}, 1);
  expect("alpha", {0, 1}, {infinity, 1}, 1);
  expect("noise", {0, 1}, {1, 1}, 0);
  expect("noise", {0, 1}, {1, 1}, -1);
  expect("noise", {0, 1}, {1, 1}, not_a_number);
  expect("", {0, 1}, {1}, 1);
  expect("", {0, 21}, {1, 1}, 1);
  expect("", {1, 0}, {1, 1}, 1);
  expect("", {1, 1}, {1, 1}, 1);
  SparseProblem wrong = problem_of(Task::classification);
  wrong.targets[3] = 0.3;
  expect_error(ErrorCode::invalid_argument, "target", [&] { test::posterior_of(wrong, {0, 1}, {1, 1}); });
  wrong.targets.pop_back();
  expect_error(ErrorCode::invalid_argument, "", [&] { test::posterior_of(wrong, {0, 1}, {1, 1}); });
}

/// Shapes that a user can have: each fit ends, with finite numbers and the evidence of the plain loops' null model.
TEST(Shapes, OddOnesEndWithFiniteNumbers) {
  for (const Task task : {Task::classification, Task::regression}) {
    for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
      FitOptions options;
      options.algorithm = algorithm;
      const auto check = [&](const SparseProblem& problem, const std::string& what) {
        const Fit fit = fit_of(problem, options);
        EXPECT_TRUE(all_finite(fit)) << what;
        EXPECT_GE(fit.columns.size(), 1U) << what;
        EXPECT_NE(fit.status, Status::stopped) << what;
        EXPECT_GT(fit.iterations, 0) << what;
      };
      check({test::gaussian_columns(test::random_matrix(2, 1, 3), test::random_matrix(2, 1, 3), 1), {0, 1}, task},
            "two rows");
      const test::KernelProblem few = test::random_problem(6, 2, task, 3);
      check({test::gaussian_columns(few.x, test::random_matrix(80, 2, 5), 1), few.targets, task}, "many columns");
      const test::KernelProblem many = test::random_problem(3000, 2, task, 3);
      check({test::gaussian_columns(many.x, test::random_matrix(3, 2, 5), 1), many.targets, task}, "many rows");
      SparseProblem constant = problem_of(task);
      for (std::size_t n = 0; n < 20; ++n) constant.phi.row(n)[4] = constant.phi.row(n)[9] = 1;
      check(constant, "constant columns");
      for (std::size_t n = 0; n < 20; ++n) constant.phi.row(n)[4] = 0;
      check(constant, "a column of zeros");
      for (double& value : constant.phi.values) value = 0;
      check(constant, "nothing but zeros");
    }
  }
}

/// Columns of any size end in an error or in finite numbers.
TEST(Shapes, HugeAndTinyColumnsNeverBreakAFit) {
  for (const Task task : {Task::classification, Task::regression}) {
    for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
      for (const double scale : {1e-308, 1e-150, 1e-20, 1e20, 1e80, 1e150, 1e300}) {
        for (const bool all : {true, false}) {
          SparseProblem problem = problem_of(task);
          for (std::size_t n = 0; n < 20; ++n)
            for (std::size_t m = 0; m < 21; ++m) problem.phi.row(n)[m] *= all || m % 3 == 1 ? scale : 1;
          FitOptions options;
          options.algorithm = algorithm;
          try {
            EXPECT_TRUE(all_finite(fit_of(problem, options))) << scale << (all ? " all" : " some");
          } catch (const Error& error) {
            EXPECT_TRUE(error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::invalid_data)
                << error.what();
            EXPECT_GE(error.sentence().size(), 10U);
            EXPECT_TRUE(scale < 1e-100 || scale > 1e70) << error.what();
          }
        }
      }
    }
  }
}

TEST(Shapes, HugeAndTinyTargetsNeverBreakARegression) {
  for (const double scale : {1e-150, 1e-20, 1e20, 1e150}) {
    SparseProblem problem = problem_of(Task::regression);
    for (double& target : problem.targets) target *= scale;
    try {
      EXPECT_TRUE(all_finite(fit_of(problem))) << scale;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_data) << error.what();
      EXPECT_TRUE(scale < 1e-100 || scale > 1e100) << error.what();
    }
  }
}

TEST(Monitor, StopsAFitAtOnce) {
  const SparseProblem problem = problem_of(Task::classification, 60);
  for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
    FitOptions options;
    options.algorithm = algorithm;
    const core::Threads threads(1);
    core::Monitor cancelled;
    cancelled.cancel();
    core::Monitor late({}, 0.0);
    for (core::Monitor* monitor : {&cancelled, &late}) {
      const core::Context context{threads, *monitor};
      const Fit fit = rvm::fit(basis_of(problem.phi), true, problem.targets, problem.task, options, true, context);
      EXPECT_EQ(fit.status, Status::stopped);
      EXPECT_LE(fit.iterations, 1);
    }
  }
}

TEST(Monitor, CancelledWhileFittingStops) {
  const SparseProblem problem = problem_of(Task::regression, 60);
  const core::Threads threads(1);
  core::Monitor monitor([](const core::Monitor::Progress&) { return false; });
  const core::Context context{threads, monitor};
  monitor.expect(1);
  monitor.advance();
  EXPECT_EQ(rvm::fit(basis_of(problem.phi), true, problem.targets, problem.task, {}, false, context).status,
            Status::stopped);
}

void expect_same_bits(const Fit& a, const Fit& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(a.gamma, b.gamma);
  EXPECT_EQ(a.covariance.values, b.covariance.values);
  EXPECT_EQ(a.noise_variance, b.noise_variance);
  EXPECT_EQ(a.log_evidence, b.log_evidence);
  EXPECT_EQ(a.log_posterior, b.log_posterior);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  EXPECT_EQ(a.log_hessian, b.log_hessian);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.newton_steps, b.newton_steps);
  EXPECT_EQ(a.start, b.start);
}

TEST(Threads, NumberDoesNotChangeABit) {
  for (const Task task : {Task::classification, Task::regression}) {
    for (const std::size_t n : {std::size_t{50}, std::size_t{51}, std::size_t{300}}) {
      const SparseProblem problem = test::random_problem(n, 3, task, 8).with_width(1.2);
      const FitOptions options{.starts = 2, .max_iterations = 60};
      expect_same_bits(fit_of(problem, options, 1), fit_of(problem, options, 2));
      expect_same_bits(fit_of(problem, options, 1), fit_of(problem, options, 5));
    }
  }
}

TEST(Threads, NumberDoesNotChangeABitOfALargeFit) {
  const SparseProblem problem = test::random_problem(700, 3, Task::classification, 8).with_width(1.2);
  FitOptions options{.max_iterations = 25};
  expect_same_bits(fit_of(problem, options, 1), fit_of(problem, options, 2));
  options.algorithm = Algorithm::sequential;
  expect_same_bits(fit_of(problem, options, 1), fit_of(problem, options, 2));
}

TEST(Threads, NumberDoesNotChangeABitOfAPosterior) {
  const SparseProblem problem = test::random_problem(400, 3, Task::classification, 8).with_width(1.2);
  const Vector alpha(401, 0.3);
  std::vector<Posterior> results;
  for (const int count : {1, 2, 3}) {
    const Surroundings surroundings(count);
    results.push_back(rvm::posterior(basis_of(problem.phi), test::all_columns(problem), alpha, problem.targets,
                                     problem.task, 1, true, surroundings.context));
  }
  for (const Posterior& other : results) {
    EXPECT_EQ(results[0].weights, other.weights);
    EXPECT_EQ(results[0].covariance.values, other.covariance.values);
    EXPECT_EQ(results[0].log_evidence, other.log_evidence);
  }
}

}  // namespace fit_contract_tests
}  // namespace credence::rvm
