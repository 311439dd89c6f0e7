#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/row_table.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace row_table_keeps_rows_once_tests {

using namespace credence;
using nlohmann::json;
using test::TemporaryFolder;

std::shared_ptr<const model::Predictor> average(int partitions) {
  selection::Options options;
  options.method = selection::Regions{.region_size = 60, .partitions = partitions, .folds = 3};
  options.costs.C = {0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.2");
  options.estimate = selection::Estimate::none;
  options.choose_one_svm();
  const test::Surroundings surroundings;
  return selection::Selector(options)
      .select(test::random_clouds(200, 3, 2, 0.8, 6).dataset(), surroundings.context)
      .predictor;
}

/// The support vectors of all machines of the document, of regions and of folds.
void for_each_table(json& document, const std::function<void(json&)>& visit) {
  if (document.is_object() && document.contains("support_vectors")) visit(document["support_vectors"]);
  if (document.is_structured())
    for (json& part : document) for_each_table(part, visit);
}

TEST(RowTable, HasEachTrainingRowOfAllMachinesOnce) {
  json document = io::to_document(*average(3));
  const auto values = io::unpack<double, double>(document.at("row_table"), "values");
  const std::size_t columns = document["row_table"]["columns"];
  ASSERT_EQ(columns, 3U);
  std::set<std::vector<double>> rows;
  for (std::size_t i = 0; i < values.size(); i += columns)
    rows.insert(
        {values.begin() + static_cast<std::ptrdiff_t>(i), values.begin() + static_cast<std::ptrdiff_t>(i + columns)});
  EXPECT_EQ(rows.size(), document["row_table"]["rows"]) << "no row twice";
  EXPECT_LE(rows.size(), 200U);
  std::size_t places = 0;
  std::set<std::uint32_t> used;
  for_each_table(document, [&](json& table) {
    for (const auto place : io::unpack<std::uint32_t, std::uint32_t>(table, "places")) used.insert(place), ++places;
  });
  EXPECT_EQ(used.size(), rows.size()) << "no row for nobody";
  EXPECT_GT(places, 3 * rows.size()) << "three partitions, and the folds of each";
}

/// As versions before the table wrote it: every machine with rows of its own.
TEST(RowTable, IsNotNeededToReadAModel) {
  const auto model = average(2);
  json document = io::to_document(*model);
  const io::ReadRows rows(document.at("row_table"));
  document.erase("row_table");
  for_each_table(document, [&](json& table) {
    const data::DenseMatrix own = rows.at(table);
    table = {{"rows", own.rows}, {"columns", own.columns}, {"values", io::pack<double>(own.values)}};
  });
  const TemporaryFolder folder;
  const auto loaded = io::load_model(folder.write("m", test::file_of(document)));
  EXPECT_EQ(io::to_document(*loaded), io::to_document(*model));
}

TEST(RowTable, ThatDoesNotFitIsRefused) {
  const json sound = io::to_document(*average(2));
  const auto first_places = [](json& document) -> json& {
    json* found = nullptr;
    for_each_table(document, [&](json& table) {
      if (found == nullptr) found = &table["places"];
    });
    return *found;
  };
  const std::vector<std::pair<std::string, std::function<void(json&)>>> changes{
      {"the table of rows is missing", [](json& d) { d.erase("row_table"); }},
      {"a model refers to a row that does not exist",
       [&](json& d) { first_places(d) = io::pack<std::uint32_t>(std::vector<std::uint32_t>{1'000'000}); }},
      {"a table has another size than it says", [](json& d) { d["row_table"]["rows"] = 5; }},
      {"field 'places' is cut off",
       [&](json& d) { first_places(d) = json::binary(std::vector<std::uint8_t>{1, 2, 3}); }},
      {"the model contradicts itself",
       [&](json& d) { first_places(d) = io::pack<std::uint32_t>(std::vector<std::uint32_t>{0}); }},
  };
  const TemporaryFolder folder;
  for (const auto& [sentence, change] : changes) {
    json document = sound;
    change(document);
    test::expect_error(ErrorCode::format, sentence,
                       [&] { io::load_model(folder.write("m", test::file_of(document))); });
  }
}

TEST(RowTable, PlacesAreThoseOfEqualRows) {
  io::WrittenRows written;
  data::DenseMatrix first(3, 2);
  first.values = {1, 2, 3, 4, 1, 2};
  data::DenseMatrix second(2, 2);
  second.values = {5, 6, 3, 4};
  using Places = std::vector<std::uint32_t>;
  EXPECT_EQ((io::unpack<std::uint32_t, std::uint32_t>(written.places(first), "places")), (Places{0, 1, 0}));
  EXPECT_EQ((io::unpack<std::uint32_t, std::uint32_t>(written.places(second), "places")), (Places{2, 1}));
  test::expect_error(ErrorCode::invalid_argument, "several widths", [&] { written.places(data::DenseMatrix(1, 3)); });
  const json table = written.table();
  EXPECT_EQ(table.at("rows"), 3);
  EXPECT_EQ((io::unpack<double, double>(table, "values")), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

}  // namespace row_table_keeps_rows_once_tests
