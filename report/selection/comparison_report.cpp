#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/cell_words.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/plan.hpp"

namespace credence::report {
namespace {

using selection::Comparison;
using selection::MethodResult;
using selection::OuterFold;
using selection::PairedTest;

constexpr double significant_p = 0.05;
constexpr const char* bound_legend =
    "bound: its own upper limit of the error rate, mean over the folds; vacuous from 100 % on. Of\n"
    "  kfold-nested that of a random one of its folds' classifiers, not of the retrained one that is\n"
    "  judged here; of rademacher and maximal-discrepancy a lower estimate, as minima are\n"
    "  approximate, and not proved where the scaling was fitted on the same rows (--scale none)\n";

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

std::string score_or_dash(const std::optional<double>& loss, const Scale& scale) {
  return loss ? scale.text(*loss) : "-";
}

Scale scale_of(const Comparison& comparison) {
  return {kind_of(comparison.score)};
}

/// The heading of what contestants are judged by.
const char* judged_by(const Comparison& comparison) {
  return comparison.score == selection::Score::accuracy ? "error" : "score";
}

/// "errs less than", or what is said of another score.
const char* is_better(const Comparison& comparison) {
  return comparison.score == selection::Score::accuracy ? "errs less than" : "is better than";
}

std::size_t name_width(const Comparison& comparison) {
  std::size_t width = 6;
  for (const MethodResult& method : comparison.methods) width = std::max(width, method.name.size());
  return width;
}

bool has_bounds(const Comparison& comparison) {
  return std::ranges::any_of(comparison.methods,
                             [](const MethodResult& method) { return method.mean_bound.has_value(); });
}

std::string bound_or_vacuous(const std::optional<double>& bound) {
  return !bound ? "-" : *bound < 1 ? percent(*bound) : "vacuous";
}

std::string method_line(const Comparison& comparison, const MethodResult& method, std::size_t width) {
  const std::size_t folds = complete_folds(method);
  if (folds == 0) return fmt::format("{:<{}}  no fold was done\n", method.name, width);
  const auto relative = relative_time(comparison, method);
  const Scale scale = scale_of(comparison);
  std::string line =
      fmt::format("{:<{}}  {:>8}  {:>8}  {:>8}  {:>8}", method.name, width, scale.text(method.mean_error),
                  folds > 1 ? scale.spread(method.error_std) : "-", score_or_dash(method.mean_selected_score, scale),
                  score_or_dash(method.mean_honest, scale));
  if (has_bounds(comparison)) line += fmt::format("  {:>8}", bound_or_vacuous(method.mean_bound));
  line += fmt::format("  {:>8.2f}  {:>8}", method.seconds, relative ? fmt::format("{:.1f} x", *relative) : "-");
  if (folds < method.folds.size()) line += fmt::format("  {} of {} folds", folds, method.folds.size());
  return line + '\n';
}

/// Nothing shown as -0.00.
double without_sign(double value) {
  constexpr double smallest_shown = 5e-5;
  return std::abs(value) < smallest_shown ? 0 : value;
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

std::string verdict(const Comparison& comparison) {
  std::size_t pairs = 0;
  std::string found;
  for_each_pair(comparison, [&](const MethodResult& a, const MethodResult& b, const PairedTest& test) {
    ++pairs;
    if (test.p_value >= significant_p) return;
    const bool first_errs_less = test.mean_difference < 0;
    found += fmt::format("{}{} {} {}", found.empty() ? "" : ";\n  ", first_errs_less ? a.name : b.name,
                         is_better(comparison), first_errs_less ? b.name : a.name);
  });
  std::string text =
      found.empty() ? "No difference is beyond noise at 5 %." : fmt::format("Beyond noise at 5 %: {}.", found);
  if (pairs > 1) text += fmt::format("\nThe p-values are not adjusted for the number of pairs ({}).", pairs);
  return text + '\n';
}

Json chosen_cell_json(const std::optional<selection::Cell>& cell, bool by_sigma) {
  if (!cell) return nullptr;
  Json document = parameters_json(*cell, by_sigma);
  if (cell->evidence) document["log_evidence"] = cell->evidence->log_evidence;
  if (cell->evidence && cell->evidence->log_validity) document["log_validity"] = *cell->evidence->log_validity;
  return document;
}

Json folds_json(const MethodResult& method) {
  const bool by_sigma = shows_sigma(method.options);
  Json folds = Json::array();
  for (const OuterFold& fold : method.folds) {
    const auto known = [&](const auto& value) { return fold.complete ? Json(value) : Json(nullptr); };
    folds.push_back(
        Json::object("complete"_key = fold.complete, "rows"_key = fold.rows, "errors"_key = known(fold.errors),
                     "error"_key = known(fold.error()), "loss"_key = known(fold.loss),
                     "selected_score"_key = fold.selected_score, "honest"_key = fold.honest, "bound"_key = fold.bound,
                     "chosen"_key = chosen_cell_json(fold.chosen, by_sigma), "seconds"_key = known(fold.seconds)));
  }
  return folds;
}

Json methods_json(const Comparison& comparison) {
  Json methods = Json::array();
  for (const MethodResult& method : comparison.methods) {
    const std::size_t folds = complete_folds(method);
    methods.push_back(Json::object(
        "name"_key = method.name, "options"_key = options_json(method.options), "complete_folds"_key = folds,
        "mean_error"_key = folds > 0 ? Json(method.mean_error) : Json(nullptr),
        "error_std"_key = folds > 1 ? Json(method.error_std) : Json(nullptr),
        "mean_selected_score"_key = method.mean_selected_score, "mean_honest"_key = method.mean_honest,
        "mean_bound"_key = method.mean_bound, "seconds"_key = method.seconds,
        "relative_seconds"_key = relative_time(comparison, method), "warnings"_key = method.warnings,
        "folds"_key = folds_json(method)));
  }
  return methods;
}

/// "10", or "10, drawn 5 times".
std::string outer_folds_text(const Comparison& comparison) {
  const int repeats = comparison.options.repeats;
  return repeats == 1 ? fmt::to_string(comparison.outer_folds)
                      : fmt::format("{}, drawn {} times", comparison.outer_folds, repeats);
}

}  // namespace

std::string comparison_head(const data::Dataset& dataset, const Comparison& comparison, const std::string& source) {
  const char* kind = !dataset.folds.empty()    ? "fixed by the data"
                     : !dataset.groups.empty() ? "whole groups"
                                               : "stratified";
  const std::string costs = comparison.methods.front().options.label_costs;
  return named_line("data", fmt::format("{}: {}, {}, {}", source, count_of(dataset.rows(), "row"),
                                        count_of(dataset.features.columns(), "feature"),
                                        count_of(dataset.class_count(), "class"))) +
         (costs.empty() ? "" : named_line("label costs", costs)) +
         named_line("outer folds", fmt::format("{}, {}; the same for all methods (seed {})\n",
                                               outer_folds_text(comparison), kind, comparison.options.seed));
}

std::string comparison_table(const Comparison& comparison) {
  const std::size_t width = name_width(comparison);
  const bool bounds = has_bounds(comparison);
  std::string text =
      fmt::format("{:<{}}  {:>8}  {:>8}  {:>8}  {:>8}{}  {:>8}  {:>8}\n", "method", width, judged_by(comparison), "std",
                  "selected", "honest", bounds ? fmt::format("  {:>8}", "bound") : "", "seconds", "relative");
  for (const MethodResult& method : comparison.methods) text += method_line(comparison, method, width);
  return text +
         fmt::format("{}, std: {}over the outer folds, rows that no choice has seen\n", judged_by(comparison),
                     comparison.score == selection::Score::accuracy ? "" : title(comparison.score) + " ") +
         "selected: the method's own score of what it chose (optimistic)\n"
         "honest: its honest estimate, from its training rows alone\n" +
         (bounds ? bound_legend : "") + "seconds: of all outer folds, without the time for the honest estimate\n";
}

std::string tests_table(const Comparison& comparison) {
  const std::size_t width = name_width(comparison);
  std::string lines;
  for_each_pair(comparison, [&](const MethodResult& a, const MethodResult& b, const PairedTest& test) {
    lines += fmt::format("{:<{}}  {:<{}}  {:>10}  {:>7.2f}  {:>6.3f}\n", a.name, width, b.name, width,
                         scale_of(comparison).spread(without_sign(test.mean_difference)), without_sign(test.t),
                         test.p_value);
  });
  if (lines.empty()) return {};
  return fmt::format(
             "Differences of {}: corrected resampled t-test (Nadeau and Bengio, 2003)\n"
             "{:<{}}  {:<{}}  {:>10}  {:>7}  {:>6}\n",
             loss_title(comparison.score), "first", width, "second", width, "difference", "t", "p") +
         lines + verdict(comparison);
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
