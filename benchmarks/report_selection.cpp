#include "report.hpp"
#include "report_text.hpp"

namespace credence::bench {
namespace {

std::string left_out_line(const LeftOutRow& row) {
  const bool known = !row.ratios.empty();
  const std::string mark = row.extrapolated() ? "~" : "";
  const double steps = static_cast<double>(row.libsvm_steps) * row.scale();
  return fmt::format("{:<11}{:>5}{:>5}{:>6}{:>9}{:>9}{:>9}{:>8}{:>6}{:>9}{:>9}{:>8}{:>5}\n", row.name, row.rows,
                     row.features, row.settings,
                     known ? mark + seconds_text(median(row.libsvm).cpu * row.scale()) : "-",
                     seconds_text(median(row.refits).cpu), seconds_text(median(row.credence).cpu),
                     known ? fmt::format("{}{:.0f}", mark, row.ratio()) : "-",
                     row.largest_difference ? fmt::format("{}", *row.largest_difference) : "-",
                     known ? mark + count_text(static_cast<std::uint64_t>(steps)) : "-", count_text(row.refit_steps),
                     count_text(row.credence_steps), row.refit_difference);
}

std::string left_out_text(const std::vector<LeftOutRow>& rows) {
  std::string text = fmt::format(
      "\nLeave-one-out of a grid, one thread, standardised, tolerance {}; processor seconds\n"
      "{:<11}{:>5}{:>5}{:>6}{:>9}{:>9}{:>9}{:>8}{:>6}{:>9}{:>9}{:>8}{:>5}\n",
      tolerance, "data set", "rows", "dims", "settings", "LIBSVM", "n fits", "Credence", "ratio", "diff", "steps",
      "n fits", "ours", "diff");
  for (const LeftOutRow& row : rows) text += left_out_line(row);
  text +=
      "n fits: Credence, each row a fold of its cross-validation; ratio: LIBSVM / Credence;\n"
      "diff: largest difference over the settings, rows: from LIBSVM, and from the n fits;\n"
      "steps of the solver: LIBSVM, n fits, ours\n";
  for (const LeftOutRow& row : rows) {
    if (row.extrapolated() && !row.libsvm.empty()) {
      text += fmt::format("~ {}: extrapolated; LIBSVM left out {} of the {} rows of each setting, in {} s\n", row.name,
                          row.libsvm_rows, row.rows, seconds_text(median(row.libsvm).cpu));
    }
    if (!row.full_grid.empty()) {
      text += fmt::format("{}: all settings of the default grid take Credence {} s\n", row.name,
                          seconds_text(median(row.full_grid).cpu));
    }
  }
  return text;
}

std::string prediction_text(const PredictionRow& row) {
  std::string text = fmt::format(
      "\nPrediction by all models (nonconformity): {} rows x {}, {} models trained on {} rows,\n"
      "{} support vectors, {:.0f} a model; processor seconds\n",
      row.rows, row.features, row.models, row.training_rows, row.support, row.mean_support);
  text += fmt::format("one thread           {:>9} s  {:.0f} rows a second\n", seconds_text(median(row.one_thread).cpu),
                      row.rows_per_second());
  text += fmt::format("two threads          {:>9} s of wall clock, x{:.2f}\n",
                      seconds_text(median(row.two_threads).wall), row.speed_up());
  text += fmt::format(
      "kernel values alone  {:>9} s  (kernel_block of every gamma, each from the rows); prediction x{:.2f}\n",
      seconds_text(median(row.kernel_alone).cpu), row.over_kernel());
  if (row.libsvm.empty()) return text;
  return text + fmt::format(
                    "LIBSVM, same models {:>9} s  extrapolated from {} rows in {} s: {:.0f} times Credence;\n"
                    "largest relative difference of a decision value {:.0e}\n",
                    "~" + seconds_text(median(row.libsvm).cpu * row.scale()), row.libsvm_rows,
                    seconds_text(median(row.libsvm).cpu), row.ratio(), row.largest_difference);
}

std::string estimate_text(const EstimateRow& row) {
  const double none = median(row.none).cpu;
  const double bbc = median(row.bbc).cpu;
  return fmt::format(
      "\nHonest estimate beside cross-validation on {}, one thread; processor seconds\n"
      "none {}, bbc {} (x{:.3f}; the estimate is {:.1f}% of the run), nested {}: {:.1f} times bbc\n",
      row.name, seconds_text(none), seconds_text(bbc), bbc / none, 100 * row.share(),
      seconds_text(median(row.nested).cpu), row.nested_over_bbc());
}

std::string methods_text(const Results& results) {
  std::string text = fmt::format(
      "\nMethods on {}: selection and the training it leads to, scaled as by default; processor seconds\n"
      "{:<20}{:>11}{:>10}{:>12}{:>10}{:>9}{:>10}\n",
      results.methods_name, "method", "one thread", "cv takes", "two threads", "with bbc", "steps", "score");
  double cv = 0;
  for (const MethodRow& row : results.methods) cv = row.method == "cv" ? median(row.one_thread).cpu : cv;
  for (const MethodRow& row : results.methods) {
    const double own = median(row.one_thread).cpu;
    text += fmt::format("{:<20}{:>11}{:>10}{:>12}{:>10}{:>9}{:>10}\n", row.method, seconds_text(own),
                        fmt::format("x{:.2f}", cv / own), seconds_text(median(row.two_threads).wall),
                        seconds_text(median(row.with_bbc).cpu), count_text(row.steps),
                        row.error ? fmt::format("{:.4f}", *row.error) : "-");
  }
  return text + "two threads: wall clock; score: the method's own, of what it chose\n";
}

}  // namespace

std::string selection_text(const Results& results) {
  std::string text;
  if (!results.left_out.empty()) text += left_out_text(results.left_out);
  for (const PredictionRow& row : results.prediction) text += prediction_text(row);
  for (const EstimateRow& row : results.estimates) text += estimate_text(row);
  if (!results.methods.empty()) text += methods_text(results);
  return text;
}

}  // namespace credence::bench
