/// Log loss and Brier score of a model's probabilities on rows that it has not seen, by each map: as the map gives them
/// ("raw"), and as add_probabilities gives them, where the most probable class is the label. One line of JSON for
/// benchmarks/probabilities.py.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "credence/data/reader.hpp"
#include "credence/io/model_file.hpp"
#include "credence/model/probability.hpp"

namespace {

using namespace credence;

struct Score {
  double log_loss = 0;
  double brier = 0;
};

/// As benchmarks/probabilities.py scores its peers: a probability counts as 1e-15 at least, and the Brier score is
/// summed over the classes.
Score score_of(const data::DenseMatrix& probability, const std::vector<int>& labels) {
  Score score;
  const auto n = static_cast<double>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto truth = static_cast<std::size_t>(labels[i]);
    score.log_loss -= std::log(std::max(probability.row(i)[truth], 1e-15)) / n;
    for (std::size_t c = 0; c < probability.columns; ++c)
      score.brier += std::pow(probability.row(i)[c] - (c == truth ? 1 : 0), 2) / n;
  }
  return score;
}

std::string json_of(const Score& score) {
  return fmt::format("[{}, {}]", score.log_loss, score.brier);
}

}  // namespace

int main(int argc, char** argv) {
  std::string model_path;
  std::string data_path;
  CLI::App app("Log loss and Brier score of a model's probabilities, before and after they agree with the labels.");
  app.add_option("MODEL", model_path)->required();
  app.add_option("DATA", data_path)->required();
  CLI11_PARSE(app, argc, argv);

  const core::Threads threads;
  core::Monitor monitor;
  const core::Context context{threads, monitor};
  const auto model = io::load_model(model_path);
  data::ReadOptions reading;
  reading.schema = &model->schema;
  const data::Dataset rows = data::read(data_path, reading);
  const model::Prediction said = model->predict(rows, context);
  std::string separator = "{";
  for (const auto& map : words_of(model::CalibrationMap{})) {
    const model::ProbabilityMaps maps(*model, map.value);
    data::DenseMatrix raw(rows.rows(), maps.classes());
    std::size_t moved = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) maps.apply(said.score.row(i), raw.row(i));
    model::Prediction agreed = said;
    model::add_probabilities(*model, {map.value}, agreed);
    for (std::size_t i = 0; i < rows.rows(); ++i)
      moved += std::ranges::equal(raw.row(i), agreed.probability.row(i)) ? 0U : 1U;
    std::cout << fmt::format("{}\"{}\": {{\"raw\": {}, \"agreed\": {}, \"moved\": {}}}", separator, map.word,
                             json_of(score_of(raw, rows.labels)), json_of(score_of(agreed.probability, rows.labels)),
                             static_cast<double>(moved) / static_cast<double>(rows.rows()));
    separator = ", ";
  }
  std::cout << "}\n";
}
