#include "report/evaluation/evaluation_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::ColumnImportance;
using selection::Dependence;
using selection::Importance;

std::vector<const ColumnImportance*> leading(const Importance& found) {
  auto order = core::mapped(found.columns, [](const ColumnImportance& one) { return &one; });
  std::ranges::stable_sort(order, std::greater(), &ColumnImportance::rise);
  return order;
}

double unit_of(const Importance& found) {
  return found.score == "error" ? 100 : 1;
}

std::string rise_title(const Importance& found) {
  return "rise in " + found.score + (found.score == "error" ? " (percentage points)" : "");
}

std::string how_text(const Importance& found) {
  const auto repeated =
      std::ranges::count_if(found.columns, [&](const auto& one) { return one.rises.size() == found.repeats; });
  return fmt::format(
      "Shown is the rise in {} when the values of a column are shuffled {} the {} rows, {}. {}The standard error is "
      "over rows and repeats.",
      found.score, found.left_out ? "within each fold of" : "among", found.rows,
      !found.screened ? fmt::format("mean of {}", core::count_of(found.repeats, "repeat"))
      : repeated == 0 ? "once"
                      : fmt::format("once, and {} times for the {} columns that lead", found.repeats, repeated),
      found.left_out ? "Fold models judge the rows that they have not seen. " : "");
}

/// "3 of 30 columns", and of many how many would be there by chance.
std::string above_text(const Importance& found) {
  constexpr std::size_t one_by_chance = 40;
  const std::size_t columns = found.columns.size();
  const auto above =
      std::ranges::count_if(found.columns, [](const auto& one) { return one.rise > 2 * one.standard_error; });
  return fmt::format("{} of {}{}", above, core::count_of(columns, "column"),
                     columns < one_by_chance
                         ? ""
                         : fmt::format("; of as many columns of noise, up to {} would be", columns / one_by_chance));
}

Chart importance_chart(const Importance& found) {
  constexpr std::size_t most_drawn = 30;
  Table data{{"column|column|text", Column("rise", rise_title(found)), "standard_error|standard error", "lower|",
              "upper|", "kind|"}};
  for (const ColumnImportance* one : leading(found)) {
    if (data.size() == most_drawn) break;
    const double rise = unit_of(found) * one->rise;
    const double error = unit_of(found) * one->standard_error;
    data.add({shown_name(one->name), rise, error, rise - 2 * error, rise + 2 * error,
              rise > 2 * error ? "above two standard errors" : "not above"});
  }
  const std::size_t drawn = data.size();
  return std::move(data).as_chart(
      "importance", "Which columns does the model need?",
      fmt::format("{} Lines reach two standard errors to both sides; {} of {} columns are drawn.", how_text(found),
                  drawn, found.columns.size()),
      fmt::format("{} for {} columns, the largest first.", rise_title(found), drawn),
      Json::object("$rise"_key = rise_title(found)));
}

void add_importance(const Importance& found, Section& section) {
  constexpr std::size_t most_told = 20;
  if (found.columns.size() < found.asked)
    section.tell(fmt::format("Stopped: {} of {} columns were shuffled.", found.columns.size(), found.asked));
  section.fact(found.left_out ? found.score + " of rows left out" : found.score,
               found.score == "error" ? percent(found.loss) : fmt::format("{:.4g}", found.loss),
               "with every column as it is");
  section.fact("clear rises", above_text(found), "a rise is clear if it is larger than two standard errors");
  Table table{{"column", rise_title(found), "standard error"},
              fmt::format("Columns with the largest rise ({} of {})", std::min(most_told, found.columns.size()),
                          found.columns.size()),
              Where::terminal};
  const auto text = [&](double value) {
    const std::string shown =
        found.score == "error" ? fmt::format("{:.2f}", 100 * value) : fmt::format("{:.4g}", value);
    return shown == "-0.00" ? "0.00" : shown;
  };
  for (const ColumnImportance* one : leading(found))
    if (table.size() < most_told) table.add({shown_name(one->name), text(one->rise), text(one->standard_error)});
  section.add(std::move(table));
  section.say(how_text(found), Where::terminal);
  section.add(importance_chart(found));
  section.tell(
      "In simulations, at most one column of noise in forty rose by more than two standard errors. Of two columns that "
      "say the same, each alone may matter little: shuffle them together (--importance-groups). What matters to the "
      "model need not be a cause.");
}

/// "between 0.08 (at 44) and 0.81 (at 199)", the smallest and the largest mean answer.
std::string ends_of(const Dependence& found, std::size_t curve) {
  const auto at = [&](std::size_t k) { return found.average.row(k)[curve]; };
  const std::vector<std::size_t> places = core::numbers_below(found.values.size());
  const auto [low, high] = std::ranges::minmax(places, {}, at);
  const auto value = [&](std::size_t k) {
    return found.levels.empty() ? plain_number(found.values[k]) : "'" + shown_name(found.levels[k]) + "'";
  };
  return fmt::format("between {:.3g} (at {}) and {:.3g} (at {})", at(low), value(low), at(high), value(high));
}

std::string answer_of(const Dependence& found, std::size_t curve) {
  return found.classes.empty() ? found.response
                               : fmt::format("{} of '{}'", found.response, shown_name(found.classes[curve]));
}

Chart dependence_chart(const Dependence& found, std::size_t number) {
  const bool text = !found.levels.empty();
  const std::string name = shown_name(found.name);
  Table data{{Column("value", name, text ? Format::text : Format::number),
              Column("class", found.classes.empty() ? "" : "class", Format::text),
              Column("average", "mean " + found.response)}};
  for (std::size_t c = 0; c < found.average.columns; ++c)
    for (std::size_t k = 0; k < found.values.size(); ++k)
      data.add({text ? Json(shown_name(found.levels[k])) : Json(found.values[k]),
                found.classes.empty() ? "" : shown_name(found.classes[c]), found.average.row(k)[c]});
  return std::move(data).as_chart(
      fmt::format("dependence#dependence-{}", number), fmt::format("How does the answer change with {}?", name),
      fmt::format("The mean {} of all rows, if {} had this value in each of them and the other columns stayed "
                  "as they are. Where columns depend on each other, some of these rows cannot exist.",
                  found.average.columns > 1 ? found.response + " of each class" : answer_of(found, 0), name),
      fmt::format("Mean {} over {}: {}.", found.response, name, ends_of(found, 0)),
      Json::object("$value"_key = name, "$average"_key = "mean " + found.response,
                   "$type"_key = text ? "nominal" : "quantitative",
                   "$scale"_key = found.response == "probability"
                                      ? Json::object("domain"_key = std::vector<double>{0, 1})
                                      : Json::object("zero"_key = false)));
}

void add_dependence(const std::vector<Dependence>& all, Section& section) {
  for (const Dependence& one : all)
    for (std::size_t c = 0; c < one.average.columns; ++c)
      section.fact("dependence",
                   fmt::format("{}: mean {} {}", shown_name(one.name), answer_of(one, c), ends_of(one, c)));
  for (std::size_t k = 0; k < all.size(); ++k) section.add(dependence_chart(all[k], k + 1));
}

Json importance_json(const Importance& found) {
  return Json::object("score"_key = found.score, "loss"_key = found.loss, "rows"_key = found.rows,
                      "repeats"_key = found.repeats, "left_out"_key = found.left_out, "screened"_key = found.screened,
                      "columns"_key = Json::list(leading(found), [](const ColumnImportance* one) {
                        return Json::object("name"_key = one->name, "columns"_key = one->columns,
                                            "rise"_key = one->rise, "standard_error"_key = one->standard_error,
                                            "rises"_key = one->rises);
                      }));
}

Json dependence_json(const Dependence& found) {
  const auto curve_json = [&](std::size_t c) {
    return Json::object(
        "class"_key = found.classes.empty() ? Json(nullptr) : Json(found.classes[c]),
        "average"_key = core::made(found.values.size(), [&](std::size_t k) { return found.average.row(k)[c]; }));
  };
  return Json::object("column"_key = found.name, "response"_key = found.response,
                      "values"_key = found.levels.empty() ? Json(found.values) : Json(found.levels),
                      "curves"_key = Json::list(found.average.columns, curve_json));
}

}  // namespace

void add_columns(const ColumnEffects& effects, Story& story) {
  if (effects.importance) add_importance(*effects.importance, story.section("importance", "Which columns matter"));
  if (!effects.dependence.empty())
    add_dependence(effects.dependence, story.section("dependence", "How the answer changes with a column"));
}

void add_columns(const ColumnEffects& effects, Json& document) {
  if (effects.importance) document["importance"] = importance_json(*effects.importance);
  if (!effects.dependence.empty()) document["dependence"] = Json::list(effects.dependence, dependence_json);
}

}  // namespace credence::report
