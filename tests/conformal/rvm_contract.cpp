#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/data/splits.hpp"
#include "credence/io/model_file.hpp"
#include "credence/svm/family.hpp"
#include "rvm/model_random.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence::conformal {
namespace {

using test::expect_error;
using test::Surroundings;

FitOptions with_rvm(Mode mode, double gamma = 2) {
  FitOptions options;
  options.measure = "margin";
  options.mode = mode;
  options.relevance_vectors.emplace();
  options.gamma = {kernel::GammaRule::Kind::value, gamma};
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
    FitOptions options = with_rvm(Mode::inductive);
    options.seed = 5;
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
    std::vector<double> strangeness;
    for (std::size_t i = 0; i < kept.size(); ++i)
      strangeness.push_back(-known.row(i)[static_cast<std::size_t>(held.labels[i])]);
    const data::DenseMatrix scores = model.predict(fresh, surroundings.context).score;
    const data::DenseMatrix p = predictor->predict(fresh, surroundings.context).p_value;
    for (std::size_t i = 0; i < 25; ++i)
      for (std::size_t c = 0; c < p.columns; ++c)
        EXPECT_DOUBLE_EQ(p.row(i)[c], naive_p(strangeness, -scores.row(i)[c]));
  }
}

TEST(RvmConformal, CrossSumsOverFolds) {
  const Surroundings surroundings;
  FitOptions options = with_rvm(Mode::cross);
  options.folds = 4;
  const auto predictor = fit(clouds(80, 3), options, surroundings.context);
  const auto& parts = dynamic_cast<const Inductive&>(*predictor->machine).parts();
  ASSERT_EQ(parts.size(), 4U);
  for (const CalibratedClassifier& part : parts) {
    EXPECT_EQ(part.labels.size(), 20U);
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
    const auto predictor = fit(clouds(80, classes), with_rvm(Mode::inductive), surroundings.context);
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
  FitOptions options = with_rvm(Mode::inductive);
  options.relevance_vectors->centres = 6;
  options.relevance_vectors->kernel.type = kernel::KernelType::linear;  // not looked at: that of the options is
  options.kernel.type = kernel::KernelType::laplacian;
  const auto predictor = fit(clouds(80), options, surroundings.context);
  const auto& part = dynamic_cast<const Inductive&>(*predictor->machine).parts().front();
  const auto& family = dynamic_cast<const svm::SvmFamily&>(*part.classifier);
  EXPECT_LE(family.support_rows.size(), 6U);
  EXPECT_EQ(family.kernel.type, kernel::KernelType::laplacian);
  options.scaling = data::Scaling::standard;
  EXPECT_EQ(fit(clouds(80), options, surroundings.context)->preprocessing.scaling, data::Scaling::standard);
}

TEST(RvmConformal, SaysWhatCannotBe) {
  EXPECT_TRUE(with_rvm(Mode::inductive).validate().empty());
  EXPECT_TRUE(with_rvm(Mode::cross).validate().empty());
  const auto only_problem = [](const FitOptions& options) {
    const auto problems = options.validate();
    return problems.size() == 1 ? problems[0] : std::to_string(problems.size()) + " problems";
  };
  EXPECT_NE(only_problem(with_rvm(Mode::transductive)).find("transductive"), std::string::npos);
  FitOptions options = with_rvm(Mode::inductive);
  options.C = -1;  // not looked at
  EXPECT_TRUE(options.validate().empty());
  options.class_weights.balanced = true;
  EXPECT_NE(only_problem(options).find("no class weights"), std::string::npos);
  options = with_rvm(Mode::inductive);
  options.kernel.type = kernel::KernelType::precomputed;
  EXPECT_NE(only_problem(options).find("precomputed"), std::string::npos);
  options = with_rvm(Mode::inductive);
  options.relevance_vectors->fit.max_iterations = 0;
  EXPECT_EQ(options.validate().size(), 1U);
  options = with_rvm(Mode::inductive);
  options.measure = "nn-ratio";
  EXPECT_NE(only_problem(options).find("measure margin"), std::string::npos);
}

TEST(RvmConformal, RefusesWeightsAndRegressions) {
  const Surroundings surroundings;
  data::Dataset weighted = clouds(40);
  weighted.weights.assign(40, 2.0);
  for (const Mode mode : {Mode::inductive, Mode::cross}) {
    expect_error(ErrorCode::invalid_argument, "no sample weights",
                 [&] { fit(weighted, with_rvm(mode), surroundings.context); });
  }
  expect_error(ErrorCode::invalid_argument, "regression",
               [&] { classifier_of(test::random_rvm(kernel::KernelType::rbf, 0)); });
}

}  // namespace
}  // namespace credence::conformal
