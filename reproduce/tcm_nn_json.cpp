#include "report/selection_report.hpp"

#include "reproduce/tcm_nn_report.hpp"

namespace credence::reproduce::tcm_nn {
namespace {

using report::Json;

Json level_json(const conformal::LevelCounts& counts) {
  return {{"eps", counts.eps},
          {"rows", counts.rows},
          {"errors", counts.errors},
          {"single", counts.single},
          {"multiple", counts.multiple},
          {"empty", counts.empty},
          {"single_errors", counts.single_errors}};
}

Json found_json(const conformal::Evaluation& found) {
  Json regions = Json::array();
  for (const conformal::LevelCounts& counts : found.levels) regions.push_back(level_json(counts));
  Json calibration = Json::array();
  for (const conformal::CalibrationPoint& point : found.calibration)
    calibration.push_back({{"eps", point.eps}, {"error", point.error}});
  return {{"rows", found.rows},
          {"errors", found.errors},
          {"levels", std::move(regions)},
          {"mean_confidence", found.efficiency.mean_confidence},
          {"mean_credibility", found.efficiency.mean_credibility},
          {"calibration", std::move(calibration)},
          {"uniformity",
           {{"statistic", found.uniformity.statistic},
            {"p_value", found.uniformity.p_value},
            {"one_sided", found.uniformity.one_sided}}}};
}

Json pass_json(const Pass& pass) {
  Json folds = Json::array();
  for (const Fold& fold : pass.folds)
    folds.push_back({{"rows", fold.rows}, {"errors", fold.errors}, {"plain_errors", fold.neighbour_errors}});
  return {
      {"seed", pass.seed},
      {"found", found_json(pass.found)},
      {"plain_errors", pass.neighbour_errors()},
      {"ties", {{"rows", pass.ties.rows}, {"errors", pass.ties.errors}, {"unavoidable_errors", pass.ties.unavoidable}}},
      {"folds", std::move(folds)}};
}

Json figure_1_json(const std::optional<Figure1>& figure) {
  if (!figure) return nullptr;
  return {{"rows", figure->rows}, {"tcm_errors", figure->tcm}, {"plain_errors", figure->neighbours}};
}

Json figure_2_json(const std::optional<Figure2>& figure) {
  if (!figure) return nullptr;
  Json points = Json::array();
  for (const Figure2Point& point : figure->points) {
    points.push_back({{"confidence", point.confidence},
                      {"all", point.all},
                      {"sample", point.sample},
                      {"low", point.low},
                      {"high", point.high}});
  }
  return {{"instances", figure->instances}, {"samples", figure->samples}, {"points", std::move(points)}};
}

Json paper_json(const PaperSet& set) {
  Json regions = Json::array();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const PrintedRegions& printed = set.regions[level];
    regions.push_back({{"eps", levels[level]},
                       {"single_percent", printed.single},
                       {"multiple_percent", printed.multiple},
                       {"empty_percent", printed.empty},
                       {"single_correct_percent", printed.correct}});
  }
  return {{"error_percent", set.error}, {"levels", std::move(regions)}};
}

Json set_json(const SetResult& result) {
  Json passes = Json::array();
  for (const Pass& pass : result.passes) passes.push_back(pass_json(pass));
  return {{"key", result.set->key},
          {"name", result.set->name},
          {"file", result.set->file},
          {"training_rows", result.training_rows},
          {"test_rows", result.test_rows},
          {"remarks", result.mismatches},
          {"complete", result.complete},
          {"paper", paper_json(*result.set)},
          {"passes", std::move(passes)},
          {"figure_1", figure_1_json(result.neighbours)},
          {"figure_2", figure_2_json(result.confidence)},
          {"seconds", result.seconds}};
}

}  // namespace

Json report_json(const Report& report) {
  Json sets = Json::array();
  for (const SetResult& result : report.sets) sets.push_back(set_json(result));
  return report_document("tcm-nn", paper_title, report,
                         {{"scale", "none"},
                          {"k", 1},
                          {"smoothing", report.smoothing},
                          {"sets", std::move(sets)},
                          {"repeats", report.shuffles},
                          {"seed", report.seed}});
}

}  // namespace credence::reproduce::tcm_nn
