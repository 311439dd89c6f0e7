#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "credence/io/model_file.hpp"
#include "credence/svm/train.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace task_in_model_files_tests {

nlohmann::json classifier_document() {
  const test::Clouds clouds = test::random_clouds(20, 2, 2, 1.0, 5);
  test::Surroundings surroundings;
  return io::to_document(
      svm::train(data::make_dataset(data::Features(clouds.x), clouds.labels), {}, surroundings.context).model);
}

TEST(TaskInModelFiles, AFileWithoutTheKeyIsAClassifier) {
  const nlohmann::json document = classifier_document();
  EXPECT_FALSE(document["schema"].contains("task"));
  const test::TemporaryFolder folder;
  EXPECT_EQ(io::load_model(folder.write("m", test::file_of(document)))->schema.task, data::Task::classification);
}

TEST(TaskInModelFiles, AClassifierCannotBeForARegression) {
  nlohmann::json document = classifier_document();
  document["schema"]["task"] = "regression";
  const test::TemporaryFolder folder;
  test::expect_error(ErrorCode::format, "it is a classifier, but for a regression",
                     [&] { io::load_model(folder.write("m", test::file_of(document))); });
  document["schema"]["task"] = 1;
  test::expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("m", test::file_of(document))); });
}

}  // namespace task_in_model_files_tests
}  // namespace credence
