#include <gtest/gtest.h>

#include <cmath>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace transductive_svm_vs_simulation_tests {

/// Smoothed p-values of true classes, one from each draw of n known examples and a new one; of the given class only,
/// or of all. Classes are drawn with the given shares; features are small whole numbers, so that many rows are equal.
std::vector<double> simulated(const std::vector<double>& shares, bool conditional, int only, std::size_t trials) {
  constexpr std::size_t n = 32;
  const test::Surroundings surroundings;
  core::RandomStream random(17, 5);
  std::vector<double> p_values;
  for (std::size_t trial = 0; p_values.size() < trials; ++trial) {
    data::DenseMatrix x(n + 1, 2);
    std::vector<int> labels;
    for (std::size_t i = 0; i <= n; ++i) {
      double u = random.uniform();
      int label = 0;
      while (label + 1 < static_cast<int>(shares.size()) && u > shares[static_cast<std::size_t>(label)])
        u -= shares[static_cast<std::size_t>(label++)];
      labels.push_back(label);
      for (double& value : x.row(i)) value = std::round(1.2 * random.normal() + label);
    }
    std::vector<std::size_t> known(n);
    for (std::size_t i = 0; i < n; ++i) known[i] = i;
    const int truth = labels.back();
    labels.pop_back();
    if ((only >= 0 && truth != only) || std::count(labels.begin(), labels.end(), labels[0]) == n) continue;
    TransductiveSvmOptions options;
    options.kernel.gamma = 0.5;
    options.C = trial % 2 == 0 ? 0.3 : 5;
    const TransductiveSvm machine(test::rows_of_matrix(x, known), labels, shares.size(), options, surroundings.context);
    const Ranks ranks = machine.ranks(test::rows_of_matrix(x, {n}), conditional, surroundings.context);
    p_values.push_back(smoothed_p_value(ranks.at(0, static_cast<std::size_t>(truth)), random.uniform()));
  }
  return p_values;
}

TEST(TransductiveSvmVsSimulation, SmoothedPValuesOfTrueClassesAreUniform) {
  EXPECT_GT(test_uniform(simulated({0.5, 0.5}, false, -1, 3000)).p_value, 0.01);
  EXPECT_GT(test_uniform(simulated({0.5, 0.3, 0.2}, false, -1, 2000)).p_value, 0.01);
}

TEST(TransductiveSvmVsSimulation, LabelConditionalOnesAreUniformInEachClass) {
  for (const int label : {0, 1})
    EXPECT_GT(test_uniform(simulated({0.8, 0.2}, true, label, 2000)).p_value, 0.01) << label;
}

}  // namespace transductive_svm_vs_simulation_tests
}  // namespace credence::conformal
