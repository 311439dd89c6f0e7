#include "comparison_conformal.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"

namespace credence::bench {

SplitData read_split(const std::string& folder, const std::string& name) {
  const data::Dataset training = data::read(folder + "/" + name + ".train.csv.gz");
  data::ReadOptions options;
  options.schema = &training.schema;
  const data::Dataset test = data::read(folder + "/" + name + ".test.csv.gz", options);
  return {training.features.to_dense(), training.labels, test.features.to_dense(), training.class_count()};
}

SplitData gaussians(std::size_t rows, std::size_t test_rows, std::size_t features, std::size_t classes) {
  core::RandomStream random(0);
  SplitData data{data::DenseMatrix(rows, features), {}, data::DenseMatrix(test_rows, features), classes};
  const auto fill = [&](std::span<double> row, std::size_t label) {
    for (double& value : row) value = random.normal() + static_cast<double>(label) / 2 - 0.25;
  };
  for (std::size_t i = 0; i < rows; ++i) {
    data.labels.push_back(static_cast<int>(i % classes));
    fill(data.training.row(i), i % classes);
  }
  for (std::size_t i = 0; i < test_rows; ++i) fill(data.test.row(i), i % classes);
  return data;
}

ConformalRun credence_conformal(const SplitData& data, int threads) {
  const core::Threads workers(threads);
  core::Monitor monitor;
  const core::Context context{workers, monitor};
  const Stopwatch training;
  const conformal::TransductiveNeighbours machine(data.training, data.labels, data.classes, {}, context);
  ConformalRun run;
  run.training = training.elapsed();
  const Stopwatch ranking;
  run.ranks = machine.ranks(data.test, false, context);
  run.ranking = ranking.elapsed();
  return run;
}

}  // namespace credence::bench
