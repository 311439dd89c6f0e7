#include "report/selection/selection_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "credence/selection/run.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/plan.hpp"
#include "report/setting_words.hpp"

namespace credence::report {
namespace {

using selection::Comparison;
using selection::MethodResult;
using selection::OuterFold;
using selection::PairedTest;

constexpr double significant_p = 0.05;
std::size_t complete_folds(const MethodResult& method) {
  return static_cast<std::size_t>(
      std::ranges::count_if(method.folds, [](const OuterFold& fold) { return fold.complete; }));
}

/// Mean over the complete folds, which may differ from method to method in a partial result.
std::optional<double> seconds_a_fold(const MethodResult& method) {
  const std::size_t folds = complete_folds(method);
  if (folds == 0) return std::nullopt;
  return method.seconds / static_cast<double>(folds);
}

/// How many times slower than the fastest method.
std::optional<double> relative_time(const Comparison& comparison, const MethodResult& method) {
  std::optional<double> least;
  for (const MethodResult& other : comparison.methods) {
    const auto seconds = seconds_a_fold(other);
    if (seconds && (!least || *seconds < *least)) least = seconds;
  }
  const auto seconds = seconds_a_fold(method);
  if (!seconds || !(*least > 0)) return std::nullopt;
  return *seconds / *least;
}

Scale scale_of(const Comparison& comparison) {
  Scale scale = report::scale_of(kind_of(comparison.score), loss_title(comparison.score));
  if (scale.is_error()) scale.name = "share of wrong labels";
  return scale;
}

bool has_bounds(const Comparison& comparison) {
  return std::ranges::any_of(comparison.methods,
                             [](const MethodResult& method) { return method.mean_bound.has_value(); });
}

/// Calls visit(first, second, test) for each pair that was tested.
void for_each_pair(const Comparison& comparison, auto visit) {
  const std::size_t count = comparison.methods.size();
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const auto& test = comparison.tests[a * count + b];
      if (test) visit(comparison.methods[a], comparison.methods[b], *test);
    }
  }
}

Json chosen_setting_json(const std::optional<selection::Setting>& setting, bool by_sigma) {
  if (!setting) return nullptr;
  Json document = parameters_json(*setting, by_sigma);
  if (setting->evidence) document["log_evidence"] = setting->evidence->log_evidence;
  if (setting->evidence && setting->evidence->log_validity) document["log_validity"] = *setting->evidence->log_validity;
  return document;
}

Json folds_json(const MethodResult& method) {
  const bool by_sigma = shows_sigma(method.options);
  return Json::list(method.folds, [&](const OuterFold& fold) {
    const auto known = [&](const auto& value) { return fold.complete ? Json(value) : Json(nullptr); };
    return Json::object("complete"_key = fold.complete, "rows"_key = fold.rows, "errors"_key = known(fold.errors),
                        "error"_key = known(fold.error()), "loss"_key = known(fold.loss),
                        "selected_score"_key = fold.selected_score, "honest"_key = fold.honest,
                        "bound"_key = fold.bound, "chosen"_key = chosen_setting_json(fold.chosen, by_sigma),
                        "seconds"_key = known(fold.seconds));
  });
}

Json methods_json(const Comparison& comparison) {
  return Json::list(comparison.methods, [&](const MethodResult& method) {
    const std::size_t folds = complete_folds(method);
    return Json::object("name"_key = method.name, "options"_key = options_json(method.options),
                        "complete_folds"_key = folds,
                        "mean_error"_key = folds > 0 ? Json(method.mean_error) : Json(nullptr),
                        "error_std"_key = folds > 1 ? Json(method.error_std) : Json(nullptr),
                        "mean_selected_score"_key = method.mean_selected_score, "mean_honest"_key = method.mean_honest,
                        "mean_bound"_key = method.mean_bound, "seconds"_key = method.seconds,
                        "relative_seconds"_key = relative_time(comparison, method), "warnings"_key = method.warnings,
                        "folds"_key = folds_json(method));
  });
}

/// What the terminal and the page have of each method in a line.
Table methods_table(const Comparison& comparison, const Scale& scale) {
  const bool partial = std::ranges::any_of(
      comparison.methods, [](const MethodResult& method) { return complete_folds(method) < method.folds.size(); });
  Table table{{"method|method|text", Column("error", scale.is_error() ? "error" : scale.name, scale.format()),
               Column("std", "std", scale.format()), Column("selected", "selected", scale.format()),
               Column("honest", "honest", scale.format()),
               Column("bound", has_bounds(comparison) ? "bound" : "", Format::share),
               Column("folds", partial ? "folds" : ""), "seconds|seconds", "relative|relative"},
              "",
              Where::both};
  const auto shown = [&](const std::optional<double>& loss) { return loss ? scale.value(*loss) : Json(nullptr); };
  for (const MethodResult& method : comparison.methods) {
    const std::size_t folds = complete_folds(method);
    const auto relative = relative_time(comparison, method);
    const auto& bound = method.mean_bound;
    table.add({shown_name(method.name), folds > 0 ? scale.value(method.mean_error) : Json(nullptr),
               folds > 1 ? Json(method.error_std) : Json(nullptr), shown(method.mean_selected_score),
               shown(method.mean_honest), bound && *bound >= 1 ? Json("vacuous") : Json(bound),
               fmt::format("{} of {}", folds, method.folds.size()), fmt::format("{:.2f}", method.seconds),
               relative ? Json(fmt::format("{:.1f} x", *relative)) : Json(nullptr)});
  }
  return table;
}

void add_methods(const Comparison& comparison, const Scale& scale, Section& section) {
  section.add(methods_table(comparison, scale));
  section.tell(fmt::format(
      "{0}, std: over the outer folds, on rows that no choice has seen. selected: the score that the method "
      "chose by (optimistic). honest: its own estimate, from its training rows alone. seconds: without the honest "
      "estimate. relative: seconds over those of the fastest method.",
      scale.is_error() ? "error" : scale.name));
  if (std::ranges::any_of(comparison.methods, [](const MethodResult& method) {
        return method.options.looks_at("loss") && method.options.loss == selection::Loss::soft;
      })) {
    section.tell(
        "selected and honest are soft losses where the method chooses by it; honest of kfold-nested is an error.");
  }
  if (!has_bounds(comparison)) return;
  section.tell("bound: its own upper limit of the error rate, mean over the folds; vacuous from 100 % on.");
  section.say(
      "The bound of kfold-nested is about a random one of its folds' classifiers, not the retrained one judged here; "
      "that of rademacher and maximal-discrepancy may be too small, because minima are approximate, and not proved "
      "if the scaling was fitted on the same rows (--scale none fits nothing).",
      Where::verbose);
}

Chart methods_chart(const Comparison& comparison, const Scale& scale) {
  Table data{{"method|method|text", Column("value", scale.name, scale.format()), "kind|of|text", "fold|fold"}};
  for (const MethodResult& method : comparison.methods) {
    int number = 0;
    for (const OuterFold& fold : method.folds) {
      ++number;
      if (fold.complete && std::isfinite(fold.loss))
        data.add({shown_name(method.name), scale.shown(fold.loss), "one fold", number});
    }
    if (complete_folds(method) > 0)
      data.add({shown_name(method.name), scale.value(method.mean_error), "mean", nullptr});
  }
  return std::move(data).as_chart(
      "methods", "How often is each method wrong?",
      fmt::format("Each small point is one fold of rows that the method had not seen when it chose; the "
                  "bar is their mean. Further {} is better. Points that lie far apart say that the rows "
                  "decide, not the method.",
                  scale.is_turned() ? "right" : "left"),
      "Points of the errors of each method on each outer fold, with the means.", scale.words(scale.name));
}

/// None where no method says anything of itself.
std::optional<Chart> claims_chart(const Comparison& comparison, const Scale& scale) {
  Table data{{"method|method|text", Column("value", scale.name, scale.format()), "kind|what|text"}};
  bool any = false;
  std::vector<std::string> kinds;  // that are drawn
  for (const MethodResult& method : comparison.methods) {
    const auto add = [&](const std::optional<double>& loss, const char* kind) {
      if (!loss || !std::isfinite(*loss)) return;
      data.add({shown_name(method.name), scale.shown(*loss), kind});
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.emplace_back(kind);
    };
    const auto& bound = method.mean_bound;
    add(complete_folds(method) > 0 ? std::optional(method.mean_error) : std::nullopt, "on rows it had not seen");
    add(method.mean_honest, "its honest estimate");
    add(method.mean_selected_score, "its selected score (optimistic)");
    // A vacuous bound would stretch the axis for nothing.
    add(bound && *bound < 1 ? bound : std::nullopt, "its bound");
    any = any || method.mean_honest || method.mean_selected_score || bound;
  }
  if (!any) return std::nullopt;
  const bool bounds = std::ranges::find(kinds, "its bound") != kinds.end();
  return std::move(data).as_chart(
      "claims", "Did the methods know how good they are?",
      fmt::format("What each method said of itself from its training rows alone, beside what it then came "
                  "to on rows it had not seen. The honest estimate should lie near; the selected score is "
                  "too good by nature{}.",
                  bounds ? "; a bound should lie to the right" : ""),
      "Points for each method: error on unseen rows, honest estimate, selected score, bound.",
      Json::object("$value"_key = scale.name, "$format"_key = scale.axis_format(), "$kinds"_key = Json(kinds)));
}

Table differences_table(const Comparison& comparison, const Scale& scale) {
  Table data{{"pair|pair|text", Column("value", "mean difference", scale.format()),
              Column("lower", "from", scale.format()), Column("upper", "to", scale.format()), "t|t", "p|p-value"},
             "Differences of the " + scale.name + ": corrected resampled t-test (Nadeau and Bengio, 2003)",
             Where::terminal};
  const double sign = scale.is_turned() ? -1 : 1;
  // Nothing is shown as -0.00.
  const auto signless = [](double value) { return std::abs(value) < 5e-5 ? 0 : value; };
  for_each_pair(comparison, [&](const MethodResult& a, const MethodResult& b, const PairedTest& test) {
    const double mean = sign * test.mean_difference;
    data.add({shown_name(a.name) + " minus " + shown_name(b.name), scale.is_share() ? signless(mean) : mean,
              mean - test.half_width, mean + test.half_width, signless(sign * test.t), test.p_value});
  });
  return data;
}

/// How many of the differences were tested, and which of them are beyond noise, as sentences without their full stops.
struct Sureness {
  std::size_t pairs = 0;
  std::vector<std::string> found{};
};

Sureness sureness_of(const Comparison& comparison) {
  const char* better = comparison.score == selection::Score::accuracy ? "errs less than" : "is better than";
  Sureness sure;
  for_each_pair(comparison, [&](const MethodResult& a, const MethodResult& b, const PairedTest& test) {
    ++sure.pairs;
    if (test.p_value >= significant_p) return;
    const bool first = test.mean_difference < 0;
    sure.found.push_back(
        fmt::format("{} {} {}", shown_name(first ? a.name : b.name), better, shown_name(first ? b.name : a.name)));
  });
  return sure;
}

void add_differences(const Comparison& comparison, const Scale& scale, Section& section) {
  const auto [pairs, found] = sureness_of(comparison);
  if (pairs == 0) return;
  Table table = differences_table(comparison, scale);
  section.add(table);
  section.tell(fmt::format(
      "{}{}",
      found.empty() ? std::string("No difference is beyond noise at 5 %.")
                    : fmt::format("Beyond noise at 5 %: {}.", fmt::join(found, ";\n")),
      pairs > 1 ? fmt::format("\nThe p-values are not adjusted for the number of pairs ({}).", pairs) : ""));
  section.add(std::move(table).as_chart(
      "differences", "Is one method better than another?",
      "Mean difference over the same folds, with its 95 % interval (corrected resampled t-test). An interval "
      "across the dashed line: the difference may be noise. Intervals are not adjusted for the number of pairs.",
      fmt::format("Intervals of the differences between methods; {} of {} keep off zero.", found.size(), pairs),
      scale.words("difference of the " + scale.name)));
}

Chart time_chart(const Comparison& comparison) {
  Table data{{"method|method|text", "value|seconds", "relative|times the fastest"}};
  for (const MethodResult& method : comparison.methods)
    data.add({shown_name(method.name), method.seconds, relative_time(comparison, method)});
  return std::move(data).as_chart(
      "time", "How long did each method take?",
      "Seconds on the clock over all outer folds, without the time for the honest estimates.",
      "Bars of the seconds that each method took.");
}

/// The best method, and whether that is more than noise; empty if no fold was done.
std::string answer(const Comparison& comparison, const Scale& scale) {
  std::vector<std::string> best;
  double least = std::numeric_limits<double>::infinity();
  for (const MethodResult& method : comparison.methods) {
    if (complete_folds(method) == 0 || !(method.mean_error <= least)) continue;
    if (method.mean_error < least) best.clear();
    least = method.mean_error;
    best.push_back(shown_name(method.name));
  }
  if (best.empty()) return {};
  const auto [pairs, found] = sureness_of(comparison);
  const std::string least_often = fmt::format("{} wrong least often", best.size() > 1 ? "were" : "was");
  return fmt::format(
      "{} {}: {}{}", listed(best), scale.is_error() ? least_often : "had the best score", scale.text(least),
      pairs == 0      ? ""
      : found.empty() ? ", but no difference between the methods is beyond noise"
                      : fmt::format("; {} of {} differences between methods are beyond noise", found.size(), pairs));
}

void add_data(const Comparison& comparison, const data::Dataset& dataset, const std::string& source, Section& section) {
  const char* kind = !dataset.folds.empty()    ? "fixed by the data"
                     : !dataset.groups.empty() ? "whole groups"
                                               : "stratified";
  section.fact("data", fmt::format("{}: {}, {}, {}", shown_source(source), count_of(dataset.rows(), "row"),
                                   count_of(dataset.schema.columns.size(), "feature"),
                                   class_summary(dataset.schema.classes, class_counts(dataset))));
  if (const std::string label = dataset.schema.label_column(); !label.empty()) section.fact("label", shown_name(label));
  if (const std::string costs = comparison.methods.front().options.label_costs; !costs.empty())
    section.fact("label costs", shown_name(costs));
  const int repeats = comparison.options.repeats;
  section.fact("judged on",
               fmt::format("{} outer folds{}, {}; the same for all methods (seed {})", comparison.outer_folds,
                           repeats > 1 ? fmt::format(", drawn {} times", repeats) : "", kind, comparison.options.seed));
}

}  // namespace

Story comparison_story(const Comparison& comparison, const data::Dataset& dataset, const std::string& source) {
  Story story{"Comparison of methods", shown_source(source)};
  const Scale scale = scale_of(comparison);
  Section& chosen = story.section("chosen", "Which method chose best");
  if (const std::string partial = partial_mark(comparison); !partial.empty()) chosen.say(partial, Where::terminal);
  const std::string best = answer(comparison, scale);
  if (!best.empty()) chosen.headline(best + ".");
  add_warnings(comparison.stopped, comparison_warnings(comparison), chosen);
  for (const MethodResult& method : comparison.methods)
    if (method.mean_bound && *method.mean_bound >= 1)
      chosen.warn(fmt::format("{}: its bound of {:.4g} is vacuous: it says nothing about the error.",
                              shown_name(method.name), *method.mean_bound));
  add_data(comparison, dataset, source, chosen);
  if (!best.empty())
    chosen.fact("best", best,
                comparison.methods.size() > 1
                    ? "quote the error of a method named beforehand; the error of the best of several is optimistic"
                    : "the figure to quote",
                Where::terminal);
  add_methods(comparison, scale, chosen);
  chosen.add(methods_chart(comparison, scale));
  if (auto chart = claims_chart(comparison, scale)) chosen.add(std::move(*chart));
  add_differences(comparison, scale, story.section("sure", "How sure the difference is"));
  Section& cost = story.section(cost_id, "What it cost");
  cost.fact(
      "time",
      fmt::format("{:.2f} s, {}", comparison.seconds, count_of(static_cast<std::size_t>(comparison.threads), "thread")),
      Where::verbose);
  cost.add(time_chart(comparison));
  return story;
}

namespace {

/// What a file's story says, but for what it took, as one section.
Section section_of(const Story& story, const std::string& name, std::size_t number) {
  Section own{fmt::format("file-{}", number), name};
  for (const Section& section : story.sections)
    if (section.id != cost_id) std::ranges::copy(section.blocks, std::back_inserter(own.blocks));
  for (Block& block : own.blocks)
    if (auto* chart = std::get_if<Chart>(&block)) chart->id += fmt::format("-{}", number);
  return own;
}

}  // namespace

Story comparisons_story(const std::vector<ComparedFile>& files) {
  Story story{"Comparison of methods on several files", count_of(files.size(), "file")};
  const auto judged = std::ranges::find_if(files, [](const ComparedFile& file) { return file.found.has_value(); });
  const Scale scale = judged == files.end() ? Scale{} : scale_of(*judged->found);  // all files have the same score
  Table means{{"file|file|text", "method|method|text", Column("value", scale.name, scale.format()), "kind||text"}};
  Table cost{{"file|file|text", "seconds|seconds", "threads|threads"},
             "Seconds on the clock and threads; the results do not depend on threads"};
  Section summary{"chosen", "Which method chose best"};
  std::vector<Section> sections;
  for (std::size_t k = 0; k < files.size(); ++k) {
    const ComparedFile& file = files[k];
    const std::string name = fmt::format("{}. {}", k + 1, shown_source(file.source));
    if (!file.found) {
      summary.warn(fmt::format("{}: this file could not be compared: {}", name, file.problem));
      continue;
    }
    for (const MethodResult& method : file.found->methods)
      if (complete_folds(method) > 0)
        means.add({name, shown_name(method.name), scale.value(method.mean_error), "mean"});
    cost.add({name, file.found->seconds, file.found->threads});
    sections.push_back(section_of(file.story, name, k + 1));
  }
  if (!means.empty()) {
    summary.add(std::move(means).as_chart(
        "files", "How often is each method wrong on each file?",
        fmt::format("One point for each method: the mean over the outer folds. Further {} is better.",
                    scale.is_turned() ? "right" : "left"),
        "Points of the mean error of each method on each file.", scale.words(scale.name)));
  }
  story.sections.push_back(std::move(summary));
  std::ranges::move(sections, std::back_inserter(story.sections));
  if (!cost.empty()) story.section(cost_id, "What it cost").add(std::move(cost));
  return story;
}

Json comparison_json(const Comparison& comparison) {
  selection::ComparisonOptions asked = comparison.options;
  Json options = Json::object();
  add_fields(core::fields_of(asked), options);
  Json tests = Json::array();
  for_each_pair(comparison, [&](const MethodResult& a, const MethodResult& b, const PairedTest& test) {
    tests.push_back(Json::object("first"_key = a.name, "second"_key = b.name,
                                 "mean_difference"_key = test.mean_difference, "t"_key = test.t,
                                 "p_value"_key = test.p_value, "lower"_key = test.mean_difference - test.half_width,
                                 "upper"_key = test.mean_difference + test.half_width, "confidence"_key = 0.95));
  });
  return Json::object(
      "kind"_key = "comparison", "status"_key = status_word(comparison.stopped), "n"_key = comparison.n,
      "options"_key = std::move(options), "outer_folds"_key = comparison.outer_folds,
      "score"_key = loss_title(comparison.score), "score_kind"_key = core::word(kind_of(comparison.score)),
      "methods"_key = methods_json(comparison),
      "test"_key =
          "corrected resampled t-test (Nadeau and Bengio, 2003), two-sided, not adjusted for the number of pairs",
      "tests"_key = std::move(tests), "warnings"_key = comparison_warnings(comparison),
      "seed"_key = comparison.options.seed, "threads"_key = comparison.threads, "seconds"_key = comparison.seconds,
      "version"_key = comparison.version);
}

}  // namespace credence::report
