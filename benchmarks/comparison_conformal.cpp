#include "comparison_conformal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "process.hpp"

namespace credence::bench {
namespace {

constexpr int threads = 2;
constexpr std::size_t gaussian_features = 30;
constexpr std::size_t gaussian_queries = 1000;

void add_versions(const nlohmann::json& answer, nlohmann::json& versions) {
  for (const auto& [name, version] : answer.at("versions").items()) versions[name] = version;
}

void run_plain_query_peers(const std::vector<std::string>& command, PlainQueryRow& row, nlohmann::json& versions) {
  const nlohmann::json answer = run_for_json(command);
  add_versions(answer, versions);
  for (const nlohmann::json& found : answer.at("runs")) {
    const auto name = found.at("name").get<std::string>();
    auto peer = std::find_if(row.peers.begin(), row.peers.end(), [&](const auto& one) { return one.name == name; });
    if (peer == row.peers.end()) peer = row.peers.insert(row.peers.end(), {name, {}});
    peer->seconds.push_back(found.at("seconds").get<Seconds>());
  }
}

/// Each run in a process of its own, as many as wanted.
ConformalSizeRow measure_alone(const std::string& name, std::size_t rows, int runs, const Settings& settings) {
  ConformalSizeRow row;
  row.name = name;
  for (int run = 0; run < runs; ++run) {
    const nlohmann::json answer =
        run_for_json({own_path(), "conformal-alone", name, settings.data, fmt::format("{}", rows)});
    row.rows = answer.at("rows");
    row.test_rows = answer.at("test_rows");
    row.features = answer.at("features");
    row.classes = answer.at("classes");
    row.training.push_back(answer.at("training").get<Seconds>());
    row.ranking.push_back(answer.at("ranking").get<Seconds>());
    row.megabytes = std::max(row.megabytes, answer.at("megabytes").get<double>());
  }
  return row;
}

}  // namespace

double PlainQueryRow::fastest() const {
  double least = 0;
  for (const Peer& peer : peers) {
    const double seconds = median(peer.seconds).wall;
    if (least == 0 || seconds < least) least = seconds;
  }
  return least;
}

PlainQueryRow compare_plain_query(const Settings& settings, nlohmann::json& versions) {
  const SplitData data = read_split(settings.data, "usps");
  PlainQueryRow row{"usps", data.training.rows, data.test.rows, data.training.columns, data.classes, {}, {}, {}};
  const std::string training = settings.work + "/usps.train.numbers";
  const std::string test = settings.work + "/usps.test.numbers";
  write_numbers(training, data.training.values);
  write_numbers(test, data.test.values);
  credence_conformal(data, threads);
  for (int run = 0; run < settings.runs; ++run) {
    const ConformalRun ours = credence_conformal(data, threads);
    row.training.push_back(ours.training);
    row.ranking.push_back(ours.ranking);
    if (settings.alone || settings.python.empty()) continue;
    run_plain_query_peers({settings.python, script("nearest_neighbours.py"), training, test,
                           fmt::format("{}", row.features), fmt::format("{}", threads)},
                          row, versions);
  }
  std::filesystem::remove(training);
  std::filesystem::remove(test);
  return row;
}

ConformalSizeRow measure_shuttle(const Settings& settings) {
  return measure_alone("shuttle", 0, settings.quick ? 1 : 3, settings);
}

ConformalSizeRow measure_gaussians(std::size_t rows, const Settings& settings) {
  return measure_alone("gaussians", rows, rows > 20000 ? 1 : 3, settings);
}

nlohmann::json conformal_alone(const std::string& name, const std::string& folder, std::size_t rows) {
  const MemoryMeter memory;
  const SplitData data =
      name == "shuttle" ? read_split(folder, name) : gaussians(rows, gaussian_queries, gaussian_features);
  const ConformalRun run = credence_conformal(data, threads);
  return {{"rows", data.training.rows},     {"test_rows", data.test.rows}, {"features", data.training.columns},
          {"classes", data.classes},        {"training", run.training},    {"ranking", run.ranking},
          {"megabytes", memory.megabytes()}};
}

double fitted_exponent(const std::vector<ConformalSizeRow>& rows, bool of_training, std::size_t count) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = rows.size() - std::min(count, rows.size()); i < rows.size(); ++i) {
    x.push_back(std::log(static_cast<double>(rows[i].rows)));
    y.push_back(std::log(median(of_training ? rows[i].training : rows[i].ranking).cpu));
  }
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - mean) * y[i];
    squares += (x[i] - mean) * (x[i] - mean);
  }
  return products / squares;
}

ConformalPeerRow compare_conformal_peer(const Settings& settings, nlohmann::json& versions) {
  const SplitData data = gaussians(300, 100, 5, 3);
  ConformalPeerRow row{"nonconformist", data.training.rows, data.test.rows, data.classes, {}, {}, 0};
  const std::string training = settings.work + "/peer.train.numbers";
  const std::string test = settings.work + "/peer.test.numbers";
  write_numbers(training, data.training.values);
  write_numbers(test, data.test.values);
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    conformal::Ranks ranks;
    for (int run = 0; run < settings.runs; ++run) {
      const ConformalRun ours = credence_conformal(data, 1);
      row.credence.push_back(ours.all());
      ranks = ours.ranks;
    }
    const nlohmann::json answer =
        run_for_json({settings.python, script("conformal_peer.py"), training, test,
                      fmt::format("{}", data.training.columns), fmt::format("{}", data.classes)});
    add_versions(answer, versions);
    row.peer.push_back(answer.at("seconds").get<Seconds>());
    const auto counts = answer.at("counts").get<std::vector<std::size_t>>();
    row.differing = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      row.differing += static_cast<double>(counts[i]) != ranks.values[i].greater + ranks.values[i].equal + 1 ? 1U : 0U;
  }
  std::filesystem::remove(training);
  std::filesystem::remove(test);
  return row;
}

}  // namespace credence::bench
