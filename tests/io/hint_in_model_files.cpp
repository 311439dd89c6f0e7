#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "credence/svm/train.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace hint_in_model_files_tests {

using nlohmann::json;
using test::expect_error;
using test::file_of;
using test::read_text;
using test::TemporaryFolder;

/// One machine for each class against the rest (or one for two), without training: what a file holds is arbitrary.
svm::SvmModel against_rest(std::size_t classes, kernel::KernelType type, std::uint64_t seed) {
  const test::Clouds clouds = test::random_clouds(12, 3, static_cast<int>(classes), 1.0, 5);
  const data::Dataset dataset = clouds.dataset();
  svm::SvmModel model;
  model.schema = dataset.schema;
  model.preprocessing = data::Preprocessing::fit(dataset, data::Scaling::standard);
  model.kernel.type = type;
  model.support_rows = {1, 4, 5, 9};
  model.support_vectors = test::random_matrix(4, 3, seed);
  model.machines = svm::one_against_rest(classes);
  core::RandomStream random(seed, 5);
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    model.machines[m].support = {0, static_cast<std::uint32_t>(1 + m % 3)};
    model.machines[m].coefficients = {random.normal(), random.normal()};
    model.machines[m].bias = random.normal();
  }
  return model;
}

svm::SvmModel hinted(std::size_t classes) {
  svm::SvmModel model = against_rest(classes, kernel::KernelType::rbf, 1);
  svm::SvmModel hint = against_rest(classes, kernel::KernelType::linear, 2);
  hint.record.rows = 17;
  hint.record.C = 100;
  model.hint = std::make_shared<const svm::SvmModel>(std::move(hint));
  return model;
}

model::Prediction predict(const svm::SvmModel& model) {
  test::Surroundings surroundings;
  return model.predict_preprocessed(data::Features(test::random_matrix(40, 3, 9)), surroundings.context);
}

TEST(HintInModelFile, PredictsTheSameToTheLastBit) {
  TemporaryFolder folder;
  for (const std::size_t classes : {2U, 3U, 5U}) {
    const svm::SvmModel model = hinted(classes);
    io::save_model(model, folder.file("m"));
    const svm::SvmModel loaded = test::load_svm(folder.file("m"));
    ASSERT_NE(loaded.hint, nullptr);
    EXPECT_EQ(loaded.hint->record.rows, 17U);
    EXPECT_EQ(loaded.hint->record.C, 100);
    EXPECT_EQ(predict(model).decision.values, predict(loaded).decision.values);
    EXPECT_EQ(predict(model).label, predict(loaded).label);
    io::save_model(loaded, folder.file("again"));
    EXPECT_EQ(read_text(folder.file("m")), read_text(folder.file("again")));
    svm::SvmModel bare = loaded;
    bare.hint = nullptr;
    EXPECT_NE(predict(bare).decision.values, predict(loaded).decision.values);
  }
}

TEST(HintInModelFile, OneAgainstRestIsKept) {
  TemporaryFolder folder;
  for (const std::size_t classes : {3U, 4U}) {
    const svm::SvmModel model = against_rest(classes, kernel::KernelType::rbf, 3);
    io::save_model(model, folder.file("m"));
    const svm::SvmModel loaded = test::load_svm(folder.file("m"));
    EXPECT_EQ(loaded.machines.back().negative, svm::the_rest);
    EXPECT_EQ(loaded.hint, nullptr);
    EXPECT_EQ(predict(model).label, predict(loaded).label);
    EXPECT_EQ(predict(model).score.values, predict(loaded).score.values);
  }
}

TEST(HintInModelFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  io::save_model(hinted(2), folder.file("m"));
  const std::string whole = read_text(folder.file("m"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string part = folder.write("part", std::string_view(whole).substr(0, length));
    expect_error(ErrorCode::format, "", [&] { io::load_model(part); });
    if (HasFailure()) FAIL() << "at length " << length;
  }
}

TEST(HintInModelFile, ContradictionsUnderARightChecksumAreRefused) {
  TemporaryFolder folder;
  const json good = io::to_document(hinted(3));
  const std::vector<std::function<void(json&)>> damages{
      [](json& d) { d["hint"] = 1; },
      [](json& d) { d["hint"].erase("machines"); },
      [](json& d) { d["hint"].erase("rows"); },
      [](json& d) { d["hint"]["rows"] = -1; },
      [](json& d) { d["hint"]["hint"] = d["hint"]; },
      [](json& d) { d["hint"]["machines"].erase(0); },
      [](json& d) { d["hint"]["machines"][0]["negative"] = 1; },
      [](json& d) { d["hint"]["machines"][0]["bias"] = std::numeric_limits<double>::infinity(); },
      [](json& d) { d["hint"]["machines"][1]["support"].get_binary()[3] = 0xff; },
      [](json& d) { d["hint"]["machines"][1]["coefficients"].get_binary().pop_back(); },
      [](json& d) { d["hint"]["kernel"]["type"] = "cubic"; },
      [](json& d) { d["hint"]["support_vectors"]["columns"] = 4; },
      [](json& d) { d["hint"]["support_rows"] = json::binary({}); },
      [](json& d) { d["schema"]["hint_name"] = "prior"; },
      [](json& d) {
        d.erase("hint");
        d["schema"]["hint_name"] = "prior";
      },
      [](json& d) { d["machines"][0]["negative"] = 1; },
      [](json& d) { d["machines"][1]["positive"] = 0; },
      [](json& d) { d["machines"].push_back(d["machines"][0]); },
      // One against one, with a hint of one against the rest.
      [](json& d) {
        const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
        for (std::size_t m = 0; m < 3; ++m) {
          d["machines"][m]["positive"] = pairs[m][0];
          d["machines"][m]["negative"] = pairs[m][1];
        }
      },
  };
  ASSERT_NO_THROW(io::load_model(folder.write("good", file_of(good))));
  for (std::size_t i = 0; i < damages.size(); ++i) {
    json document = good;
    damages[i](document);
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("damaged", file_of(document))); });
    if (HasFailure()) FAIL() << "damage " << i;
  }
}

TEST(HintInModelFile, HintOfAHintIsNotWritten) {
  TemporaryFolder folder;
  svm::SvmModel model = hinted(2);
  model.hint = std::make_shared<const svm::SvmModel>(hinted(2));
  expect_error(ErrorCode::invalid_argument, "hint of its own", [&] { io::save_model(model, folder.file("m")); });
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(HintInModelFile, LibsvmCannotHaveIt) {
  TemporaryFolder folder;
  const auto refused = [&](const svm::SvmModel& model, const std::string& part) {
    expect_error(ErrorCode::invalid_argument, part, [&] { io::export_libsvm(model, folder.file("m.model")); });
  };
  refused(hinted(2), "no hint");
  svm::SvmModel given = against_rest(2, kernel::KernelType::rbf, 4);
  given.schema.hint_name = "prior";
  refused(given, "no hint");
  refused(against_rest(3, kernel::KernelType::rbf, 4), "against the rest");
  EXPECT_EQ(folder.file_count(), 0U);
  EXPECT_NO_THROW(io::export_libsvm(against_rest(2, kernel::KernelType::rbf, 4), folder.file("m.model")));
}

}  // namespace hint_in_model_files_tests
}  // namespace credence
