#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "credence/conformal/familiarity.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/io/model_file.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/one_setting.hpp"
#include "credence/selection/selector.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/temporary_folder.hpp"

/// Training rows that models keep for familiarity: which ones, and in files.
namespace credence {
namespace known_rows_in_model_files_tests {

using nlohmann::json;
using Known = std::shared_ptr<const model::Predictor>;

data::Dataset known_clouds(std::size_t n, int classes = 2) {
  return test::random_clouds(n, 3, classes, 0.3, 6).dataset();
}

selection::Options known_options(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.costs.C = {0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.2");
  options.estimate = selection::Estimate::none;
  options.choose_one_svm();
  return options;
}

std::vector<double> familiarity_of(const model::Predictor& model, const data::Dataset& rows) {
  const test::Surroundings surroundings;
  model::Prediction prediction;
  conformal::FamiliarityOf(model, surroundings.context).add(rows, prediction, surroundings.context);
  return prediction.familiarity;
}

/// The rows come back, with the same familiarity of new rows, and no machine inside keeps them once more.
void check_known(const Known& model, std::size_t rows, const std::string& name) {
  ASSERT_NE(model, nullptr) << name;
  ASSERT_EQ(model->known_rows.rows(), rows) << name;
  const test::TemporaryFolder folder;
  io::save_model(*model, folder.file("m"));
  const Known loaded = io::load_model(folder.file("m"));
  EXPECT_EQ(loaded->known_rows.to_dense().values, model->known_rows.to_dense().values) << name;
  const data::Dataset fresh = test::random_clouds(50, 3, 2, 0.5, 9).dataset();
  const std::vector<double> before = familiarity_of(*model, fresh);
  EXPECT_EQ(before.size(), 50U) << name;
  EXPECT_EQ(familiarity_of(*loaded, fresh), before) << name;
  std::size_t kept = 0;
  const std::string text = io::to_document(*model).dump();
  for (std::size_t at = text.find("known_rows"); at != std::string::npos; at = text.find("known_rows", at + 1)) ++kept;
  EXPECT_EQ(kept, 1U) << name;
}

TEST(KnownRowsInModelFiles, EveryMethodOfSelectKeepsThem) {
  const test::Surroundings surroundings;
  const data::Dataset dataset = known_clouds(60);
  for (const char* method : {"cv", "loo", "bootstrap", "holdout", "kfold-nested", "nonconformity", "max-margin"}) {
    const auto selection = selection::Selector(known_options(method)).select(dataset, surroundings.context);
    check_known(selection::fitted(dataset, selection, surroundings.context), 60, method);
  }
  selection::Options average = known_options("cv");
  average.rule = selection::Rule::average;
  const auto averaged = selection::Selector(average).select(dataset, surroundings.context);
  check_known(selection::fitted(dataset, averaged, surroundings.context), 60, "average");
  selection::Options random = known_options("kfold-nested");
  test::set_final(random, selection::FinalClassifier::random);
  check_known(selection::Selector(random).select(dataset, surroundings.context).predictor, 60, "random");
}

TEST(KnownRowsInModelFiles, TrainedAndConformalPredictorsKeepThem) {
  const test::Surroundings surroundings;
  const data::Dataset dataset = known_clouds(60);
  for (const selection::Learner learner : {selection::Learner::svm, selection::Learner::rvm}) {
    const selection::OneSetting setting(data::Task::classification, learner);
    check_known(selection::train(dataset, setting, 0, surroundings.context).model, 60, "train");
  }
  for (const conformal::Mode& mode : conformal::modes()) {
    conformal::FitOptions options;
    options.mode = mode;
    check_known(conformal::fit(dataset, options, surroundings.context), 60, std::string(conformal::name_of(mode)));
  }
}

TEST(KnownRowsInModelFiles, AnglesAndGivenKernelsHaveNone) {
  const test::Surroundings surroundings;
  conformal::FitOptions angles;
  conformal::NeighbourRatio ratio;
  ratio.metric = neighbours::Metric::cosine;
  angles.measure = ratio;
  EXPECT_EQ(conformal::fit(known_clouds(60), angles, surroundings.context)->known_rows.rows(), 0U);
  svm::TrainOptions given;
  given.kernel.type = kernel::KernelType::precomputed;
  data::DenseMatrix gram(6, 6);
  for (std::size_t i = 0; i < 6; ++i) gram.row(i)[i] = 1;
  const std::vector<std::string> labels{"a", "b", "a", "b", "a", "b"};
  const auto model = svm::train(data::make_dataset(gram, labels), given, surroundings.context).model;
  EXPECT_EQ(model.known_rows.rows(), 0U);
  EXPECT_FALSE(io::to_document(model).contains("known_rows"));
}

/// At most 1,000 rows, of wide ones fewer, at least 200; drawn by the seed alone, as sorted numbers.
TEST(KnownRows, OfManyRowsAreARandomSample) {
  EXPECT_EQ(model::known_row_numbers(7, 3, 0), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(model::known_row_numbers(1000, 3, 0).size(), 1000U);
  EXPECT_EQ(model::known_row_numbers(5000, 2000, 0).size(), 500U);
  EXPECT_EQ(model::known_row_numbers(5000, 1e6, 0).size(), 200U);
  const std::vector<std::size_t> some = model::known_row_numbers(5000, 3, 1);
  EXPECT_EQ(some.size(), 1000U);
  EXPECT_TRUE(std::ranges::is_sorted(some));
  EXPECT_EQ(some, model::known_row_numbers(5000, 3, 1));
  EXPECT_NE(some, model::known_row_numbers(5000, 3, 2));
  // Each row is drawn in about a fifth of the seeds: 400 of 2,000 +- 4 times 18.
  std::vector<int> drawn(50, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    for (const std::size_t row : model::known_row_numbers(5000, 3, seed))
      if (row % 100 == 0) ++drawn[row / 100];
  for (const int count : drawn) EXPECT_NEAR(count, 400, 72);
}

TEST(KnownRows, AreThoseThatThePreprocessingMakes) {
  const test::Surroundings surroundings;
  const data::Dataset dataset = known_clouds(1500);
  svm::TrainOptions options;
  options.seed = 5;
  const auto model = svm::train(dataset, options, surroundings.context).model;
  const data::Features expected =
      model.preprocessing.apply(dataset).select_rows(model::known_row_numbers(1500, 3, options.seed));
  EXPECT_EQ(model.known_rows.dense().values, expected.dense().values);
}

TEST(KnownRowsInModelFiles, RefuseWhatDoesNotFit) {
  const test::Surroundings surroundings;
  const json good = io::to_document(svm::train(known_clouds(20), {}, surroundings.context).model);
  const auto refuse = [&](const json& known, const std::string& words) {
    json document = good;
    document["known_rows"] = known;
    const test::TemporaryFolder folder;
    const std::string path = folder.write("bad", test::file_of(document));
    test::expect_error(ErrorCode::format, words, [&] { io::load_model(path); });
  };
  json columns = good["known_rows"];
  columns["rows"] = 30;
  columns["columns"] = 2;
  refuse(columns, "rows");
  json values = good["known_rows"];
  values["values"] = test::packed<double>(std::vector<double>(60, std::numeric_limits<double>::quiet_NaN()));
  refuse(values, "not finite");
  refuse(3, "cannot be read");
  json without = good;
  without.erase("known_rows");
  const test::TemporaryFolder folder;
  EXPECT_EQ(io::load_model(folder.write("without", test::file_of(without)))->known_rows.rows(), 0U);
}

}  // namespace known_rows_in_model_files_tests
}  // namespace credence
