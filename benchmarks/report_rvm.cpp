#include <algorithm>

#include "report.hpp"
#include "report_text.hpp"

namespace credence::bench {
namespace {

/// What the project asked of itself at this many rows, of the synthetic problem.
constexpr std::size_t judged_rows = 500;
constexpr double dlib_ratio = 5;
constexpr double python_ratio = 20;

std::string seconds_or_dash(double seconds) {
  return seconds == 0 ? "-" : seconds_text(seconds);
}

std::string work_text(const RvmSideRow& side) {
  if (!side.fit) return "";
  return fmt::format("{:>6}{:>8}{:>7}{:>7.1f}", side.fit->iterations, side.fit->newton_steps, side.fit->factorisations,
                     side.fit->full_factorisations);
}

std::string side_text(const RvmSideRow& side, const RvmSideRow& batch) {
  if (!side.failure.empty()) return fmt::format("  {:<21}{}\n", side.name, side.failure);
  std::string text =
      fmt::format("  {:<21}{:>8}{:>8}{:>7.1f}{:>8}{:>10.2f}{:1}{:>8.4f}{}\n", side.name, seconds_text(side.one()),
                  seconds_or_dash(side.two()), side.one() / batch.one(), side.kernels, side.log_evidence,
                  side.own_alpha ? "" : "*", side.test_error, work_text(side));
  if (side.differing == 0) return text;
  return text +
         fmt::format("  {}: {} test rows where it says something else than its weights\n", side.name, side.differing);
}

std::string target_text(const RvmFitRow& row) {
  if (!row.target) return "";
  const double seconds = row.batch().two();
  const char* verdict = seconds <= *row.target ? "reached" : row.batch().one() <= *row.target ? "busy" : "missed";
  return fmt::format("  batch, two threads: {} s (target {:g}: {})\n", seconds_text(seconds), *row.target, verdict);
}

/// Each of our algorithms beside a peer: time, and what it bought.
std::string against(const RvmFitRow& row, const RvmSideRow& peer) {
  if (!peer.failure.empty()) return "";
  const double target = peer.name == "dlib" ? dlib_ratio : python_ratio;
  std::string text;
  for (const RvmSideRow* ours : {&row.batch(), &row.sequential()}) {
    const double ratio = peer.one() / ours->one();
    text += fmt::format("  {} against {}: {:.1f} times as fast (target {:g}: {}), evidence {:+.2f}, error {:+.4f}\n",
                        ours->name.substr(10), peer.name, ratio, target, ratio >= target ? "reached" : "missed",
                        ours->log_evidence - peer.log_evidence, ours->test_error - peer.test_error);
  }
  return text;
}

std::string targets_text(const RvmFitRow& row) {
  if (row.name != "synthetic" || row.rows != judged_rows) return "";
  std::string text;
  for (std::size_t i = 2; i < row.sides.size(); ++i) text += against(row, row.sides[i]);
  return text;
}

std::string fit_text(const RvmFitRow& row) {
  std::string text = fmt::format(
      "{}, {}: {} rows, {} features, sigma {:g}, {} test rows\n"
      "  {:<21}{:>8}{:>8}{:>7}{:>8}{:>10}{:>9}{:>6}{:>8}{:>7}{:>7}\n",
      row.name, row.task, row.rows, row.features, row.sigma, row.test_rows, "", "one", "two", "ratio", "kernels",
      "evidence ", row.task == "regression" ? "rmse" : "error", "its", "newton", "chol.", "full");
  for (const RvmSideRow& side : row.sides) text += side_text(side, row.batch());
  return text + target_text(row) + targets_text(row);
}

std::string selection_row_text(const RvmSelectionRow& row) {
  return fmt::format(
      "choosing of ten widths, {} rows of {}, one thread, processor seconds: kernel validity {} (sigma {:g}),\n"
      "5-fold cross-validation {} (sigma {:g}): {:.2f} times that\n",
      row.rows, row.name, seconds_text(median(row.index).cpu), row.index_sigma,
      seconds_text(median(row.cross_validation).cpu), row.cross_validation_sigma, row.ratio());
}

}  // namespace

std::string rvm_text(const RvmResults& results) {
  if (results.fits.empty() && results.selections.empty()) return {};
  std::string text =
      "\nRelevance vector machines, one fit: least of some runs, seconds; one: one thread, processor; two: two\n"
      "threads, wall clock; ratio: one thread, to our batch algorithm; full: Cholesky factorisations, each\n"
      "counted as (columns / all columns)^2; *: at the best alpha that we find for its columns\n";
  for (const RvmFitRow& row : results.fits) text += fit_text(row);
  for (const RvmSelectionRow& row : results.selections) text += selection_row_text(row);
  return text;
}

}  // namespace credence::bench
