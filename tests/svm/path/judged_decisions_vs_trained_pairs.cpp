#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/counting_rows.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"
#include "svm/path/judged_decisions.hpp"

namespace judged_decisions_vs_trained_pairs_tests {

using namespace credence;
using kernel::KernelType;

const std::vector<double> costs{0.125, 1, 8, 64, 512, 4096};

/// Rows of several classes, of which some are held out and judged.
struct PairsCase {
  test::Clouds clouds;
  std::size_t classes;
  kernel::Kernel kernel;
  std::vector<double> factors;  ///< 0: held out
  std::vector<std::size_t> judged;
  std::vector<svm::BinaryMachine> machines;

  PairsCase(std::size_t n, std::size_t class_count, const kernel::Kernel& kernel_, std::uint64_t seed)
      : clouds(test::random_clouds(n, 5, static_cast<int>(class_count), 1.2, seed)),
        classes(class_count),
        kernel(kernel_),
        machines(svm::machine_layout(class_count)) {
    for (std::size_t i = 0; i < n; ++i) {
      // Not every fourth: classes come in turn, and some counts of classes would lose one.
      const bool held_out = (i * 7 + i / class_count) % 4 == 0;
      factors.push_back(held_out ? 0 : 1);
      if (held_out) judged.push_back(i);
    }
  }

  data::Features features() const {
    return kernel.type == KernelType::precomputed
               ? test::reference_block({.type = KernelType::rbf, .gamma = 0.3}, clouds.x, clouds.x)
               : clouds.x;
  }
};

/// What the joint computation says, for each machine and cost.
struct Joint {
  std::vector<std::vector<double>> values;  ///< (machine, cost)
  std::vector<std::vector<double>> scores;  ///< (cost): of (class, judged row)
  std::vector<bool> same_as_before;         ///< (cost)
  std::uint64_t multiplications = 0;
  std::uint64_t expected_multiplications = 0;  ///< judged rows times the different solutions of the rows they rest on

  Joint(const PairsCase& one, kernel::Rows& rows) {
    const core::Monitor monitor;
    const svm::MachineParts parts(rows, one.clouds.classes, one.factors, one.machines, one.classes);
    svm::JudgedDecisions decisions(one.machines, one.classes, costs.size(), one.judged);
    for (std::size_t m = 0; m < one.machines.size(); ++m) {
      const svm::MachinePart part = parts.part(m);
      std::set<std::size_t> support;
      std::vector<std::vector<double>> solutions;
      svm::c_path(*part.kernel, part.unit, costs, {.tolerance = 1e-7}, monitor, [&](const svm::PathPoint& point) {
        decisions.take(point, m, part, parts);
        for (std::size_t a = 0; a < part.rows.size(); ++a)
          if (point.state.beta[a] != 0) support.insert(part.rows[a]);
        if (solutions.empty() || solutions.back() != point.state.beta) solutions.push_back(point.state.beta);
        return true;
      });
      expected_multiplications += support.size() * solutions.size() * one.judged.size();
    }
    EXPECT_TRUE(decisions.finish(rows, parts, monitor));
    multiplications = decisions.multiplications();
    for (std::size_t m = 0; m < one.machines.size(); ++m)
      for (std::size_t c = 0; c < costs.size(); ++c)
        values.emplace_back(decisions.of(c, m), decisions.of(c, m) + one.judged.size());
    for (std::size_t c = 0; c < costs.size(); ++c) {
      scores.push_back(decisions.scores(c));
      same_as_before.push_back(decisions.same_as_before(c));
    }
  }
};

/// The slow twin: each pair trained on its own rows by `svm::train`, which then predicts the judged rows.
std::vector<double> trained_alone(const PairsCase& one, const svm::BinaryMachine& pair, double C) {
  test::Surroundings surroundings;
  std::vector<std::size_t> rows;
  std::vector<std::string> labels;
  data::Dataset dataset;
  std::vector<double> weights;
  for (std::size_t i = 0; i < one.factors.size(); ++i) {
    if (one.factors[i] > 0 && (one.clouds.classes[i] == pair.positive || one.clouds.classes[i] == pair.negative)) {
      rows.push_back(i);
      labels.push_back(one.clouds.classes[i] == pair.positive ? "b" : "a");  // a positive decision speaks for b
      weights.push_back(one.factors[i]);
    }
  }
  svm::TrainOptions options;
  options.C = C;
  options.kernel = one.kernel.shape();
  options.gamma.value = one.kernel.gamma;
  options.scaling = data::Scaling::none;
  options.solver.tolerance = 1e-7;
  const bool precomputed = one.kernel.type == KernelType::precomputed;
  const data::DenseMatrix all = one.features().to_dense();
  const auto columns_of = [&](const std::vector<std::size_t>& some) {
    data::DenseMatrix part(some.size(), precomputed ? rows.size() : all.columns);
    for (std::size_t a = 0; a < some.size(); ++a)
      for (std::size_t b = 0; b < part.columns; ++b) part.row(a)[b] = all.row(some[a])[precomputed ? rows[b] : b];
    return part;
  };
  dataset = data::make_dataset(columns_of(rows), labels);
  dataset.weights = weights;
  const svm::TrainResult trained = svm::train(dataset, options, surroundings.context);
  const model::Prediction said = trained.model.predict_preprocessed(columns_of(one.judged), surroundings.context);
  std::vector<double> decisions;
  for (std::size_t h = 0; h < one.judged.size(); ++h) decisions.push_back(said.decision.row(h)[0]);
  return decisions;
}

void expect_trained_pairs(const PairsCase& one, const Joint& joint, const std::string& what) {
  for (std::size_t m = 0; m < one.machines.size(); ++m) {
    for (std::size_t c = 0; c < costs.size(); ++c) {
      const std::vector<double> alone = trained_alone(one, one.machines[m], costs[c]);
      for (std::size_t h = 0; h < alone.size(); ++h) {
        const double found = joint.values[m * costs.size() + c][h];
        ASSERT_NEAR(found, alone[h], 2e-4 * (1 + std::abs(alone[h])))
            << what << ", machine " << m << ", C " << costs[c] << ", row " << h;
      }
    }
  }
}

std::unique_ptr<kernel::Gram> gram_of(const PairsCase& one) {
  return std::make_unique<kernel::Gram>(one.kernel, kernel::Base(one.kernel.type, one.features()));
}

TEST(JudgedDecisions, EqualPairsTrainedAlone) {
  std::vector<kernel::Kernel> kernels{{.type = KernelType::rbf, .gamma = 0.3},
                                      {.type = KernelType::laplacian, .gamma = 0.2},
                                      {.type = KernelType::polynomial, .gamma = 0.3, .coef0 = 1, .degree = 2},
                                      {.type = KernelType::precomputed}};
  for (const std::size_t classes : {2U, 3U, 7U}) {
    for (const kernel::Kernel& kernel : kernels) {
      PairsCase one(84, classes, kernel, classes);
      for (std::size_t i = 0; i < one.factors.size(); ++i) one.factors[i] *= static_cast<double>(1 + i % 3);
      const auto gram = gram_of(one);
      const auto rows = kernel::rows_of(*gram);
      expect_trained_pairs(one, Joint(one, *rows),
                           std::string(kernel::name(kernel.type)) + ", " + std::to_string(classes) + " classes");
    }
  }
}

TEST(JudgedDecisions, RowsOfATinyBudgetSayTheSame) {
  const PairsCase one(90, 6, {.type = KernelType::rbf, .gamma = 0.3}, 5);
  const auto gram = gram_of(one);
  const auto all = kernel::rows_of(*gram);
  const auto few = kernel::cached_rows(one.kernel, one.features(), 5 * kernel::padded(90) * sizeof(float));
  const Joint a(one, *all);
  const Joint b(one, *few);
  for (std::size_t k = 0; k < a.values.size(); ++k)
    for (std::size_t h = 0; h < one.judged.size(); ++h)
      ASSERT_NEAR(a.values[k][h], b.values[k][h], 1e-3 * (1 + std::abs(a.values[k][h]))) << k << ", row " << h;
}

TEST(JudgedDecisions, ScoresAreThoseOfEachRowAlone) {
  for (const std::size_t classes : {2U, 3U, 7U}) {
    const PairsCase one(84, classes, {.type = KernelType::rbf, .gamma = 0.3}, 6);
    const auto gram = gram_of(one);
    const auto rows = kernel::rows_of(*gram);
    const Joint joint(one, *rows);
    for (std::size_t c = 0; c < costs.size(); ++c) {
      bool same = c > 0;
      for (std::size_t h = 0; h < one.judged.size(); ++h) {
        std::vector<double> decisions;
        std::vector<double> scores(classes);
        for (std::size_t m = 0; m < one.machines.size(); ++m) {
          decisions.push_back(joint.values[m * costs.size() + c][h]);
          same = same && decisions.back() == joint.values[m * costs.size() + c - 1][h];
        }
        svm::class_scores(decisions, one.machines, classes, scores.data());
        for (std::size_t k = 0; k < classes; ++k)
          ASSERT_EQ(joint.scores[c][k * one.judged.size() + h], scores[k]) << classes << " classes, row " << h;
      }
      if (joint.same_as_before[c]) EXPECT_TRUE(same) << classes << " classes, cost " << c;
    }
  }
}

TEST(JudgedDecisions, AClassWithoutTrainingRowsLosesToEveryOther) {
  for (const std::size_t classes : {3U, 6U}) {
    PairsCase one(72, classes, {.type = KernelType::rbf, .gamma = 0.3}, 9);
    one.judged.clear();
    for (std::size_t i = 0; i < one.factors.size(); ++i) {
      if (one.clouds.classes[i] == 1) one.factors[i] = 0;
      if (one.factors[i] == 0) one.judged.push_back(i);
    }
    const auto gram = gram_of(one);
    const auto rows = kernel::rows_of(*gram);
    const Joint joint(one, *rows);
    for (std::size_t m = 0; m < one.machines.size(); ++m) {
      for (std::size_t c = 0; c < costs.size(); ++c) {
        for (const double value : joint.values[m * costs.size() + c])
          if (one.machines[m].positive == 1)
            EXPECT_LT(value, 0);
          else if (one.machines[m].negative == 1)
            EXPECT_GT(value, 0);
      }
    }
  }
}

TEST(JudgedDecisions, CountsOfProductsAreThoseOfJudgedRowsAlone) {
  for (const std::size_t classes : {3U, 8U}) {
    const PairsCase one(96, classes, {.type = KernelType::rbf, .gamma = 0.3}, 4);
    const auto gram = gram_of(one);
    const auto rows = kernel::rows_of(*gram);
    test::CountingRows counting(*rows);
    const Joint joint(one, counting);
    EXPECT_EQ(joint.multiplications, joint.expected_multiplications);
    EXPECT_GT(joint.multiplications, 0U);
    // Each training row is read once, for all machines and costs.
    EXPECT_LE(counting.count(), one.factors.size() - one.judged.size());
  }
}

}  // namespace judged_decisions_vs_trained_pairs_tests
