#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"
#include "support/train_options.hpp"

namespace family_vs_single_models_tests {

using namespace credence;
using kernel::KernelType;
using test::random_clouds;
using test::Surroundings;

const std::vector<double> some_gammas{0.03125, 0.0625, 0.25, 0.3};  // doubled, quadrupled, neither
const std::vector<double> some_costs{0.25, 2, 16};

/// Single models of a grid, and the same put into one family.
struct FamilyCase {
  std::vector<svm::SvmModel> models;  ///< gamma by gamma
  svm::SvmFamily family;
};

/// Puts the support vectors of all models into one table, which every machine refers to. Machines of two classes list
/// all of them, the others those they have.
void assemble(FamilyCase& one, const data::Features& features) {
  std::vector<bool> supports(features.rows(), false);
  for (const svm::SvmModel& model : one.models)
    for (const std::size_t row : model.support_rows) supports[row] = true;
  std::vector<std::size_t> place(features.rows(), 0);
  svm::SvmFamily& family = one.family;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    place[i] = family.support_rows.size();
    if (supports[i]) family.support_rows.push_back(i);
  }
  if (family.kernel.type != KernelType::precomputed) family.support_vectors = features.select_rows(family.support_rows);
  const std::size_t machines = svm::machine_layout(family.class_count).size();
  const std::size_t columns = family.cost_count * machines;
  family.bias = data::DenseMatrix(family.gammas.size(), columns);
  family.norm = family.bias;
  for (std::size_t g = 0; g < family.gammas.size(); ++g) {
    for (std::size_t m = 0; m < machines; ++m) {
      std::map<std::uint32_t, std::vector<double>> table;
      for (std::uint32_t s = 0; machines == 1 && s < family.support_rows.size(); ++s)
        table[s].resize(family.cost_count);
      for (std::size_t c = 0; c < family.cost_count; ++c) {
        const svm::SvmModel& model = one.models[g * family.cost_count + c];
        const svm::BinaryMachine& machine = model.machines[m];
        family.bias.row(g)[c * machines + m] = machine.bias;
        family.norm.row(g)[c * machines + m] = 0.5 + static_cast<double>(g + 2 * c + 3 * m);  // any numbers do
        for (std::size_t s = 0; s < machine.support.size(); ++s) {
          std::vector<double>& row = table[static_cast<std::uint32_t>(place[model.support_rows[machine.support[s]]])];
          row.resize(family.cost_count);
          row[c] = machine.coefficients[s];
        }
      }
      svm::MachineCosts& costs = family.machines.emplace_back();
      costs.coefficients = data::DenseMatrix(table.size(), family.cost_count);
      for (const auto& [s, row] : table) {
        std::copy(row.begin(), row.end(), costs.coefficients.row(costs.support.size()).begin());
        costs.support.push_back(s);
      }
    }
  }
}

FamilyCase trained_family(const data::Dataset& dataset, const kernel::Kernel& kernel) {
  Surroundings surroundings;
  FamilyCase one;
  one.family.kernel = kernel;
  one.family.gammas = kernel.uses_gamma() ? some_gammas : std::vector<double>{0};
  one.family.cost_count = some_costs.size();
  one.family.class_count = dataset.class_count();
  for (const double gamma : one.family.gammas) {
    for (const double C : some_costs) {
      kernel::Kernel with_gamma = kernel;
      with_gamma.gamma = kernel.uses_gamma() ? gamma : 1;
      one.models.push_back(svm::train(dataset, test::train_options(with_gamma, C), surroundings.context).model);
    }
  }
  assemble(one, dataset.features);
  return one;
}

/// The worst pair of each class, from a model's own decision values.
std::vector<double> worst_pairs(std::span<const double> decisions, const svm::SvmModel& model, std::size_t classes) {
  std::vector<double> scores(classes, std::numeric_limits<double>::infinity());
  for (std::size_t y = 0; y < classes; ++y) {
    for (std::size_t m = 0; m < model.machines.size(); ++m) {
      if (model.machines[m].positive == static_cast<int>(y)) scores[y] = std::min(scores[y], decisions[m]);
      if (model.machines[m].negative == static_cast<int>(y)) scores[y] = std::min(scores[y], -decisions[m]);
    }
  }
  return scores;
}

void expect_scores_of_models(const FamilyCase& one, const data::Features& rows, const std::string& what) {
  Surroundings surroundings(2);
  const model::Scores scores = one.family.score_all(rows, surroundings.context);
  ASSERT_EQ(scores.rows, rows.rows()) << what;
  ASSERT_EQ(scores.models, one.models.size()) << what;
  for (std::size_t k = 0; k < one.models.size(); ++k) {
    const model::Prediction prediction = one.models[k].predict_preprocessed(rows, surroundings.context);
    double scale = 1;
    for (const double f : prediction.decision.values) scale = std::max(scale, std::abs(f));
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::vector<double> expected =
          worst_pairs(prediction.decision.row(i), one.models[k], one.family.class_count);
      for (std::size_t y = 0; y < one.family.class_count; ++y)
        ASSERT_NEAR(scores.at(i, k)[y], expected[y], 1e-9 * scale) << what << ", model " << k << ", row " << i;
      ASSERT_EQ(scores.label(i, k), prediction.label[i]) << what << ", model " << k << ", row " << i;
    }
  }
}

TEST(SvmFamily, AllKernelsAndClassCountsDense) {
  for (const int classes : {2, 3, 4}) {
    const test::Clouds clouds = random_clouds(70, 5, classes, 0.8, 3);
    std::vector<kernel::Kernel> kernels = test::formula_kernels(5);
    for (kernel::Kernel& kernel : kernels) {
      const FamilyCase one = trained_family(clouds.dataset(), kernel);
      expect_scores_of_models(one, test::random_matrix(301, 5, 9, 1.5),
                              std::string(kernel::name(kernel.type)) + ", classes " + std::to_string(classes));
    }
  }
}

TEST(SvmFamily, SparseAndMixedStorage) {
  const data::DenseMatrix x = test::random_thin_matrix(80, 12, 4);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < 80; ++i) labels.push_back(test::class_name(static_cast<int>(i % 3)));
  const data::DenseMatrix rows = test::random_thin_matrix(77, 12, 5);
  for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::polynomial, KernelType::laplacian}) {
    const kernel::Kernel kernel{.type = type, .coef0 = 1, .degree = 2};
    for (const bool sparse_training : {false, true}) {
      const data::Features features = sparse_training ? data::Features(test::sparse_of(x)) : data::Features(x);
      const FamilyCase one = trained_family(data::make_dataset(features, labels), kernel);
      const std::string what = std::string(kernel::name(type)) + (sparse_training ? ", sparse" : ", dense");
      expect_scores_of_models(one, rows, what + " model, dense rows");
      expect_scores_of_models(one, test::sparse_of(rows), what + " model, sparse rows");
    }
  }
}

TEST(SvmFamily, PrecomputedTakesTheColumnsOfItsSupportRows) {
  const test::Clouds clouds = random_clouds(60, 4, 3, 0.8, 3);
  const kernel::Kernel rbf{.gamma = 0.2};
  const data::Dataset square =
      data::make_dataset(data::Features(test::reference_block(rbf, clouds.x, clouds.x)), clouds.labels);
  const FamilyCase one = trained_family(square, {.type = KernelType::precomputed});
  ASSERT_LT(one.family.support_rows.size(), 60U);  // else a mistake in the columns would not show
  const data::DenseMatrix rows = test::reference_block(rbf, test::random_matrix(40, 4, 8), clouds.x);
  expect_scores_of_models(one, rows, "precomputed");
  expect_scores_of_models(one, test::sparse_of(rows), "precomputed, sparse");
}

/// All values and labels, bit for bit.
void expect_row_equal(const model::Scores& a, std::size_t i, const model::Scores& b, std::size_t j) {
  const std::size_t numbers = a.models * a.classes;
  ASSERT_TRUE(std::equal(a.at(i, 0), a.at(i, 0) + numbers, b.at(j, 0))) << "rows " << i << " and " << j;
  for (std::size_t k = 0; k < a.models; ++k) ASSERT_EQ(a.label(i, k), b.label(j, k));
}

TEST(SvmFamily, ARowsScoresDependOnThatRowAlone) {
  const test::Clouds clouds = random_clouds(90, 6, 3, 0.8, 3);
  for (const kernel::Kernel& kernel : test::formula_kernels(6)) {
    const FamilyCase one = trained_family(clouds.dataset(), kernel);
    const data::DenseMatrix x = test::random_thin_matrix(611, 6, 7);
    for (const bool sparse : {false, true}) {
      const data::Features rows = sparse ? data::Features(test::sparse_of(x)) : data::Features(x);
      Surroundings single(1);
      Surroundings two(2);
      const model::Scores all = one.family.score_all(rows, single.context);
      const model::Scores threaded = one.family.score_all(rows, two.context);
      for (std::size_t i = 0; i < 611; ++i) expect_row_equal(all, i, threaded, i);
      // Other neighbours, other places in the block of four and of 256, tails of one, two and three rows.
      for (const std::size_t count : {1U, 2U, 3U, 5U, 33U, 258U}) {
        std::vector<std::size_t> chosen;
        for (std::size_t i = 0; i < count; ++i) chosen.push_back((i * 37 + 11 * count) % 611);
        const model::Scores some = one.family.score_all(rows.select_rows(chosen), single.context);
        for (std::size_t i = 0; i < count; ++i) expect_row_equal(all, chosen[i], some, i);
      }
    }
  }
}

TEST(SvmFamily, GeometricDividesByTheNormAndVotesAsBefore) {
  for (const int classes : {2, 3}) {
    const test::Clouds clouds = random_clouds(60, 4, classes, 0.8, 3);
    FamilyCase one = trained_family(clouds.dataset(), {});
    one.family.norm.row(1)[0] = 0;
    const data::DenseMatrix rows = test::random_matrix(50, 4, 2);
    Surroundings surroundings;
    const model::Scores plain = one.family.score_all(rows, surroundings.context);
    one.family.geometric = true;
    const model::Scores geometric = one.family.score_all(rows, surroundings.context);
    EXPECT_EQ(plain.labels, geometric.labels);
    const std::size_t machines = svm::machine_layout(one.family.class_count).size();
    for (std::size_t k = 0; k < one.models.size(); ++k) {
      data::DenseMatrix decision = one.models[k].predict_preprocessed(rows, surroundings.context).decision;
      const std::size_t g = k / some_costs.size();
      for (std::size_t i = 0; i < 50; ++i) {
        for (std::size_t m = 0; m < machines; ++m) {
          const double norm = one.family.norm.row(g)[k % some_costs.size() * machines + m];
          decision.row(i)[m] = norm == 0 ? 0 : decision.row(i)[m] / norm;
        }
        const std::vector<double> expected = worst_pairs(decision.row(i), one.models[k], one.family.class_count);
        for (std::size_t y = 0; y < one.family.class_count; ++y)
          ASSERT_NEAR(geometric.at(i, k)[y], expected[y], 1e-9) << "model " << k << ", row " << i;
      }
    }
  }
}

TEST(SvmFamily, WithoutSupportVectorsTheBiasSpeaks) {
  svm::SvmFamily family;
  family.gammas = {0.5, 1};
  family.cost_count = 2;
  family.class_count = 2;
  family.machines.assign(2, {{}, data::DenseMatrix(0, 2)});
  family.bias = data::DenseMatrix(2, 2);
  family.bias.values = {1, -2, 0, 3};
  family.norm = data::DenseMatrix(2, 2);
  Surroundings surroundings;
  const model::Scores scores = family.score_all(test::random_matrix(5, 3, 1), surroundings.context);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(scores.at(i, k)[1], family.bias.values[k]);
      EXPECT_EQ(scores.at(i, k)[0], -family.bias.values[k]);
      EXPECT_EQ(scores.label(i, k), family.bias.values[k] > 0 ? 1 : 0);  // 0 votes for the first class
    }
  }
}

TEST(SvmFamily, VisitsEveryRowOnce) {
  const test::Clouds clouds = random_clouds(40, 3, 2, 0.8, 3);
  const FamilyCase one = trained_family(clouds.dataset(), {});
  for (const std::size_t n : {0U, 1U, 255U, 256U, 257U, 700U}) {
    Surroundings surroundings(2);
    std::vector<int> seen(n, 0);
    std::mutex guard;
    one.family.score(test::random_matrix(n, 3, 1), surroundings.context,
                     [&](std::size_t first, const model::Scores& block) {
                       const std::lock_guard<std::mutex> lock(guard);
                       for (std::size_t i = 0; i < block.rows; ++i) ++seen[first + i];
                     });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n));
  }
}

TEST(SvmFamily, RefusesAnotherNumberOfColumns) {
  const test::Clouds clouds = random_clouds(40, 3, 2, 0.8, 3);
  const FamilyCase one = trained_family(clouds.dataset(), {});
  Surroundings surroundings;
  for (const std::size_t d : {2U, 4U}) {
    test::expect_error(ErrorCode::invalid_data, "rows of 3 numbers",
                       [&] { one.family.score_all(test::random_matrix(5, d, 1), surroundings.context); });
  }
  FamilyCase square =
      trained_family(data::make_dataset(data::Features(test::reference_block({}, clouds.x, clouds.x)), clouds.labels),
                     {.type = KernelType::precomputed});
  const std::size_t needed = square.family.support_rows.back() + 1;
  EXPECT_NO_THROW(square.family.score_all(test::random_matrix(2, needed, 1), surroundings.context));
  test::expect_error(ErrorCode::invalid_data, "rows of " + std::to_string(needed),
                     [&] { square.family.score_all(test::random_matrix(2, needed - 1, 1), surroundings.context); });
}

TEST(SvmFamily, StopsWhenTheMonitorSaysSo) {
  const test::Clouds clouds = random_clouds(40, 3, 2, 0.8, 3);
  const FamilyCase one = trained_family(clouds.dataset(), {});
  Surroundings surroundings;
  std::size_t visited = 0;
  test::expect_error(ErrorCode::interrupted, "stopped", [&] {
    one.family.score(test::random_matrix(5000, 3, 1), surroundings.context, [&](std::size_t, const model::Scores&) {
      ++visited;
      surroundings.monitor.cancel();
    });
  });
  EXPECT_EQ(visited, 1U);
}

TEST(Prediction, StopsWhenTheMonitorSaysSo) {
  const test::Clouds clouds = random_clouds(40, 3, 2, 0.8, 3);
  Surroundings surroundings;
  const svm::SvmModel model = svm::train(clouds.dataset(), test::train_options({}, 1), surroundings.context).model;
  surroundings.monitor.cancel();
  test::expect_error(ErrorCode::interrupted, "stopped",
                     [&] { model.predict_preprocessed(test::random_matrix(50, 3, 1), surroundings.context); });
}

TEST(ClassScores, ClosedForm) {
  const std::vector<double> binary{0.75};
  double two[2];
  svm::class_scores(binary, svm::machine_layout(2), 2, two);
  EXPECT_EQ(two[0], -0.75);
  EXPECT_EQ(two[1], 0.75);

  const std::vector<double> zero{0.0};
  svm::class_scores(zero, svm::machine_layout(2), 2, two);
  EXPECT_EQ(two[0], 0);
  EXPECT_EQ(two[1], 0);

  // (0,1) (0,2) (0,3) (1,2) (1,3) (2,3)
  const std::vector<double> pairs{1, -2, 3, 0.5, 4, -5};
  double four[4];
  svm::class_scores(pairs, svm::machine_layout(4), 4, four);
  EXPECT_EQ(four[0], -2);  // min(1, -2, 3)
  EXPECT_EQ(four[1], -1);  // min(-1, 0.5, 4)
  EXPECT_EQ(four[2], -5);  // min(2, -0.5, -5)
  EXPECT_EQ(four[3], -4);  // min(-3, -4, 5)
}

}  // namespace family_vs_single_models_tests
