#include "report/decisions/limit_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/split_conformal.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

std::optional<bounds::Interval> missed_interval(const conformal::ClassDecisions& own) {
  if (own.rows == 0) return std::nullopt;
  return bounds::clopper_pearson(own.missed, own.rows, LimitReport::delta);
}

/// How many rows of a class a model must compare with, so that the class can be ruled out.
std::size_t rows_needed(double limit, std::optional<double> certainty) {
  return certainty ? bounds::rows_for_certainty(limit, 1 - *certainty) : *conformal::examples_missing(0, limit);
}

/// How many more rows of class c the model would have to compare with; 0 where there are enough.
std::size_t rows_missing(const LimitsAsked& asked, const std::vector<std::size_t>& compared, std::size_t c) {
  if (asked.limits[c] <= 0) return 0;
  const std::size_t needed = rows_needed(asked.limits[c], asked.certainty);
  return needed > compared[c] ? needed - compared[c] : 0;
}

/// @param levels_of  of limits, the levels at which classes are ruled out
LimitsAsked asked_of(const std::vector<std::string>& classes, const conformal::LimitOptions& options,
                     const auto& levels_of) {
  if (options.limit.empty()) {
    if (options.certainty) refuse("--certainty needs --limit: it says how sure those limits are");
    return {};
  }
  return under_name("--limit", [&]() -> LimitsAsked {
    std::vector<std::string> unnamed;
    const std::vector<double> limits = conformal::limits_of_classes(options.limit, classes, &unnamed);
    return {limits, options.certainty, levels_of(limits), std::move(unnamed)};
  });
}

}  // namespace

ComparedRows ComparedRows::of(const model::Predictor& model) {
  const conformal::ConformalPredictor* predictor = conformal::as_conformal(model);
  if (predictor == nullptr) return {model.schema.classes, conformal::compared_with(model)};
  return {model.schema.classes,
          predictor->machine->units(true),
          {predictor->is_of_new_groups() ? "group" : "row", predictor->by.has_value()}};
}

LimitsAsked LimitsAsked::of(const model::Predictor& model, const conformal::LimitOptions& options) {
  return asked_of(model.schema.classes, options, [&](const std::vector<double>& limits) {
    return conformal::levels_of_limits(model, limits, options.certainty);
  });
}

LimitsAsked LimitsAsked::of(const ComparedRows& compared, bool alike, const conformal::LimitOptions& options) {
  return asked_of(compared.classes, options, [&](std::vector<double> levels) {
    if (!options.certainty) return levels;
    if (!alike) refuse("a certainty needs rows that count alike, without groups or weights");
    return conformal::levels_with_certainty(std::move(levels), compared.rows, *options.certainty);
  });
}

LimitReport limit_report(const ComparedRows& compared, const LimitsAsked& asked, const model::Prediction& prediction,
                         const std::vector<int>& labels) {
  return {compared.classes, asked, compared.rows, conformal::count_decisions(prediction.p_value, labels, asked.levels)};
}

void add_decisions(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction,
                   const LimitsAsked& asked) {
  columns.push_back({"decision", [&classes, decisions = conformal::decide(prediction.p_value, asked.levels)](
                                     std::string& text, std::size_t row) {
                       text += decisions[row] == conformal::ask ? std::string("ask")
                                                                : classes[static_cast<std::size_t>(decisions[row])];
                     }});
}

void add_limits(const LimitReport& report, Section& section) {
  const conformal::DecisionCounts& counts = report.counts;
  section.headline(fmt::format("{} of the rows are decided, {} wrongly; {} go to a person.",
                               shown(share(counts.decided, counts.rows)), counts.wrong, counts.none + counts.several));
  Table table{{"class", "|rows", "|limit", "|missed", "|exact interval", "|decided", "|compared with"},
              "Limits of each class",
              Where::both};
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const conformal::ClassDecisions& own = counts.of_class[c];
    const auto interval = missed_interval(own);
    table.add({shown_name(report.classes[c]), own.rows, percent(report.asked.limits[c]),
               shown(share(own.missed, own.rows)), interval ? ends_text(*interval) : "-",
               shown(share(own.decided, own.rows)), report.compared[c]});
  }
  section.add(std::move(table));
  section.tell(
      "missed: the true class was ruled out; intervals are exact, at 95 % for each class. A limit is about all rows of "
      "its class; among the decided rows alone, a larger share may be wrong");
  section.fact("decided", fmt::format("{}, {} of them wrongly; {} asked: {} with several classes left, {} with none",
                                      decided_sentence(counts.decided, counts.rows), counts.wrong,
                                      counts.several + counts.none, counts.several, counts.none));
}

Json limit_json(const LimitReport& report) {
  const auto class_json = [&](std::size_t c) {
    const conformal::ClassDecisions& own = report.counts.of_class[c];
    const auto interval = missed_interval(own);
    return Json::object("class"_key = report.classes[c], "n"_key = own.rows, "limit"_key = report.asked.limits[c],
                        "level"_key = report.asked.levels[c], "missed"_key = own.missed,
                        "missed_share"_key = share(own.missed, own.rows),
                        "interval"_key = interval ? exact_interval_json(*interval, LimitReport::delta) : Json(nullptr),
                        "decided"_key = own.decided, "wrong"_key = own.wrong, "compared_with"_key = report.compared[c],
                        "rows_missing"_key = rows_missing(report.asked, report.compared, c));
  };
  const conformal::DecisionCounts& all = report.counts;
  return Json::object("certainty"_key = report.asked.certainty, "n"_key = all.rows, "decided"_key = all.decided,
                      "wrong"_key = all.wrong, "none_left"_key = all.none, "several_left"_key = all.several,
                      "per_class"_key = Json::list(report.classes.size(), class_json));
}

std::string decided_sentence(std::size_t decided, std::size_t rows) {
  return fmt::format("{} of {}", decided, count_of(rows, "row"));
}

std::vector<std::string> limit_warnings(const ComparedRows& compared, const LimitsAsked& asked) {
  std::vector<std::string> sentences;
  if (!asked.any()) return sentences;
  for (std::size_t c = 0; c < compared.rows.size(); ++c) {
    const std::size_t missing = rows_missing(asked, compared.rows, c);
    if (missing == 0) continue;
    sentences.push_back(fmt::format(
        "class '{}' is never ruled out{}: its limit {} needs {} of the class to compare with{}, and {} missing",
        compared.classes[c], compared.words.in_category ? " in the smallest category" : "", asked.limits[c],
        count_of(compared.rows[c] + missing, std::string(compared.words.unit)),
        asked.certainty ? fmt::format(" for a certainty of {}", *asked.certainty) : "",
        missing == 1 ? "1 is" : fmt::format("{} are", missing)));
  }
  return sentences;
}

std::string smallest_limit_note(const std::vector<std::string>& classes, const std::vector<std::size_t>& compared) {
  constexpr double usual = 0.02;
  const auto fewest = std::ranges::min_element(compared);
  const std::size_t needed = rows_needed(usual, std::nullopt);
  if (fewest == compared.end() || *fewest >= needed) return {};
  return fmt::format(
      "class '{}' has at most {} to compare with: a limit (predict --limit) below {} would never rule it out; "
      "{} needs {} rows, {} needs {}",
      classes[static_cast<std::size_t>(fewest - compared.begin())], count_of(*fewest, "row"),
      percent(1 / static_cast<double>(*fewest + 1)), percent(usual), needed, percent(usual / 2),
      rows_needed(usual / 2, std::nullopt));
}

std::string limit_promise(const LimitsAsked& asked, const std::string& guarantee) {
  std::string begins;
  for (const std::string& name : asked.unnamed) begins += fmt::format("{}'{}'", begins.empty() ? "" : ", ", name);
  if (!begins.empty())
    begins = fmt::format("no limit was given for {}: the smallest of the others, {}, stands for it; ", begins,
                         *std::ranges::min_element(asked.limits));
  if (asked.certainty) {
    return begins + fmt::format(
                        "with probability {} over draws of the rows set aside, a class is ruled out for a share of "
                        "its new rows that is at most its limit, if rows of each class are independent and alike",
                        *asked.certainty);
  }
  return begins + "a class is ruled out if it is not in the prediction set at confidence level 1 - limit; " + guarantee;
}

}  // namespace credence::report
