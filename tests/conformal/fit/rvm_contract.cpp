#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/data/splits.hpp"
#include "credence/io/model_file.hpp"
#include "credence/rvm/train.hpp"
#include "credence/svm/family.hpp"
#include "rvm/model_random.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence::conformal {
namespace rvm_contract_tests {

using test::expect_error;
using test::Surroundings;

using mode::Cross;
using mode::Inductive;
using mode::Transductive;

FitOptions with_rvm(const Mode& mode, RvmMargin margin = {}) {
  margin.kernel.gamma = {kernel::GammaRule::Kind::value, 2};
  FitOptions options;
  options.measure = margin;
  options.mode = mode;
  return options;
}

data::Dataset clouds(std::size_t rows, int classes = 2, std::uint64_t seed = 3) {
  return test::random_clouds(rows, 3, classes, 1, seed).dataset();
}

/// (#{ alpha_i >= alpha } + 1) / (n + 1)
double naive_p(const std::vector<double>& others, double alpha) {
  const auto count = std::ranges::count_if(others, [&](double other) { return other >= alpha; });
  return static_cast<double>(count + 1) / static_cast<double>(others.size() + 1);
}

TEST(RvmConformal, InductivePValuesAreThoseOfAnExplicitLoop) {
  const Surroundings surroundings;
  for (const int classes : {2, 3}) {
    const data::Dataset rows = clouds(90, classes);
    const data::Dataset fresh = clouds(25, classes, 9);
    FitOptions options = with_rvm(Inductive{});
    options.p_values.seed = 5;
    const auto predictor = fit(rows, options, surroundings.context);
    EXPECT_EQ(predictor->validity(), Validity::exact);
    EXPECT_EQ(predictor->preprocessing.scaling, data::Scaling::minmax);
    std::vector<std::size_t> kept;
    std::vector<std::size_t> training;
    const std::vector<bool> is_kept = data::random_hold_out(90, 27, {}, 5);
    for (std::size_t i = 0; i < 90; ++i) (is_kept[i] ? kept : training).push_back(i);
    rvm::TrainOptions train;
    train.gamma.value = 2;
    train.seed = 5;
    const rvm::RvmModel model = rvm::train(rows.select_rows(training), train, surroundings.context).model;
    const data::Dataset held = rows.select_rows(kept);
    const data::DenseMatrix known = model.predict(held, surroundings.context).score;
    std::vector<double> nonconformity;
    for (std::size_t i = 0; i < kept.size(); ++i)
      nonconformity.push_back(-known.row(i)[static_cast<std::size_t>(held.labels[i])]);
    const data::DenseMatrix scores = model.predict(fresh, surroundings.context).score;
    const data::DenseMatrix p = predictor->predict(fresh, surroundings.context).p_value;
    for (std::size_t i = 0; i < 25; ++i)
      for (std::size_t c = 0; c < p.columns; ++c)
        EXPECT_DOUBLE_EQ(p.row(i)[c], naive_p(nonconformity, -scores.row(i)[c]));
  }
}

TEST(RvmConformal, CrossSumsOverFolds) {
  const Surroundings surroundings;
  const auto predictor = fit(clouds(80, 3), with_rvm(Cross{4}), surroundings.context);
  const auto& parts = dynamic_cast<const conformal::Inductive&>(*predictor->machine).parts();
  ASSERT_EQ(parts.size(), 4U);
  for (const CalibratedClassifier& part : parts) {
    EXPECT_EQ(part.labels.size(), 20U);  // a quarter of all rows
    const auto& family = dynamic_cast<const svm::SvmFamily&>(*part.classifier);
    EXPECT_TRUE(family.relevance_vectors);
    EXPECT_EQ(family.machines.size(), 3U);
  }
  EXPECT_EQ(predictor->description(), "margin, relevance vector machine with rbf kernel, gamma = 2; cross, 4 folds");
}

TEST(RvmConformal, FilesKeepIt) {
  const Surroundings surroundings;
  for (const int classes : {2, 4}) {
    test::TemporaryFolder folder;
    const auto predictor = fit(clouds(80, classes), with_rvm(Inductive{}), surroundings.context);
    io::save_model(*predictor, folder.file("m"));
    const auto loaded = io::load_model(folder.file("m"));
    const data::Dataset fresh = clouds(30, classes, 8);
    EXPECT_EQ(predictor->predict(fresh, surroundings.context).p_value.values,
              loaded->predict(fresh, surroundings.context).p_value.values);
    EXPECT_EQ(loaded->description(), predictor->description());
    EXPECT_NE(predictor->description().find("relevance vector machine"), std::string::npos);
  }
}

TEST(RvmConformal, TakesFitCentresAndKernel) {
  const Surroundings surroundings;
  RvmMargin margin;
  margin.centres = 6;
  margin.kernel.shape.type = kernel::KernelType::laplacian;
  FitOptions options = with_rvm(Inductive{}, margin);
  const auto predictor = fit(clouds(80), options, surroundings.context);
  const auto& part = dynamic_cast<const conformal::Inductive&>(*predictor->machine).parts().front();
  const auto& family = dynamic_cast<const svm::SvmFamily&>(*part.classifier);
  EXPECT_LE(family.support_rows.size(), 6U);
  EXPECT_EQ(family.kernel.type, kernel::KernelType::laplacian);
  options.scaling = data::Scaling::standard;
  EXPECT_EQ(fit(clouds(80), options, surroundings.context)->preprocessing.scaling, data::Scaling::standard);
}

TEST(RvmConformal, SaysWhatCannotBe) {
  EXPECT_TRUE(with_rvm(Inductive{}).validate().empty());
  EXPECT_TRUE(with_rvm(Cross{}).validate().empty());
  const auto only_problem = [](const FitOptions& options) {
    const auto problems = options.validate();
    return problems.size() == 1 ? problems[0] : std::to_string(problems.size()) + " problems";
  };
  EXPECT_NE(only_problem(with_rvm(Transductive{})).find("transductive"), std::string::npos);
  RvmMargin precomputed;
  precomputed.kernel.shape.type = kernel::KernelType::precomputed;
  EXPECT_NE(only_problem(with_rvm(Inductive{}, precomputed)).find("precomputed"), std::string::npos);
  RvmMargin endless;
  endless.fit.max_iterations = 0;
  EXPECT_EQ(with_rvm(Inductive{}, endless).validate().size(), 1U);
}

TEST(RvmConformal, RefusesWeightsAndRegressions) {
  const Surroundings surroundings;
  data::Dataset weighted = clouds(40);
  weighted.weights.assign(40, 2.0);
  for (const Mode& mode : {Mode(Inductive{}), Mode(Cross{})}) {
    expect_error(ErrorCode::invalid_argument, "no sample weights",
                 [&] { fit(weighted, with_rvm(mode), surroundings.context); });
  }
  expect_error(ErrorCode::invalid_argument, "regression",
               [&] { classifier_of(test::random_rvm(kernel::KernelType::rbf, 0)); });
}

}  // namespace rvm_contract_tests
}  // namespace credence::conformal
