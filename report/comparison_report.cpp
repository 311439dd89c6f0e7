#include "report/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/selection_report.hpp"

namespace credence::report {
namespace {

using selection::Comparison;
using selection::MethodResult;
using selection::OuterFold;
using selection::PairedTest;

constexpr double significance = 0.05;
constexpr const char* bound_legend =
    "bound: its own upper limit of the error rate, mean over the folds; vacuous from 100 % on. Of\n"
    "  kfold-nested that of a random one of its folds' classifiers, not of the retrained one that is\n"
    "  judged here; of rademacher and maximal-discrepancy a lower estimate, as minima are\n"
    "  approximate, and not proved where the scaling was fitted on the same rows (--scale none)\n";

std::size_t complete_folds(const MethodResult& method) {
  return static_cast<std::size_t>(
      std::count_if(method.folds.begin(), method.folds.end(), [](const OuterFold& fold) { return fold.complete; }));
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

std::string percent_or_dash(const std::optional<double>& share) {
  return share ? percent(*share) : "-";
}

std::size_t name_width(const Comparison& comparison) {
  std::size_t width = 6;
  for (const MethodResult& method : comparison.methods) width = std::max(width, method.name.size());
  return width;
}

bool has_bounds(const Comparison& comparison) {
  return std::any_of(comparison.methods.begin(), comparison.methods.end(),
                     [](const MethodResult& method) { return method.mean_bound.has_value(); });
}

std::string bound_text(const std::optional<double>& bound) {
  return !bound ? "-" : *bound < 1 ? percent(*bound) : "vacuous";
}

std::string method_line(const Comparison& comparison, const MethodResult& method, std::size_t width) {
  const std::size_t folds = complete_folds(method);
  if (folds == 0) return fmt::format("{:<{}}  no fold was done\n", method.name, width);
  const auto relative = relative_time(comparison, method);
  std::string line = fmt::format("{:<{}}  {:>8}  {:>8}  {:>8}  {:>8}", method.name, width, percent(method.mean_error),
                                 folds > 1 ? percent(method.error_std) : "-",
                                 percent_or_dash(method.mean_selected_score), percent_or_dash(method.mean_honest));
  if (has_bounds(comparison)) line += fmt::format("  {:>8}", bound_text(method.mean_bound));
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
template <class Visit>
void for_each_pair(const Comparison& comparison, Visit visit) {
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
    if (test.p_value >= significance) return;
    const bool first_errs_less = test.mean_difference < 0;
    found += fmt::format("{}{} errs less than {}", found.empty() ? "" : ";\n  ", first_errs_less ? a.name : b.name,
                         first_errs_less ? b.name : a.name);
  });
  std::string text =
      found.empty() ? "No difference is beyond noise at 5 %." : fmt::format("Beyond noise at 5 %: {}.", found);
  if (pairs > 1) text += fmt::format("\nThe p-values are not adjusted for the number of pairs ({}).", pairs);
  return text + '\n';
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json cell_json(const std::optional<selection::Cell>& cell) {
  if (!cell) return nullptr;
  Json document = {{"gamma", cell->gamma}};
  if (cell->C > 0) document["C"] = cell->C;
  if (cell->nu > 0) document["nu"] = cell->nu;
  if (cell->rho > 0) document["rho"] = cell->rho;
  if (cell->k > 0) document["k"] = cell->k;
  if (cell->evidence) document["log_evidence"] = cell->evidence->log_evidence;
  if (cell->evidence && cell->evidence->log_validity) document["log_validity"] = *cell->evidence->log_validity;
  return document;
}

Json folds_json(const MethodResult& method) {
  Json folds = Json::array();
  for (const OuterFold& fold : method.folds) {
    const auto known = [&](const auto& value) { return fold.complete ? Json(value) : Json(nullptr); };
    folds.push_back({{"complete", fold.complete},
                     {"rows", fold.rows},
                     {"errors", known(fold.errors)},
                     {"error", known(fold.error())},
                     {"selected_score", number_or_null(fold.selected_score)},
                     {"honest", number_or_null(fold.honest)},
                     {"bound", number_or_null(fold.bound)},
                     {"chosen", cell_json(fold.chosen)},
                     {"seconds", known(fold.seconds)}});
  }
  return folds;
}

Json methods_json(const Comparison& comparison) {
  Json methods = Json::array();
  for (const MethodResult& method : comparison.methods) {
    const std::size_t folds = complete_folds(method);
    methods.push_back({{"name", method.name},
                       {"complete_folds", folds},
                       {"mean_error", folds > 0 ? Json(method.mean_error) : Json(nullptr)},
                       {"error_std", folds > 1 ? Json(method.error_std) : Json(nullptr)},
                       {"mean_selected_score", number_or_null(method.mean_selected_score)},
                       {"mean_honest", number_or_null(method.mean_honest)},
                       {"mean_bound", number_or_null(method.mean_bound)},
                       {"seconds", method.seconds},
                       {"relative_seconds", number_or_null(relative_time(comparison, method))},
                       {"warnings", method.warnings},
                       {"folds", folds_json(method)}});
  }
  return methods;
}

}  // namespace

std::string partial_mark(const Comparison& comparison) {
  if (comparison.stopped == core::StopReason::none) return {};
  std::size_t done = 0;
  for (const MethodResult& method : comparison.methods) done += complete_folds(method);
  return fmt::format("{}: partial result, {} of {} runs",
                     comparison.stopped == core::StopReason::cancelled ? "INTERRUPTED" : "TIME LIMIT", done,
                     comparison.methods.size() * static_cast<std::size_t>(comparison.outer_folds));
}

std::string comparison_table(const Comparison& comparison) {
  const std::size_t width = name_width(comparison);
  const bool bounds = has_bounds(comparison);
  std::string text =
      fmt::format("{:<{}}  {:>8}  {:>8}  {:>8}  {:>8}{}  {:>8}  {:>8}\n", "method", width, "error", "std", "selected",
                  "honest", bounds ? fmt::format("  {:>8}", "bound") : "", "seconds", "relative");
  for (const MethodResult& method : comparison.methods) text += method_line(comparison, method, width);
  return text +
         "error, std: over the outer folds, rows that no choice has seen\n"
         "selected: the method's own score of what it chose (optimistic)\n"
         "honest: its honest estimate, from its training rows alone\n" +
         (bounds ? bound_legend : "") + "seconds: of all outer folds, without the time for the honest estimate\n";
}

std::string tests_table(const Comparison& comparison) {
  const std::size_t width = name_width(comparison);
  std::string lines;
  for_each_pair(comparison, [&](const MethodResult& a, const MethodResult& b, const PairedTest& test) {
    lines += fmt::format("{:<{}}  {:<{}}  {:>10}  {:>7.2f}  {:>6.3f}\n", a.name, width, b.name, width,
                         percent(without_sign(test.mean_difference)), without_sign(test.t), test.p_value);
  });
  if (lines.empty()) return {};
  return fmt::format(
             "Differences of error: corrected resampled t-test (Nadeau and Bengio, 2003)\n"
             "{:<{}}  {:<{}}  {:>10}  {:>7}  {:>6}\n",
             "first", width, "second", width, "difference", "t", "p") +
         lines + verdict(comparison);
}

Json comparison_json(const Comparison& comparison) {
  Json tests = Json::array();
  for_each_pair(comparison, [&](const MethodResult& a, const MethodResult& b, const PairedTest& test) {
    tests.push_back({{"first", a.name},
                     {"second", b.name},
                     {"mean_difference", test.mean_difference},
                     {"t", test.t},
                     {"p_value", test.p_value}});
  });
  return {
      {"status", status_word(comparison.stopped)},
      {"n", comparison.n},
      {"outer_folds", comparison.outer_folds},
      {"methods", methods_json(comparison)},
      {"test", "corrected resampled t-test (Nadeau and Bengio, 2003), two-sided, not adjusted for the number of pairs"},
      {"tests", std::move(tests)},
      {"seed", comparison.seed},
      {"threads", comparison.threads},
      {"seconds", comparison.seconds},
      {"version", comparison.version}};
}

}  // namespace credence::report
