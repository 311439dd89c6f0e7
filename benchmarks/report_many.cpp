#include "report.hpp"
#include "report_text.hpp"

namespace credence::bench {
namespace {

constexpr double mean_target = 25;

std::string work_line(const ManyClassRow& row) {
  const bool known = !row.ratios.empty();
  const std::string mark = row.extrapolated() ? "~" : "";
  const bool predicts = row.work == ManyClassWork::predict_one || row.work == ManyClassWork::predict_family;
  return fmt::format("{:<16}{:<15}{:>5}{:>8}{:>7}{:>10}{:>9}{:>9}{:>10}{:>5}\n", row.name, name_of(row.work), row.rows,
                     row.classes, row.models, fmt::format("{}{}", row.parts, predicts ? " rows" : ""),
                     known ? mark + seconds_text(median(row.libsvm).cpu * row.scale()) : "-",
                     seconds_text(median(row.credence).cpu), known ? fmt::format("{}{:.1f}", mark, row.ratio()) : "-",
                     row.difference ? fmt::format("{}", *row.difference) : "-");
}

}  // namespace

std::string many_class_text(const Results& results) {
  std::string text;
  if (!results.many.grids.empty()) {
    text += "\nMany classes: three gammas (1/4, 1 and 4 over the number of features) x 11 costs x 10 folds\n" +
            grid_table(results.many.grids);
    if (const double mean = geometric_mean(results.many.grids); mean > 0) {
      text += fmt::format("geometric mean: {:.1f} times LIBSVM (target {}: {})\n", mean, mean_target,
                          mean >= mean_target ? "reached" : "missed");
    }
  }
  if (results.many.work.empty()) return text;
  text += fmt::format(
      "\nMany classes, one thread, standardised, the same grid; processor seconds\n"
      "{:<16}{:<15}{:>5}{:>8}{:>7}{:>10}{:>9}{:>9}{:>10}{:>5}\n",
      "data set", "work", "rows", "classes", "models", "parts", "LIBSVM", "Credence", "ratio", "diff");
  for (const ManyClassRow& row : results.many.work) text += work_line(row);
  text +=
      "parts: resamples that all models are trained on, or new rows that they label;\n"
      "diff: largest difference of the errors of a model, or labels that differ, from LIBSVM\n";
  for (const ManyClassRow& row : results.many.work) {
    if (row.extrapolated() && !row.libsvm.empty()) {
      text += fmt::format("~ {} of {}: extrapolated; LIBSVM went through {} of the {} in {} s\n", name_of(row.work),
                          row.name, row.libsvm_parts, row.parts, seconds_text(median(row.libsvm).cpu));
    }
  }
  return text;
}

}  // namespace credence::bench
