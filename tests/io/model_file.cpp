#include "credence/io/model_file.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "credence/data/reader.hpp"
#include "credence/svm/train.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace model_file_tests {

using nlohmann::json;
using test::expect_error;
using test::file_around;
using test::file_of;
using test::read_text;
using test::TemporaryFolder;

svm::SvmModel small_model(int classes = 2, bool sparse = false, kernel::KernelType type = kernel::KernelType::rbf) {
  const test::Clouds clouds = test::random_clouds(30, 3, classes, 1.0, 5);
  data::Features features(clouds.x);
  if (sparse) features = data::Features(test::sparse_of(clouds.x));
  svm::TrainOptions options;
  options.kernel.type = type;
  options.kernel.coef0 = 0.1;
  options.gamma = {kernel::GammaRule::Kind::value, 1.0 / 3};
  test::Surroundings surroundings;
  svm::SvmModel model =
      svm::train(data::make_dataset(std::move(features), clouds.labels), options, surroundings.context).model;
  model.record.selected_error = 0.1;
  model.record.resamples = 10;
  model.record.nu = 0.3;
  return model;
}

/// A column of each kind, missing values, spellings that need care.
svm::SvmModel categorical_model(data::Scaling scaling = data::Scaling::standard) {
  TemporaryFolder folder;
  std::string csv = "\"a, \"\"b\"\"\",colour,label\n";
  for (int i = 0; i < 24; ++i) {
    csv += std::to_string(i % 7) + "," +
           (i % 5 == 0   ? ""
            : i % 3 == 0 ? "rot"
                         : "gr\xc3\xbcn") +
           "," + (i % 2 == 0 ? "+1" : "02") + "\n";
  }
  data::ReadOptions reading;
  reading.missing = data::Missing::impute;
  const data::Dataset dataset = data::read(folder.write("rows.csv", csv), reading);
  svm::TrainOptions options;
  options.missing = data::Missing::impute;
  options.gamma = {kernel::GammaRule::Kind::value, 0.5};
  options.scaling = scaling;
  test::Surroundings surroundings;
  return svm::train(dataset, options, surroundings.context).model;
}

void expect_round_trip(const svm::SvmModel& model) {
  TemporaryFolder folder;
  const std::string path = folder.file("model.credence");
  io::save_model(model, path);
  EXPECT_TRUE(io::is_model_file(path));
  const svm::SvmModel loaded = test::load_svm(path);
  // Doubles are stored bit by bit, so equal documents are equal models.
  EXPECT_EQ(io::to_document(model), io::to_document(loaded));
  EXPECT_EQ(model.record.nu, loaded.record.nu);
  EXPECT_EQ(model.record.selected_error, loaded.record.selected_error);
  EXPECT_EQ(model.record.resamples, loaded.record.resamples);
  const std::string second = folder.file("second.credence");
  io::save_model(loaded, second);
  EXPECT_EQ(read_text(path), read_text(second));
}

TEST(ModelFile, ReturnsEveryModelToTheLastBit) {
  expect_round_trip(small_model());
  expect_round_trip(small_model(4));
  expect_round_trip(small_model(3, true));
  expect_round_trip(small_model(2, false, kernel::KernelType::linear));
  expect_round_trip(small_model(2, false, kernel::KernelType::polynomial));
  expect_round_trip(categorical_model());
  expect_round_trip(categorical_model(data::Scaling::quantile));
}

TEST(ModelFile, LoadedModelPredictsTheSame) {
  TemporaryFolder folder;
  const svm::SvmModel model = small_model(3);
  io::save_model(model, folder.file("m"));
  const svm::SvmModel loaded = test::load_svm(folder.file("m"));
  test::Surroundings surroundings;
  const data::Features rows(test::random_matrix(50, 3, 9));
  const model::Prediction a = model.predict_preprocessed(rows, surroundings.context);
  const model::Prediction b = loaded.predict_preprocessed(rows, surroundings.context);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.decision.values, b.decision.values);
}

TEST(ModelFile, QuantilesPredictTheSameAndAreChecked) {
  TemporaryFolder folder;
  const svm::SvmModel model = categorical_model(data::Scaling::quantile);
  ASSERT_FALSE(model.preprocessing.quantiles.front().values.empty());
  io::save_model(model, folder.file("m"));
  data::ReadOptions reading;
  reading.missing = data::Missing::impute;
  reading.schema = &model.schema;
  const std::string cells = "\"a, \"\"b\"\"\",colour\n-1,rot\n2.5,\n,rot\n9,gr\xc3\xbcn\n";
  const data::Dataset rows = data::read(folder.write("rows.csv", cells), reading);
  test::Surroundings surroundings;
  EXPECT_EQ(model.predict(rows, surroundings.context).decision.values,
            io::load_model(folder.file("m"))->predict(rows, surroundings.context).decision.values);
  const json sound = io::to_document(model);
  const auto with = [&](const char* field, const json& value) {
    json document = sound;
    document["preprocessing"][field] = value;
    return folder.write("damaged", file_of(document));
  };
  const json known = sound["preprocessing"]["quantiles"];
  const auto known_with = [&](const std::vector<double>& values, const std::vector<double>& scores) {
    json changed = known;
    changed[0] = {{"values", test::packed(values)}, {"scores", test::packed(scores)}};
    return with("quantiles", changed);
  };
  const auto refuse = [](const char* sentence, const std::string& path) {
    expect_error(ErrorCode::format, sentence, [&] { io::load_model(path); });
  };
  EXPECT_NO_THROW(io::load_model(known_with({1, 2, 3}, {-1, 0, 1})));
  for (const auto& path : {known_with({1, 2, 3}, {-1, 0}), known_with({1, 1, 3}, {-1, 0, 1}),
                           known_with({1, 2, 3}, {-1, 0, -2}), known_with({1, 2, INFINITY}, {-1, 0, 1})})
    refuse("the quantiles of a column are not ascending numbers with a score each", path);
  refuse("differ in size", with("quantiles", json::array({known[0]})));
  refuse("differ in size", with("standard_scale", test::packed<double>({1})));
  refuse("not finite", with("standard_shift", test::packed<double>({1, 2, INFINITY})));
  refuse("sparse", with("sparse", true));
}

TEST(ModelFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  const std::string path = folder.file("model.credence");
  io::save_model(small_model(), path);
  const std::string whole = read_text(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string part = folder.write("part", std::string_view(whole).substr(0, length));
    expect_error(ErrorCode::format, length == 0 ? "not a Credence model" : "truncated", [&] { io::load_model(part); });
    if (HasFailure()) FAIL() << "at length " << length;
  }
}

TEST(ModelFile, EveryChangedByteIsRefused) {
  TemporaryFolder folder;
  const std::string path = folder.file("model.credence");
  io::save_model(small_model(), path);
  std::string bytes = read_text(path);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char original = bytes[i];
    bytes[i] = static_cast<char>(original ^ (i % 3 == 0 ? '\x01' : i % 3 == 1 ? '\x80' : '\xff'));
    folder.write("changed", bytes);
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.file("changed")); });
    bytes[i] = original;
    if (HasFailure()) FAIL() << "at byte " << i;
  }
}

/// Whatever the contents, with a right checksum: refused, or a model that predicts without harm.
TEST(ModelFile, ChangedContentsUnderARightChecksumDoNoHarm) {
  TemporaryFolder folder;
  const std::vector<std::uint8_t> payload = json::to_cbor(io::to_document(categorical_model(data::Scaling::quantile)));
  test::Surroundings surroundings;
  data::ReadOptions reading;
  reading.missing = data::Missing::impute;
  const std::string rows = folder.write("rows.csv", "\"a, \"\"b\"\"\",colour\n1,rot\n,gr\xc3\xbcn\n");
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    std::string changed(payload.begin(), payload.end());
    changed[i] = static_cast<char>(changed[i] ^ (i % 3 == 0 ? '\x01' : i % 3 == 1 ? '\x20' : '\xff'));
    try {
      const svm::SvmModel model = test::load_svm(folder.write("changed", file_around(changed)));
      ++loaded;
      reading.schema = &model.schema;
      model.predict(data::read(rows, reading), surroundings.context);
    } catch (const Error&) {
    }
  }
  EXPECT_GT(loaded, 100U) << "most changes of numbers cannot be seen";
}

TEST(ModelFile, NewerVersionIsRefusedWithAdvice) {
  TemporaryFolder folder;
  io::save_model(small_model(), folder.file("m"));
  std::string bytes = read_text(folder.file("m"));
  bytes[8] = 3;
  const std::string path = folder.write("newer", bytes);
  expect_error(ErrorCode::format, "newer version", [&] { io::load_model(path); });
  expect_error(ErrorCode::format, "upgrade", [&] { io::load_model(path); });
  expect_error(ErrorCode::format, path, [&] { io::load_model(path); });
}

TEST(ModelFile, AVersionThatNoReleaseWroteIsRefused) {
  TemporaryFolder folder;
  io::save_model(small_model(), folder.file("m"));
  std::string bytes = read_text(folder.file("m"));
  bytes[8] = 1;
  const std::string path = folder.write("one", bytes);
  expect_error(ErrorCode::format, "format 1 does not exist", [&] { io::load_model(path); });
}

TEST(ModelFile, TrailingBytesAreRefused) {
  TemporaryFolder folder;
  io::save_model(small_model(), folder.file("m"));
  const std::string path = folder.write("longer", read_text(folder.file("m")) + "x");
  expect_error(ErrorCode::format, "altered", [&] { io::load_model(path); });
}

TEST(ModelFile, AbsurdLengthsAllocateNothing) {
  TemporaryFolder folder;
  io::save_model(small_model(), folder.file("m"));
  std::string bytes = read_text(folder.file("m"));
  for (std::size_t i = 12; i < 20; ++i) bytes[i] = '\xff';
  expect_error(ErrorCode::format, "truncated", [&] { io::load_model(folder.write("absurd", bytes)); });
  // Lengths inside the document, under a right checksum: byte string, array, and map of 2^63 items.
  for (const char* start : {"\x5b", "\x9b", "\xbb", "\x7b"}) {
    const std::string payload = start + std::string("\x7f") + std::string(7, '\xff') + "abc";
    expect_error(ErrorCode::format, "cannot be read",
                 [&] { io::load_model(folder.write("inner", file_around(payload))); });
  }
}

/// Lists in lists, and byte strings and texts of open length, which nest as well.
TEST(ModelFile, DeepNestingDoesNotOverflowTheStack) {
  for (const auto& [byte, why] : {std::pair{'\x81', "nested too deep"}, std::pair{'\x9f', "a length is left open"},
                                  std::pair{'\x5f', "a length is left open"},
                                  std::pair{'\x7f', "a length is left open"}, std::pair{'\xc6', "an item has a tag"}}) {
    const std::string deep(5'000'000, byte);
    expect_error(ErrorCode::format, why, [&] { io::model_of_bytes(file_around(deep), "deep"); });
  }
}

TEST(ModelFile, ContradictionsUnderARightChecksumAreRefused) {
  TemporaryFolder folder;
  const json good = io::to_document(small_model(3));
  const auto bytes_of = [](const std::vector<double>& values) { return test::packed(values); };
  const std::vector<std::function<void(json&)>> damages{
      [](json& d) { d.erase("kind"); },
      [](json& d) { d["kind"] = "forest"; },
      [](json& d) { d["kind"] = "family"; },
      [](json& d) { d["kind"] = 1; },
      [](json& d) { d.erase("kernel"); },
      [](json& d) { d["kernel"]["gamma"] = 0.0; },
      [](json& d) { d["kernel"]["gamma"] = "wide"; },
      [](json& d) { d["kernel"]["gamma"] = std::numeric_limits<double>::quiet_NaN(); },
      [](json& d) { d["kernel"]["type"] = "cubic"; },
      [](json& d) { d["kernel"]["degree"] = 1e300; },
      [](json& d) { d["missing"] = "perhaps"; },
      [](json& d) { d["machines"].erase(0); },
      [](json& d) { d["machines"][0]["positive"] = 7; },
      [](json& d) { d["machines"][0]["bias"] = std::numeric_limits<double>::infinity(); },
      [](json& d) { d["machines"][0]["support"].get_binary()[3] = 0xff; },
      [](json& d) { d["machines"][0]["support"].get_binary().pop_back(); },
      [&](json& d) { d["machines"][0]["coefficients"] = bytes_of({1.0}); },
      [](json& d) { d["support_rows"] = json::binary({}); },
      [](json& d) { d["support_vectors"]["columns"] = 4; },
      [](json& d) { d["support_vectors"]["rows"] = std::uint64_t{1} << 63; },
      [](json& d) { d["support_vectors"]["rows"] = -1; },
      [&](json& d) { d["support_vectors"]["values"] = bytes_of({1.0}); },
      [&](json& d) { d["support_vectors"]["values"] = 3; },
      [](json& d) { d["schema"]["classes"] = {"a", "a", "b"}; },
      [](json& d) { d["schema"]["classes"] = {"a", "b"}; },
      [](json& d) { d["schema"]["columns"] = {"a", "b"}; },
      [](json& d) { d["schema"]["columns"] = json::array(); },
      [](json& d) { d["schema"]["levels"]["9"] = {"x"}; },
      [](json& d) { d["schema"]["levels"]["0"] = {"x"}; },
      [&](json& d) { d["preprocessing"]["scale"] = bytes_of({1.0}); },
      [&](json& d) { d["preprocessing"]["shift"] = bytes_of({1.0, std::numeric_limits<double>::infinity(), 2.0}); },
      [](json& d) { d["preprocessing"]["output"].get_binary()[7] = 0x7f; },
      [](json& d) { d = json::array(); },
  };
  ASSERT_NO_THROW(io::load_model(folder.write("good", file_of(good))));
  for (std::size_t i = 0; i < damages.size(); ++i) {
    json document = good;
    damages[i](document);
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("damaged", file_of(document))); });
    if (HasFailure()) FAIL() << "damage " << i;
  }
}

TEST(ModelFile, PreprocessingOfLevelsIsChecked) {
  TemporaryFolder folder;
  const json good = io::to_document(categorical_model());  // a column of numbers, then one of two levels
  const auto fill = [](double number, double level) {
    return [=](json& d) { d["preprocessing"]["fill"] = test::packed(std::vector<double>{number, level}); };
  };
  const auto levels = [](std::vector<std::int32_t> outputs) {
    return [=](json& d) { d["preprocessing"]["levels"]["1"] = test::packed(outputs); };
  };
  json allowed = good;
  fill(0.5, 1)(allowed);
  levels({-1, 2})(allowed);
  ASSERT_NO_THROW(io::load_model(folder.write("good", file_of(allowed))));
  const std::vector<std::function<void(json&)>> damages{
      fill(std::numeric_limits<double>::quiet_NaN(), 0),
      fill(0, std::numeric_limits<double>::infinity()),
      fill(0, 0.5),
      fill(0, 2),
      fill(0, -1),
      levels({1}),
      levels({0, 1, 2}),
      levels({0, 3}),
      levels({-2, 1}),
      [](json& d) { d["preprocessing"]["levels"].erase("1"); },
      [](json& d) { d["preprocessing"]["names"].push_back("another"); },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    json document = good;
    damages[i](document);
    expect_error(ErrorCode::format, "contradicts itself",
                 [&] { io::load_model(folder.write("damaged", file_of(document))); });
    if (HasFailure()) FAIL() << "damage " << i;
  }
}

TEST(ModelFile, SparseSupportVectorsAreChecked) {
  TemporaryFolder folder;
  const json good = io::to_document(small_model(2, true));
  ASSERT_TRUE(good["support_vectors"].contains("offsets"));
  ASSERT_NO_THROW(io::load_model(folder.write("good", file_of(good))));
  for (const char* part : {"offsets", "indices", "values"}) {
    json document = good;
    auto& bytes = document["support_vectors"][part].get_binary();
    for (std::size_t i = 0; i < 8; ++i) bytes[bytes.size() - 8 + i] = i == 7 ? 0x7f : 0xff;
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("damaged", file_of(document))); });
    document["support_vectors"][part] = json::binary({});
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("damaged", file_of(document))); });
  }
}

TEST(ModelFile, OtherFilesAreNotModels) {
  TemporaryFolder folder;
  const std::string text = folder.write("data.csv", "a,b,label\n1,2,x\n");
  expect_error(ErrorCode::format, "not a Credence model", [&] { io::load_model(text); });
  EXPECT_FALSE(io::is_model_file(text));
  expect_error(ErrorCode::file, "No such file", [&] { io::load_model(folder.file("nowhere")); });
  expect_error(ErrorCode::file, "directory", [&] { io::load_model(folder.path()); });
}

TEST(ModelFile, LargeModelLoadsWithinASecond) {
  TemporaryFolder folder;
  svm::SvmModel model = small_model(2, false, kernel::KernelType::linear);
  const std::size_t rows = 20'000;
  const std::size_t columns = 50;
  model.schema.columns.assign(columns, {"x", data::ColumnKind::numeric, {}});
  model.preprocessing.raw.assign(columns, {});
  model.preprocessing.names.assign(columns, "x");
  model.preprocessing.shift.assign(columns, 0.0);
  model.preprocessing.scale.assign(columns, 1.0);
  model.support_vectors = data::Features(test::random_matrix(rows, columns, 3));
  model.known_rows = {};
  model.support_rows.resize(rows);
  io::save_model(model, folder.file("large"));
  const std::clock_t start = std::clock();  // processor time: other work on the machine must not count
  const svm::SvmModel loaded = test::load_svm(folder.file("large"));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.0);
  EXPECT_EQ(loaded.support_vectors.dense().values, model.support_vectors.dense().values);
}

}  // namespace model_file_tests
}  // namespace credence
