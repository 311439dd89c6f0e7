#include <cmath>
#include <filesystem>

#include "comparison.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "process.hpp"

namespace credence::bench {
namespace {

constexpr std::size_t rows = 50000;
constexpr std::size_t columns = 100;

/// Normal numbers with four decimals, two classes.
void write_table(const std::string& plain, const std::string& packed) {
  core::RandomStream random(0);
  data::DenseMatrix numbers(rows, columns);
  for (double& value : numbers.values) value = std::round(random.normal() * 1e4) / 1e4;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(numbers.row(i)[0] > 0 ? "1" : "0");
  const data::Dataset dataset = data::make_dataset(std::move(numbers), labels);
  std::vector<std::string> names;
  for (const data::Column& column : dataset.schema.columns) names.push_back(column.name);
  data::write_csv(plain, dataset.features, names, dataset);
  data::write_csv(packed, dataset.features, names, dataset);
}

}  // namespace

std::vector<ReadingRow> compare_reading(const Settings& settings) {
  const std::string plain = settings.work + "/table.csv";
  const std::string packed = settings.work + "/table.csv.gz";
  write_table(plain, packed);
  constexpr std::size_t cells = rows * (columns + 1);
  std::vector<ReadingRow> table;
  for (const auto& [name, path] : {std::pair{"Credence, plain", plain}, std::pair{"Credence, gzip", packed}}) {
    ReadingRow row{name, cells, {}};
    for (int run = 0; run < settings.runs; ++run) {
      const Stopwatch stopwatch;
      const data::Dataset dataset = data::read(path);
      row.seconds.push_back(stopwatch.elapsed());
    }
    table.push_back(row);
  }
  if (!settings.python.empty()) {
    const nlohmann::json answer =
        run_for_json({settings.python, CREDENCE_SOURCE_DIR "/benchmarks/csv_module.py", plain});
    table.push_back({"Python's csv module and float()", cells, {answer.at("seconds").get<Seconds>()}});
  }
  std::filesystem::remove(plain);
  std::filesystem::remove(packed);
  return table;
}

void to_json(nlohmann::json& json, const ReadingRow& row) {
  json = {{"name", row.name},
          {"cells", row.cells},
          {"seconds", row.seconds},
          {"cells_per_second_and_core", row.cells_per_second()}};
}

}  // namespace credence::bench
