#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "comparison.hpp"
#include "process.hpp"

namespace credence::bench {
namespace {

std::size_t count_different(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1U : 0U;
  return count;
}

void run_credence(const Problem& problem, const Grid& grid, GridRow& row, GridRun& latest) {
  latest = credence_grid(problem, grid, Scale::none, 1);
  const GridRun two = credence_grid(problem, grid, Scale::none, 2);
  row.credence.push_back(latest.seconds);
  row.two_threads.push_back(two.seconds);
  row.per_fold.push_back(credence_grid(problem, grid, Scale::fold, 1).seconds);
  if (two.errors != latest.errors)
    throw std::runtime_error(problem.name + ": the errors depend on the number of threads");
}

void run_scikit_learn(const Problem& problem, const Grid& grid, const Settings& settings,
                      const std::vector<std::size_t>& libsvm_errors, GridRow& row, nlohmann::json& versions) {
  const std::string file = fmt::format("{}/{}.csv", settings.work, problem.name);
  write_with_folds(file, problem);
  std::vector<double> gammas;
  for (const auto& gamma : grid.gamma) gammas.push_back(gamma.value);
  const nlohmann::json answer =
      run_for_json({settings.python, CREDENCE_SOURCE_DIR "/benchmarks/scikit_learn.py", file,
                    fmt::format("{}", fmt::join(grid.C, ",")), fmt::format("{}", fmt::join(gammas, ","))});
  row.scikit_learn.push_back(answer.at("seconds").get<Seconds>());
  row.scikit_learn_difference = largest_distance(libsvm_errors, answer.at("errors").get<std::vector<std::size_t>>());
  versions["scikit-learn"] = answer.at("version");
  versions["python"] = answer.at("python");
}

}  // namespace

std::size_t largest_distance(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
  return largest;
}

bool Settings::wants(const std::string& name) const {
  return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

bool Settings::has_part(const std::string& part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

GridRow compare_grid(const Problem& problem, const Grid& grid, const Settings& settings, nlohmann::json& versions) {
  GridRow row;
  row.name = problem.name;
  row.rows = problem.standardised.rows();
  row.features = problem.standardised.features.columns();
  const auto runs = static_cast<std::size_t>(settings.runs);

  GridRun ours;
  if (settings.alone)
    for (int run = 0; run < settings.runs; ++run) run_credence(problem, grid, row, ours);
  for (int repeat = 0; repeat < settings.repeats && !settings.alone; ++repeat) {
    const GridRun theirs = libsvm_grid(problem, grid, splits_of_folds(problem.folds), [&](std::size_t gamma) {
      for (std::size_t i = due(gamma, grid.gamma.size(), runs); i > 0; --i) run_credence(problem, grid, row, ours);
    });
    row.libsvm.push_back(theirs.seconds);
    const Seconds middle = median(last(row.credence, runs));
    row.ratios.push_back(theirs.seconds.cpu / middle.cpu);
    row.wall_ratios.push_back(theirs.seconds.wall / middle.wall);
    row.largest_difference = largest_distance(theirs.errors, ours.errors);
    row.differing_settings = count_different(theirs.errors, ours.errors);
    if (!settings.python.empty()) run_scikit_learn(problem, grid, settings, theirs.errors, row, versions);
  }
  row.steps = ours.steps;
  row.factorisations = ours.factorisations;

  std::vector<double> speed_ups;
  for (std::size_t i = 0; i < row.credence.size(); ++i)
    speed_ups.push_back(row.credence[i].wall / row.two_threads[i].wall);
  row.speed_up = median(speed_ups);
  row.scikit_learn_ratio = median(row.scikit_learn).cpu / median(row.credence).cpu;
  return row;
}

void to_json(nlohmann::json& json, const GridRow& row) {
  json = {{"name", row.name},
          {"rows", row.rows},
          {"features", row.features},
          {"libsvm_seconds", row.libsvm},
          {"scikit_learn_seconds", row.scikit_learn},
          {"credence_seconds", row.credence},
          {"credence_per_fold_scaling_seconds", row.per_fold},
          {"credence_two_threads_seconds", row.two_threads},
          {"ratio", row.ratio()},
          {"ratio_wall_clock", median(row.wall_ratios)},
          {"ratio_scikit_learn", row.scikit_learn.empty() ? nlohmann::json() : nlohmann::json(row.scikit_learn_ratio)},
          {"speed_up_two_threads", row.speed_up},
          {"largest_difference_rows", row.largest_difference},
          {"differing_cells", row.differing_settings},
          {"largest_difference_rows_libsvm_scikit_learn",
           row.scikit_learn_difference ? nlohmann::json(*row.scikit_learn_difference) : nlohmann::json()},
          {"smo_steps", row.steps},
          {"factorisations", row.factorisations}};
}

}  // namespace credence::bench
