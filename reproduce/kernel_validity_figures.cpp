#include <algorithm>
#include <cmath>

#include "reproduce/kernel_validity.hpp"

namespace credence::reproduce::kernel_validity {
namespace {

constexpr Band bell_band{0, 0};
constexpr Band peak_band{1, 2.5};
constexpr Band rmse_band{0, 0.028};

double error_of(const Split& split, Column column, std::size_t cost) {
  switch (column) {
    case rvm_cv:
      return split.widths[split.rvm_cv_width].test_error;
    case rvm_mv:
      return split.widths[split.chosen[index]].test_error;
    case svm_cv:
      return split.svm_cv[cost].test_error;
    case svm_mv:
      break;
  }
  return split.svm_mv[cost].test_error;
}

/// Means of equal counts, which differ in the last bits, become equal; no others do.
double without_rounding_error(double percent) {
  return std::round(1e9 * percent) / 1e9;
}

/// The median curve of the index: where its peak is, and by how much it moves against a bell at most (falls before the
/// peak, rises after it).
struct Bell {
  std::size_t peak = 0;
  double against = 0;
};
Bell bell_of(const sinc::Result& result) {
  std::array<double, sinc::widths.size()> curve{};
  for (std::size_t w = 0; w < sinc::widths.size(); ++w) curve[w] = sinc::median_of(result, w, &sinc::Fit::log_validity);
  Bell bell;
  bell.peak = static_cast<std::size_t>(std::max_element(curve.begin(), curve.end()) - curve.begin());
  for (std::size_t w = 0; w + 1 < sinc::widths.size(); ++w) {
    const double step = curve[w + 1] - curve[w];
    bell.against = std::max(bell.against, w < bell.peak ? -step : step);
  }
  return bell;
}

}  // namespace

Figure figure_of(const Scaled& scaled, Column column, std::size_t cost) {
  return figure_over(scaled.splits, [&](const Split& split) { return 100 * error_of(split, column, cost); });
}

Figure figure_of(const Scaled& scaled, Rule rule) {
  return figure_over(scaled.splits,
                     [&](const Split& split) { return 100 * split.widths[split.chosen[rule]].test_error; });
}

Best best_of(const Scaled& scaled) {
  Best best{0, 200};
  for (std::size_t w = 0; w < widths.size(); ++w) {
    const double error =
        figure_over(scaled.splits, [w](const Split& split) { return 100 * split.widths[w].test_error; }).mean;
    if (error < best.error) best = {widths[w], error};
  }
  return best;
}

Totals rank_totals(std::span<const std::array<double, column_count>> lines) {
  Totals totals{};
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < column_count; ++c) {
      const auto better = std::count_if(line.begin(), line.end(), [&](double error) { return error < line[c]; });
      totals[c] += 1 + static_cast<std::size_t>(better);
    }
  }
  return totals;
}

std::optional<Totals> our_totals(std::span<const SetResult> sets, std::size_t scaling, std::size_t cost) {
  std::vector<std::array<double, column_count>> lines;
  for (const SetResult& result : sets) {
    const Scaled& scaled = result.scaled[scaling];
    if (scaled.splits.empty()) return std::nullopt;
    auto& line = lines.emplace_back();
    for (std::size_t c = 0; c < column_count; ++c)
      line[c] = without_rounding_error(figure_of(scaled, static_cast<Column>(c), cost).mean);
  }
  return rank_totals(lines);
}

Totals printed_totals(std::span<const SetResult> sets) {
  std::vector<std::array<double, column_count>> lines;
  for (const SetResult& result : sets) {
    auto& line = lines.emplace_back();
    for (std::size_t c = 0; c < column_count; ++c) line[c] = result.set->printed[c].error;
  }
  return rank_totals(lines);
}

std::vector<Target> targets_of(const Report& report) {
  std::vector<Target> targets;
  for (const SetResult& result : report.sets) {
    if (!result.complete) continue;
    const double error = figure_of(result.scaled.front(), index_without_both).mean;
    targets.push_back({result.set->key, error, result.set->band});
  }
  if (!report.figure || !report.figure->complete) return targets;
  const Bell bell = bell_of(*report.figure);
  targets.push_back({"sinc peak", sinc::widths[bell.peak], peak_band});
  targets.push_back({"sinc bell", bell.against, bell_band});
  targets.push_back({"sinc rmse", sinc::rmse_of(*report.figure, sinc::index).mean, rmse_band});
  return targets;
}

}  // namespace credence::reproduce::kernel_validity
