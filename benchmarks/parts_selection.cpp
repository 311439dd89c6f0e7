#include <fmt/format.h>

#include <filesystem>

#include "parts.hpp"

namespace credence::bench {
namespace {

bool is_there(const std::string& folder, const std::string& file) {
  return std::filesystem::exists(folder + "/" + file);
}

/// pima, or the shipped set where it is missing.
Problem pima_or_shipped(const Settings& settings) {
  const Recipe pima = grid_recipes().front();
  return is_there(settings.data, pima.file) ? prepare(pima, settings.data)
                                            : prepare(shipped_recipe(), CREDENCE_SOURCE_DIR "/data");
}

/// Nothing if LIBSVM was left out.
std::string against_libsvm(double ratio, bool extrapolated) {
  return ratio == 0 ? "" : fmt::format(": {:.0f} times LIBSVM{}", ratio, extrapolated ? ", extrapolated" : "");
}

}  // namespace

void compare_left_outs(Results& results) {
  const Settings& settings = results.settings;
  for (const LeftOutCase& task : left_out_cases(settings.quick)) {
    if (!settings.wants(task.recipe.name)) continue;
    if (!is_there(settings.data, task.recipe.file)) {
      results.notes.push_back(task.recipe.file + " is not in " + settings.data + ": no leave-one-out on it");
      continue;
    }
    results.left_out.push_back(compare_left_out(task, settings.data, settings));
    const LeftOutRow& row = results.left_out.back();
    say(fmt::format("loo {}{}", row.name, against_libsvm(row.ratio(), row.extrapolated())));
    save(results);
  }
}

void compare_predictions(Results& results, const Grid& grid) {
  if (!results.settings.wants(prediction_name)) return;
  results.prediction.push_back(compare_prediction(grid, results.settings));
  say("predict" + against_libsvm(results.prediction.back().ratio(), true));
  save(results);
}

void compare_selections(Results& results, const Grid& grid) {
  const Settings& settings = results.settings;
  if (!settings.wants(grid_recipes().front().name)) return;
  const Problem problem = pima_or_shipped(settings);
  if (settings.has_part("estimate")) {
    results.estimates.push_back(compare_estimates(problem, grid, settings));
    say(fmt::format("estimate {}: bbc is {:.1f}% of the run", problem.name, 100 * results.estimates.back().share()));
    save(results);
  }
  if (settings.has_part("methods")) {
    results.methods_name = problem.name;
    results.methods = compare_methods(problem, grid, settings);
    say("methods " + problem.name);
    save(results);
  }
}

}  // namespace credence::bench
