#include "report/rows/p_value_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "credence/bounds/split_conformal.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using conformal::ConformalPredictor;
using conformal::Validity;

constexpr const char* if_exchangeable = "if all rows are exchangeable";

/// "0.14 at 0.9", or that it says nothing with so few rows. @param significance  below 1/2  @param unit  "row" or
/// "group"
std::string cross_bound_at(double significance, std::size_t rows, std::size_t folds, std::string_view unit = "row") {
  const double bound = conformal::cross_conformal_bound(significance, rows, folds);
  const double level = core::confidence_level_of(significance);
  if (bound < 1) return fmt::format("{:.2g} at {}", bound, level);
  while (conformal::cross_conformal_bound(significance, rows, folds) >= 1) ++rows;
  return fmt::format("vacuous at {} with fewer than {} {}s", level, rows, unit);
}

/// All of them, or those of the smallest class.
std::size_t compared_at_least(const std::vector<std::size_t>& counts, bool label_conditional) {
  return label_conditional ? *std::ranges::min_element(counts)
                           : std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

/// "; the bound is ..." of cross-conformal prediction, in numbers. @param unit  "row" or "group"
std::string cross_bound(const std::vector<std::size_t>& counts, std::size_t folds, bool label_conditional,
                        std::string_view unit = "row") {
  constexpr double significance = 0.05;
  const std::size_t n = compared_at_least(counts, label_conditional);
  return fmt::format("; the bound is {} with {} folds and {}{} (about twice 1 - confidence level with many {}s)",
                     cross_bound_at(significance, n, folds, unit), folds, count_of(n, std::string(unit)),
                     label_conditional ? " of the smallest class" : "", unit);
}

/// The same where rows have known weights. @param share  that the heaviest row has of all weights
std::string weighted_cross_bound(double share, std::size_t folds) {
  constexpr double significance = 0.05;
  const double bound = conformal::weighted_cross_bound(significance, share, folds);
  return fmt::format(
      "; the bound is {} at 0.95 with {} folds, where the heaviest row has the share {:.2g} of all weights (about "
      "twice 1 - confidence level where this share is small)",
      bound >= 1 ? "vacuous" : fmt::format("{:.2g}", bound), folds, share);
}

double heaviest_share(const ConformalPredictor& model) {
  const auto& machine = dynamic_cast<const conformal::Inductive&>(*model.machine);
  return machine.heaviest_share(model.options.label_conditional);
}

constexpr const char* drawn_by_class =
    "near 1 - confidence level; nothing is proved, as the folds were drawn class by class, which proves a limit for "
    "label-conditional p-values alone";
constexpr const char* if_weights_differ = "if new rows differ from these by their weights alone";
constexpr const char* if_no_heavier = "if new rows differ from these by their weights alone, and weigh no more";

std::string misses(std::string_view claim, std::string_view missed, Apart apart) {
  return fmt::format("{} misses {}{}{} with probability ", claim, missed,
                     apart.new_groups ? " of a row of a new group" : "", apart.categories ? ", in each category," : "");
}

std::string set_misses(Apart apart) {
  return misses("a prediction set", apart.classes ? "each true class" : "the true class", apart);
}

const char* why_not_proved(const ConformalPredictor& model) {
  if (model.fitted_on_compared)
    return "as at least one of scaling, medians and gamma was fitted on the model's rows without the new one";
  if (model.stratified && !model.options.label_conditional)
    return "as the rows compared with were held out class by class, which makes label-conditional p-values exact";
  return "as the kernel is not positive definite";
}

std::string conformal_sentence(const ConformalPredictor& model) {
  const bool classes = model.options.label_conditional;
  const bool groups = model.is_of_new_groups();
  const std::string start = set_misses({.classes = classes, .categories = model.by.has_value(), .new_groups = groups});
  const char* const condition = groups                        ? "if groups are exchangeable"
                                : model.weight_column.empty() ? if_exchangeable
                                : model.machine->folds() > 1  ? if_no_heavier
                                                              : if_weights_differ;
  switch (model.validity()) {
    case Validity::exact:
      return fmt::format(
          "{}at most 1 - confidence level{}, {}", start,
          model.is_split() ? fmt::format(", on average over the {} held out", groups ? "groups" : "rows") : "",
          condition);
    case Validity::twice:
      return fmt::format(
          "{}, {}mostly near 1 - confidence level{}", condition, start,
          model.weight_column.empty()
              ? cross_bound(model.machine->units(classes), model.machine->folds(), classes, groups ? "group" : "row")
              : weighted_cross_bound(heaviest_share(model), model.machine->folds()));
    case Validity::approximate:
      break;
  }
  return fmt::format("{}near 1 - confidence level; nothing is proved, {}", start, why_not_proved(model));
}

/// "; p-values compare each row with the rows of its region alone, one of 10 regions (54 rows or more)";
/// empty if all are compared with all.
std::string regions_compared(const model::Predictor& model) {
  std::vector<std::size_t> rows;
  for (const model::Calibration& region : model::by_region(model.calibration)) rows.push_back(region.labels.size());
  if (model.calibration.region_of.empty()) return {};
  return fmt::format("; p-values compare each row with the rows of its region alone, one of {} ({} or more)",
                     count_of(rows.size(), "region"), count_of(*std::ranges::min_element(rows), "row"));
}

/// Of p-values or intervals that compare new rows with rows that were left out.
std::string left_out_sentence(const model::Predictor& model, const std::string& start, bool label_conditional) {
  const model::Calibration& kept = model.calibration;
  if (kept.p_values == model::PValues::split)
    return fmt::format("{}at most 1 - confidence level, on average over the rows set aside, {}", start,
                       if_exchangeable);
  if (kept.p_values == model::PValues::nested) {
    const bool numbers = model.schema.task == data::Task::regression;
    const std::vector<std::size_t> compared =
        numbers ? std::vector{kept.nonconformity_scores.size()} : conformal::compared_with(model);
    return fmt::format("{}, {}mostly near 1 - confidence level or below{}", if_exchangeable, start,
                       cross_bound(compared, model.fold_models.count(), label_conditional));
  }
  const char* const why = model.capabilities().chosen                   ? "the calibration rows chose the model too"
                          : model.schema.task == data::Task::regression ? "the scaling was fitted to all rows"
                                                                        : "the folds were drawn class by class";
  return fmt::format("in simulations, {}near 1 - confidence level; nothing is proved, because {}", start, why);
}

/// One class (or all of them, without a name) of which `rows` are compared with.
std::string resolution_sentence(const std::string& name, std::size_t rows, const std::vector<double>& levels,
                                const ResolutionWords& words) {
  const double smallest = conformal::p_value({.of = static_cast<double>(rows)});
  const std::vector<double> below = levels_below(smallest, levels);
  if (below.empty()) return {};
  return fmt::format("{}no p-value{} can be below {:.4g}, 1 / ({} + 1): every prediction set at {} holds {}{}",
                     words.in_category ? "in the smallest category " : "",
                     name.empty() ? "" : fmt::format(" of class '{}'", name), smallest, rows, levels_text(below),
                     name.empty() ? "every class" : "that class", more_needed(rows, below, words.unit));
}

}  // namespace

std::string more_needed(std::size_t rows, const std::vector<double>& levels, std::string_view unit) {
  std::vector<std::string> needs;
  for (const double significance : levels)
    if (const std::size_t more = conformal::examples_missing(rows, significance).value_or(0); more > 0)
      needs.push_back(fmt::format(
          "{} more{}{}", more, needs.empty() ? fmt::format(" {}{} needed", unit, more == 1 ? " is" : "s are") : "",
          levels.size() > 1 ? fmt::format(" at {}", core::confidence_level_of(significance)) : ""));
  return needs.empty() ? "" : fmt::format(" ({})", fmt::join(needs, ", "));
}

std::vector<double> levels_below(double smallest, std::vector<double> levels) {
  std::erase_if(levels, [&](double significance) { return !conformal::in_set(smallest, significance); });
  return levels;
}

std::string validity_sentence(const model::Predictor& model, const conformal::PValueOptions& options) {
  const model::Capabilities able = model.capabilities();
  if (const ConformalPredictor* conformal = conformal::as_conformal(model)) {
    ConformalPredictor changed = *conformal;
    changed.options = options;
    return conformal_sentence(changed);
  }
  if (able.p_values == model::PValueSource::nonconformity) {
    return "prediction sets may miss far more often than 1 - confidence level, because each row picks the "
           "model that judges it; as_strange_at_most is no bound on the error";
  }
  if (able.intervals) return left_out_sentence(model, misses("an interval", "the target", {}), false);
  if (able.p_values == model::PValueSource::calibration) {
    return left_out_sentence(model, set_misses({.classes = options.label_conditional}), options.label_conditional) +
           regions_compared(model);
  }
  if (model.schema.task == data::Task::regression) {
    return "this model predicts numbers, so it has no p-values, and keeps no residuals for intervals; select --method "
           "cv, train --folds and credence conformal intervals make them";
  }
  return "this model has no p-values: it carries no margins of rows left out; models of select --method cv, loo, "
         "bootstrap or holdout and of train --folds carry them";
}

std::string validity_sentence(const model::Predictor& model) {
  return validity_sentence(model, conformal::p_value_options(model));
}

std::string promise_of(model::PValues p_values) {
  return fmt::format(
      "{}, {}: {}{}", core::word(p_values), model::grade_of(p_values), model::sentence_of(p_values),
      p_values == model::PValues::cross
          ? "; with --p-values split it is proved that sets and intervals miss at most as often as allowed, on average "
            "over the rows set aside, if rows are exchangeable"
          : "");
}

std::string promised_figures(model::PValues p_values, std::size_t rows, std::size_t folds) {
  constexpr double significance = 0.1;
  constexpr double delta = 0.05;
  switch (p_values) {
    case model::PValues::cross:
      return {};
    case model::PValues::nested:
      return "the bound on the probability of a miss is " + cross_bound_at(significance, rows, folds) +
             ", by 2 eps + 2 (1 - eps) (K - 1) / (n + K) with eps = 0.1";
    case model::PValues::split:
      break;
  }
  const std::string average = "the probability of a miss is at most 1 - confidence level on average over runs; ";
  if (const std::size_t missing = conformal::examples_missing(rows, significance).value_or(0); missing > 0)
    return fmt::format("{}vacuous at 0.9, where nothing is left out without {}", average,
                       count_of(missing, "more row"));
  return fmt::format("{}at 0.9 it is at most {:.2g} in 95 of 100 runs", average,
                     bounds::split_miss_limit(rows, significance, delta));
}

std::string set_guarantee(Apart apart, std::string_view condition) {
  return fmt::format("{}at most 1 - confidence level, {}", set_misses(apart), condition);
}

std::string interval_guarantee(Apart apart, std::string_view condition) {
  return fmt::format("{}at most 1 - confidence level, {}", misses("an interval", "the target", apart), condition);
}

std::string cross_guarantee(const std::vector<std::size_t>& rows, std::size_t folds, bool label_conditional,
                            bool stratified, bool new_groups, bool chosen) {
  const std::string start = set_misses({.classes = label_conditional, .new_groups = new_groups});
  if (chosen) return start + "near 1 - confidence level; nothing is proved, as the setting was chosen on all rows";
  if (stratified && !label_conditional) return start + drawn_by_class;
  const char* const unit = new_groups ? "group" : "row";
  return fmt::format("if new {}s and those of the folds are exchangeable, {}mostly near 1 - confidence level{}", unit,
                     start, cross_bound(rows, folds, label_conditional, unit));
}

std::string weighted_cross_guarantee(double share, std::size_t folds, bool label_conditional, bool stratified) {
  const std::string start = set_misses({.classes = label_conditional});
  if (stratified && !label_conditional) return start + drawn_by_class;
  return fmt::format("{}, {}mostly near 1 - confidence level{}", if_no_heavier, start,
                     weighted_cross_bound(share, folds));
}

std::string resolution_warning(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                               const conformal::PValueOptions& options, const std::vector<double>& levels,
                               const ResolutionWords& words) {
  if (counts.empty() || options.smoothed) return {};
  if (!options.label_conditional) return resolution_sentence("", compared_at_least(counts, false), levels, words);
  std::vector<std::string> sentences;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::string sentence = resolution_sentence(classes[c], counts[c], levels, words);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return fmt::format("{}", fmt::join(sentences, "; "));
}

std::string resolution_warning(const conformal::ConformalPredictor& model, const conformal::PValueOptions& options,
                               const std::vector<double>& levels) {
  return resolution_warning(model.schema.classes, model.machine->units(options.label_conditional), options, levels,
                            {model.is_of_new_groups() ? "group" : "row", model.by.has_value()});
}

}  // namespace credence::report
