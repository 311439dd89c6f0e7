#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <set>

#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"
#include "parts.hpp"
#include "process.hpp"

namespace credence::bench {

void say(const std::string& line) {
  fmt::print(stderr, "{}\n", line);
}

void save(const Results& results) {
  const std::filesystem::path path = results.settings.json;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  core::write_atomically(path.string(), as_json(results).dump(2) + "\n");
}

namespace {

Grid chosen_grid(bool quick) {
  Grid grid;
  if (!quick) return grid;
  grid.gamma = thinned(grid.gamma, 3);
  return grid;
}

void compare_trainings(Results& results) {
  for (const TrainingCase& task : training_cases()) {
    if (!results.settings.wants(task.name)) continue;
    if (!std::filesystem::exists(results.settings.data + "/" + task.file)) {
      const std::string note = task.file + " is not in " + results.settings.data + ": no training on it";
      if (results.notes.empty() || results.notes.back() != note) results.notes.push_back(note);
      continue;
    }
    results.training.push_back(compare_training(task, results.settings));
    const TrainingRow& row = results.training.back();
    say(fmt::format("train {} C={} gamma={}: {:.1f} times LIBSVM", task.name, task.C, task.gamma, row.ratio()));
    save(results);
  }
}

void compare_grids(Results& results) {
  const Settings& settings = results.settings;
  const Grid grid = chosen_grid(settings.quick);
  results.grid_size = grid.C.size() * grid.gamma.size();
  bool any_there = false;
  std::vector<std::pair<Recipe, std::string>> chosen;
  for (const Recipe& recipe : grid_recipes()) {
    const bool there = std::filesystem::exists(settings.data + "/" + recipe.file);
    any_there = any_there || there;
    if (!settings.wants(recipe.name)) continue;
    if (there)
      chosen.emplace_back(recipe, settings.data);
    else
      results.notes.push_back(recipe.file + " is not in " + settings.data + ": no grid on it");
  }
  if (!any_there) {
    results.notes = {"no data set is in " + settings.data + ": only the one that ships with the project is used"};
    chosen.emplace_back(shipped_recipe(), CREDENCE_SOURCE_DIR "/data");
  }
  for (const auto& [recipe, folder] : chosen) {
    results.grids.push_back(compare_grid(prepare(recipe, folder), grid, settings, results.machine["versions"]));
    const GridRow& row = results.grids.back();
    say(settings.alone ? fmt::format("grid {}", row.name)
                       : fmt::format("grid {}: {:.1f} times LIBSVM", row.name, row.ratio()));
    save(results);
  }
}

void compare_all(const Settings& settings) {
  Results results;
  results.settings = settings;
  results.machine = describe_machine();
  std::filesystem::create_directories(settings.work);
  if (settings.has_part("train") && !settings.alone) compare_trainings(results);
  if (settings.has_part("csv")) results.reading = compare_reading(settings);
  if (settings.has_part("grid")) compare_grids(results);
  Grid grid = chosen_grid(settings.quick);
  if (settings.quick) {
    grid.gamma = thinned(grid.gamma, 2);
    grid.C = thinned(grid.C, 5);
  }
  if (settings.has_part("loo")) compare_left_outs(results);
  if (settings.has_part("predict")) compare_predictions(results, grid);
  if (settings.has_part("estimate") || settings.has_part("methods")) compare_selections(results, grid);
  if (settings.has_part("many")) compare_many_classes(results);
  if (settings.has_part("conformal")) compare_conformal(results);
  if (settings.has_part("in-sample")) compare_in_sample(results);
  if (settings.has_part("rvm")) compare_rvms(results);
  save(results);
  fmt::print("{}\nAll timings: {}\n", as_text(results), settings.json);
}

/// Names that --only may give.
std::set<std::string> known_names() {
  std::set<std::string> names;
  for (const Recipe& recipe : grid_recipes()) names.insert(recipe.name);
  for (const Recipe& recipe : many_class_recipes()) names.insert(recipe.name);
  for (const TrainingCase& task : training_cases()) names.insert(task.name);
  for (const LeftOutCase& task : left_out_cases(false)) names.insert(task.recipe.name);
  names.insert(prediction_name);
  for (const char* name : {"usps", "gaussians", "small", "digits", "prostate", "synthetic", "sinc", "friedman"})
    names.insert(name);
  return names;
}

int run(int argc, char** argv) {
  Settings settings;
  settings.data = CREDENCE_SOURCE_DIR "/../shared/data";
  settings.work = CREDENCE_SOURCE_DIR "/build/bench";
  settings.json = settings.work + "/results.json";
  CLI::App app("Compares the speed of Credence with LIBSVM, scikit-learn and others.");
  app.add_option("--data", settings.data, "folder of the data sets; where it is missing, the shipped set is used");
  app.add_option("--work", settings.work, "folder for temporary files")->capture_default_str();
  app.add_option("--json", settings.json, "file for all timings")->capture_default_str();
  app.add_option("--python", settings.python, "interpreter that has scikit-learn; default: leave it out");
  app.add_option("--only", settings.only, "data sets to run, comma-separated; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(known_names()));
  app.add_option("--parts", settings.parts,
                 "of: train, csv, grid, loo, predict, estimate, methods, many,\nconformal, in-sample, rvm")
      ->delimiter(',')
      ->check(CLI::IsMember(Settings{}.parts))
      ->capture_default_str();
  app.add_flag("--quick", settings.quick, "every third gamma only, and less of everything that takes long");
  app.add_flag("--alone", settings.alone, "Credence only: no LIBSVM, no scikit-learn");
  app.add_option("--repeats", settings.repeats, "runs of LIBSVM and scikit-learn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--runs", settings.runs, "runs of Credence for each of LIBSVM's, spread evenly over it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();

  // One side of one training in a process of its own; compare_training() calls it.
  CLI::App* alone = app.add_subcommand("train-alone")->group("");
  std::string side;
  std::string file;
  std::size_t rows = 0;
  double C = 1;
  double gamma = 1;
  std::size_t budget = 0;
  alone->add_option("side", side)->required();
  alone->add_option("file", file)->required();
  alone->add_option("rows", rows)->required();
  alone->add_option("C", C)->required();
  alone->add_option("gamma", gamma)->required();
  alone->add_option("budget", budget)->required();

  // One conformal prediction in a process of its own; measure_shuttle() and measure_gaussians() call it.
  CLI::App* conformal = app.add_subcommand("conformal-alone")->group("");
  std::string name;
  std::string folder;
  std::size_t conformal_rows = 0;
  conformal->add_option("name", name)->required();
  conformal->add_option("folder", folder)->required();
  conformal->add_option("rows", conformal_rows)->required();

  // dlib on one problem in a process of its own; compare_rvm() calls it.
  CLI::App* dlib = app.add_subcommand("rvm-dlib-alone")->group("");
  std::string training;
  std::string test;
  std::size_t columns = 0;
  double sigma = 1;
  std::string task;
  dlib->add_option("training", training)->required();
  dlib->add_option("test", test)->required();
  dlib->add_option("columns", columns)->required();
  dlib->add_option("sigma", sigma)->required();
  dlib->add_option("task", task)->required();

  CLI11_PARSE(app, argc, argv);
  if (dlib->parsed())
    fmt::print("{}\n", dlib_alone(training, test, columns, sigma, task).dump());
  else if (alone->parsed())
    fmt::print("{}\n", train_alone(side, file, rows, C, gamma, budget).dump());
  else if (conformal->parsed())
    fmt::print("{}\n", conformal_alone(name, folder, conformal_rows).dump());
  else
    compare_all(settings);
  return 0;
}

}  // namespace
}  // namespace credence::bench

int main(int argc, char** argv) {
  try {
    return credence::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "credence_bench: {}\n", error.what());
    return 1;
  }
}
