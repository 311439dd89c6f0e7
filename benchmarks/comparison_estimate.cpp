#include "comparison_selection.hpp"

namespace credence::bench {

EstimateRow compare_estimates(const Problem& problem, const Grid& grid, const Settings& settings) {
  EstimateRow row;
  row.name = problem.name;
  selection::Options options;
  set_grid(options, grid);
  const auto run = [&](selection::Estimate estimate) {
    options.estimate = estimate;
    return credence_selection(problem.raw, options, 1);
  };
  run(selection::Estimate::bbc);  // warms up
  for (int i = 0; i < settings.runs; ++i) {
    row.none.push_back(run(selection::Estimate::none).seconds);
    const SelectionRun with = run(selection::Estimate::bbc);
    row.bbc.push_back(with.seconds);
    row.shares.push_back(with.selection.honest->seconds / with.seconds.wall);
  }
  row.nested = repeated(settings.quick ? 0 : settings.runs, [&] { return run(selection::Estimate::nested).seconds; });
  return row;
}

void to_json(nlohmann::json& json, const EstimateRow& row) {
  json = {{"name", row.name},
          {"none_seconds", row.none},
          {"bbc_seconds", row.bbc},
          {"nested_seconds", row.nested},
          {"bbc_share", row.share()},
          {"bbc_over_none", median(row.bbc).cpu / median(row.none).cpu},
          {"nested_over_bbc", row.nested_over_bbc()}};
}

}  // namespace credence::bench
