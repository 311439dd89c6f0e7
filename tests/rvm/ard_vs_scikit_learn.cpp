#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/python.hpp"
#include "support/rvm_fits.hpp"
#include "support/temporary_folder.hpp"

namespace credence::rvm {
namespace ard_vs_scikit_learn_tests {

using test::SparseProblem;
using test::Vector;

/// What ARDRegression found: automatic relevance determination by others, on the same basis functions.
struct Peer {
  test::Columns columns;
  Vector weights;
  Vector alpha;
  double noise_variance = 0;
  Vector variances;  ///< of the weights
};

/// Noisy sinc at evenly spaced rows.
test::KernelProblem noisy_sinc(std::size_t n, std::uint64_t seed) {
  test::KernelProblem problem{data::DenseMatrix(n, 1), {}, data::Task::regression};
  core::RandomStream random(seed, 613);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = -7 + 14 * static_cast<double>(i) / static_cast<double>(n - 1);
    problem.x.row(i)[0] = x;
    problem.targets.push_back(test::sinc(x) + 0.1 * random.normal());
  }
  return problem;
}

data::DenseMatrix new_rows() {
  data::DenseMatrix x(57, 1);
  for (std::size_t i = 0; i < 57; ++i) x.row(i)[0] = -7.1 + 0.25 * static_cast<double>(i);
  return x;
}

struct Predicted {
  Vector mean, deviation;
};

/// phi' w and (s2 + phi' C phi)^1/2, C from the posterior at these alpha and noise.
Predicted predict(const data::DenseMatrix& phi, const Posterior& fit) {
  const data::DenseMatrix part = test::columns_of(phi, fit.columns);
  Predicted result{test::times(part, fit.weights), {}};
  for (std::size_t n = 0; n < part.rows; ++n) {
    const Vector row(part.row(n).begin(), part.row(n).end());
    result.deviation.push_back(std::sqrt(fit.noise_variance + test::dot(row, test::times(fit.covariance, row))));
  }
  return result;
}

struct Case {
  std::size_t n;
  std::uint64_t seed;
  double sigma;
};

const std::vector<Case> cases{{60, 2, 1}, {60, 3, 1.6}, {60, 3, 2}, {100, 1, 1.6}, {100, 2, 2}, {100, 3, 1.6}};

SparseProblem problem_of(const Case& one) {
  return noisy_sinc(one.n, one.seed).with_width(one.sigma);
}

void write(const test::TemporaryFolder& folder, const SparseProblem& problem) {
  std::string rows;
  for (std::size_t n = 0; n < problem.rows(); ++n) rows += fmt::format("{}\n", fmt::join(problem.phi.row(n), ","));
  folder.write("phi.csv", rows);
  folder.write("targets.csv", fmt::format("{}\n", fmt::join(problem.targets, "\n")));
}

/// What scikit-learn says about all cases, by one run of the interpreter.
std::vector<Peer> scikit_learn(const std::string& python) {
  const std::vector<test::TemporaryFolder> folders(cases.size());
  std::string line = fmt::format("'{}' '{}/tests/rvm/ard_regression.py'", python, CREDENCE_SOURCE_DIR);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    write(folders[i], problem_of(cases[i]));
    line += fmt::format(" '{}'", folders[i].path());
  }
  EXPECT_EQ(std::system(line.c_str()), 0) << line;
  std::vector<Peer> peers;
  for (const test::TemporaryFolder& folder : folders) {
    const nlohmann::json result = nlohmann::json::parse(std::ifstream(folder.file("result.json")));
    peers.push_back({result.at("columns"), result.at("weights"), result.at("alpha"), result.at("noise_variance"),
                     result.at("variances")});
  }
  return peers;
}

/// The posterior given alpha and noise is theirs.
void expect_same_posterior(const Posterior& ours, const Peer& peer, const std::string& what) {
  ASSERT_EQ(peer.variances.size(), ours.weights.size()) << what;
  for (std::size_t i = 0; i < ours.weights.size(); ++i) {
    EXPECT_NEAR(ours.weights[i], peer.weights[i], 1e-6 * (1 + std::abs(peer.weights[i]))) << what;
    EXPECT_NEAR(ours.covariance.row(i)[i], peer.variances[i], 1e-6 * peer.variances[i]) << what;
  }
}

/// Both end in the same optimum: evidence, noise, means and deviations agree.
void expect_same_optimum(const Case& one, const Posterior& ours, const Posterior& theirs, const std::string& what) {
  EXPECT_NEAR(ours.log_evidence, theirs.log_evidence, 1e-4) << what;
  EXPECT_NEAR(ours.noise_variance, theirs.noise_variance, 1e-3 * theirs.noise_variance) << what;
  const data::DenseMatrix phi = test::gaussian_columns(new_rows(), noisy_sinc(one.n, one.seed).x, one.sigma);
  const Predicted a = predict(phi, ours);
  const Predicted b = predict(phi, theirs);
  for (std::size_t i = 0; i < a.mean.size(); ++i) {
    EXPECT_NEAR(a.mean[i], b.mean[i], 1e-3) << what << ", row " << i;
    EXPECT_NEAR(a.deviation[i], b.deviation[i], 1e-3 * b.deviation[i]) << what << ", row " << i;
  }
}

/// Starts among which is theirs, alpha = 1 and noise var(t): problems of this kind have several optima.
FitOptions as_they_do() {
  return {.starts = 3, .noise_start = 1, .max_iterations = 3000, .evidence_tolerance = 1e-9, .alpha_tolerance = 1e-7};
}

TEST(Regression, AgreesWithArdRegressionOfScikitLearn) {
  const std::string python = test::python_with("sklearn");
  if (python.empty()) GTEST_SKIP() << "needs a Python that has scikit-learn (scripts/setup.sh test, CREDENCE_PYTHON)";
  const std::vector<Peer> peers = scikit_learn(python);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    const std::string what = fmt::format("n {}, seed {}, sigma {}", one.n, one.seed, one.sigma);
    const SparseProblem problem = problem_of(one);
    const Posterior theirs = test::posterior_of(problem, peers[i].columns, peers[i].alpha, peers[i].noise_variance);
    expect_same_posterior(theirs, peers[i], what);
    const Fit ours = test::fit_of(problem, as_they_do());
    expect_same_optimum(one, ours, theirs, what);
  }
}

}  // namespace ard_vs_scikit_learn_tests
}  // namespace credence::rvm
