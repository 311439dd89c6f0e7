#include "report/decisions/parts_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "credence/bounds/quantile.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "report/shares.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t most_parts = 1000;
/// Up to so many different numbers are values of their own.
constexpr std::size_t most_values = 8;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

DividedBy::Column parse_column(const std::string& text) {
  const std::size_t equal = text.rfind('=');
  if (equal == std::string::npos) return {text, {}};
  DividedBy::Column column{text.substr(0, equal), {}};
  for (const std::string& cut : split(text.substr(equal + 1), ':')) column.cuts.push_back(core::parse_number(cut));
  if (!std::ranges::is_sorted(column.cuts, std::less_equal<>()))
    throw Error(ErrorCode::invalid_argument, fmt::format("the cuts of '{}' must rise", column.name));
  return column;
}

/// NaN for a text that is no number.
double number_of(const std::string& text) {
  double value = NAN;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && end == text.data() + text.size() && std::isfinite(value) ? value : NAN;
}

/// A value of a column for each row, and the values in their order.
struct Values {
  std::vector<std::size_t> of_row;
  std::vector<std::string> names;
};

/// Numbers come in their order, and before texts.
Values values_as_they_stand(const std::vector<std::string>& cells) {
  const auto before = [](const std::string& a, const std::string& b) {
    const auto key = [](const std::string& cell) {
      const double number = number_of(cell);
      return std::pair(std::isnan(number), std::isnan(number) ? 0 : number);
    };
    return std::pair(key(a), a) < std::pair(key(b), b);
  };
  std::map<std::string, std::size_t, decltype(before)> places(before);
  for (const std::string& cell : cells) places.emplace(cell, 0);
  Values values;
  for (auto& [text, place] : places) {
    place = values.names.size();
    values.names.push_back(text.empty() ? "(empty)" : text);
  }
  for (const std::string& cell : cells) values.of_row.push_back(places.at(cell));
  return values;
}

/// Names of the intervals between cuts, and of empty cells where there are any.
Values values_between(const std::vector<std::string>& cells, const std::vector<double>& cuts) {
  Values values;
  for (std::size_t k = 0; k <= cuts.size(); ++k) {
    values.names.push_back(k == 0             ? fmt::format("below {}", cuts.front())
                           : k == cuts.size() ? fmt::format("{} and above", cuts.back())
                                              : fmt::format("{} to {}", cuts[k - 1], cuts[k]));
  }
  for (const std::string& cell : cells) {
    values.of_row.push_back(
        cell.empty() ? cuts.size() + 1
                     : static_cast<std::size_t>(std::ranges::upper_bound(cuts, number_of(cell)) - cuts.begin()));
  }
  if (std::ranges::find(cells, std::string()) != cells.end()) values.names.emplace_back("(empty)");
  return values;
}

std::vector<double> quartiles(const std::vector<std::string>& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells)
    if (!cell.empty()) numbers.push_back(number_of(cell));
  std::ranges::sort(numbers);
  std::vector<double> cuts;
  for (const double p : {0.25, 0.5, 0.75}) {
    const double cut = bounds::quantile(numbers, p);
    if (cut > numbers.front() && (cuts.empty() || cut > cuts.back())) cuts.push_back(cut);
  }
  return cuts;
}

Values values_of(const DividedBy::Column& column, const std::vector<std::string>& cells) {
  const auto is_number = [](const std::string& cell) { return cell.empty() || !std::isnan(number_of(cell)); };
  const bool numbers = std::ranges::all_of(cells, is_number);
  if (!column.cuts.empty()) {
    if (!numbers)
      throw Error(ErrorCode::invalid_data, fmt::format("'{}' cannot be cut, as it holds '{}', which is no number",
                                                       column.name, *std::ranges::find_if_not(cells, is_number)));
    return values_between(cells, column.cuts);
  }
  if (numbers && std::set<std::string>(cells.begin(), cells.end()).size() > most_values) {
    if (const std::vector<double> cuts = quartiles(cells); !cuts.empty()) return values_between(cells, cuts);
  }
  return values_as_they_stand(cells);
}

const std::vector<std::string>& cells_of(const data::Dataset& dataset, const std::string& name) {
  const auto found = std::ranges::find(dataset.texts, name, &data::TextColumn::name);
  if (found == dataset.texts.end()) throw Error(ErrorCode::invalid_data, fmt::format("there is no column '{}'", name));
  return found->cells;
}

/// The rows of each combination of values that occurs, in the order of the values.
std::map<std::vector<std::size_t>, std::vector<std::size_t>> rows_of_parts(const std::vector<Values>& columns,
                                                                           std::size_t rows) {
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::size_t> key;
    for (const Values& column : columns) key.push_back(column.of_row[i]);
    parts[key].push_back(i);
  }
  return parts;
}

data::DenseMatrix rows_of_matrix(const data::DenseMatrix& all, const std::vector<std::size_t>& rows) {
  data::DenseMatrix some(rows.size(), all.columns);
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(all.row(rows[i]), some.row(i).begin());
  return some;
}

PartOfRows count_part(const std::vector<std::size_t>& rows, const data::Dataset& dataset,
                      const model::Prediction& prediction, const PartsReport& report, const LimitsAsked& asked) {
  PartOfRows part;
  part.rows = rows.size();
  part.of_class.assign(report.classes.size(), 0);
  part.errors_of_class.assign(report.classes.size(), 0);
  std::vector<int> labels;
  for (const std::size_t i : rows) {
    const int truth = dataset.labels[i];
    labels.push_back(truth);
    const bool wrong = truth != prediction.label[i];
    part.errors += wrong ? 1 : 0;
    if (truth >= 0) {
      part.of_class[static_cast<std::size_t>(truth)] += 1;
      part.errors_of_class[static_cast<std::size_t>(truth)] += wrong ? 1 : 0;
    }
    if (!report.eps) continue;
    const std::vector<int> region = prediction.region(i, *report.eps);
    part.region_misses += std::ranges::find(region, truth) == region.end() ? 1U : 0U;
    part.region_size += static_cast<double>(region.size()) / static_cast<double>(rows.size());
  }
  if (asked.any())
    part.decisions = conformal::count_decisions(rows_of_matrix(prediction.p_value, rows), labels, asked.levels);
  return part;
}

/// Misses of each class as text: "sick 2 of 40".
std::string class_misses(const PartsReport& report, const PartOfRows& part) {
  std::vector<std::string> texts;
  constexpr std::size_t most_classes = 4;
  for (std::size_t c = 0; c < report.classes.size() && c < most_classes; ++c)
    texts.push_back(fmt::format("{} {}/{}", report.classes[c], part.errors_of_class[c], part.of_class[c]));
  return fmt::format("{}{}", fmt::join(texts, ", "), report.classes.size() > most_classes ? ", ..." : "");
}

}  // namespace

std::string DividedBy::name() const {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, " * "));
}

std::vector<DividedBy> DividedBy::parse(const std::string& text) {
  std::vector<DividedBy> ways;
  for (const std::string& way : split(text, ',')) {
    DividedBy& by = ways.emplace_back();
    for (const std::string& column : split(way, '*')) by.columns.push_back(parse_column(column));
    if (std::ranges::any_of(by.columns, [](const Column& column) { return column.name.empty(); }))
      throw Error(ErrorCode::invalid_argument, fmt::format("'{}' names no column; write sex,age=30:50,sex*age", way));
  }
  return ways;
}

std::vector<std::string> columns_of(const std::vector<DividedBy>& ways) {
  std::vector<std::string> names;
  for (const DividedBy& way : ways)
    for (const DividedBy::Column& column : way.columns)
      if (std::ranges::find(names, column.name) == names.end()) names.push_back(column.name);
  return names;
}

std::size_t PartsReport::parts() const {
  std::size_t count = 0;
  for (const Way& way : ways) count += way.parts.size();
  return count;
}

std::pair<const PartsReport::Way*, const PartOfRows*> PartsReport::worst() const {
  std::pair<const Way*, const PartOfRows*> worst{nullptr, nullptr};
  for (const Way& way : ways)
    for (const PartOfRows& part : way.parts)
      if (worst.second == nullptr || part.interval.upper > worst.second->interval.upper) worst = {&way, &part};
  if (worst.second == nullptr) throw std::logic_error("rows are divided into no parts");
  return worst;
}

PartsReport parts_report(const std::vector<DividedBy>& ways, const data::Dataset& dataset,
                         const std::vector<std::string>& classes, const model::Prediction& prediction,
                         std::optional<double> eps, const LimitsAsked& asked) {
  PartsReport report{classes, eps, asked.any(), {}};
  for (const DividedBy& by : ways) {
    PartsReport::Way& way = report.ways.emplace_back(PartsReport::Way{by.name(), {}});
    std::vector<Values> columns;
    for (const DividedBy::Column& column : by.columns)
      columns.push_back(values_of(column, cells_of(dataset, column.name)));
    const auto parts = rows_of_parts(columns, dataset.rows());
    if (parts.size() + report.parts() > most_parts)
      throw Error(ErrorCode::invalid_data, fmt::format("'{}' has {} different values, and at most {} parts are judged",
                                                       way.name, parts.size(), most_parts));
    for (const auto& [key, rows] : parts) {
      PartOfRows& part = way.parts.emplace_back(count_part(rows, dataset, prediction, report, asked));
      std::vector<std::string> names;
      for (std::size_t k = 0; k < key.size(); ++k) names.push_back(columns[k].names[key[k]]);
      part.value = fmt::format("{}", fmt::join(names, ", "));
    }
  }
  const auto share_of_delta = PartsReport::delta / static_cast<double>(std::max<std::size_t>(report.parts(), 1));
  for (PartsReport::Way& way : report.ways)
    for (PartOfRows& part : way.parts) part.interval = bounds::clopper_pearson(part.errors, part.rows, share_of_delta);
  return report;
}

std::string parts_table(const PartsReport& report) {
  std::string text;
  for (const PartsReport::Way& way : report.ways) {
    std::size_t width = std::max<std::size_t>(12, way.name.size());
    for (const PartOfRows& part : way.parts) width = std::max(width, part.value.size());
    text += fmt::format("\n{:>{}}  {:>6}  {:>8}  {:>18}", way.name, width, "rows", "error", "interval");
    if (report.eps) text += fmt::format("  {:>8}  {:>5}", fmt::format("eps {}", *report.eps), "size");
    text += fmt::format("{}  {}\n", report.limited ? fmt::format("  {:>8}", "decided") : "", "errors of each class");
    for (const PartOfRows& part : way.parts) {
      text += fmt::format("{:>{}}  {:>6}  {:>8}  {:>18}", part.value, width, part.rows,
                          shown(share(part.errors, part.rows)),
                          fmt::format("{} to {}", percent(part.interval.lower), percent(part.interval.upper)));
      if (report.eps)
        text += fmt::format("  {:>8}  {:>5.2f}", shown(share(part.region_misses, part.rows)), part.region_size);
      if (part.decisions) text += fmt::format("  {:>8}", shown(share(part.decisions->decided, part.rows)));
      text += fmt::format("  {}\n", class_misses(report, part));
    }
  }
  const auto [way, part] = report.worst();
  return text +
         fmt::format(
             "  (all {} hold together at 95 %{})\n", count_of(report.parts(), "interval"),
             report.eps ? fmt::format("; eps {}: regions that miss; size: classes in a region", *report.eps) : "") +
         named_line("worst", fmt::format("{} {}: error {}, at most {}", way->name, part->value,
                                         shown(share(part->errors, part->rows)), percent(part->interval.upper)));
}

Json parts_json(const PartsReport& report) {
  Json ways = Json::list(report.ways, [&](const PartsReport::Way& way) {
    Json parts = Json::list(way.parts, [&](const PartOfRows& part) {
      Json per_class = Json::array();
      for (std::size_t c = 0; c < report.classes.size(); ++c) {
        Json own = Json::object("class"_key = report.classes[c], "n"_key = part.of_class[c],
                                "errors"_key = part.errors_of_class[c]);
        if (part.decisions) own["missed"] = part.decisions->of_class[c].missed;
        per_class.push_back(std::move(own));
      }
      Json json = Json::object(
          "value"_key = part.value, "n"_key = part.rows, "errors"_key = part.errors,
          "error"_key = share(part.errors, part.rows),
          "interval"_key = exact_interval_json(part.interval, PartsReport::delta / static_cast<double>(report.parts())),
          "per_class"_key = std::move(per_class));
      if (report.eps) {
        json["region_misses"] = part.region_misses;
        json["region_size"] = part.region_size;
      }
      if (part.decisions) json["decided"] = part.decisions->decided;
      return json;
    });
    return Json::object("by"_key = way.name, "parts"_key = std::move(parts));
  });
  const auto [way, part] = report.worst();
  return Json::object(
      "confidence"_key = 1 - PartsReport::delta, "eps"_key = report.eps, "ways"_key = std::move(ways),
      "worst"_key = Json::object("by"_key = way->name, "value"_key = part->value,
                                 "error"_key = share(part->errors, part->rows), "upper"_key = part->interval.upper));
}

}  // namespace credence::report
