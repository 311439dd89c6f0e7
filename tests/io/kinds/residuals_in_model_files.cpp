#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "credence/io/model_file.hpp"
#include "credence/rvm/model.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "rvm/model_random.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

/// Residuals of rows left out, in the files of regressions.
namespace credence {
namespace residuals_in_model_files_tests {

using nlohmann::json;

const model::Calibration some_residuals{"out-of-fold", model::PValues::cross, {0.25, 0.0, 1.0 / 3, 1e300}, {}};

rvm::RvmModel regression(bool calibrated) {
  rvm::RvmModel model = test::random_rvm(kernel::KernelType::rbf, 0);
  if (calibrated) model.calibration = some_residuals;
  return model;
}

TEST(ResidualsInModelFiles, ComeBackToTheLastBit) {
  const test::TemporaryFolder folder;
  io::save_model(regression(true), folder.file("m"));
  const auto loaded = io::load_model(folder.file("m"));
  EXPECT_EQ(loaded->calibration.source, some_residuals.source);
  EXPECT_EQ(loaded->calibration.p_values, some_residuals.p_values);
  EXPECT_EQ(loaded->calibration.nonconformity_scores, some_residuals.nonconformity_scores);
  EXPECT_TRUE(loaded->calibration.labels.empty());
}

TEST(ResidualsInModelFiles, AFileWithoutThemIsARegressionWithout) {
  EXPECT_FALSE(io::to_document(regression(false)).contains("calibration"))
      << "what older versions wrote stays as it was";
  json document = io::to_document(regression(true));
  document.erase("calibration");
  const test::TemporaryFolder folder;
  EXPECT_TRUE(io::load_model(folder.write("older", test::file_of(document)))->calibration.empty());
}

TEST(ResidualsInModelFiles, RefuseWhatDoesNotFit) {
  const json good = io::to_document(regression(true));
  const auto refuse = [&](const char* field, const json& value, const std::string& words) {
    json document = good;
    document["calibration"][field] = value;
    const test::TemporaryFolder folder;
    const std::string path = folder.write("bad", test::file_of(document));
    test::expect_error(ErrorCode::format, words, [&] { io::load_model(path); });
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  refuse("nonconformity_scores", test::packed<double>({1, -0.5}), "from 0 on");
  refuse("nonconformity_scores", test::packed<double>({1, std::numeric_limits<double>::quiet_NaN()}), "from 0 on");
  refuse("nonconformity_scores", test::packed<double>({1, inf}), "finite");
  refuse("nonconformity_scores", 3, "nonconformity_scores");
  refuse("labels", test::packed<std::int32_t>({0, 0, 0, 0}), "it is a regression, but its calibration has classes");
  json classifier = io::to_document(test::random_rvm(kernel::KernelType::rbf, 2));
  classifier["calibration"] = good["calibration"];
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad", test::file_of(classifier));
  test::expect_error(ErrorCode::format, "calibration", [&] { io::load_model(path); });
}

TEST(ResidualsInModelFiles, CutFilesAreRefused) {
  const test::TemporaryFolder folder;
  const std::string whole = test::file_of(io::to_document(regression(true)));
  for (const std::size_t missing : {std::size_t{1}, whole.size() / 2, whole.size() - 30}) {
    const std::string path = folder.write("cut", whole.substr(0, whole.size() - missing));
    test::expect_error(ErrorCode::format, "truncated", [&] { io::load_model(path); });
  }
  json document = io::to_document(regression(true));
  auto& bytes = document["calibration"]["nonconformity_scores"].get_binary();
  bytes.pop_back();
  const std::string path = folder.write("cut", test::file_of(document));
  test::expect_error(ErrorCode::format, "cut off", [&] { io::load_model(path); });
}

}  // namespace residuals_in_model_files_tests
}  // namespace credence
