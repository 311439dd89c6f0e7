#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/selector.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "rvm/model_random.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace kinds_of_predictors_tests {

using model::Capabilities;
using model::PValueSource;
using Kept = std::shared_ptr<const model::Predictor>;

data::Dataset rows(int classes) {
  return test::random_clouds(40, 3, classes, 0.3, 6).dataset();
}

selection::Options options_of(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  test::set_folds(options, 4);
  options.costs.C = {0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.2");
  options.choose_one_svm();
  return options;
}

Kept selected(const selection::Options& options, int classes = 2) {
  const test::Surroundings surroundings;
  const data::Dataset dataset = rows(classes);
  const auto selection = selection::Selector(options).select(dataset, surroundings.context);
  return selection::fitted(dataset, selection, surroundings.context);
}

Kept drawn() {
  selection::Options options = options_of("kfold-nested");
  test::set_final(options, selection::FinalClassifier::random);
  const test::Surroundings surroundings;
  return selection::Selector(options).select(rows(2), surroundings.context).predictor;
}

Kept family(const std::string& method) {
  const test::Surroundings surroundings;
  return selection::Selector(options_of(method)).select(rows(2), surroundings.context).predictor;
}

Kept conformal_predictor() {
  const test::Surroundings surroundings;
  return conformal::fit(rows(2), {}, surroundings.context);
}

/// What holds of a predictor holds of the one that was read back from its file.
Kept reloaded(const Kept& predictor) {
  const test::TemporaryFolder folder;
  io::save_model(*predictor, folder.file("m"));
  Kept loaded = io::load_model(folder.file("m"));
  EXPECT_EQ(loaded->description(), predictor->description());
  EXPECT_EQ(loaded->decision_names(), predictor->decision_names());
  const Capabilities before = predictor->capabilities();
  const Capabilities after = loaded->capabilities();
  EXPECT_EQ(after.p_values, before.p_values);
  EXPECT_EQ(after.chosen, before.chosen);
  EXPECT_EQ(after.models, before.models);
  EXPECT_EQ(after.voting, before.voting);
  EXPECT_EQ(after.drawing_seed, before.drawing_seed);
  return loaded;
}

TEST(KindsOfPredictors, SingleSvm) {
  const Kept model = reloaded(selected(options_of("cv")));
  const Capabilities able = model->capabilities();
  EXPECT_EQ(able.p_values, PValueSource::calibration);
  EXPECT_TRUE(able.chosen);
  EXPECT_FALSE(able.intervals || able.numbers || able.probabilities || able.precomputed);
  EXPECT_FALSE(able.models || able.voting || able.drawing_seed);
  EXPECT_EQ(model->decision_names(), std::vector<std::string>{"decision_value"});
  EXPECT_TRUE(model->parameters().empty());
  EXPECT_TRUE(model->description().ends_with(" support vectors, trained on 40 rows")) << model->description();
  EXPECT_EQ(selected(options_of("cv"), 3)->decision_names(),
            (std::vector<std::string>{"decision_value_a_vs_b", "decision_value_a_vs_c", "decision_value_b_vs_c"}));
}

TEST(KindsOfPredictors, RelevanceVectorMachine) {
  const Kept model = reloaded(std::make_shared<rvm::RvmModel>(test::random_rvm(kernel::KernelType::precomputed, 3)));
  const Capabilities able = model->capabilities();
  EXPECT_TRUE(able.numbers && able.probabilities && able.precomputed);
  EXPECT_EQ(able.p_values, PValueSource::none);
  EXPECT_EQ(model->decision_names().size(), 3U);
  EXPECT_TRUE(model->decision_names().front().ends_with("_vs_rest"));
}

TEST(KindsOfPredictors, FamilyOfClassifiers) {
  const Kept model = reloaded(family("nonconformity"));
  EXPECT_EQ(model->capabilities().p_values, PValueSource::nonconformity);
  EXPECT_EQ(model->capabilities().models, 2U);
  EXPECT_FALSE(model->capabilities().voting);
  ASSERT_EQ(model->parameters().size(), 2U);
  EXPECT_EQ(model->parameters()[0].name, "C");
  EXPECT_EQ(model->parameters()[0].values, (std::vector<double>{0.5, 20}));
  EXPECT_EQ(model->parameters()[1].name, "gamma");
  EXPECT_NE(selection::nonconformity_rule(*model), nullptr);
  EXPECT_TRUE(model->description().starts_with("2 models, ")) << model->description();
  const Kept margin = reloaded(family("max-margin"));
  EXPECT_EQ(margin->capabilities().p_values, PValueSource::none);
  EXPECT_EQ(selection::nonconformity_rule(*margin), nullptr);
}

/// Members of two kernels and two scalings, which share no support vectors.
Kept average() {
  selection::Options options = options_of("cv");
  options.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
  options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  options.rule = selection::Rule::average;
  return selected(options, 3);
}

TEST(KindsOfPredictors, AverageOverKernelsAndScalings) {
  const Kept model = reloaded(average());
  const Capabilities able = model->capabilities();
  EXPECT_EQ(able.p_values, PValueSource::calibration);
  EXPECT_GT(able.models, 4U);
  EXPECT_FALSE(able.voting || able.drawing_seed || able.probabilities);
  EXPECT_EQ(model->decision_names().size(), 3U);
  EXPECT_EQ(model->fold_models.count(), 4U);
  EXPECT_EQ(model->fold_models.parts.size(), 4U);
  EXPECT_EQ(model->preprocessing.scaling, data::Scaling::standard);
}

TEST(KindsOfPredictors, FoldModelsOfAnAverageReferToModelsThatExist) {
  const nlohmann::json sound = io::to_document(*average());
  const test::TemporaryFolder folder;
  EXPECT_NE(io::load_model(folder.write("m", test::file_of(sound))), nullptr);
  for (const std::vector<std::uint32_t>& models : {std::vector<std::uint32_t>{}, {0, 1000}}) {
    nlohmann::json damaged = sound;
    damaged["fold_models"]["averages"][1] = test::packed(models);
    test::expect_error(ErrorCode::format, "average of models that do not exist",
                       [&] { io::load_model(folder.write("m", test::file_of(damaged))); });
  }
}

TEST(KindsOfPredictors, RandomClassifiers) {
  const Kept model = reloaded(drawn());
  EXPECT_EQ(model->capabilities().models, 4U);
  EXPECT_EQ(model->capabilities().drawing_seed, 0U);
  ASSERT_EQ(model->parameters().size(), 1U);
  EXPECT_EQ(model->parameters()[0].values, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(model->description(), "4 classifiers, one drawn for each row with seed 0, trained on 40 rows");
}

TEST(KindsOfPredictors, ConformalPredictor) {
  const Kept model = reloaded(conformal_predictor());
  EXPECT_EQ(model->capabilities().p_values, PValueSource::conformal);
  EXPECT_EQ(model->description(), "nn-ratio, k = 1, euclidean distance; transductive");
}

}  // namespace kinds_of_predictors_tests
}  // namespace credence
