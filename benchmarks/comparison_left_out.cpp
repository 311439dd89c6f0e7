#include "comparison_selection.hpp"

namespace credence::bench {
namespace {

/// `count` of `rows` rows, evenly spaced; all of them for 0.
std::vector<std::size_t> sample_of(std::size_t rows, std::size_t count) {
  if (count == 0 || count > rows) count = rows;
  std::vector<std::size_t> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(i * rows / count);
  return sample;
}

void run_credence(const Problem& problem, const Grid& grid, LeftOutRow& row, GridRun& latest) {
  latest = credence_leave_one_out(problem, grid, LeftOut::in_turn);
  row.credence.push_back(latest.seconds);
}

void run_refits(const Problem& problem, const Grid& grid, const GridRun& ours, LeftOutRow& row) {
  const GridRun refits = credence_leave_one_out(problem, grid, LeftOut::as_folds);
  row.refits.push_back(refits.seconds);
  row.refit_steps = refits.steps;
  row.refit_difference = largest_distance(refits.errors, ours.errors);
}

}  // namespace

std::vector<LeftOutCase> left_out_cases(bool quick) {
  // n trainings a setting take LIBSVM minutes to an hour on all but the smallest.
  const Recipe glass{"glass", "hardoon_glass.csv.gz", {}, 0};
  const Recipe ionosphere{"ionosphere", "hardoon_ionosphere.csv.gz", {}, 0};
  const Recipe pima{"pima", "pima.csv.gz", {}, 0};
  if (quick) return {{glass, 3, 5, 20}};
  return {{glass, 1, 1, 0}, {ionosphere, 1, 1, 60}, {pima, 3, 3, 20}};
}

LeftOutRow compare_left_out(const LeftOutCase& task, const std::string& folder, const Settings& settings) {
  const Problem problem = prepare(task.recipe, folder);
  const Grid whole;
  Grid grid;
  grid.gamma = thinned(whole.gamma, task.gamma_step);
  grid.C = thinned(whole.C, task.cost_step);
  const std::vector<std::size_t> left_out = sample_of(problem.standardised.rows(), task.sample);
  LeftOutRow row;
  row.name = problem.name;
  row.rows = problem.standardised.rows();
  row.features = problem.standardised.features.columns();
  row.settings = grid.gamma.size() * grid.C.size();
  row.libsvm_rows = left_out.size();
  const auto runs = static_cast<std::size_t>(settings.runs);

  GridRun ours = credence_leave_one_out(problem, grid, LeftOut::in_turn);  // warms up
  for (std::size_t run = 0; settings.alone && run < runs; ++run) run_credence(problem, grid, row, ours);
  for (int repeat = 0; repeat < settings.repeats && !settings.alone; ++repeat) {
    const GridRun theirs = libsvm_grid(problem, grid, splits_without(row.rows, left_out), [&](std::size_t gamma) {
      for (std::size_t i = due(gamma, grid.gamma.size(), runs); i > 0; --i) run_credence(problem, grid, row, ours);
    });
    row.libsvm.push_back(theirs.seconds);
    row.libsvm_steps = theirs.steps;
    row.ratios.push_back(theirs.seconds.cpu * row.scale() / median(last(row.credence, runs)).cpu);
    if (!row.extrapolated()) row.largest_difference = largest_distance(theirs.errors, ours.errors);
  }
  row.credence_steps = ours.steps;
  run_refits(problem, grid, ours, row);
  if (row.settings < whole.gamma.size() * whole.C.size() && !settings.quick) {
    row.full_grid =
        repeated(settings.runs, [&] { return credence_leave_one_out(problem, whole, LeftOut::in_turn).seconds; });
  }
  return row;
}

void to_json(nlohmann::json& json, const LeftOutRow& row) {
  json = {
      {"name", row.name},
      {"rows", row.rows},
      {"features", row.features},
      {"cells", row.settings},
      {"libsvm_rows_left_out", row.libsvm_rows},
      {"libsvm_seconds_of_these_rows", row.libsvm},
      {"libsvm_seconds_scaled_up", median(row.libsvm).cpu * row.scale()},
      {"libsvm_extrapolated", row.extrapolated()},
      {"credence_seconds", row.credence},
      {"credence_n_fold_seconds", row.refits},
      {"credence_full_grid_seconds", row.full_grid},
      {"ratio", row.ratio()},
      {"libsvm_smo_steps_of_these_rows", row.libsvm_steps},
      {"smo_steps", row.credence_steps},
      {"smo_steps_n_fold", row.refit_steps},
      {"largest_difference_rows", row.largest_difference ? nlohmann::json(*row.largest_difference) : nlohmann::json()},
      {"largest_difference_rows_n_fold", row.refit_difference}};
}

}  // namespace credence::bench
