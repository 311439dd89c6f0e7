#include "reproduce/kernel_validity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace credence::reproduce::kernel_validity {
namespace {

constexpr std::array<const char*, scalings.size()> scaling_names{"[0, 1]", "z-scores"};
constexpr std::size_t cost_of_table = 0;

std::string cell(const Figure& figure) {
  return figure_text(figure, 1);
}

std::string cell(const Printed& printed) {
  return fmt::format("{} ({})", printed.error, printed.deviation);
}

template <class Cell>
std::string row_of(const std::string& name, const char* kind, const Cell& of_column) {
  std::string text = fmt::format("{:<14}{:<6}", name, kind);
  for (std::size_t c = 0; c < column_count; ++c) text += fmt::format("{:>14}", of_column(static_cast<Column>(c)));
  return text;
}

std::string lines_of_set(const SetResult& result, const Scaled& scaled) {
  const std::string name = std::string(result.set->name) + mark_of(result.mismatches);
  if (scaled.splits.empty()) return fmt::format("{:<14}not done\n", name);
  const Best best = best_of(scaled);
  return row_of(name, "ours", [&](Column column) { return cell(figure_of(scaled, column, cost_of_table)); }) +
         fmt::format("{:>14}{:>13}{:>13}\n", fmt::format("{:.1f} at {}", best.error, best.sigma),
                     cell(figure_of(scaled, svm_cv, 1)), cell(figure_of(scaled, svm_mv, 1))) +
         row_of("", "paper", [&](Column column) { return cell(result.set->printed[column]); }) +
         fmt::format("{:>14}\n", result.set->printed_best);
}

/// Dashes where some set has no ranks.
std::string totals_row(const std::string& name, const char* kind, const std::optional<Totals>& totals) {
  return row_of(name, kind, [&](Column column) { return totals ? fmt::format("{}", (*totals)[column]) : "-"; }) + "\n";
}

std::string totals_text(const Report& report, std::size_t scaling) {
  return totals_row("Rank total", "ours", our_totals(report.sets, scaling, 0)) +
         totals_row("  C = 100", "ours", our_totals(report.sets, scaling, 1)) +
         totals_row("", "paper", printed_totals(report.sets));
}

/// MinTestError depends on no choice, so its differences from the paper's tell how alike the data are: each of them,
/// for a mean would hide one.
std::string differences_of_best(const Report& report, std::size_t scaling) {
  std::vector<std::string> differences;
  for (const SetResult& result : report.sets) {
    if (result.scaled[scaling].splits.empty()) continue;
    differences.push_back(
        fmt::format("{} {:+.1f}", result.set->name, best_of(result.scaled[scaling]).error - result.set->printed_best));
  }
  if (differences.empty()) return {};
  constexpr std::size_t on_a_line = 5;
  std::string text = "MinTestError, ours minus the paper's, points: ";
  for (std::size_t i = 0; i < differences.size(); ++i)
    text += differences[i] + (i + 1 == differences.size() ? "\n" : (i + 1) % on_a_line == 0 ? ",\n  " : ", ");
  return text;
}

std::string table_1(const Report& report, std::size_t scaling) {
  std::string text = fmt::format("\nTable 1, features to {}: error on the test rows, %\n", scaling_names[scaling]);
  text += row_of("", "", [](Column column) { return column_words[column].name; });
  text += fmt::format("{:>14}{:>13}{:>13}\n", "MinTestError", "SVM CV, 100", "SVM MV, 100");
  for (const SetResult& result : report.sets) text += lines_of_set(result, result.scaled[scaling]);
  return text + totals_text(report, scaling) + differences_of_best(report, scaling);
}

constexpr const char* notes_on_table_1 =
    "RVM MV: the index with the library's defaults. SVM MV: an SVM with the width that RVM MV chose. C = 1; last two\n"
    "columns C = 100. MinTestError: the best single width of the RVM, which needs the labels of the test rows.\n"
    "Ranks: of the four errors, not rounded, ours and the paper's; equal errors take the smaller rank.\n";

// ---- other rules ----

/// Mean over the sets that were run of an independent implementation's figures, where all nine were; negative: none.
struct PrototypeMeans {
  double minmax;
  double standard;
};
constexpr std::array<PrototypeMeans, rule_count> prototype{
    {{-1, -1}, {-1, -1}, {21.4, 24.6}, {21.8, 24.7}, {21.7, 24.2}, {22.2, 23.1}}};
constexpr PrototypeMeans prototype_cv{21.3, 21.2};

template <class ErrorOf>
std::string rule_row(const Report& report, std::size_t scaling, const char* name, const PrototypeMeans& means,
                     const ErrorOf& error_of) {
  std::string text = fmt::format("{:<18}", name);
  double sum = 0;
  std::size_t count = 0;
  for (const SetResult& result : report.sets) {
    if (result.scaled[scaling].splits.empty()) continue;
    const double error = error_of(result.scaled[scaling]);
    text += fmt::format("{:>8.1f}", error);
    sum += error;
    ++count;
  }
  const double other = scaling == 0 ? means.minmax : means.standard;
  const bool all = count == table_1_sets && other > 0;
  return text +
         fmt::format("{:>8.1f}{:>11}\n", sum / static_cast<double>(count), all ? fmt::format("{:.1f}", other) : "-");
}

std::string rules_table(const Report& report, std::size_t scaling) {
  std::string text =
      fmt::format("\nThe RVM with other choices from the same fits, features to {}: error on the test rows, %\n",
                  scaling_names[scaling]);
  const bool any = std::any_of(report.sets.begin(), report.sets.end(),
                               [&](const SetResult& result) { return !result.scaled[scaling].splits.empty(); });
  if (!any) return text + "not done\n";
  text += fmt::format("{:<18}", "");
  for (const SetResult& result : report.sets)
    if (!result.scaled[scaling].splits.empty()) text += fmt::format("{:>8.6}", result.set->name);
  text += fmt::format("{:>8}{:>11}\n", "mean", "prototype");
  for (std::size_t r = 0; r < rule_count; ++r) {
    const auto rule = static_cast<Rule>(r);
    text += rule_row(report, scaling, rule_words[r].name, prototype[r],
                     [rule](const Scaled& scaled) { return figure_of(scaled, rule).mean; });
  }
  return text + rule_row(report, scaling, "5-fold CV", prototype_cv,
                         [](const Scaled& scaled) { return figure_of(scaled, rvm_cv, cost_of_table).mean; });
}

constexpr const char* notes_on_rules =
    "guard: widths with no more evidence than the bias alone (by 0.5) are left out; cap: A is at most the feature's\n"
    "range; literal: equation 7 as printed, without (2 pi)^(M/2), guard and cap. prototype: an independent\n"
    "implementation on other splits.\n";

// ---- kernels and times ----

double mean(const Scaled& scaled, const std::function<double(const Split&)>& of) {
  return figure_over(scaled.splits, of).mean;
}

/// Two decimals, as means of 20 counts are multiples of 0.05: rounding these to 0.1 would be up to their last bit.
std::string kernels_row(const SetResult& result, const Scaled& scaled) {
  const double by_cv =
      mean(scaled, [](const Split& split) { return static_cast<double>(split.widths[split.rvm_cv_width].kernels); });
  const double by_index =
      mean(scaled, [](const Split& split) { return static_cast<double>(split.widths[split.chosen[index]].kernels); });
  const double relevant =
      mean(scaled, [](const Split& split) { return static_cast<double>(split.widths[split.chosen[index]].relevant); });
  const double support =
      mean(scaled, [](const Split& split) { return static_cast<double>(split.svm_cv[cost_of_table].support_vectors); });
  return fmt::format("{:<14}{:>6}{:>10.2f}{:>10.2f}{:>12.2f}{:>12.2f}{:>14}\n", result.set->name,
                     scaled.splits.front().training_rows, by_cv, by_index, relevant, support,
                     by_cv > 0 ? fmt::format("{:.1f}", support / by_cv) : "-");
}

std::string times_row(const SetResult& result, const Scaled& scaled) {
  const double fits = mean(scaled, [](const Split& split) { return split.fit_seconds; });
  const double cv = mean(scaled, [](const Split& split) { return split.cv_seconds; });
  const double svm = mean(scaled, [](const Split& split) { return split.svm_cv[cost_of_table].seconds; });
  const double svm_of_index =
      mean(scaled, [](const Split& split) { return split.fit_seconds + split.svm_mv[cost_of_table].seconds; });
  return fmt::format("{:<14}{:>6}{:>10.4f}{:>10.4f}{:>10.4f}{:>10.4f}{:>18.1f}\n", result.set->name,
                     scaled.splits.front().training_rows, cv, svm, fits, svm_of_index, cv / fits);
}

template <class Row>
std::string rows_of(const Report& report, const Row& row) {
  std::string text;
  for (const SetResult& result : report.sets) {
    const Scaled& scaled = result.scaled.front();
    if (!scaled.splits.empty()) text += row(result, scaled);
  }
  return text;
}

/// Sum of the times of all splits, both scalings.
double all_seconds(const Report& report, const std::function<double(const Split&)>& of) {
  double sum = 0;
  for (const SetResult& result : report.sets) {
    for (const Scaled& scaled : result.scaled)
      for (const Split& split : scaled.splits) sum += of(split);
  }
  return sum;
}

std::string kernels_and_times(const Report& report) {
  const double fits = all_seconds(report, [](const Split& split) { return split.fit_seconds; });
  if (!(fits > 0)) return {};
  const double cv = all_seconds(report, [](const Split& split) { return split.cv_seconds; });
  return fmt::format(
             "\nKernels of the RVM and support vectors of the SVM, features to [0, 1], means over splits\n"
             "{:<14}{:>6}{:>10}{:>10}{:>12}{:>12}{:>14}\n",
             "", "rows", "RVM CV", "RVM MV", "gamma > 0.1", "SVM CV", "SVM / RVM CV") +
         rows_of(report, kernels_row) +
         fmt::format(
             "The paper: \"RVM generated 5-8 times less kernels\".\n"
             "\nTime of a split on one thread, choice and training, features to [0, 1], s\n"
             "{:<14}{:>6}{:>10}{:>10}{:>10}{:>10}{:>18}\n",
             "", "rows", "RVM CV", "SVM CV", "RVM MV", "SVM MV", "RVM CV / RVM MV") +
         rows_of(report, times_row) +
         fmt::format(
             "All sets, splits and both scalings: by five-fold CV {:.1f} s, by the index {:.1f} s: {:.1f} times "
             "as long.\n",
             cv, fits, cv / fits);
}

// ---- Figure 2 ----

std::string chosen_line(const sinc::Result& figure, const char* name, sinc::Rule rule, const char* prototype_rmse) {
  const Figure rmse = sinc::rmse_of(figure, rule);
  std::vector<double> sigmas;
  for (const sinc::Sample& sample : figure.samples) sigmas.push_back(sinc::widths[sample.chosen[rule]]);
  const auto [least, most] = std::minmax_element(sigmas.begin(), sigmas.end());
  const std::string deviation = rmse.deviation ? fmt::format("({:.4f})", *rmse.deviation) : "";
  return fmt::format("{:<24}{:>8.4f} {:<8}{:>12}    sigma {} to {}\n", name, rmse.mean, deviation, prototype_rmse,
                     *least, *most);
}

std::string figure_2(const sinc::Result& figure) {
  if (figure.samples.empty()) return "\nFigure 2: not done\n";
  std::string text =
      fmt::format("\nFigure 2: sin(x)/x at 141 points of [-7, 7], noise 0.1, {}\n{:>8}{:>14}{:>16}{:>12}{:>10}\n",
                  report::count_of(figure.samples.size(), "seed"), "sigma", "median log KV", "median log ev",
                  "test rmse", "kernels");
  for (std::size_t w = 0; w < sinc::widths.size(); ++w) {
    double rmse = 0;
    double kernels = 0;
    for (const sinc::Sample& sample : figure.samples) {
      rmse += sample.fits[w].rmse / static_cast<double>(figure.samples.size());
      kernels += static_cast<double>(sample.fits[w].kernels) / static_cast<double>(figure.samples.size());
    }
    text += fmt::format("{:>8}{:>14.1f}{:>16.1f}{:>12.4f}{:>10.1f}\n", sinc::widths[w],
                        sinc::median_of(figure, w, &sinc::Fit::log_validity),
                        sinc::median_of(figure, w, &sinc::Fit::log_evidence), rmse, kernels);
  }
  return text + fmt::format("{:<24}{:>17}{:>12}\n", "chosen by", "rmse (deviation)", "prototype") +
         chosen_line(figure, "index", sinc::index, "0.0247") +
         chosen_line(figure, "5-fold CV", sinc::cross_validation, "0.0243") +
         chosen_line(figure, "evidence", sinc::evidence, "0.0291") +
         chosen_line(figure, "the truth", sinc::best, "0.0203");
}

// ---- targets ----

std::string targets_text(const Report& report) {
  const std::vector<Target> targets = targets_of(report);
  if (targets.empty()) return {};
  const auto met = std::count_if(targets.begin(), targets.end(), [](const Target& target) { return target.met(); });
  std::string text = fmt::format(
      "\n{} of {} figures are where they should be (errors: RVM, features to [0, 1], the index without guard and cap,\n"
      "which is how the bands were measured; bell: by how much the median curve moves against one)\n",
      met, targets.size());
  for (const Target& target : targets) {
    text += fmt::format("  {:<14}{:>9.4g}{:>8.4g} to {:<8.4g}{}\n", target.name, target.ours, target.band.low,
                        target.band.high, target.met() ? "yes" : "NO");
  }
  return text;
}

std::string footnotes(const Report& report) {
  std::string text;
  for (const SetResult& result : report.sets) text += footnote(result.set->name, result.mismatches);
  return text;
}

std::string protocol_text(const Report& report) {
  return fmt::format(
      "{}\n{} of one third for training, two thirds for test, seed {}; in brackets the deviation over splits.\n"
      "Missing values are filled and features scaled as the training third says. Widths {}.\n",
      paper_title, report::count_of(static_cast<std::size_t>(report.settings.splits), "random split"),
      report.settings.seed, fmt::join(widths, ", "));
}

/// Of a run that was stopped: how much of it was done.
std::string partial_text(const Report& report) {
  if (report.stopped == core::StopReason::none) return {};
  std::vector<std::string> parts;
  for (const SetResult& result : report.sets) {
    parts.push_back(fmt::format("{} {} and {}", result.set->name, result.scaled.front().splits.size(),
                                result.scaled.back().splits.size()));
  }
  std::string text;
  if (!parts.empty()) {
    text = fmt::format("Splits done of {} with features to {} and as many with {}: {}.\n", report.settings.splits,
                       scaling_names.front(), scaling_names.back(), fmt::join(parts, ", "));
  }
  if (report.figure) {
    text += fmt::format("Figure 2: {} of {} done.\n", report.figure->samples.size(),
                        report::count_of(static_cast<std::size_t>(report.settings.splits), "seed"));
  }
  return text + "All figures below are partial: of these alone. What was not finished is not judged.\n";
}

}  // namespace

std::string report_text(const Report& report) {
  std::string text = partial_text(report) + protocol_text(report);
  if (!report.sets.empty()) {
    for (std::size_t s = 0; s < scalings.size(); ++s) text += table_1(report, s);
    text += notes_on_table_1 + footnotes(report);
    for (std::size_t s = 0; s < scalings.size(); ++s) text += rules_table(report, s);
    text += notes_on_rules + kernels_and_times(report);
  }
  if (report.figure) text += figure_2(*report.figure);
  return text + targets_text(report) + closing_line(report);
}

}  // namespace credence::reproduce::kernel_validity
