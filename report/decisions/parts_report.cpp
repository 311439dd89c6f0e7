#include "report/decisions/parts_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t most_parts = 1000;

void add(WrongRows& rows, bool wrong) {
  rows.rows += 1;
  rows.count += wrong ? 1 : 0;
}

/// Without intervals.
PartOfRows count_part(const Part& of, const data::Dataset& dataset, const model::Prediction& prediction,
                      const PartsReport& report, const LimitsAsked& asked) {
  PartOfRows part;
  part.value = of.value;
  part.missed.resize(report.classes.size());
  if (report.significance) part.sets.emplace();
  std::vector<int> labels;
  for (const std::size_t i : of.rows) {
    const int truth = dataset.labels[i];
    labels.push_back(truth);
    const bool wrong = truth != prediction.label[i];
    add(part.errors, wrong);
    if (truth >= 0) add(part.missed[static_cast<std::size_t>(truth)], wrong);
    if (!report.significance) continue;
    const std::vector<int> set = prediction.prediction_set(i, *report.significance);
    add(*part.sets, std::ranges::find(set, truth) == set.end());
    part.set_size += static_cast<double>(set.size()) / static_cast<double>(of.rows.size());
  }
  if (asked.any()) {
    const auto counts = conformal::count_decisions(prediction.p_value.select_rows(of.rows), labels, asked.levels);
    part.decided = counts.decided;
    for (std::size_t c = 0; c < part.missed.size(); ++c) part.missed[c].count = counts.of_class[c].missed;
  }
  return part;
}

void for_each_share(PartsReport& report, auto&& visit) {
  for (PartsReport::Way& way : report.ways) {
    for (PartOfRows& part : way.parts) {
      visit(part.errors);
      for (WrongRows& of_class : part.missed) visit(of_class);
      if (part.sets) visit(*part.sets);
    }
  }
}

void set_intervals(PartsReport& report) {
  for_each_share(report, [&](const WrongRows& share) { report.intervals += share.rows > 0 ? 1 : 0; });
  for_each_share(report, [&](WrongRows& share) {
    if (share.rows > 0) share.interval = bounds::clopper_pearson(share.count, share.rows, report.delta_of_interval());
  });
}

void keep_worse(const PartsReport::Worst& one, PartsReport::Worst& worst) {
  if (one.rows->rows > 0 && (worst.rows == nullptr || one.rows->interval.upper > worst.rows->interval.upper))
    worst = one;
}

std::string interval_text(const WrongRows& rows) {
  return rows.rows == 0 ? "-" : ends_text(rows.interval);
}

Table table_of_parts(const PartsReport& report, const PartsReport::Way& way) {
  Table table{{shown_name(way.name), "|rows", "|wrong labels", "|interval"}, "", Where::both};
  if (report.significance) table.add_columns({"|sets that miss", "|interval", "|classes in a set"});
  if (report.limited) table.columns.push_back("|decided");
  for (const PartOfRows& part : way.parts) {
    const auto [errors, rows, interval] = part.errors;
    std::vector<Json> row{shown_name(part.value), rows, shown(share(errors, rows)), interval_text(part.errors)};
    if (part.sets) {
      row.emplace_back(shown(share(part.sets->count, rows)));
      row.emplace_back(interval_text(*part.sets));
      row.emplace_back(fmt::format("{:.2f}", part.set_size));
    }
    if (part.decided) row.emplace_back(shown(share(*part.decided, rows)));
    table.add(std::move(row));
  }
  return table;
}

Table table_of_classes(const PartsReport& report, const PartsReport::Way& way) {
  constexpr std::size_t most_in_terminal = 4;
  Table table{{shown_name(way.name), "class", "|rows", "|missed", "|share", "|interval"},
              "",
              report.classes.size() > most_in_terminal ? Where::verbose : Where::both};
  for (const PartOfRows& part : way.parts) {
    for (std::size_t c = 0; c < report.classes.size(); ++c) {
      const WrongRows& missed = part.missed[c];
      table.add({shown_name(part.value), shown_name(report.classes[c]), missed.rows, missed.count,
                 shown(share(missed.count, missed.rows)), interval_text(missed)});
    }
  }
  return table;
}

std::string notes(const PartsReport& report) {
  return fmt::format(
      "with probability 95 % all {} hold at once; {}missed: {}", count_of(report.intervals, "exact interval"),
      report.significance ? fmt::format("sets: at confidence level {}; ", level_text(*report.significance)) : "",
      report.limited ? "the limits rule out the true class" : "the row has another label");
}

/// "group b: error 12.50 %, at most 30.1 %"
std::string worst_text(const PartsReport::Worst& worst, const std::string& what) {
  return fmt::format("{} {}: {} {}, at most {}", shown_name(worst.way->name), shown_name(worst.part->value), what,
                     shown(share(worst.rows->count, worst.rows->rows)), percent(worst.rows->interval.upper));
}

Json part_json(const PartsReport& report, const PartOfRows& part) {
  const auto interval = [&](const WrongRows& rows) {
    return rows.rows == 0 ? Json() : exact_interval_json(rows.interval, report.delta_of_interval());
  };
  const auto class_json = [&](std::size_t c) {
    return Json::object("class"_key = report.classes[c], "n"_key = part.missed[c].rows,
                        "missed"_key = part.missed[c].count, "interval"_key = interval(part.missed[c]));
  };
  const auto [errors, rows, ends] = part.errors;
  Json json = Json::object("value"_key = part.value, "n"_key = rows, "errors"_key = errors,
                           "error"_key = share(errors, rows), "interval"_key = interval(part.errors),
                           "per_class"_key = Json::list(report.classes.size(), class_json));
  if (part.sets) {
    json.add("set_misses"_key = part.sets->count, "set_interval"_key = interval(*part.sets),
             "set_size"_key = part.set_size);
  }
  if (part.decided) json["decided"] = *part.decided;
  return json;
}

Json worst_json(const PartsReport::Worst& worst) {
  return Json::object("by"_key = worst.way->name, "value"_key = worst.part->value,
                      "share"_key = share(worst.rows->count, worst.rows->rows),
                      "upper"_key = worst.rows->interval.upper);
}

}  // namespace

PartsReport::Worst PartsReport::worst_errors() const {
  Worst worst;
  for (const Way& way : ways)
    for (const PartOfRows& part : way.parts) keep_worse({&way, &part, &part.errors}, worst);
  return worst;
}

PartsReport::Worst PartsReport::worst_missed() const {
  Worst worst;
  for (const Way& way : ways)
    for (const PartOfRows& part : way.parts)
      for (std::size_t c = 0; c < part.missed.size(); ++c) keep_worse({&way, &part, &part.missed[c], c}, worst);
  return worst;
}

PartsReport parts_report(const std::vector<DividedBy>& ways, const data::Dataset& dataset,
                         const std::vector<std::string>& classes, const model::Prediction& prediction,
                         std::optional<double> significance, const LimitsAsked& asked) {
  PartsReport report;
  report.classes = classes;
  report.significance = significance;
  report.limited = asked.any();
  std::size_t count = 0;
  for (const DividedBy& by : ways) {
    PartsReport::Way& way = report.ways.emplace_back(PartsReport::Way{by.name(), {}});
    const std::vector<Part> parts = parts_of(by, dataset);
    count += parts.size();
    if (count > most_parts)
      refuse_data(fmt::format("'{}' has {} different values, and at most {} parts are judged", way.name, parts.size(),
                              most_parts));
    for (const Part& part : parts) way.parts.push_back(count_part(part, dataset, prediction, report, asked));
  }
  set_intervals(report);
  return report;
}

void add_parts(const PartsReport& report, Section& section) {
  section.headline(fmt::format("The most doubtful group is {}.", worst_text(report.worst_errors(), "wrong labels")));
  for (const PartsReport::Way& way : report.ways) {
    section.add(table_of_parts(report, way));
    section.add(table_of_classes(report, way));
  }
  section.tell(notes(report));
  const char* why = "the group with the largest upper limit";
  section.fact("worst error", worst_text(report.worst_errors(), "error"), why);
  const PartsReport::Worst missed = report.worst_missed();
  if (missed.rows != nullptr)
    section.fact("most missed",
                 worst_text(missed, fmt::format("{} missed", shown_name(report.classes[missed.class_code]))), why);
}

Json parts_json(const PartsReport& report) {
  Json ways = Json::list(report.ways, [&](const PartsReport::Way& way) {
    return Json::object("by"_key = way.name, "parts"_key = Json::list(way.parts, [&](const PartOfRows& part) {
                                               return part_json(report, part);
                                             }));
  });
  const PartsReport::Worst missed = report.worst_missed();
  Json worst_missed;
  if (missed.rows != nullptr) {
    worst_missed = worst_json(missed);
    worst_missed["class"] = report.classes[missed.class_code];
  }
  Json level;
  if (report.significance) level = core::confidence_level_of(*report.significance);
  return Json::object("confidence"_key = 1 - PartsReport::delta, "intervals"_key = report.intervals,
                      "confidence_level"_key = std::move(level), "limited"_key = report.limited,
                      "divisions"_key = std::move(ways), "worst_error"_key = worst_json(report.worst_errors()),
                      "worst_missed"_key = std::move(worst_missed));
}

}  // namespace credence::report
