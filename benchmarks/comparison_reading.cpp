#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "comparison.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "process.hpp"

namespace credence::bench {
namespace {

constexpr std::size_t rows = 50000;
constexpr std::size_t columns = 100;
constexpr std::size_t large_rows = 1000000;
constexpr std::size_t large_columns = 20;

/// Normal numbers, two classes.
/// @param decimals  10 to their power; 0: all 17 digits
void write_table(const std::string& plain, const std::string& packed, std::size_t row_count, std::size_t column_count,
                 double decimals) {
  core::RandomStream random(0);
  data::DenseMatrix numbers(row_count, column_count);
  for (double& value : numbers.values) {
    value = random.normal();
    if (decimals > 0) value = std::round(value * decimals) / decimals;
  }
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < row_count; ++i) labels.push_back(numbers.row(i)[0] > 0 ? "1" : "0");
  const data::Dataset dataset = data::make_dataset(std::move(numbers), labels);
  std::vector<std::string> names;
  for (const data::Column& column : dataset.schema.columns) names.push_back(column.name);
  data::write_csv(plain, dataset.features, names, dataset);
  data::write_csv(packed, dataset.features, names, dataset);
}

ReadingRow read_by_credence(const std::string& name, std::size_t cells, const std::string& path, int threads,
                            int runs) {
  ReadingRow row{name, cells, {}};
  data::ReadOptions options;
  options.threads = threads;
  for (int run = 0; run < runs; ++run) {
    const MemoryMeter meter;
    const Stopwatch stopwatch;
    const data::Dataset dataset = data::read(path, options);
    row.seconds.push_back(stopwatch.elapsed());
    row.megabytes = std::max(row.megabytes, meter.megabytes());
  }
  return row;
}

/// A million rows beside the readers of data frames, as far as they are installed.
void add_large_table(const Settings& settings, std::vector<ReadingRow>& table) {
  const std::string plain = settings.work + "/large.csv";
  const std::string packed = settings.work + "/large.csv.gz";
  write_table(plain, packed, large_rows, large_columns, 0);
  constexpr std::size_t cells = large_rows * (large_columns + 1);
  table.push_back(read_by_credence("1,000,000 x 21: Credence, a thread", cells, plain, 1, 1));
  table.push_back(read_by_credence("the same, two threads", cells, plain, 2, 1));
  table.push_back(read_by_credence("the same, gzip", cells, packed, 2, 1));
  for (const char* peer : {"pandas", "pandas_pyarrow", "polars", "pyarrow"}) {
    if (settings.python.empty()) break;
    try {
      const nlohmann::json answer = run_for_json({settings.python, script("reading_peers.py"), peer, plain});
      table.push_back({peer, cells, {answer.at("seconds").get<Seconds>()}, answer.at("megabytes").get<double>()});
    } catch (const std::runtime_error&) {  // it is not installed
    }
  }
  std::filesystem::remove(plain);
  std::filesystem::remove(packed);
}

}  // namespace

std::vector<ReadingRow> compare_reading(const Settings& settings) {
  const std::string plain = settings.work + "/table.csv";
  const std::string packed = settings.work + "/table.csv.gz";
  write_table(plain, packed, rows, columns, 1e4);
  constexpr std::size_t cells = rows * (columns + 1);
  std::vector<ReadingRow> table;
  for (const auto& [name, path] : {std::pair{"Credence, plain", plain}, std::pair{"Credence, gzip", packed}})
    table.push_back(read_by_credence(name, cells, path, 1, settings.runs));
  if (!settings.python.empty()) {
    const nlohmann::json answer =
        run_for_json({settings.python, CREDENCE_SOURCE_DIR "/benchmarks/csv_module.py", plain});
    table.push_back({"Python's csv module and float()", cells, {answer.at("seconds").get<Seconds>()}});
  }
  std::filesystem::remove(plain);
  std::filesystem::remove(packed);
  if (!settings.quick) add_large_table(settings, table);
  return table;
}

void to_json(nlohmann::json& json, const ReadingRow& row) {
  json = {{"name", row.name},
          {"cells", row.cells},
          {"seconds", row.seconds},
          {"cells_per_second_and_core", row.cells_per_second()},
          {"megabytes", row.megabytes}};
}

}  // namespace credence::bench
