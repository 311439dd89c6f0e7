#include "comparison_selection.hpp"

namespace credence::bench {
namespace {

MethodRow measure(const std::string& method, const Problem& problem, const Grid& grid, int runs) {
  MethodRow row;
  row.method = method;
  selection::Options options;
  options.method = selection::method_named(method);
  set_grid(options, grid);
  const auto run = [&](selection::Estimate estimate, int threads) {
    options.estimate = estimate;
    const SelectionRun done = credence_selection(problem.raw, options, threads, true);
    row.steps = 0;
    for (const selection::Setting& setting : done.selection.grid) row.steps += setting.steps;
    if (done.selection.best) row.error = done.selection.grid[*done.selection.best].error;
    return done.seconds;
  };
  row.one_thread = repeated(runs, [&] { return run(selection::Estimate::none, 1); });
  row.two_threads = repeated(runs, [&] { return run(selection::Estimate::none, 2); });
  row.with_bbc = repeated(runs, [&] { return run(selection::Estimate::bbc, 1); });
  return row;
}

}  // namespace

std::vector<MethodRow> compare_methods(const Problem& problem, const Grid& grid, const Settings& settings) {
  std::vector<MethodRow> rows;
  for (const std::string& method : selection::methods())
    rows.push_back(measure(method, problem, grid, settings.quick ? 0 : settings.runs));
  return rows;
}

void to_json(nlohmann::json& json, const MethodRow& row) {
  json = {{"method", row.method},
          {"seconds", row.one_thread},
          {"two_threads_seconds", row.two_threads},
          {"with_bbc_seconds", row.with_bbc},
          {"smo_steps", row.steps},
          {"score", row.error ? nlohmann::json(*row.error) : nlohmann::json()}};
}

}  // namespace credence::bench
