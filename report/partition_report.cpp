#include "report/partition_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/score_text.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::PartitionReport;
using selection::PartReport;

std::size_t one_class_count(const PartitionReport& found) {
  return static_cast<std::size_t>(
      std::ranges::count_if(found.of_part, [](const PartReport& part) { return part.classes.size() == 1; }));
}

/// "C from 0.5 to 512"; empty where no cell has a value.
std::string range_text(const PartitionReport& found, const char* name, double PartReport::*member) {
  std::vector<double> values;
  for (const PartReport& part : found.of_part)
    if (part.*member > 0) values.push_back(part.*member);
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(values);
  return *least == *most ? fmt::format("{} = {}", name, readable(*least))
                         : fmt::format("{} from {} to {}", name, readable(*least), readable(*most));
}

}  // namespace

std::string partition_basis(const PartitionReport& found, const selection::Selection& selection) {
  return fmt::format("{} of the feature space, of about {} rows, with {} in each", count_of(found.parts, "cell"),
                     found.size, count_of(static_cast<std::size_t>(selection.folds), "fold"));
}

std::string partition_lines(const PartitionReport& found, const selection::Selection& selection) {
  if (found.of_part.empty()) return {};
  std::vector<std::size_t> rows;
  for (const PartReport& part : found.of_part) rows.push_back(part.rows);
  std::ranges::sort(rows);
  const std::size_t one_class = one_class_count(found);
  std::string text =
      fmt::format("{:<12}{} to {} rows, median {}{}\n", "cells", rows.front(), rows.back(), rows[rows.size() / 2],
                  one_class > 0 ? fmt::format("; {} with one class", one_class) : "");
  std::string choices = range_text(found, "C", &PartReport::C);
  const std::string gammas = range_text(found, "gamma", &PartReport::gamma);
  if (!gammas.empty()) choices += (choices.empty() ? "" : ", ") + gammas;
  if (!choices.empty()) text += fmt::format("{:<12}{}\n", "choices", choices);
  if (found.exact) {
    const selection::ExactBeside& exact = *found.exact;
    const std::string gamma = exact.gamma > 0 ? fmt::format(", gamma = {}", readable(exact.gamma)) : "";
    text += fmt::format("{:<12}{} for one machine on all rows (C = {}{}), chosen by the exact grid: ", "beside",
                        score_text(exact.error, selection.options.score()), readable(exact.C), gamma);
    const char* order = exact.difference > 0 ? "more" : "less";
    text += exact.difference == 0
                ? "cells have the same\n"
                : fmt::format("cells have {} {}\n", spread_text(std::abs(exact.difference), selection.options.score()),
                              order);
  }
  return text;
}

Json partition_json(const PartitionReport& found) {
  Json list = Json::array();
  for (const PartReport& part : found.of_part) {
    list.push_back(Json::object("cell"_key = part.part, "rows"_key = part.rows, "class_counts"_key = part.class_counts,
                                "classes"_key = part.classes, "C"_key = part.C > 0 ? Json(part.C) : Json(nullptr),
                                "gamma"_key = part.gamma > 0 ? Json(part.gamma) : Json(nullptr),
                                "error"_key = part.error, "honest"_key = part.honest, "n_sv"_key = part.support));
  }
  Json document = Json::object("size"_key = found.size, "count"_key = found.parts, "list"_key = std::move(list));
  if (found.exact) {
    const selection::ExactBeside& exact = *found.exact;
    document["exact"] =
        Json::object("C"_key = exact.C, "gamma"_key = exact.gamma > 0 ? Json(exact.gamma) : Json(nullptr),
                     "error"_key = exact.error, "difference"_key = exact.difference, "seconds"_key = exact.seconds);
  }
  return document;
}

}  // namespace credence::report
