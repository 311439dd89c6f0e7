#include "report/conformal/fit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "credence/bounds/quantile.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/core/version.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/selection/selection_report.hpp"
#include "report/sentence.hpp"

namespace credence::report {

namespace {

std::size_t compared_rows(const conformal::ConformalPredictor& predictor) {
  const std::vector<std::size_t> counts = predictor.machine->class_counts();
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

double smallest_p_value(const conformal::ConformalPredictor& predictor) {
  const bool classes = predictor.options.label_conditional;
  return conformal::smallest_p_value(predictor.machine->units(classes), classes);
}

std::size_t count_of_groups(const conformal::ConformalPredictor& predictor) {
  if (predictor.one_of_each_group) return compared_rows(predictor);
  const auto& machine = dynamic_cast<const conformal::Inductive&>(*predictor.machine);
  std::size_t groups = 0;
  for (const conformal::CalibratedClassifier& part : machine.parts())
    groups += std::set<int>(part.groups.begin(), part.groups.end()).size();
  return groups;
}

const std::string& category_name(const conformal::ConformalPredictor& predictor) {
  return predictor.schema.columns[predictor.by->column].name;
}

/// "114 rows of 23 groups, in 3 categories of 'sex'"
std::string compared_text(const conformal::ConformalPredictor& predictor) {
  std::string text = count_of(compared_rows(predictor), "row");
  if (predictor.is_of_new_groups()) text += " of " + count_of(count_of_groups(predictor), "group");
  if (const auto effective = predictor.effective_rows())
    text += fmt::format(", weighed by '{}' as {:.1f}", predictor.weight_column, *effective);
  if (predictor.by)
    text += fmt::format(", in {} of '{}'", count_of(predictor.by->values.size(), "level"), category_name(predictor));
  return text;
}

/// The answer to "how good is it": a second predictor, on rows that it has not seen.
void add_check(const FitCheck& check, Section& section) {
  const LabelReport& labels = check.found.labels;
  section.headline(fmt::format("{} of {} got a wrong label: {}. A predictor fitted on the other {} named them.",
                               labels.errors, count_of(labels.rows, "row"), shown(share(labels.errors, labels.rows)),
                               count_of(check.fitted_rows, "row")));
  section.fact("error of new rows", ends_text(labels.interval) + " at confidence 95 %", Where::page);
}

/// How the model of the measure was chosen.
void add_choice(const FittedConformal& run, Section& section) {
  const auto& error = run.predictor.record.selected_error;
  if (error)
    section.fact("chosen", fmt::format("CV error {} on the rows that were not held out", percent(*error)),
                 "optimistic: the score by which the setting won");
  if (run.selected && run.predictor.machine->folds() > 1)
    section.fact("chosen", "in each fold anew, on its training rows");
  else if (run.selected && !error)
    section.fact("chosen", "by kernel validity on the rows that were not held out");
}

void add_fitted(const FittedConformal& run, bool checked, Section& section) {
  const conformal::ConformalPredictor& predictor = run.predictor;
  add_data(run.dataset, run.source, section);
  section.fact("measure", predictor.description());
  add_choice(run, section);
  const std::size_t apart = predictor.rows_apart;
  section.fact("scaling", fmt::format("{}{}", core::word(predictor.preprocessing.scaling),
                                      apart == 0 ? ""
                                                 : fmt::format(", fitted on {} set aside for it; p-values use "
                                                               "only the other rows",
                                                               count_of(apart, "row"))));
  const conformal::PValueOptions& made = predictor.options;
  section.fact("p-values", fmt::format("{}, {}; compared with {}", made.smoothed ? "smoothed" : "not smoothed",
                                       made.label_conditional ? "label-conditional" : "over all classes",
                                       compared_text(predictor)));
  if (!made.smoothed) {
    const double least = smallest_p_value(predictor);
    section.fact("smallest p", fmt::format("{:.4g}: above confidence level {:.4g} every prediction set holds {}", least,
                                           1 - least, made.label_conditional ? "the smallest class" : "all classes"));
  }
  if (!checked)
    section.fact("error",
                 "not known yet, as no rows were kept for testing; evaluate counts errors on labelled rows held out",
                 Where::terminal);
  std::string name = "may miss";
  for (const std::string& limit : miss_limit_lines(run.limits))
    section.fact(std::exchange(name, ""), limit, Where::terminal);
  section.fact("model", run.output, Where::terminal);
}

Table compared_table(const conformal::ConformalPredictor& predictor) {
  Table table{{"class", "|rows"}, "Rows that p-values are compared with"};
  const std::vector<std::string> names = shown_names(predictor.schema.classes);
  const std::vector<std::size_t> counts = predictor.machine->class_counts();
  for (std::size_t c = 0; c < names.size() && c < counts.size(); ++c) table.add({names[c], counts[c]});
  return table;
}

}  // namespace

Story fit_story(const FittedConformal& run, const std::optional<FitCheck>& check,
                const std::vector<std::string>& warnings) {
  Story story{"A conformal predictor", shown_source(run.source)};
  Section& section = story.section("chosen", "What was fitted");
  if (check)
    add_check(*check, section);
  else
    section.headline(
        "This model says of every row how far to trust its label: p-values, confidence, credibility and prediction "
        "sets.");
  for (const std::string& warning : warnings) section.warn(warning + ".");
  add_fitted(run, check.has_value(), section);
  section.add(compared_table(run.predictor));
  Section& trust = story.section("trust", "How far single predictions can be trusted");
  trust.say("What is promised: " + validity_sentence(run.predictor) + ".");
  add_may_miss(run.limits, trust);
  if (check) {
    trust.say(fmt::format("What follows was counted on {} that the second predictor had not seen.",
                          count_of(check->found.labels.rows, "row")));
    trust.add(sets_table(check->found.sets).captioned("Prediction sets of the rows that were kept for the check"));
    trust.add(level_error_chart(check->found.p_values->calibration, Promise::of(check->found), "A prediction set",
                                "the true class"));
    for (const Block& block : check->of_rows) trust.add(block);
  } else {
    trust.say(
        "How often the sets miss, and how many rows get a clear answer, shows on labelled rows that had no part in the "
        "training: credence evaluate MODEL DATA --report FILE.html");
  }
  Sentences sentences;
  sentences
      .say(fmt::format("Each row got p-values of the classes by {} conformal prediction",
                       conformal::name_of(run.options.mode)))
      .cite(reference::conformal);
  if (run.predictor.options.label_conditional)
    sentences.say(", for each class by itself").cite(reference::class_conditional);
  sentences.say(fmt::format(", with the nonconformity measure {}, from {}. What is promised: {}.",
                            conformal::name_of(run.options.measure), count_of(run.dataset.rows(), "row"),
                            validity_sentence(run.predictor)));
  if (check && !check->found.sets.empty()) {
    const conformal::LevelCounts& level = check->found.sets[check->found.sets.size() / 2];
    sentences.say(fmt::format(
        " On {} kept for a check, prediction sets at confidence level {} missed the true class in {}.",
        count_of(level.rows, "row"), level_text(level.significance), shown(share(level.errors, level.rows))));
  }
  sentences.add_to(story);
  add_cost({run.seconds, run.threads}, story);
  return story;
}

Json fit_json(const FittedConformal& run) {
  const conformal::ConformalPredictor& predictor = run.predictor;
  const model::TrainingRecord& record = predictor.record;
  return Json::object(
      "kind"_key = "conformal fit", "source"_key = run.source, "rows"_key = run.dataset.rows(),
      "features"_key = run.dataset.schema.columns.size(), "classes"_key = run.dataset.schema.classes,
      "class_counts"_key = class_counts(run.dataset), "measure"_key = conformal::name_of(run.options.measure),
      "mode"_key = conformal::name_of(run.options.mode), "description"_key = predictor.description(),
      "scaling"_key = core::word(predictor.preprocessing.scaling), "apart"_key = predictor.rows_apart,
      "selected_error"_key = record.selected_error, "label_conditional"_key = predictor.options.label_conditional,
      "smoothed"_key = predictor.options.smoothed, "seed"_key = predictor.options.seed,
      "compared_with"_key = predictor.machine->class_counts(),
      "smallest_p_value"_key = predictor.options.smoothed ? Json(0.0) : Json(smallest_p_value(predictor)),
      "groups"_key = predictor.is_of_new_groups() ? Json(count_of_groups(predictor)) : Json(nullptr),
      "by"_key = predictor.by ? Json(category_name(predictor)) : Json(nullptr),
      "categories"_key = predictor.by ? Json(predictor.by->values.size()) : Json(nullptr),
      "weight_column"_key = predictor.weight_column.empty() ? Json(nullptr) : Json(predictor.weight_column),
      "effective_rows"_key = predictor.effective_rows(), "guarantee"_key = validity_sentence(predictor),
      "may_miss"_key = miss_limits_json(run.limits), "model"_key = run.output, "seconds"_key = run.seconds,
      "threads"_key = run.threads, "version"_key = version());
}

MissLimits miss_limits_of(const OutsideIntervals& found) {
  return found.alike ? miss_limits({}, {found.compared}, {}, found.levels) : MissLimits{};
}

std::vector<std::string> warnings_of(const OutsideIntervals& found) {
  return interval_warnings(found.units, found.levels);
}

namespace {

/// The first level, as they were asked for, that has intervals with two ends.
std::optional<std::size_t> main_level(const OutsideIntervals& found) {
  for (std::size_t e = 0; e < found.levels.size(); ++e)
    if (!Widths(found.intervals[e]).finite.empty()) return e;
  return std::nullopt;
}

/// @param widths  of intervals of which some have ends
std::string width_words(const Widths& widths) {
  const double least = *widths.at(0);
  const double median = *widths.at(0.5);
  const double most = *widths.at(1);
  // Widths of one half-width differ by rounding alone.
  constexpr double rounding = 1e-9;
  if (most - least <= rounding * most) return fmt::format("each interval is {:.4g} wide", median);
  return fmt::format("the intervals are {:.4g} to {:.4g} wide, half of them at most {:.4g}", least, most, median);
}

void say_whole_lines(const OutsideIntervals& found, Section& section) {
  for (std::size_t e = 0; e < found.levels.size(); ++e) {
    const std::size_t infinite = Widths(found.intervals[e]).infinite;
    if (infinite == 0) continue;
    section.say(fmt::format(
        "At confidence level {}, {} of {} intervals are infinite, from minus to plus infinity: they hold every target "
        "and say nothing. With {} to compare with, the smallest allowed error that gives intervals with ends is {}.",
        level_text(found.levels[e]), infinite, found.intervals[e].size(), count_of(found.compared, "row"),
        plain_number(1 / static_cast<double>(found.units + 1))));
  }
}

Chart widths_chart(const OutsideIntervals& found) {
  Table data{{"name|confidence level|text", "least|least width", "lower_quartile|a quarter is at most",
              "median|half is at most", "upper_quartile|three quarters are at most", "largest|largest width",
              "infinite|infinite intervals"}};
  for (std::size_t e = 0; e < found.levels.size(); ++e) {
    const Widths widths(found.intervals[e]);
    data.add({level_text(found.levels[e]), widths.at(0), widths.at(0.25), widths.at(0.5), widths.at(0.75), widths.at(1),
              widths.infinite});
  }
  return std::move(data).as_chart(
      "interval_widths", "How wide are the intervals?",
      "A line for each level, from the least width to the largest; the bar holds the middle half of the "
      "intervals, and the mark is the median. Without a column of difficulties all intervals of a level "
      "have one width. The unit is that of the target.",
      "Bars of the widths of intervals at each level.");
}

Chart sample_chart(const OutsideIntervals& found, const OutsideRows& rows, std::size_t e) {
  constexpr std::size_t most_interval_rows = 200;
  Table data{{"row|row", "prediction|prediction", "lower|from", "upper|to", "point|target",
              "kind|what the point is|text", "order|"}};
  const bool known = !rows.targets.empty();
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  for (const std::size_t i : evenly(rows.predictions.size(), most_interval_rows)) {
    const conformal::PredictionInterval& own = found.intervals[e][i];
    const bool inside = known && rows.targets[i] >= own.lower && rows.targets[i] <= own.upper;
    data.add({row_number(rows.dataset, i), rows.predictions[i], end(own.lower), end(own.upper),
              known ? rows.targets[i] : rows.predictions[i],
              !known   ? "prediction"
              : inside ? "target inside"
                       : "target outside",
              known && !inside ? 1 : 0});
  }
  const std::string sample = sample_text(data.size(), rows.predictions.size());
  const std::vector<std::string> kinds =
      known ? std::vector<std::string>{"target inside", "target outside"} : std::vector<std::string>{"prediction"};
  return std::move(data).as_chart(
      "intervals", fmt::format("Where do the intervals lie? (confidence level {})", level_text(found.levels[e])),
      fmt::format("A line for each row, from the lower to the upper end, at its prediction{}.{}",
                  known ? "; the point is the target" : "", sample),
      "Lines from the lower to the upper end of intervals, against the prediction.",
      Json::object("$kinds"_key = kinds, "$y"_key = known ? "interval and target" : "interval and prediction"));
}

std::string headline(const OutsideIntervals& found, std::optional<std::size_t> main) {
  if (!main) return "All intervals are infinite: there are too few rows to compare with for these confidence levels.";
  return fmt::format("An interval holds the target with a probability of at least {} %; {}.",
                     plain_number(100 * (1 - found.levels[*main])), width_words(Widths(found.intervals[*main])));
}

void add_promise(const OutsideIntervals& found, Section& section) {
  section.say("What is promised: " + found.guarantee + ".");
  if (found.p.empty()) {
    section.say(
        fmt::format("How many targets the intervals hold was not counted, as the rows have no column '{}' of targets.",
                    shown_name(found.target)));
    return;
  }
  const std::vector<IntervalCoverage> coverage = interval_coverage(found.p, found.intervals, found.levels);
  section.add(intervals_table(coverage));
  section.add(coverage_chart(coverage));
  section.add(level_error_chart(interval_calibration(found.p),
                                {.rows = found.p.size(), .compared_with = {found.compared}}, "An interval",
                                "the target"));
  section.say(fmt::format(
      "The band is for independent targets and for rows compared with that are drawn anew. All intervals of this page "
      "rest on the same {}, so that the points of the line move up or down together.",
      count_of(found.compared, "row")));
}

}  // namespace

Story outside_intervals_story(const OutsideIntervals& found, const OutsideRows& rows, const std::string& source) {
  Story story{"Intervals around predictions", "Predictions of another tool in " + shown_source(source)};
  Section& section = story.section("chosen", "How wide the intervals are");
  const auto main = main_level(found);
  section.headline(headline(found, main));
  for (const std::string& warning : warnings_of(found)) section.warn(warning + ".");
  say_whole_lines(found, section);
  section.fact("rows",
               fmt::format("{}; compared with {}{}", rows.predictions.size(), found.compared,
                           found.units == found.compared ? "" : fmt::format(" of {}", count_of(found.units, "group"))));
  if (found.difficulty)
    section.fact("widths grow", fmt::format("with the column '{}', to which beta = {} is added",
                                            shown_name(*found.difficulty), plain_number(found.beta.value_or(0))));
  if (main) {
    section.add(widths_chart(found));
    if (!rows.predictions.empty()) section.add(sample_chart(found, rows, *main));
  }
  add_promise(found, story.section("trust", "How far single predictions can be trusted"));
  add_cost({found.seconds}, story);
  return story;
}

Json outside_intervals_json(const OutsideIntervals& found, const OutsideRows& rows) {
  return Json::object(
      "kind"_key = "conformal intervals", "n"_key = rows.predictions.size(), "compared_with"_key = found.compared,
      "smallest_p_value"_key = 1 / static_cast<double>(found.units + 1), "target"_key = found.target,
      "prediction"_key = found.prediction, "difficulty"_key = found.difficulty, "beta"_key = found.beta,
      "guarantee"_key = found.guarantee, "may_miss"_key = miss_limits_json(miss_limits_of(found)),
      "levels"_key = interval_levels_json(found.p, found.intervals, found.levels), "warnings"_key = warnings_of(found));
}

}  // namespace credence::report
