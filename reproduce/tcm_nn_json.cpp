#include <fmt/format.h>

#include <utility>

#include "reproduce/tcm_nn.hpp"

#include "credence/core/list.hpp"

namespace credence::reproduce::tcm_nn {
namespace {

Json level_json(const conformal::LevelCounts& counts) {
  return Json::object("confidence_level"_key = core::confidence_level_of(counts.significance), "rows"_key = counts.rows,
                      "errors"_key = counts.errors, "single"_key = counts.single, "multiple"_key = counts.multiple,
                      "empty"_key = counts.empty, "single_errors"_key = counts.single_errors);
}

Json found_json(const conformal::Evaluation& found) {
  return Json::object(
      "rows"_key = found.rows, "errors"_key = found.errors, "levels"_key = Json::list(found.levels, level_json),
      "mean_confidence"_key = found.efficiency.mean_confidence,
      "mean_credibility"_key = found.efficiency.mean_credibility,
      "calibration"_key = Json::list(found.calibration,
                                     [&](const conformal::CalibrationPoint& point) {
                                       return Json::object(
                                           "confidence_level"_key = core::confidence_level_of(point.significance),
                                           "error"_key = point.error);
                                     }),
      "uniformity"_key =
          Json::object("statistic"_key = found.uniformity.statistic, "p_value"_key = found.uniformity.p_value,
                       "one_sided"_key = found.uniformity.one_sided));
}

Json pass_json(const Pass& pass) {
  return Json::object("seed"_key = pass.seed, "found"_key = found_json(pass.found),
                      "plain_errors"_key = pass.neighbour_errors(),
                      "ties"_key = Json::object("rows"_key = pass.ties.rows, "errors"_key = pass.ties.errors,
                                                "unavoidable_errors"_key = pass.ties.unavoidable),
                      "folds"_key = Json::list(pass.folds, [&](const Fold& fold) {
                        return Json::object("rows"_key = fold.rows, "errors"_key = fold.errors,
                                            "plain_errors"_key = fold.neighbour_errors);
                      }));
}

Json figure_1_json(const std::optional<Figure1>& figure) {
  if (!figure) return nullptr;
  return Json::object("rows"_key = figure->rows, "tcm_errors"_key = figure->tcm,
                      "plain_errors"_key = figure->neighbours);
}

Json figure_2_json(const std::optional<Figure2>& figure) {
  if (!figure) return nullptr;
  return Json::object("instances"_key = figure->instances, "samples"_key = figure->samples,
                      "points"_key = Json::list(figure->points, [&](const Figure2Point& point) {
                        return Json::object("confidence"_key = point.confidence, "all"_key = point.all,
                                            "sample"_key = point.sample, "low"_key = point.low,
                                            "high"_key = point.high);
                      }));
}

Json paper_json(const PaperSet& set) {
  Json sets = Json::array();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const PrintedSets& printed = set.sets[level];
    sets.push_back(Json::object("confidence_level"_key = core::confidence_level_of(levels[level]),
                                "single_percent"_key = printed.single, "multiple_percent"_key = printed.multiple,
                                "empty_percent"_key = printed.empty, "single_correct_percent"_key = printed.correct));
  }
  return Json::object("error_percent"_key = set.error, "levels"_key = std::move(sets));
}

Json set_json(const SetResult& result) {
  return Json::object("key"_key = result.set->key, "name"_key = result.set->name, "file"_key = result.set->file,
                      "training_rows"_key = result.training_rows, "test_rows"_key = result.test_rows,
                      "remarks"_key = result.mismatches, "complete"_key = result.complete,
                      "paper"_key = paper_json(*result.set), "passes"_key = Json::list(result.passes, pass_json),
                      "figure_1"_key = figure_1_json(result.neighbours),
                      "figure_2"_key = figure_2_json(result.confidence), "seconds"_key = result.seconds);
}

/// Of each set the error, and the kinds of prediction sets at each level.
report::Reproduction beside(const Report& report) {
  report::Reproduction reproduction;
  for (const SetResult& result : report.sets) {
    const auto add = [&](std::string what, double printed, const auto& of) {
      report::PaperFigure figure{result.set->name, std::move(what), {}, {}, printed};
      if (!result.passes.empty())
        figure.ours = figure_over(result.passes, [&](const Pass& pass) { return of(pass.found); }).mean;
      reproduction.figures.push_back(std::move(figure));
    };
    add("error, %", result.set->error,
        [](const conformal::Evaluation& found) { return 100 * report::share(found.errors, found.rows).value_or(0); });
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const PrintedSets& printed = result.set->sets[l];
      const auto add_kind = [&](const char* kind, double paper, std::size_t conformal::LevelCounts::*counted) {
        add(fmt::format("{} at {}, %", kind, levels[l]), paper, [&](const conformal::Evaluation& found) {
          return 100 * report::share(found.levels[l].*counted, found.levels[l].rows).value_or(0);
        });
      };
      add_kind("one class", printed.single, &conformal::LevelCounts::single);
      add_kind("several classes", printed.multiple, &conformal::LevelCounts::multiple);
      add_kind("no class", printed.empty, &conformal::LevelCounts::empty);
    }
  }
  return reproduction;
}

}  // namespace

Json report_json(const Report& report) {
  return report_document("tcm-nn", paper_title, report,
                         Json::object("scale"_key = "none", "k"_key = 1, "smoothing"_key = report.smoothing,
                                      "sets"_key = Json::list(report.sets, set_json), "repeats"_key = report.shuffles,
                                      "seed"_key = report.seed),
                         beside(report));
}

}  // namespace credence::reproduce::tcm_nn
