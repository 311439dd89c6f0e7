#include "report.hpp"
#include "report_text.hpp"

namespace credence::bench {
namespace {

/// The targets that the project set itself.
constexpr double usps_seconds = 1;
constexpr double usps_ratio = 2;
constexpr double shuttle_seconds = 6;
constexpr double shuttle_megabytes = 500;
constexpr double training_seconds = 20;
constexpr double row_milliseconds = 1;
constexpr std::size_t published_rows = 100000;

std::string at_most(double value, double target) {
  return value <= target ? "reached" : "missed";
}

std::string plain_text(const PlainQueryRow& row) {
  std::string text = fmt::format(
      "{}: {} x {} rows, {} features, {} labels\n"
      "  Credence, training and all p-values   {:>8} s = {} + {} (target {}: {})\n",
      row.name, row.rows, row.test_rows, row.features, row.classes, seconds_text(row.all()),
      seconds_text(median(row.training).wall), seconds_text(median(row.ranking).wall), usps_seconds,
      at_most(row.all(), usps_seconds));
  for (const PlainQueryRow::Peer& peer : row.peers) {
    const Seconds seconds = median(peer.seconds);
    text += fmt::format("  plain 1-NN, {:<25} {:>8} s; Credence takes {:.2f} times that ({:.2f} of processor time)\n",
                        peer.name, seconds_text(seconds.wall), row.all() / seconds.wall, row.all_cpu() / seconds.cpu);
  }
  if (row.peers.empty()) return text;
  const double ratio = row.all() / row.fastest();
  return text + fmt::format("  against the fastest: {:.2f} times (target {}: {})\n", ratio, usps_ratio,
                            at_most(ratio, usps_ratio));
}

std::string shuttle_text(const ConformalSizeRow& row) {
  const double seconds = median(row.training).wall + median(row.ranking).wall;
  return fmt::format(
      "{}: {} x {} rows, {} features, {} labels\n"
      "  Credence {} s = {} + {} (target {}: {}), peak {:.0f} MB with the data (target {}: {})\n",
      row.name, row.rows, row.test_rows, row.features, row.classes, seconds_text(seconds),
      seconds_text(median(row.training).wall), seconds_text(median(row.ranking).wall), shuttle_seconds,
      at_most(seconds, shuttle_seconds), row.megabytes, shuttle_megabytes, at_most(row.megabytes, shuttle_megabytes));
}

std::string published_text(const ConformalSizeRow& row) {
  if (row.rows != published_rows) return {};
  const double training = median(row.training).wall;
  return fmt::format(
      "  published, not measured here: exact optimised full k-NN in Python, same m and d, training 2.09 h and\n"
      "  633 ms a row (Cherubin, Chatzikokolakis, Jaggi, ICML 2021): {:.0f} and {:.0f} times ours\n"
      "  training {} s (target {}: {}), {:.3f} ms a row (target {}: {})\n",
      2.09 * 3600 / training, 633 / row.milliseconds_per_row(), seconds_text(training), training_seconds,
      at_most(training, training_seconds), row.milliseconds_per_row(), row_milliseconds,
      at_most(row.milliseconds_per_row(), row_milliseconds));
}

std::string curve_text(const std::vector<ConformalSizeRow>& rows) {
  std::string text = fmt::format("two Gaussian classes, {} features\n  {:>8}{:>12}{:>12}{:>12}\n", rows[0].features,
                                 "rows", "training s", "ms a row", "peak MB");
  for (const ConformalSizeRow& row : rows) {
    text += fmt::format("  {:>8}{:>12}{:>12.3f}{:>12.0f}\n", row.rows, seconds_text(median(row.training).wall),
                        row.milliseconds_per_row(), row.megabytes);
  }
  if (rows.size() > 1) {
    const std::size_t all = rows.size();
    text += fmt::format(
        "  exponent of the rows, by processor time: training {:.2f}, of the last two sizes {:.2f} (m^2: 2);\n"
        "  a row {:.2f} and {:.2f} (m: 1)\n",
        fitted_exponent(rows, true, all), fitted_exponent(rows, true, 2), fitted_exponent(rows, false, all),
        fitted_exponent(rows, false, 2));
  }
  return text + published_text(rows.back());
}

std::string peer_text(const ConformalPeerRow& row) {
  return fmt::format(
      "{} (TcpClassifier, the same nonconformity score): {} x {} rows, {} labels, one thread, processor seconds\n"
      "  {} s; Credence {:.5f} s: {:.0f} times as fast; {} of {} p-values differ\n",
      row.name, row.rows, row.test_rows, row.classes, seconds_text(median(row.peer).cpu), median(row.credence).cpu,
      row.ratio(), row.differing, row.test_rows * row.classes);
}

std::string svm_text(const TransductiveSvmRow& row) {
  std::string text = fmt::format("transductive SVM, {}: {} rows, C = {}, gamma = {}, one thread, processor time\n",
                                 row.name, row.rows, row.C, row.gamma);
  text += fmt::format("  Credence {:.3f} ms a row, {} rows\n", row.credence_milliseconds(), row.test_rows);
  if (row.libsvm.empty()) return text;
  return text + fmt::format(
                    "  LIBSVM trained anew for each row and class {:.2f} ms a row, {} rows: {:.0f} times Credence\n"
                    "  mean difference of a p-value {:.4f}, {} labels differ\n",
                    row.libsvm_milliseconds(), row.libsvm_rows, row.ratio(), row.mean_difference, row.differing_labels);
}

bool is_empty(const ConformalResults& results) {
  return results.plain.empty() && results.shuttle.empty() && results.gaussians.empty() && results.peers.empty() &&
         results.svms.empty();
}

}  // namespace

std::string conformal_text(const Results& results) {
  const ConformalResults& conformal = results.conformal;
  if (is_empty(conformal)) return {};
  std::string text =
      "\nFull conformal prediction, k = 1, p-values of all labels; two threads, wall clock, where not said\n";
  for (const PlainQueryRow& row : conformal.plain) text += plain_text(row);
  for (const ConformalSizeRow& row : conformal.shuttle) text += shuttle_text(row);
  if (!conformal.gaussians.empty()) text += curve_text(conformal.gaussians);
  for (const ConformalPeerRow& row : conformal.peers) text += peer_text(row);
  for (const TransductiveSvmRow& row : conformal.svms) text += svm_text(row);
  return text;
}

}  // namespace credence::bench
