#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "credence/io/model_file.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace random_file_tests {

using nlohmann::json;
using selection::Ensemble;
using test::classifiers;
using test::expect_error;
using test::file_of;
using test::packed;
using test::read_text;
using test::TemporaryFolder;

/// Of a nested cross-validation whose preprocessing differs from fold to fold, or is none at all.
Ensemble random_predictor(int classes, data::Scaling scaling, bool sparse = false) {
  test::Clouds clouds = test::random_clouds(30, 3, classes, 0.3, 6);
  selection::Options options;
  options.method = selection::KFoldNested{};
  test::set_final(options, selection::FinalClassifier::random);
  test::set_folds(options, 3);
  options.costs.C = {0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.2");
  options.preparation.scalings = {scaling};
  options.seed = std::numeric_limits<std::uint64_t>::max();
  test::Surroundings surroundings;
  const data::Dataset dataset =
      sparse ? data::make_dataset(data::Features(test::sparse_of(clouds.x)), clouds.labels) : clouds.dataset();
  const auto selection = selection::Selector(options).select(dataset, surroundings.context);
  return dynamic_cast<const Ensemble&>(*selection.predictor);
}

TEST(RandomFile, PredictsTheSameToTheLastBit) {
  for (const int classes : {2, 3}) {
    for (const data::Scaling scaling : {data::Scaling::none, data::Scaling::standard}) {
      for (const bool sparse : {false, true}) {
        TemporaryFolder folder;
        const Ensemble random = random_predictor(classes, scaling, sparse);
        io::save_model(random, folder.file("m"));
        const auto loaded = io::load_model(folder.file("m"));
        EXPECT_EQ(io::to_document(random), io::to_document(*loaded));
        const auto& parts = dynamic_cast<const Ensemble&>(*loaded).members.parts;
        ASSERT_EQ(parts.size(), 3U);
        EXPECT_EQ(loaded->record.seed, random.record.seed);
        const data::Dataset rows = test::random_clouds(50, 3, classes, 0.3, 7).dataset();
        test::Surroundings surroundings;
        const auto a = random.predict(rows, surroundings.context);
        const auto b = loaded->predict(rows, surroundings.context);
        EXPECT_EQ(a.label, b.label);
        EXPECT_EQ(a.chosen, b.chosen);
        for (std::size_t m = 0; m < parts.size(); ++m) {
          const data::Features own = parts[m].preprocessing->apply(rows);
          EXPECT_EQ(parts[m].family->score_all(own, surroundings.context).values,
                    random.members.parts[m].family->score_all(own, surroundings.context).values);
        }
      }
    }
  }
}

TEST(RandomFile, MembersDoNotRepeatWhatTheyShare) {
  const json alike = io::to_document(random_predictor(2, data::Scaling::none));
  const json unlike = io::to_document(random_predictor(2, data::Scaling::standard));
  for (const json& member : alike.at("members").at("parts")) EXPECT_TRUE(member.at("preprocessing").is_string());
  EXPECT_TRUE(unlike.at("members").at("parts").back().at("preprocessing").is_object());
}

TEST(RandomFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  io::save_model(random_predictor(2, data::Scaling::standard), folder.file("m"));
  const std::string whole = read_text(folder.file("m"));
  for (std::size_t length = 0; length < whole.size(); length += length < 100 ? 1 : 37) {
    const std::string part = folder.write("part", std::string_view(whole).substr(0, length));
    expect_error(ErrorCode::format, "", [&] { io::load_model(part); });
    if (HasFailure()) FAIL() << "at length " << length;
  }
}

TEST(RandomFile, SoundFilesThatContradictThemselvesAreRefused) {
  const json sound = io::to_document(random_predictor(2, data::Scaling::standard));
  const std::vector<std::pair<std::string, std::function<void(json&)>>> damages{
      {"no members", [](json& d) { d["members"]["parts"] = json::array(); }},
      {"seed", [](json& d) { d["rule"]["seed"] = -1; }},
      {"members", [](json& d) { d.erase("members"); }},
      {"cannot be read", [](json& d) { d["members"] = 7; }},
      {"cannot be read", [](json& d) { d["members"]["parts"][1] = 7; }},
      {"cannot be read", [](json& d) { classifiers(d, 1).erase("kernel"); }},
      {"support vector that does not exist",
       [](json& d) {
         json& machine = classifiers(d, 2)["machines"][0];
         machine["support"] = packed<std::uint32_t>({1000});
         machine["coefficients"] = {{"rows", 1}, {"columns", 1}, {"values", packed<double>({1.0})}};
       }},
      {"not finite",
       [](json& d) { classifiers(d)["bias"]["values"] = packed<double>({std::numeric_limits<double>::infinity()}); }},
      {"other classes", [](json& d) { d["schema"]["classes"].push_back("z"); }},
      {"columns",
       [](json& d) {
         d["members"]["parts"][1]["preprocessing"]["fill"] = packed<double>({0.0, 0.0});
         d["members"]["parts"][1]["preprocessing"]["output"] = packed<std::uint64_t>({0, 1});
       }},
  };
  TemporaryFolder folder;
  EXPECT_NE(io::load_model(folder.write("sound", file_of(sound))), nullptr);
  for (const auto& [sentence, damage] : damages) {
    json document = sound;
    damage(document);
    expect_error(ErrorCode::format, sentence, [&] { io::load_model(folder.write("damaged", file_of(document))); });
  }
}

}  // namespace random_file_tests
}  // namespace credence
