#include <algorithm>
#include <cmath>

#include "report.hpp"
#include "report_text.hpp"

namespace credence::bench {
namespace {

std::string seconds_or_dash(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:g}", *seconds) : "-";
}

/// Missed only if the machine was not too busy to tell: `cpu` is what one thread takes on an idle one.
std::string verdict(double wall, double cpu, const Aims& aims) {
  if (!aims.target) return "";
  return wall <= *aims.target ? "reached" : cpu <= *aims.target ? "busy" : "missed";
}

std::string method_text(const std::vector<InSampleRow>& rows) {
  std::string text = fmt::format(
      "\nIn-sample methods, {} label vectors, 30 values of rho with the stopping rule, norm to {}; digits\n"
      "0 and 1, as many of each, pixels / 255, linear kernel; seconds, two threads: wall clock\n"
      "{:<20}{:>5}{:>6}{:>12}{:>11}{:>8}{:>8}{:>6}{:>8}{:>7}{:>9}\n",
      rows.front().trials, norm_tolerance, "method", "rows", "hint", "two threads", "one, cpu", "paper", "target",
      "rhos", "solves", "steps", "");
  for (const InSampleRow& row : rows) {
    const double seconds = median(row.two_threads).wall;
    text += fmt::format("{:<20}{:>5}{:>6}{:>12}{:>11}{:>8}{:>8}{:>6}{:>8}{:>7}{:>9}\n", row.task.method, row.task.rows,
                        seconds_or_dash(row.task.hint), seconds_text(seconds), seconds_text(median(row.one_thread).cpu),
                        seconds_or_dash(row.task.aims.paper), seconds_or_dash(row.task.aims.target), row.rhos,
                        count_text(row.work.solves), count_text(row.work.steps),
                        verdict(seconds, median(row.one_thread).cpu, row.task.aims));
  }
  return text +
         "paper: Anguita et al. (2012), Table XIV; rhos: before the stopping rule; busy: the target was\n"
         "missed, but one thread's processor time is within it\n";
}

std::string convex_step_text(const std::vector<ConvexStepRow>& rows) {
  std::string text = fmt::format(
      "\nThe same procedure through LIBSVM: one svm_train for each probe of C in each convex step, the kernel\n"
      "precomputed, nothing to start from; a C-SVC where no row is given up, else an epsilon-SVR (2 n\n"
      "variables) whose insensitive zone ends at the margin; the same loop, starts and label vectors on both\n"
      "sides, norm to {}, tolerance {}, one thread; processor seconds\n"
      "{:<20}{:>5}{:>7}{:>9}{:>9}{:>6}{:>18}{:>17}{:>9}\n",
      norm_tolerance, soft_tolerance, "method", "rows", "trials", "LIBSVM", "Credence", "ratio", "trainings (ours)",
      "steps (ours)", "diff");
  for (const ConvexStepRow& row : rows) {
    const bool known = !row.libsvm.empty();
    const double difference = std::max(row.training_difference, row.complexity_difference);
    text += fmt::format(
        "{:<20}{:>5}{:>7}{:>9}{:>9}{:>6}{:>18}{:>17}{:>9}{}\n", row.task.method, row.task.rows, row.task.trials,
        known ? seconds_text(median(row.libsvm).cpu) : "-", seconds_text(median(row.credence).cpu),
        known ? fmt::format("{:.0f}", row.ratio()) : "-",
        fmt::format("{} ({})", known ? count_text(row.libsvm_work.trainings) : "-",
                    count_text(row.credence_work.trainings)),
        fmt::format("{} ({})", known ? count_text(row.libsvm_work.steps) : "-", count_text(row.credence_work.steps)),
        known ? fmt::format("{:.5f}", difference) : "-", known && !row.agree() ? "  DIFFERENT RESULTS" : "");
  }
  for (const ConvexStepRow& row : rows) {
    if (row.libsvm.empty()) continue;
    text += fmt::format("{} {}: {} of LIBSVM's trainings are epsilon-SVRs\n", row.task.method, row.task.rows,
                        row.libsvm_work.regressions);
  }
  return text + fmt::format(
                    "ratio: LIBSVM / Credence; diff: largest over rho, of training loss and mean complexity (they\n"
                    "agree up to {}, and stop at the same rho)\n",
                    ConvexStepRow::allowed);
}

std::string held_out_text(const std::vector<HeldOutRow>& rows) {
  std::string text = fmt::format(
      "\nOut-of-sample methods by the soft loss, {} costs, {} rows as above, tolerance {}; seconds, two\n"
      "threads: wall clock, LIBSVM and one thread: processor\n"
      "{:<14}{:>10}{:>12}{:>9}{:>7}{:>9}{:>8}{:>7}{:>7}{:>9}\n",
      rows.front().costs, rows.front().task.rows, tolerance, "method", "resamples", "two threads", "one", "LIBSVM",
      "ratio", "diff", "paper", "target", "");
  for (const HeldOutRow& row : rows) {
    const bool known = !row.libsvm.empty();
    const std::string mark = row.extrapolated() ? "~" : "";
    const double seconds = median(row.two_threads).wall;
    text +=
        fmt::format("{:<14}{:>10}{:>12}{:>9}{:>7}{:>9}{:>8}{:>7}{:>7}{:>9}\n", row.task.method, row.resamples,
                    seconds_text(seconds), seconds_text(median(row.one_thread).cpu),
                    known ? mark + seconds_text(median(row.libsvm).cpu * row.scale()) : "-",
                    known ? fmt::format("{}{:.0f}", mark, row.ratio()) : "-",
                    row.difference ? fmt::format("{:.5f}", *row.difference) : "-", seconds_or_dash(row.task.aims.paper),
                    seconds_or_dash(row.task.aims.target), verdict(seconds, median(row.one_thread).cpu, row.task.aims));
  }
  text +=
      "ratio: LIBSVM / one thread; diff: largest difference of a mean soft loss, of a setting (nested: of a test\n"
      "fold); LIBSVM: one svm_train for each resample and cost, the kernel precomputed\n";
  for (const HeldOutRow& row : rows) {
    if (!row.extrapolated() || row.libsvm.empty()) continue;
    text += fmt::format("~ {}: extrapolated from {} of {} resamples in {} s\n", row.task.method, row.libsvm_resamples,
                        row.resamples, seconds_text(median(row.libsvm).cpu));
  }
  return text;
}

std::string command_text(const CommandRow& row) {
  const double seconds = median(row.seconds).wall;
  return fmt::format(
      "\ncredence compare {}: {} methods over {} outer splits, from the file, all cores\n"
      "{} s of wall clock, {} s of processor time (target {}: {})\n",
      row.file, row.methods.size(), row.outer_folds, seconds_text(seconds), seconds_text(median(row.seconds).cpu),
      seconds_or_dash(row.aims.target), verdict(seconds, median(row.seconds).cpu, row.aims));
}

}  // namespace

std::string in_sample_text(const InSampleResults& results) {
  std::string text;
  if (!results.in_sample.empty()) text += method_text(results.in_sample);
  if (!results.convex_steps.empty()) text += convex_step_text(results.convex_steps);
  if (!results.held_out.empty()) text += held_out_text(results.held_out);
  for (const CommandRow& row : results.command) text += command_text(row);
  return text;
}

}  // namespace credence::bench
