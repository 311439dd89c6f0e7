#include "credence/core/list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/rows/familiarity_report.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// At most eight of so many lines, evenly, the last among them.
std::vector<std::size_t> shown_lines(std::size_t count) {
  constexpr std::size_t most = 8;
  const std::size_t lines = std::min(most, count);
  return core::made(lines, [&](std::size_t line) { return (line + 1) * count / lines - 1; });
}

double share_of(const selection::AsStrange& line, std::size_t rows) {
  return static_cast<double>(line.rows) / static_cast<double>(rows);
}

}  // namespace

std::string error_curve_table(const std::vector<selection::BoundPoint>& curve) {
  std::string text = fmt::format("\n{:>12}  {:>8}  {:>9}\n", "eps_crit <=", "rows", "error");
  for (const std::size_t line : shown_lines(curve.size())) {
    const selection::BoundPoint& point = curve[line];
    text += fmt::format("{:>12.3f}  {:>8}  {:>9}\n", point.eps_crit, point.rows, percent(point.error()));
  }
  return text + "  (rows decided at this eps_crit or below, and how many of them are wrong)\n";
}

Json error_curve_json(const std::vector<selection::BoundPoint>& curve) {
  return Json::list(curve, [&](const selection::BoundPoint& point) {
    return Json::object("eps_crit"_key = point.eps_crit, "n"_key = point.rows, "errors"_key = point.errors,
                        "error"_key = point.error());
  });
}

std::string as_strange_table(const std::vector<selection::AsStrange>& lines, std::size_t rows,
                             const selection::NonconformityRule& rule) {
  const auto limit = [](double value) { return value >= 1 ? std::string(">= 1") : fmt::format("{:.3f}", value); };
  std::string text =
      fmt::format("\n{:>12}  {:>8}  {:>12}  {:>13}\n", "as strange", "counted", "at most (VC)", "at most (DKW)");
  for (const std::size_t line : shown_lines(lines.size())) {
    text += fmt::format("{:>12.3f}  {:>8.3f}  {:>12}  {:>13}\n", lines[line].eps_crit, share_of(lines[line], rows),
                        limit(lines[line].at_most_vc), limit(lines[line].at_most_dkw));
  }
  return text + fmt::format(
                    "  (as strange: the true class has a p-value of eps_crit or less under one model.\n"
                    "  Counted: the share of such rows here, the largest of {}. At most: what is\n"
                    "  proved of new rows, for all models at once, with probability {:g} % over the {}.\n"
                    "  From 1 on that says nothing, and it says nothing of the errors above: docs/selection.md)\n",
                    count_of(rule.models(), "model"), 100 * (1 - rule.options().delta),
                    count_of(rule.validation_rows(), "validation row"));
}

Json as_strange_json(const std::vector<selection::AsStrange>& lines, std::size_t rows) {
  return Json::list(lines, [&](const selection::AsStrange& line) {
    return Json::object("eps_crit"_key = line.eps_crit, "counted"_key = share_of(line, rows),
                        "at_most_vc"_key = line.at_most_vc, "at_most_dkw"_key = line.at_most_dkw);
  });
}

}  // namespace credence::report
