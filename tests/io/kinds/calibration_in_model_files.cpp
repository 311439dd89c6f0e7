#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace calibration_in_model_files_tests {

using nlohmann::json;

constexpr double inf = std::numeric_limits<double>::infinity();

model::Calibration scores_of_three() {
  model::Calibration calibration{
      "out-of-fold", model::PValues::split, {-1.25, inf, -inf, 0.0, 1.0 / 3}, {0, 1, 2, 1, 0}};
  calibration.scores = data::DenseMatrix(5, 3);
  calibration.scores.values = {1.25, -2, 0.1, /**/ 3, -inf, -3, /**/ -1, -2, inf, /**/ 0, 0, 0, /**/ -1.0 / 3, 7, -7};
  return calibration;
}
const model::Calibration some_scores = scores_of_three();

svm::SvmModel calibrated_svm() {
  test::Surroundings surroundings;
  svm::SvmModel model = svm::train(test::random_clouds(30, 3, 3, 1.0, 5).dataset(), {}, surroundings.context).model;
  model.calibration = some_scores;
  return model;
}

std::unique_ptr<model::Predictor> reloaded(const model::Predictor& model) {
  const test::TemporaryFolder folder;
  io::save_model(model, folder.file("m"));
  return io::load_model(folder.file("m"));
}

void expect_same(const model::Calibration& loaded, const model::Calibration& saved) {
  EXPECT_EQ(loaded.source, saved.source);
  EXPECT_EQ(loaded.p_values, saved.p_values);
  EXPECT_EQ(loaded.nonconformity_scores, saved.nonconformity_scores);
  EXPECT_EQ(loaded.labels, saved.labels);
  EXPECT_EQ(loaded.scores.rows, saved.scores.rows);
  EXPECT_EQ(loaded.scores.columns, saved.scores.columns);
  EXPECT_EQ(loaded.scores.values, saved.scores.values);
}

TEST(CalibrationFile, ComesBackToTheLastBit) {
  expect_same(reloaded(calibrated_svm())->calibration, some_scores);
}

TEST(CalibrationFile, OfAFamilyComesBackToo) {
  selection::Options options;
  options.method = selection::HoldOut{};
  options.refit = selection::Refit::training_rows;
  options.costs.C = {1, 8};
  options.kernels.gamma = kernel::parse_gammas("0.1");
  options.estimate = selection::Estimate::none;
  test::Surroundings surroundings;
  const data::Dataset dataset = test::random_clouds(60, 3, 2, 1.0, 5).dataset();
  const auto selection = selection::Selector(options).select(dataset, surroundings.context);
  ASSERT_FALSE(selection.predictor->calibration.empty());
  expect_same(reloaded(*selection.predictor)->calibration, selection.calibration);
}

TEST(CalibrationFile, WithoutTheFieldIsAModelWithout) {
  svm::SvmModel model = calibrated_svm();
  json document = io::to_document(model);
  EXPECT_TRUE(document.contains("calibration"));
  document.erase("calibration");
  const test::TemporaryFolder folder;
  EXPECT_TRUE(io::load_model(folder.write("older", test::file_of(document)))->calibration.empty());
  model.calibration = {};
  EXPECT_FALSE(io::to_document(model).contains("calibration")) << "what older versions wrote stays as it was";
}

TEST(CalibrationFile, WithoutScoresOfAllClassesIsThatOfAnOlderVersion) {
  json document = io::to_document(calibrated_svm());
  EXPECT_TRUE(document["calibration"].contains("scores"));
  document["calibration"].erase("scores");
  const test::TemporaryFolder folder;
  const model::Calibration loaded = io::load_model(folder.write("older", test::file_of(document)))->calibration;
  EXPECT_EQ(loaded.nonconformity_scores, some_scores.nonconformity_scores);
  EXPECT_EQ(loaded.scores.rows, 0U);
}

TEST(CalibrationFile, RefusesWhatDoesNotFit) {
  const json good = io::to_document(calibrated_svm());
  const auto refuse = [&](const char* field, const json& value, const std::string& words) {
    json document = good;
    document["calibration"][field] = value;
    const test::TemporaryFolder folder;
    const std::string path = folder.write("bad", test::file_of(document));
    test::expect_error(ErrorCode::format, words, [&] { io::load_model(path); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuse("nonconformity_scores", test::packed<double>({1, 2, nan, 3, 4}), "not a number");
  refuse("nonconformity_scores", test::packed<double>({1, 2, 3, 4}), "calibration");
  refuse("nonconformity_scores", test::packed<double>({}), "calibration");
  refuse("nonconformity_scores", "often", "nonconformity_scores");
  refuse("labels", test::packed<std::int32_t>({0, 1, 3, 1, 0}), "class that does not exist");
  refuse("labels", test::packed<std::int32_t>({0, 1, -1, 1, 0}), "class that does not exist");
  const auto table = [](std::size_t rows, std::size_t columns, std::vector<double> values) {
    return json{{"rows", rows}, {"columns", columns}, {"values", test::packed<double>(std::move(values))}};
  };
  refuse("scores", table(1, 3, {1, 2, 3}), "other rows or classes");
  refuse("scores", table(5, 1, {1, 2, 3, 4, 5}), "other rows or classes");
  refuse("scores", table(5, 3, {1, 2, 3}), "another size");
  refuse("scores", table(5, 3, std::vector<double>(15, nan)), "not a number");
  refuse("source", 7, "");
  refuse("p_values", "yes", "");
  refuse("fold_model_of", test::packed<std::int32_t>({0, 0, 0, 0, 0}), "fold models judged other rows");
  json without = good;
  without["calibration"].erase("labels");
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad", test::file_of(without));
  test::expect_error(ErrorCode::format, "labels", [&] { io::load_model(path); });
}

}  // namespace calibration_in_model_files_tests
}  // namespace credence
