#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "credence/data/reader.hpp"
#include "credence/io/model_file.hpp"
#include "credence/svm/train.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/train_options.hpp"

namespace credence {
namespace hint_column_in_model_files_tests {

using nlohmann::json;
using test::TemporaryFolder;

const std::string rows = "a,b,f0,label\n1,2,0.5,x\n3,5,-1,y\n2,2,0.25,x\n4,4,-2,y\n";

/// A model of the columns a and b, as if it had been trained around the hint.
svm::SvmModel hinted_model(const TemporaryFolder& folder) {
  const data::Dataset dataset = data::read(folder.write("rows.csv", rows), {.hint = "f0"});
  test::Surroundings surroundings;
  svm::SvmModel model =
      svm::train(dataset, test::train_options({.type = kernel::KernelType::linear}, 1), surroundings.context).model;
  model.schema.hint_name = dataset.schema.hint_name;
  model.schema.missing_codes = {{"-99"}, {".", 1}};
  return model;
}

TEST(HintColumnInModelFiles, RoundTrip) {
  const TemporaryFolder folder;
  const svm::SvmModel model = hinted_model(folder);
  const std::string path = folder.file("hinted.credence");
  io::save_model(model, path);
  const svm::SvmModel loaded = test::load_svm(path);
  EXPECT_EQ(loaded.schema.hint_name, "f0");
  EXPECT_EQ(loaded.schema.missing_codes.at(0).column, std::nullopt);
  EXPECT_EQ(loaded.schema.missing_codes.at(1).column, 1U);
  EXPECT_EQ(loaded.schema.missing_codes.at(1).text, ".");
  EXPECT_EQ(io::to_document(loaded), io::to_document(model));
}

TEST(HintColumnInModelFiles, RowsForALoadedModelBringTheColumn) {
  const TemporaryFolder folder;
  const std::string path = folder.file("hinted.credence");
  io::save_model(hinted_model(folder), path);
  const svm::SvmModel loaded = test::load_svm(path);
  const data::ReadOptions reading{.schema = &loaded.schema};
  const data::Dataset some = data::read(folder.write("some.csv", "f0,b,a\n7,1,2\n8,3,4\n"), reading);
  EXPECT_EQ(some.hint, (std::vector<double>{7, 8}));
  const std::string without = folder.write("without.csv", "b,a\n1,2\n");
  test::expect_error(ErrorCode::invalid_data, "lacks column 'f0'", [&] { data::read(without, reading); });
}

TEST(HintColumnInModelFiles, FilesWithoutTheEntryHaveNoHint) {
  const TemporaryFolder folder;
  json document = io::to_document(hinted_model(folder));
  ASSERT_EQ(document.at("schema").at("hint_name"), "f0");
  document.at("schema").erase("hint_name");
  const svm::SvmModel older = test::load_svm(folder.write("older.credence", test::file_of(document)));
  EXPECT_EQ(older.schema.hint_name, "");
  EXPECT_FALSE(io::to_document(older).at("schema").contains("hint_name"));
}

TEST(HintColumnInModelFiles, AnEntryOfAnotherKindIsRefused) {
  const TemporaryFolder folder;
  json document = io::to_document(hinted_model(folder));
  document.at("schema").at("hint_name") = 3;
  const std::string path = folder.write("bad.credence", test::file_of(document));
  test::expect_error(ErrorCode::format, "", [&] { test::load_svm(path); });
}

}  // namespace hint_column_in_model_files_tests
}  // namespace credence
