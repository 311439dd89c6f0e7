#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/region_family.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace regions_file_tests {

using nlohmann::json;
using test::expect_error;
using test::file_of;
using test::packed;
using test::TemporaryFolder;

/// Clouds with a second place far away, where the first class has a single row: one region answers with what is left
/// there.
data::Dataset rows_of(int classes, bool sparse) {
  test::Clouds clouds = test::random_clouds(160, 3, classes, 0.8, 6);
  for (std::size_t i = 80; i < 160; ++i) {
    clouds.x.row(i)[0] += 60;
    clouds.labels[i] = i < 81 ? "a" : classes == 2 || i % 2 == 0 ? "b" : "c";
  }
  return data::make_dataset(sparse ? data::Features(test::sparse_of(clouds.x)) : data::Features(clouds.x),
                            clouds.labels);
}

std::shared_ptr<const model::Predictor> predictor(int classes, bool sparse = false, int partitions = 1) {
  selection::Options options;
  options.method = selection::Regions{.region_size = 60, .partitions = partitions};
  options.costs.C = {0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.2");
  options.estimate = selection::Estimate::none;
  options.choose_one_svm();
  const test::Surroundings surroundings;
  return selection::Selector(options).select(rows_of(classes, sparse), surroundings.context).predictor;
}

TEST(RegionsFile, PredictsTheSameToTheLastBit) {
  for (const int classes : {2, 3}) {
    for (const bool sparse : {false, true}) {
      const TemporaryFolder folder;
      const auto model = predictor(classes, sparse, sparse ? 2 : 1);
      io::save_model(*model, folder.file("m"));
      const auto loaded = io::load_model(folder.file("m"));
      EXPECT_EQ(io::to_document(*model), io::to_document(*loaded));
      EXPECT_EQ(model->description(), loaded->description());
      EXPECT_EQ(model->decision_names(), loaded->decision_names());
      const data::Dataset rows = rows_of(classes, sparse);
      const test::Surroundings surroundings;
      const model::Prediction a = model->predict(rows, surroundings.context);
      const model::Prediction b = loaded->predict(rows, surroundings.context);
      EXPECT_EQ(a.label, b.label);
      EXPECT_EQ(a.score.values, b.score.values);
      EXPECT_EQ(a.decision.values, b.decision.values);
      EXPECT_EQ(a.decision.rows, classes == 2 ? 160U : 0U);
    }
  }
}

TEST(RegionsFile, AConformalPredictorAroundRegionsIsKept) {
  const TemporaryFolder folder;
  const data::Dataset rows = rows_of(2, false);
  const test::Surroundings surroundings;
  const conformal::Train train = [](const data::Dataset&, const core::Context&) {
    return conformal::classifier_of(*predictor(2));
  };
  const auto fitted = conformal::fit_inductive(rows, {}, {}, train, surroundings.context);
  io::save_model(*fitted, folder.file("m"));
  const auto loaded = io::load_model(folder.file("m"));
  EXPECT_EQ(fitted->predict(rows, surroundings.context).p_value.values,
            loaded->predict(rows, surroundings.context).p_value.values);
}

TEST(RegionsFile, EveryTruncationIsRefused) {
  const TemporaryFolder folder;
  io::save_model(*predictor(2), folder.file("m"));
  const std::string whole = test::read_text(folder.file("m"));
  for (std::size_t length = 0; length < whole.size(); length += length < 100 ? 1 : 97) {
    const std::string part = folder.write("part", std::string_view(whole).substr(0, length));
    expect_error(ErrorCode::format, "", [&] { io::load_model(part); });
    if (HasFailure()) FAIL() << "at length " << length;
  }
}

TEST(RegionsFile, SoundFilesThatContradictThemselvesAreRefused) {
  const json sound = io::to_document(*predictor(2));
  const auto family = [](json& d) -> json& { return test::classifiers(d); };
  const auto regions = [&](json& d) -> json& { return family(d)["partitions"][0]["regions"]; };
  json looked_at = sound;
  std::size_t with_machine = 0;
  std::size_t without = 0;
  for (std::size_t p = 0; p < regions(looked_at).size(); ++p)
    (regions(looked_at)[p].contains("family") ? with_machine : without) = p;
  ASSERT_FALSE(regions(looked_at)[without].contains("family"));
  const std::vector<std::pair<std::string, std::function<void(json&)>>> damages{
      {"no regions", [&](json& d) { regions(d) = json::array(); }},
      {"no regions", [&](json& d) { family(d)["partitions"] = json::array(); }},
      {"no models", [&](json& d) { family(d)["model_count"] = 0; }},
      {"members", [](json& d) { d.erase("members"); }},
      {"no regions", [&](json& d) { family(d)["type"] = "svm"; }},
      {"for models of regions", [](json& d) { d["rule"] = {{"name", "max_margin"}}; }},
      {"other classes", [&](json& d) { family(d)["class_count"] = 3; }},
      {"rows do not fit", [&](json& d) { regions(d).erase(0); }},
      {"rows do not fit", [&](json& d) { family(d)["partitions"][0]["centres"]["columns"] = 1; }},
      {"class", [&](json& d) { regions(d)[without]["classes"] = packed<std::int32_t>({}); }},
      {"class", [&](json& d) { regions(d)[without]["classes"] = packed<std::int32_t>({2}); }},
      {"class", [&](json& d) { regions(d)[with_machine]["classes"] = packed<std::int32_t>({1, 0}); }},
      {"without classes to tell apart",
       [&](json& d) { regions(d)[without]["classes"] = packed<std::int32_t>({0, 1}); }},
      {"a model that does not exist",
       [&](json& d) { regions(d)[with_machine]["model_of"] = packed<std::uint32_t>({1}); }},
      {"not finite",
       [&](json& d) {
         regions(d)[with_machine]["family"]["bias"]["values"] =
             packed<double>({std::numeric_limits<double>::infinity()});
       }},
      {"support vector that does not exist",
       [&](json& d) {
         json& machine = regions(d)[with_machine]["family"]["machines"][0];
         machine["support"] = packed<std::uint32_t>({1000});
         machine["coefficients"] = {{"rows", 1}, {"columns", 1}, {"values", packed<double>({1.0})}};
       }},
      {"a region that does not exist",
       [](json& d) { d["calibration"]["region_of"] = packed(std::vector<std::int32_t>(160, 1000)); }},
      {"a region that does not exist",
       [](json& d) { d["calibration"]["region_of"] = packed(std::vector<std::int32_t>(159, 0)); }},
      {"precomputed kernel", [&](json& d) { regions(d)[with_machine]["family"]["kernel"]["type"] = "precomputed"; }},
  };
  const TemporaryFolder folder;
  for (std::size_t k = 0; k < damages.size(); ++k) {
    json damaged = sound;
    damages[k].second(damaged);
    const std::string path = folder.write("damaged", file_of(damaged));
    expect_error(ErrorCode::format, "", [&] { io::load_model(path); });
    if (HasFailure()) FAIL() << "damage " << k << ", about " << damages[k].first;
  }
}

}  // namespace regions_file_tests
}  // namespace credence
