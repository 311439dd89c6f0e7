#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/model.hpp"
#include "support/expect_error.hpp"
#include "support/in_sample_runs.hpp"
#include "support/selection_fields.hpp"

namespace in_sample_proof_tests {

using namespace credence;
using test::in_sample_options;
using test::run_selection;

bool has_gap(const selection::Selection& found, const std::string& words) {
  const std::vector<std::string>& gaps = found.in_sample() ? found.in_sample()->gaps : found.estimation()->gaps;
  return std::ranges::any_of(gaps, [&](const std::string& gap) { return gap.find(words) != std::string::npos; });
}

/// With a free bias a class knows nothing of where the origin is.
TEST(InSampleProof, RowsFarFromTheOriginHaveTheSameNumbers) {
  const test::Clouds clouds = test::random_clouds(40, 3, 2, 0.8, 3);
  test::Clouds shifted = clouds;
  for (double& value : shifted.x.values) value += 4096;
  selection::Options options = in_sample_options("rademacher", {1e-4, 0.05, 2, 50});
  options.in_sample.all_rhos = true;
  const selection::Selection near = run_selection(clouds.dataset(), options);
  const selection::Selection far = run_selection(shifted.dataset(), options);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(far.in_sample()->settings[k].complexity, near.in_sample()->settings[k].complexity, 1e-3) << k;
    EXPECT_NEAR(far.in_sample()->settings[k].training_loss, near.in_sample()->settings[k].training_loss, 1e-4) << k;
  }
  test::Surroundings surroundings;
  EXPECT_EQ(far.predictor->predict(shifted.dataset(), surroundings.context).label,
            near.predictor->predict(clouds.dataset(), surroundings.context).label);
}

/// Labels of chance in few dimensions ask for large coefficients that all but cancel.
TEST(InSampleProof, ClassifierIsOfItsClass) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    test::Clouds noise = test::random_clouds(200, 3, 2, 0, seed);
    core::RandomStream random(seed);
    for (std::string& label : noise.labels) label = random.below(2) == 0 ? "a" : "b";
    for (const bool bias : {true, false}) {
      for (const double rho : {0.3, 1.0, 2.9, 3.0, 3.1, 10.0, 100.0}) {
        selection::Options options = in_sample_options("rademacher", {rho});
        options.in_sample.trials = 2;
        options.in_sample.ivanov.bias = bias;
        const selection::Selection found = run_selection(noise.dataset(), options);
        const auto& model = dynamic_cast<const svm::SvmModel&>(*found.predictor);
        double norm = 0;
        for (const double w : model.linear_weights().values) norm += w * w;
        EXPECT_LE(norm, 1.01 * rho) << "seed " << seed << ", rho " << rho << (bias ? "" : ", no bias");
      }
    }
  }
}

TEST(PositiveSemidefinite, ClosedForms) {
  const auto matrix = [](double a, double b, double c) {
    data::DenseMatrix values(2, 2);
    values.values = {a, b, b, c};
    return values;
  };
  EXPECT_TRUE(kernel::is_positive_semidefinite(matrix(1, 0.5, 1)));
  EXPECT_TRUE(kernel::is_positive_semidefinite(matrix(1, 1, 1)));
  EXPECT_TRUE(kernel::is_positive_semidefinite(matrix(0, 0, 0)));
  EXPECT_FALSE(kernel::is_positive_semidefinite(matrix(1, 2, 1)));
  EXPECT_FALSE(kernel::is_positive_semidefinite(matrix(0, 1, 0)));
  EXPECT_FALSE(kernel::is_positive_semidefinite(matrix(-1, 0, 1)));
}

TEST(InSampleProof, KernelsWithoutAFeatureSpaceAreNamed) {
  const data::Dataset dataset = test::random_clouds(24, 3, 2, 1, 2).dataset();
  const auto run = [&](kernel::KernelType type, double coef0) {
    selection::Options options = in_sample_options("maximal-discrepancy", {0.01, 1});
    options.in_sample.trials = 5;
    options.kernels.types = {type};
    options.kernels.coef0 = coef0;
    return run_selection(dataset, options);
  };
  for (const auto& [type, coef0, proved] : {std::tuple{kernel::KernelType::rbf, 0.0, true},
                                            {kernel::KernelType::laplacian, 0.0, true},
                                            {kernel::KernelType::polynomial, 1.0, true},
                                            {kernel::KernelType::polynomial, -1.0, false},
                                            {kernel::KernelType::sigmoid, 0.0, false}}) {
    const selection::Selection found = run(type, coef0);
    EXPECT_EQ(found.in_sample()->positive_semidefinite, proved) << static_cast<int>(type);
    EXPECT_NE(has_gap(found, "positive semi-definite"), proved) << static_cast<int>(type);
  }
}

/// What the theorem of out-of-sample bounds asks for is named where a run does not have it.
TEST(BoundsOfResamples, EveryGapIsNamed) {
  data::Dataset dataset = test::random_clouds(60, 3, 2, 1, 4).dataset();
  for (const char* method : {"kfold-nested", "bootstrap"}) {
    selection::Options options;
    options.method = selection::method_named(method);
    options.kernels.types = {kernel::KernelType::linear};
    options.costs.C = {0.1, 1};
    test::set_folds(options, 4);
    test::set_resamples(options, 10);
    EXPECT_FALSE(has_gap(run_selection(dataset, options), "scaling")) << method;
    options.preparation.scope = selection::ScaleScope::all;
    EXPECT_TRUE(has_gap(run_selection(dataset, options), "scaling")) << method;
    options.preparation.scalings = {data::Scaling::none};
    EXPECT_FALSE(has_gap(run_selection(dataset, options), "scaling")) << method;
    EXPECT_TRUE(has_gap(run_selection(dataset, options), "--union")) << method;
    EXPECT_TRUE(has_gap(run_selection(dataset, options), "--final random")) << method;
    EXPECT_EQ(has_gap(run_selection(dataset, options), "drawn by class"), std::string(method) == "kfold-nested");
    data::Dataset grouped = dataset;
    for (std::size_t i = 0; i < grouped.rows(); ++i) grouped.groups.push_back(static_cast<int>(i / 5));
    EXPECT_TRUE(has_gap(run_selection(grouped, options), "rows of a group")) << method;
  }
}

TEST(BoundsOfResamples, AreProvedWhereTheTheoremsConditionsHold) {
  data::Dataset dataset = test::random_clouds(60, 3, 2, 1, 4).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.folds.push_back(static_cast<int>(i % 4));
  selection::Options options;
  options.method = selection::KFoldNested{};
  options.final_classifier = selection::FinalClassifier::random;
  options.united = true;
  options.kernels.types = {kernel::KernelType::linear};
  options.costs.C = {0.1, 1};
  EXPECT_TRUE(run_selection(dataset, options).estimation()->gaps.empty());
}

TEST(InSampleProof, TermOfTheTrialsNeedsValuesInTheUnitInterval) {
  selection::Options options = in_sample_options("rademacher", {0.1});
  options.in_sample.term = selection::ComplexityTerm::trials;
  options.in_sample.ivanov.bias = false;
  EXPECT_TRUE(options.validate().empty());
  options.in_sample.hint = 0.3;
  test::expect_error(ErrorCode::invalid_argument, "without a bias", [&] { selection::Selector{options}; });
}

}  // namespace in_sample_proof_tests
