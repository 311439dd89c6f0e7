#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>

#include "conformal/transductive/known_rows.hpp"
#include "conformal/transductive/pair_svm.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/data/reader.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/real_data.hpp"

namespace credence::conformal {
namespace transductive_svm_vs_retraining_tests {

using kernel::KernelType;
using test::Clouds;
using test::Surroundings;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Known examples, and new ones that nobody was trained on.
struct Case {
  std::string name;
  data::Features known;
  std::vector<int> labels;
  data::Features fresh;
  std::size_t classes = 2;
  std::vector<double> weights{};  ///< of the known examples in p-values; empty: each counts 1
};

Case split(const std::string& name, const data::Features& x, const std::vector<int>& classes, std::size_t fresh) {
  Case result{name, {}, {}, {}, static_cast<std::size_t>(*std::max_element(classes.begin(), classes.end())) + 1, {}};
  std::vector<std::size_t> known(x.rows() - fresh);
  std::iota(known.begin(), known.end(), std::size_t{0});
  std::vector<std::size_t> rest(fresh);
  std::iota(rest.begin(), rest.end(), known.size());
  result.known = x.select_rows(known);
  result.fresh = x.select_rows(rest);
  result.labels.assign(classes.begin(), classes.end() - static_cast<std::ptrdiff_t>(fresh));
  return result;
}

Case clouds(std::size_t n, std::size_t d, int classes, double distance, std::uint64_t seed, std::size_t fresh) {
  const Clouds all = test::random_clouds(n + fresh, d, classes, distance, seed);
  return split(std::to_string(classes) + " clouds", all.x, all.classes, fresh);
}

data::Features with_row(const data::Features& known, const data::Features& fresh, std::size_t row) {
  data::DenseMatrix both = known.to_dense();
  const data::DenseMatrix more = fresh.to_dense();
  both.values.insert(both.values.end(), more.row(row).begin(), more.row(row).end());
  ++both.rows;
  return both;
}

/// What a score may be once it is rounded to multiples of twice the tolerance, counted from 1.
struct ScoreRange {
  double low = infinity;
  double high = infinity;

  void take(double margin, bool free, double allowed, double tolerance) {
    const auto rounded = [&](double m) { return 1 + 2 * tolerance * std::nearbyint((m - 1) / (2 * tolerance)); };
    low = std::min(low, free ? 1 : rounded(margin - allowed));
    high = std::min(high, free ? 1 : rounded(margin + allowed));
  }
};

struct Retrained {
  std::vector<double> scores;      ///< of all examples for their own class, the new one last
  std::vector<ScoreRange> ranges;  ///< what they are up to `allowed`
  std::uint64_t steps = 0;
};

/// Trains from zero on all examples and (x, c), each machine on the whole kernel matrix with the rows of other classes
/// held out.
Retrained retrain(const kernel::Gram& gram, std::vector<int> labels, int label, std::size_t classes,
                  const TransductiveSvmOptions& options, double cold_tolerance, double allowed) {
  labels.push_back(label);
  const std::size_t n = labels.size();
  Retrained result{std::vector<double>(n, infinity), std::vector<ScoreRange>(n), 0};
  const auto rows = kernel::rows_of(gram);
  const core::Monitor monitor;
  qp::Options solver = options.solver;
  solver.tolerance = cold_tolerance;
  for (const svm::BinaryMachine& machine : svm::machine_layout(classes)) {
    const qp::Problem problem = svm::machine_problem(labels, machine, std::vector<double>(n, options.C));
    if (std::count(labels.begin(), labels.end(), machine.positive) == 0 ||
        std::count(labels.begin(), labels.end(), machine.negative) == 0) {
      continue;
    }
    qp::State state = qp::zero_state(problem);
    result.steps += qp::solve(*rows, problem, state, solver, monitor).steps;
    const double bias = qp::bias(problem, state);
    for (std::size_t i = 0; i < n; ++i) {
      if (problem.linear[i] == 0) continue;
      const bool free = state.beta[i] > problem.lower[i] && state.beta[i] < problem.upper[i];
      const double margin = problem.linear[i] * (state.gradient[i] + problem.linear[i] + bias);
      result.scores[i] = std::min(result.scores[i], margin);
      result.ranges[i].take(margin, free, allowed, options.solver.tolerance);
    }
  }
  return result;
}

/// What a rank may be.
struct RankRange {
  double greater = 0;
  double equal = 0;
  double doubtful = 0;
  double of = 0;

  bool holds(const Rank& rank) const {
    return rank.of == of && rank.greater >= greater && rank.greater <= greater + doubtful && rank.equal >= equal &&
           rank.greater + rank.equal <= greater + equal + doubtful;
  }
};

RankRange rank_of_last(const std::vector<ScoreRange>& scores, const Case& given, int label, bool conditional) {
  RankRange range;
  const ScoreRange& fresh = scores.back();
  for (std::size_t i = 0; i + 1 < scores.size(); ++i) {
    if (conditional && given.labels[i] != label) continue;
    const double weight = given.weights.empty() ? 1 : given.weights[i];
    range.of += weight;
    if (scores[i].high < fresh.low)
      range.greater += weight;
    else if (scores[i].low == fresh.high && scores[i].high == fresh.low)
      range.equal += weight;
    else if (scores[i].low <= fresh.high)
      range.doubtful += weight;
  }
  return range;
}

struct Agreement {
  std::size_t ranks = 0;
  double doubtful = 0;  ///< comparisons
  double equal = 0;
  double compared = 0;
  std::uint64_t cold_steps = 0;
  TransductiveCost cost;
};

/// Ranks every new row under every class, and compares with retraining.
Agreement compare(const Case& given, const TransductiveSvmOptions& options, double cold_tolerance, double allowed) {
  Surroundings surroundings;
  const TransductiveSvm machine(given.known, given.labels, given.classes, options, surroundings.context, given.weights);
  Agreement agreement;
  const Ranks plain = machine.ranks(given.fresh, false, surroundings.context, agreement.cost);
  const Ranks conditional = machine.ranks(given.fresh, true, surroundings.context);
  for (std::size_t r = 0; r < given.fresh.rows(); ++r) {
    const kernel::Gram gram(options.kernel, kernel::Base(options.kernel.type, with_row(given.known, given.fresh, r)));
    for (std::size_t c = 0; c < given.classes; ++c) {
      const int label = static_cast<int>(c);
      const Retrained oracle = retrain(gram, given.labels, label, given.classes, options, cold_tolerance, allowed);
      agreement.cold_steps += oracle.steps;
      for (const bool by_class : {false, true}) {
        const RankRange range = rank_of_last(oracle.ranges, given, label, by_class);
        const Rank& rank = (by_class ? conditional : plain).at(r, c);
        EXPECT_TRUE(range.holds(rank)) << given.name << ", row " << r << ", class " << c << (by_class ? ", of it" : "")
                                       << ": " << rank.greater << " + " << rank.equal << " of " << rank.of
                                       << ", retrained " << range.greater << " + " << range.equal << " (+"
                                       << range.doubtful << ") of " << range.of << ", new score "
                                       << oracle.scores.back();
        ++agreement.ranks;
        agreement.doubtful += range.doubtful;
        agreement.equal += range.equal;
        agreement.compared += range.of;
      }
    }
  }
  return agreement;
}

TransductiveSvmOptions options_of(KernelType type, double gamma, double C, double tolerance) {
  TransductiveSvmOptions options;
  options.kernel.type = type;
  options.kernel.gamma = gamma;
  options.kernel.degree = 2;
  options.kernel.coef0 = 1;
  options.C = C;
  options.solver.tolerance = tolerance;
  return options;
}

/// Every rank is that of retraining, but for comparisons within `allowed`, which must be rare.
/// Two solutions a and b to tolerance t differ by at most sqrt(t |a - b|_1 K(x, x)) in a decision value, less the bias:
/// (a - b)'K(a - b) = (a - b)'(g_a - g_b) <= t |a - b|_1 by the KKT conditions of both.
Agreement expect_agreement(const Case& given, const TransductiveSvmOptions& options, double allowed = 1e-5) {
  const Agreement agreement = compare(given, options, 1e-8, allowed);
  EXPECT_LE(agreement.doubtful, agreement.compared / 50) << given.name;
  EXPECT_EQ(agreement.cost.unconverged, 0U) << given.name;
  return agreement;
}

TEST(TransductiveSvmVsRetraining, Clouds) {
  const std::vector<Case> cases{clouds(60, 3, 2, 1, 5, 8), clouds(60, 4, 3, 1, 6, 5), clouds(66, 4, 6, 1, 7, 3)};
  for (const Case& given : cases) {
    for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::polynomial, KernelType::laplacian}) {
      std::size_t unchanged = 0;
      double equal = 0;
      for (const double C : {0.1, 1.0, 30.0}) {
        const Agreement agreement = expect_agreement(given, options_of(type, 0.3, C, 1e-8));
        unchanged += agreement.cost.unchanged;
        equal += agreement.equal;
      }
      EXPECT_GT(unchanged, 0U) << given.name;
      EXPECT_GT(equal, 0U) << given.name;
    }
  }
}

TEST(TransductiveSvmVsRetraining, KnownWeightsTakeThePlaceOfCounts) {
  const Surroundings surroundings;
  for (Case given : {clouds(60, 3, 2, 1, 5, 8), clouds(60, 4, 3, 1, 6, 5)}) {
    for (std::size_t i = 0; i < 60; ++i) given.weights.push_back(static_cast<double>(1 + i * 7 % 23) / 8);
    const TransductiveSvmOptions options = options_of(KernelType::rbf, 0.3, 1, 1e-8);
    expect_agreement(given, options);
    const TransductiveSvm machine(given.known, given.labels, given.classes, options, surroundings.context,
                                  given.weights);
    const TransductiveSvm restored(machine.state(), given.classes, options, surroundings.context);
    EXPECT_EQ(restored.state().weights, given.weights);
    EXPECT_EQ(restored.effective_rows(), machine.effective_rows());
  }
}

/// The nonconformity score of every example, not only its rank.
TEST(TransductiveSvmVsRetraining, Margins) {
  const Case given = clouds(60, 3, 2, 1, 5, 8);
  const Surroundings surroundings;
  std::vector<std::size_t> order;  // by class
  for (const std::size_t first : {0U, 1U})
    for (std::size_t i = first; i < 60; i += 2) order.push_back(i);
  std::vector<int> labels;
  for (const std::size_t i : order) labels.push_back(given.labels[i]);
  for (const double C : {0.01, 1.0, 30.0}) {
    const TransductiveSvmOptions options = options_of(KernelType::rbf, 0.3, C, 1e-8);
    const KnownRows known(given.known.select_rows(order), options.kernel, surroundings.context);
    const auto rows = known.rows(surroundings.context);
    PairSvm pair({RowRange{0, 30}, RowRange{30, 30}}, {-1, 1}, options);
    pair.train(*rows, surroundings.monitor);
    const NewRows::Values values = NewRows(known, given.fresh).values(0, given.fresh.rows());
    for (std::size_t r = 0; r < given.fresh.rows(); ++r) {
      const kernel::Gram gram(options.kernel,
                              kernel::Base(KernelType::rbf, with_row(known.features(), given.fresh, r)));
      for (const std::size_t side : {0U, 1U}) {
        TransductiveCost cost;
        PairSvm::Extension extension;
        pair.extend(*rows, {{values.of(r), values.width}, values.own[r]}, side, surroundings.monitor, cost, extension);
        const Retrained oracle = retrain(gram, labels, static_cast<int>(side), 2, options, 1e-8, 0);
        for (std::size_t i = 0; i <= 60; ++i)
          ASSERT_NEAR(extension.margins[i], oracle.scores[i], 1e-6) << C << ", row " << r << ", example " << i;
      }
    }
  }
}

/// Free variables have margin 1, whatever is left of rounding: ties do not depend on the tolerance.
TEST(TransductiveSvmVsRetraining, LooseToleranceKeepsTies) {
  double equal = 0;
  for (const Case& given : {clouds(60, 3, 2, 1, 5, 8), clouds(60, 4, 3, 1, 6, 5)})
    for (const double C : {1.0, 30.0})
      equal += expect_agreement(given, options_of(KernelType::rbf, 0.3, C, 1e-4), 1e-3).equal;
  EXPECT_GT(equal, 100U);
}

TEST(TransductiveSvmVsRetraining, TwoExamples) {
  for (const double C : {0.1, 10.0})
    expect_agreement(clouds(2, 2, 2, 1, 9, 8), options_of(KernelType::rbf, 0.3, C, 1e-8));
}

TEST(TransductiveSvmVsRetraining, SparseRows) {
  const data::DenseMatrix x = test::random_thin_matrix(66, 8, 3);
  std::vector<int> classes(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) classes[i] = x.row(i)[0] + x.row(i)[1] + 0.3 * x.row(i)[2] > 0.2 ? 1 : 0;
  const Case dense = split("thin", x, classes, 6);
  Case sparse = split("sparse", test::sparse_of(x), classes, 6);
  for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::laplacian})
    expect_agreement(sparse, options_of(type, 0.2, 1, 1e-8));
  sparse.fresh = dense.fresh;
  expect_agreement(sparse, options_of(KernelType::rbf, 0.2, 1, 1e-8));
}

/// A class without any example has its machines all the same once the new example is of it.
TEST(TransductiveSvmVsRetraining, ClassThatDoesNotOccur) {
  for (const int absent : {0, 1, 3}) {
    Case given = clouds(60, 4, 4, 1, 11, 4);
    std::vector<std::size_t> keep;
    std::vector<int> labels;
    for (std::size_t i = 0; i < given.labels.size(); ++i) {
      if (given.labels[i] == absent) continue;
      keep.push_back(i);
      labels.push_back(given.labels[i]);
    }
    given.known = given.known.select_rows(keep);
    given.labels = labels;
    expect_agreement(given, options_of(KernelType::rbf, 0.3, 1, 1e-8));
  }
}

TEST(TransductiveSvmVsRetraining, BreastCancer) {
  const data::Dataset all = data::read(CREDENCE_SOURCE_DIR "/data/breast_cancer.csv");
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < all.rows(); i += 4) some.push_back(i);
  const data::Dataset part = all.select_rows(some);
  const data::Features x = data::Preprocessing::fit(part, data::Scaling::standard).apply(part);
  for (const double C : {0.1, 10.0})
    expect_agreement(split("breast_cancer", x, part.labels, 8), options_of(KernelType::rbf, 0.02, C, 1e-8));
}

TEST(TransductiveSvmVsRetraining, Glass) {
  CREDENCE_NEEDS_SHARED_DATA("glass.csv.gz");
  const Clouds glass = test::real_data("glass");
  std::vector<std::size_t> order(glass.x.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  core::RandomStream(1).shuffle(order);
  std::vector<int> classes;
  for (const std::size_t i : order) classes.push_back(glass.classes[i]);
  const Case given = split("glass", test::rows_of_matrix(glass.x, order), classes, 6);
  ASSERT_EQ(given.classes, 6U);
  expect_agreement(given, options_of(KernelType::rbf, 0.2, 5, 1e-8));
}

/// The many surround the few, so that w = 0: every margin of the few is -1, every one of the many 1.
TEST(TransductiveSvmVsRetraining, WhereNothingSeparates) {
  data::DenseMatrix x = test::random_matrix(32, 2, 3);
  std::vector<int> labels(32, 0);
  for (const std::size_t i : {3U, 11U}) {
    labels[i] = 1;
    for (double& value : x.row(i)) value *= 0.1;
  }
  const data::DenseMatrix fresh = test::random_matrix(5, 2, 4, 0.2);
  const Surroundings surroundings;
  for (const double tolerance : {1e-3, 1e-5}) {
    const TransductiveSvmOptions options = options_of(KernelType::linear, 1, 1, tolerance);
    const Ranks ranks =
        TransductiveSvm(x, labels, 2, options, surroundings.context).ranks(fresh, false, surroundings.context);
    for (std::size_t r = 0; r < fresh.rows; ++r) {
      EXPECT_EQ(ranks.at(r, 0), (Rank{2, 30, 32})) << r;
      EXPECT_EQ(ranks.at(r, 1), (Rank{0, 2, 32})) << r;
    }
  }
}

TEST(TransductiveSvmVsRetraining, StepsAreFewer) {
  const data::Dataset all = data::read(CREDENCE_SOURCE_DIR "/data/breast_cancer.csv");
  const data::Features x = data::Preprocessing::fit(all, data::Scaling::standard).apply(all);
  std::uint64_t steps = 0;
  std::uint64_t cold_steps = 0;
  for (const double C : {0.1, 1.0, 10.0}) {
    const Agreement agreement =
        compare(split("breast_cancer", x, all.labels, 6), options_of(KernelType::rbf, 0.02, C, 1e-3), 1e-3, 0.1);
    EXPECT_EQ(agreement.cost.problems, 12U);
    EXPECT_GE(agreement.cost.unchanged, 1U);
    EXPECT_GT(agreement.cost.steps, 0U);
    std::cout << "C = " << C << ": " << agreement.cost.steps << " SMO steps, retraining " << agreement.cold_steps
              << "\n";
    steps += agreement.cost.steps;
    cold_steps += agreement.cold_steps;
  }
  EXPECT_LE(3 * steps, cold_steps);
}

}  // namespace transductive_svm_vs_retraining_tests
}  // namespace credence::conformal
