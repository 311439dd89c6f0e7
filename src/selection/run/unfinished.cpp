#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/run.hpp"
#include "credence/svm/model.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/race/race.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// @param rows  of the data set
std::optional<double> growing_seconds(std::span<const Setting> grid, std::size_t best, const Options& options,
                                      std::size_t rows) {
  const std::size_t costs = costs_of(options);
  const Setting& chosen = grid[best];
  if (chosen.fit_seconds.empty()) return std::nullopt;
  double seconds = 0;
  for (std::size_t k = best - best % costs; k <= best; ++k) {
    const std::vector<double>& times = grid[k].fit_seconds;
    if (!times.empty()) seconds += std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  }
  const auto resamples = static_cast<double>(std::max<std::size_t>(2, chosen.fit_seconds.size()));
  const double judged = static_cast<double>(chosen.rung > 0 ? chosen.rung : rows);
  const double trained = options.traits().folds ? judged * (resamples - 1) / resamples : judged;
  return seconds * std::pow(static_cast<double>(rows) / trained, 2);
}

const char* stop_word(core::StopReason reason) {
  return reason == core::StopReason::cancelled ? "INTERRUPTED" : "TIME LIMIT";
}

std::size_t complete_settings(const Selection& selection) {
  return static_cast<std::size_t>(std::ranges::count_if(selection.grid, &Setting::complete));
}

}  // namespace

std::optional<Reached> reached(const Selection& selection) {
  if (selection.stopped == core::StopReason::none || !selection.best || selection.partition() != nullptr)
    return std::nullopt;
  const std::size_t rung = selection.grid[*selection.best].rung;
  return Reached{complete_settings(selection), selection.grid.size(),
                 rung > 0 ? rung : selection.n - selection.set_aside, selection.n};
}

std::string partial_mark(const Selection& selection) {
  if (selection.stopped == core::StopReason::none) return {};
  const std::string mark = std::string(stop_word(selection.stopped)) + ": partial result, ";
  if (const PartitionReport* found = selection.partition())
    return mark + fmt::format("{} of {} regions of the feature space", found->of_region.size(), found->regions);
  const auto& grid = selection.grid;
  const std::size_t judged = complete_settings(selection);
  if (selection.best && grid[*selection.best].rung > 0) {
    return mark + fmt::format("the best of {} on {} of the {} rows; nothing larger was complete",
                              core::count_of(judged, "setting"), grid[*selection.best].rung, selection.n);
  }
  if (!selection.race) return mark + fmt::format("{} of {} settings", judged, grid.size());
  const auto is_left = [](const Setting& setting) { return !setting.complete && setting.rung == 0; };
  return mark + fmt::format("{} settings of the last rung of the race were not looked at",
                            std::ranges::count_if(grid, is_left));
}

std::string partial_mark(const Comparison& comparison) {
  if (comparison.stopped == core::StopReason::none) return {};
  std::ptrdiff_t done = 0;
  for (const MethodResult& method : comparison.methods)
    done += std::ranges::count_if(method.folds, &OuterFold::complete);
  const int folds = comparison.outer_folds * comparison.options.repeats;
  return fmt::format("{}: partial result, {} of {} runs", stop_word(comparison.stopped), done,
                     comparison.methods.size() * static_cast<std::size_t>(folds));
}

std::string unfinished_text(const Selection& selection, core::StopReason reason, bool trained) {
  const bool partial = selection.stopped != core::StopReason::none;
  if (partial && reason != core::StopReason::cancelled) reason = selection.stopped;
  const std::string mark =
      partial ? partial_mark(selection) : fmt::format("{}: the training on all rows was stopped", stop_word(reason));
  if (trained) return mark + "; the model is its best setting, trained on all rows, without p-values";
  if (reason == core::StopReason::cancelled) return mark + "; there is no model";
  const Options& options = selection.options;
  if (!selection.best || !options.trains_best_setting())
    return mark + "; there is no model: give a larger limit, or none";
  const Setting& best = selection.grid[*selection.best];
  const auto seconds = growing_seconds(selection.grid, *selection.best, options, selection.n);
  const bool has_regions =
      options.traits().in_regions != nullptr && options.learner() == Learner::svm && selection.n >= Forecast::from_rows;
  return mark + fmt::format(
                    "; there is no model, because training the best setting, {}, on all rows{} did not fit into the "
                    "limit: give a larger limit, or none, or train this setting alone{}",
                    setting_words(best), seconds ? fmt::format(", about {:.1f} s,", std::max(0.1, *seconds)) : "",
                    has_regions ? ", or choose in regions of the feature space" : "");
}

std::string no_p_values_text(const Selection& selection, const model::Predictor& model) {
  if (!lacks_fold_models(selection, model)) return {};
  return "the time limit ended while the models of the folds were trained, so the model has no p-values; a larger "
         "time limit, or none, gives them";
}

double seconds_kept_to_train(double seconds_left, const Options& options, const Forecast* forecast) {
  if (!options.trains_best_setting()) return 0;
  // Other programs take the processor, and a selection ends some time after it is asked to.
  constexpr double margin = 3;
  constexpr double least = 0.2;
  constexpr double half = 0.5;
  constexpr double small_margin = 1.25;
  constexpr double most = 0.75;
  double training = 0;
  if (forecast != nullptr && !forecast->grid.empty()) {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < forecast->grid.size(); ++k)
      if (forecast->grid[k].complete && (!best || forecast->grid[k].error < forecast->grid[*best].error)) best = k;
    if (best)
      training = growing_seconds(forecast->grid, *best, options, forecast->rows + forecast->set_aside).value_or(0);
  }
  const double room = std::min(2.0, half * seconds_left);
  const double kept = std::max({margin * training, least * seconds_left, room});
  if (kept <= half * seconds_left) return kept;
  const double needed = small_margin * training;
  return needed > most * seconds_left ? 0 : std::max(needed, half * seconds_left);
}

namespace {

bool is_null_machine(const model::Predictor& model) {
  const auto* machines = dynamic_cast<const rvm::RvmModel*>(&model);
  return machines != nullptr && std::ranges::all_of(machines->machines, &rvm::Machine::null_model);
}

std::string violation_sentence(const model::TrainingRecord& record) {
  if (!record.violation) return {};
  return fmt::format(
      "the training did not converge: it ended with a violation of {:.2g} of the KKT conditions, in place of {:.2g}, "
      "so the model is approximate; scale the columns, take a smaller C, or allow more steps",
      *record.violation, record.tolerance);
}

std::string memorised_sentence(const model::Predictor& model, const core::Context& context) {
  const auto* machine = dynamic_cast<const svm::SvmModel*>(&model);
  if (machine == nullptr || !svm::memorised(*machine, context)) return {};
  return "the model remembers its rows one by one: a new row gets nearly the same answer wherever it lies";
}

std::string one_class_sentence(const model::Predictor& model, const std::vector<int>& labels, bool all) {
  if (labels.empty() || std::ranges::adjacent_find(labels, std::not_equal_to<>{}) != labels.end()) return {};
  return fmt::format("the model gives all {}{} training rows the class '{}'", all ? "" : "of ", labels.size(),
                     model.schema.classes.at(static_cast<std::size_t>(labels.front())));
}

}  // namespace

std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& training,
                                          const core::Context& context, const data::Dataset* looked_at) {
  const std::vector<std::size_t> numbers = looked_at_rows(training.rows());
  const bool all = numbers.size() == training.rows();
  const data::Dataset some = all || looked_at != nullptr ? data::Dataset() : training.select_rows(numbers);
  const data::Dataset& rows = looked_at != nullptr ? *looked_at : all ? training : some;
  std::vector<std::string> warnings;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) warnings.push_back(std::move(sentence));
  };
  add(model.record.next_best);
  add(violation_sentence(model.record));
  if (context.monitor.should_stop() || rows.is_regression() || rows.rows() == 0 || is_null_machine(model))
    return warnings;
  core::Monitor apart(context.monitor, 0);  // no part of the progress
  const core::Context own{context.threads, apart, context.memory_budget};
  try {
    add(memorised_sentence(model, own));
    const auto one_class = [&](const data::Dataset& part) {
      return one_class_sentence(model, model.predict(part, own).label, all);
    };
    std::vector<std::size_t> few(std::min<std::size_t>(rows.rows(), 32));  // mostly of several classes already
    std::iota(few.begin(), few.end(), std::size_t{0});
    if (!one_class(rows.select_rows(few)).empty()) add(one_class(rows));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
  }
  return warnings;
}

}  // namespace credence::selection
