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

void add_error_curve(const std::vector<selection::BoundPoint>& curve, Section& section) {
  Table table{{"|eps_crit <=", "|rows", "|error"}, "Errors of the rows decided at each eps_crit or below", Where::both};
  for (const std::size_t line : shown_lines(curve.size()))
    table.add({fmt::format("{:.3f}", curve[line].eps_crit), curve[line].rows, percent(curve[line].error())});
  section.add(std::move(table));
}

Json error_curve_json(const std::vector<selection::BoundPoint>& curve) {
  return Json::list(curve, [&](const selection::BoundPoint& point) {
    return Json::object("eps_crit"_key = point.eps_crit, "n"_key = point.rows, "errors"_key = point.errors,
                        "error"_key = point.error());
  });
}

void add_as_strange(const std::vector<selection::AsStrange>& lines, std::size_t rows,
                    const selection::NonconformityRule& rule, Section& section) {
  const auto limit = [](double value) { return value >= 1 ? std::string("vacuous") : fmt::format("{:.3f}", value); };
  Table table{{"|as strange at eps_crit", "|counted", "|at most (VC)", "|at most (DKW)"},
              "Share of rows whose true class has a p-value of at most eps_crit under one model",
              Where::both};
  for (const std::size_t line : shown_lines(lines.size()))
    table.add({fmt::format("{:.3f}", lines[line].eps_crit), fmt::format("{:.3f}", share_of(lines[line], rows)),
               limit(lines[line].at_most_vc), limit(lines[line].at_most_dkw)});
  section.add(std::move(table));
  section.tell(fmt::format(
      "counted: the share here, the largest of {}. at most: proved of new rows, for all models at once, with "
      "probability {:g} % over the {}, if rows are independent. A vacuous limit says nothing, and none "
      "of this table limits the error: docs/methods/nonconformity.md",
      count_of(rule.models(), "model"), 100 * (1 - rule.options().delta),
      count_of(rule.validation_rows(), "validation row")));
}

Json as_strange_json(const std::vector<selection::AsStrange>& lines, std::size_t rows) {
  return Json::list(lines, [&](const selection::AsStrange& line) {
    return Json::object("eps_crit"_key = line.eps_crit, "counted"_key = share_of(line, rows),
                        "at_most_vc"_key = line.at_most_vc, "at_most_dkw"_key = line.at_most_dkw);
  });
}

}  // namespace credence::report
