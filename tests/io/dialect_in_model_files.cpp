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

/// A model file says how the rows of its training file were written, unless they had commas and decimal points.
namespace credence {
namespace dialect_in_model_files_tests {

using nlohmann::json;
using test::TemporaryFolder;

svm::SvmModel model_of(const TemporaryFolder& folder, const std::string& rows) {
  test::Surroundings surroundings;
  const data::Dataset dataset = data::read(folder.write("rows.csv", rows));
  return svm::train(dataset, test::train_options({.type = kernel::KernelType::linear}, 1), surroundings.context).model;
}

const std::string commas = "a;b;label\n1,5;2;x\n3;5;y\n2;2;x\n4;4;y\n";

TEST(DialectInModelFiles, RoundTrip) {
  const TemporaryFolder folder;
  const svm::SvmModel model = model_of(folder, commas);
  const std::string path = folder.file("commas.credence");
  io::save_model(model, path);
  const svm::SvmModel loaded = test::load_svm(path);
  EXPECT_EQ(loaded.schema.delimiter, ';');
  EXPECT_TRUE(loaded.schema.decimal_comma);
  EXPECT_EQ(io::to_document(loaded), io::to_document(model));
}

TEST(DialectInModelFiles, Latin1RoundTrip) {
  const TemporaryFolder folder;
  svm::SvmModel model = model_of(folder, commas);
  EXPECT_FALSE(io::to_document(model).at("schema").contains("latin1"));
  model.schema.latin1 = true;
  const std::string path = folder.file("latin1.credence");
  io::save_model(model, path);
  EXPECT_TRUE(test::load_svm(path).schema.latin1);
}

TEST(DialectInModelFiles, IndexBaseRoundTrip) {
  const TemporaryFolder folder;
  svm::SvmModel model = model_of(folder, commas);
  EXPECT_FALSE(io::to_document(model).at("schema").contains("counts_from_zero"));
  for (const int base : {0, 1}) {
    model.schema.index_base = base;
    const std::string path = folder.file("base.credence");
    io::save_model(model, path);
    EXPECT_EQ(test::load_svm(path).schema.index_base, base);
  }
}

TEST(DialectInModelFiles, UsualFilesHaveNoEntry) {
  const TemporaryFolder folder;
  const json document = io::to_document(model_of(folder, "a,b,label\n1.5,2,x\n3,5,y\n2,2,x\n4,4,y\n"));
  EXPECT_FALSE(document.at("schema").contains("delimiter"));
  EXPECT_FALSE(document.at("schema").contains("decimal_comma"));
  const svm::SvmModel older = test::load_svm(folder.write("older.credence", test::file_of(document)));
  EXPECT_EQ(older.schema.delimiter, ',');
  EXPECT_FALSE(older.schema.decimal_comma);
}

TEST(DialectInModelFiles, AnEntryOfAnotherKindIsRefused) {
  const TemporaryFolder folder;
  for (const auto& [key, value] : {std::pair<const char*, json>{"delimiter", ";"},
                                   {"delimiter", 0},
                                   {"delimiter", 999},
                                   {"decimal_comma", 1},
                                   {"counts_from_zero", 2}}) {
    json document = io::to_document(model_of(folder, commas));
    document.at("schema")[key] = value;
    const std::string path = folder.write("bad.credence", test::file_of(document));
    test::expect_error(ErrorCode::format, "", [&] { test::load_svm(path); });
  }
}

}  // namespace dialect_in_model_files_tests
}  // namespace credence
