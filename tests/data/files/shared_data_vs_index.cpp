#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "data/files.hpp"
#include "support/shared_data.hpp"

namespace credence::data::test {
namespace shared_data_vs_index_tests {

std::map<std::string, std::size_t> class_counts(const Dataset& dataset) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : label_names(dataset)) ++counts[name];
  return counts;
}

std::size_t missing_cells(const Dataset& dataset) {
  std::size_t count = 0;
  for (const double value : dataset.features.dense().values) count += std::isnan(value) ? 1U : 0U;
  return count;
}

std::vector<std::string> categorical_columns(const Dataset& dataset) {
  std::vector<std::string> names;
  for (const Column& column : dataset.schema.columns)
    if (column.kind == ColumnKind::categorical) names.push_back(column.name);
  return names;
}

TEST(SharedDataVsIndex, EveryFile) {
  CREDENCE_NEEDS_SHARED_DATA("index.json");
  std::ifstream stream(credence::test::shared_data("index.json"));
  const nlohmann::json index = nlohmann::json::parse(stream);
  int files = 0;
  for (const auto& entry : index.at("datasets")) {
    if (entry.at("task") == "regression") continue;
    for (const auto& file : entry.at("files")) {
      const std::string name = file.at("file");
      SCOPED_TRACE(name);
      const Dataset dataset = read(credence::test::shared_data(name), {.missing = Missing::impute});
      EXPECT_EQ(dataset.rows(), file.at("rows").get<std::size_t>());
      EXPECT_EQ(dataset.features.columns(), entry.at("features").get<std::size_t>());
      EXPECT_EQ(dataset.schema.label_name, entry.at("label_column").get<std::string>());
      EXPECT_EQ(class_counts(dataset), (file.at("class_counts").get<std::map<std::string, std::size_t>>()));
      EXPECT_EQ(missing_cells(dataset), file.at("missing_cells").get<std::size_t>());
      EXPECT_EQ(categorical_columns(dataset), file.at("categorical_columns").get<std::vector<std::string>>());
      ++files;
    }
  }
  EXPECT_GT(files, 40);
}

}  // namespace shared_data_vs_index_tests
}  // namespace credence::data::test
