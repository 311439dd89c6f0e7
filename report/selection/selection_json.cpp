
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "credence/data/splits.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/run.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/selection/selection_report.hpp"
#include "report/setting_words.hpp"

namespace credence::report {
namespace {

using selection::Selection;
using selection::Setting;

Json chosen_json(const Selection& selection, const std::optional<std::size_t>& index, bool by_sigma) {
  if (!index) return nullptr;
  Json document = parameters_json(selection.grid[*index], by_sigma);
  const Setting& setting = selection.grid[*index];
  return document.add("error"_key = setting.error, "error_std"_key = setting.error_std,
                      "error_se"_key = setting.error_se, "split_scores"_key = setting.split_scores);
}

/// Which settings were judged, on how many rows; null of a selection that was not stopped.
Json reached_json(const Selection& selection) {
  const auto found = selection::reached(selection);
  if (!found) return nullptr;
  return Json::object("settings"_key = found->settings, "of_settings"_key = found->of_settings,
                      "rows"_key = found->rows, "of_rows"_key = found->of_rows);
}

/// The average of settings; null where one setting, or another rule, decides.
Json average_json(const std::optional<selection::SettingAverage>& average) {
  if (!average) return nullptr;
  return Json::object("members"_key = average->members, "error"_key = average->error,
                      "error_se"_key = average->error_se);
}

Json grid_json(const std::vector<Setting>& settings, bool by_sigma) {
  Json grid = Json::array();
  for (const Setting& setting : settings) {
    const auto known = [&](const auto& value) { return setting.complete ? Json(value) : Json(nullptr); };
    Json document = parameters_json(setting, by_sigma);
    document.add("error"_key = known(setting.error), "error_std"_key = known(setting.error_std),
                 "error_se"_key = known(setting.error_se), "n_sv"_key = known(setting.n_sv),
                 "steps"_key = known(setting.steps), "factorisations"_key = known(setting.factorisations),
                 "infeasible"_key = setting.infeasible);
    if (setting.given_up != selection::GivenUp::no)
      document["given_up"] = std::string(selection::name(setting.given_up));
    if (setting.added) document["added"] = true;
    if (setting.rung > 0) document.add("rung"_key = setting.rung, "rung_error"_key = setting.error);
    if (setting.evidence) document["evidence"] = kernel_evidence_json(*setting.evidence);
    grid.push_back(std::move(document));
  }
  return grid;
}

/// The rungs of a race; null where the settings did not race.
Json race_json(const Selection& selection) {
  if (!selection.race) return nullptr;
  Json rungs = Json::list(selection.race->rungs, [](const selection::Rung& rung) {
    return Json::object("rows"_key = rung.rows, "resamples"_key = rung.resamples, "judged"_key = rung.judged,
                        "survived"_key = rung.survived, "seconds"_key = rung.seconds);
  });
  return Json::object("asked_for"_key = selection.race->asked_for, "rungs"_key = rungs);
}

/// How many models the predictor keeps, and how many of them vote, if they do.
Json kept_json(const Selection& selection) {
  const model::Capabilities able = selection.predictor ? selection.predictor->capabilities() : model::Capabilities{};
  if (!able.models) return nullptr;
  return Json::object("models"_key = *able.models, "voting"_key = able.voting);
}

/// What the model's p-values, or intervals, rest on; null where it has none.
Json kept_calibration_json(const model::Calibration& calibration) {
  if (calibration.empty()) return nullptr;
  return Json::object(
      "source"_key = calibration.source, "rows"_key = calibration.nonconformity_scores.size(),
      "p_values"_key = core::word(calibration.p_values), "grade"_key = model::grade_of(calibration.p_values),
      "promise"_key = model::sentence_of(calibration.p_values), "by_region"_key = !calibration.region_of.empty());
}

/// What was chosen, why, and under which options, with the whole grid.
Json selection_json(const Selection& selection, const data::ReadOptions& reading, const std::string& source) {
  const selection::Options& options = selection.options;
  const bool by_sigma = shows_sigma(options);
  Json honest;
  if (const auto& estimate = selection.honest)
    honest = estimate_json(*estimate, selection.partition() != nullptr, core::word(selection.honest_kind()));
  Json document = Json::object(
      "kind"_key = "selection", "method"_key = selection.options.name(), "status"_key = status_word(selection.stopped),
      "score"_key = selection.score, "score_kind"_key = core::word(selection.score_kind()),
      "best"_key = chosen_json(selection, selection.best, by_sigma),
      "runner_up"_key = chosen_json(selection, selection.runner_up, by_sigma),
      "average"_key = average_json(selection.average), "best_on_border"_key = selection.best_on_border,
      "honest"_key = honest, "race"_key = race_json(selection), "reached"_key = reached_json(selection),
      "kept"_key = kept_json(selection), "calibration"_key = kept_calibration_json(selection.calibration),
      "grid"_key = grid_json(selection.grid, by_sigma), "n"_key = selection.n, "features"_key = selection.features,
      "label"_key = selection.label, "classes"_key = selection.classes, "class_counts"_key = selection.class_counts,
      "resamples"_key = selection.resamples, "validation_rows"_key = selection.validation_rows,
      "set_aside"_key = selection.set_aside, "options"_key = plan_json({options, reading}),
      "learner"_key = core::word(options.learner()), "scale_scope"_key = core::word(selection.scale_scope),
      "source"_key = source, "warnings"_key = selection_warnings(selection), "notes"_key = selection.notes,
      "seed"_key = selection.options.seed, "threads"_key = selection.threads, "seconds"_key = selection.seconds,
      "version"_key = selection.version);
  if (selection.options.task == data::Task::classification) {
    document.add("baseline"_key = baseline_json(baseline_of(selection)),
                 "recall"_key = recall_json(recall_of(selection.calibration, selection.classes)));
    if (const auto numbers = paper_numbers(selection)) document["numbers"] = paper_json(*numbers);
  }
  add_findings(selection, document);
  if (options.has_rvms()) {
    document.add("task"_key = selection.options.task == data::Task::regression ? "regression" : "classification",
                 "memorised"_key = selection.memorised, "effective"_key = selection.effective);
  }
  return document;
}

/// Of the rows that were not set aside, by models that had not seen them.
void add_trust_charts(const Selection& selection, const data::Dataset& dataset, Section& section) {
  const std::vector<bool> aside = selection.set_aside > 0 ? selection::set_aside_rows(dataset, selection.options)
                                                          : std::vector<bool>(dataset.rows(), false);
  const data::Dataset rows = selection.set_aside > 0 ? dataset.select_rows(data::rows_where(aside, false)) : dataset;
  const model::Calibration& calibration = selection.calibration;
  const auto prediction = prediction_of(calibration, rows);
  if (!prediction) return;
  section.say(fmt::format(
      "Each row was judged by models that had not seen it in their training ({}), and compared with the scores of {}{}",
      calibration.source,
      calibration.region_of.empty() ? "all other rows" : "the other rows of its own region of the feature space",
      calibration.p_values == model::PValues::cross ? ". New rows may do a little worse: credence evaluate MODEL DATA "
                                                      "--report FILE.html counts on rows kept aside."
                                                    : "."));
  add_trust_charts(*prediction, rows, section);
}

}  // namespace

Json estimate_json(const selection::HonestEstimate& estimate, bool in_regions, std::string_view score_kind) {
  Json document = Json::object("method"_key = estimate.method, "basis"_key = honest_basis(estimate, in_regions));
  if (!score_kind.empty()) document.add("score"_key = estimate.score, "score_kind"_key = score_kind);
  return document.add("error"_key = std::isnan(estimate.error) ? Json(nullptr) : Json(estimate.error),
                      "lower"_key = estimate.lower, "upper"_key = estimate.upper,
                      "interval"_key = estimate.interval.empty() ? Json(nullptr) : Json(estimate.interval),
                      "trials"_key = estimate.trials > 0 ? Json(estimate.trials) : Json(nullptr),
                      "delta"_key = estimate.delta, "resamples"_key = estimate.resamples, "rows"_key = estimate.rows,
                      "seconds"_key = estimate.seconds);
}

Json selection_document(const Selection& selection, const data::Dataset& dataset, const data::ReadOptions& reading,
                        const std::string& source, const model::Predictor* trained, const core::Context& context,
                        const ColumnEffects& columns) {
  Json document = selection_json(selection, reading, source);
  add_columns(columns, document);
  Section of_rows;
  add_trust_charts(selection, dataset, of_rows);
  // The time limit may leave a model, and no time to draw.
  const bool complete = selection.stopped == core::StopReason::none && (selection.best || selection.predictor);
  if (complete && dataset.rows() <= selection::rows_trained_quickly && trained != nullptr &&
      !context.monitor.should_stop())
    if (auto chart = decision_chart(*trained, dataset, context)) of_rows.add(std::move(*chart));
  document["report"] = story_json(selection_story(selection, source, std::move(of_rows.blocks), columns));
  return document;
}

}  // namespace credence::report
