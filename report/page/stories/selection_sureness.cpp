#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/page/stories/selection_parts.hpp"

namespace credence::report {
namespace {

/// Where a row of squares stands: rows are sorted from the last place to the first, and what follows the bar is shown.
/// @param map  from the last one  @param row  of the map, from below
std::string row_place(std::size_t map, std::size_t row, const std::string& shown) {
  return fmt::format("{:04}{:04}|{}", map, row, shown);
}

/// A map of each kernel and scaling, one below the other.
Chart heat_chart(const Json& document, const Scale& scale, const std::string& x, const std::string& y) {
  constexpr std::size_t above_all_rows = 9999;
  const std::vector<std::string> maps = kernels_and_scalings(document);
  const bool several = maps.size() > 1;
  ChartData data({{"map", several ? "kernel and scaling" : "", Format::text},
                  {"x", x},
                  {"y", y},
                  {"row", "", Format::text},
                  {"value", scale.name, format_of(scale)},
                  {"error_se", "standard error", format_of(scale)},
                  {"mark", "mark", Format::text}});
  const std::vector<double> rows = values_of(document, y);
  const std::string axes = rows.empty() ? x : fmt::format("{} and {}", x, y);  // a linear kernel has no gamma
  const char* also = !several ? "" : rows.empty() ? "kernel, scaling and " : "kernel, scaling, ";
  const std::vector<std::string> marks = marks_of(document);
  auto mark = marks.begin();
  for (const Json& cell : document.at("grid").values()) {
    const std::string own = kernel_and_scaling(cell);
    const auto value = cell.at(y).number();
    const auto row = value ? std::ranges::find(rows, *value) - rows.begin() : std::ptrdiff_t{0};
    data.add({own, cell.at(x), cell.at(y),
              row_place(static_cast<std::size_t>(maps.end() - std::ranges::find(maps, own)),
                        static_cast<std::size_t>(row), value ? plain_number(*value) : ""),
              shown(scale, cell.at("error")), scale.is_squared() ? Json(nullptr) : cell.at("error_se"), *mark++});
  }
  Json headings = Json::array();
  for (std::size_t k = 0; several && k < maps.size(); ++k)
    headings.push_back(Json::object("row"_key = row_place(maps.size() - k, above_all_rows, ""), "text"_key = maps[k]));
  return make_chart(
      "heat_map",
      {"heat-map", fmt::format("The score of every setting of {}{}", also, axes),
       fmt::format(
           "Each square is one setting; the brighter, the better{}. {} A square that is missing was not computed.",
           several ? ", on one scale for all kernels and scalings" : "",
           averaged_cells(document) > 0
               ? "Dots: the settings whose average was chosen. Diamond: the best of them."
               : "Diamond: the chosen setting. Dots: settings within one standard error of the best, which are "
                 "as good as far as these data can tell."),
       fmt::format("Heat map of the {} over {}{}; chosen: {}; {} of {} settings are within one "
                   "standard error of the best.",
                   scale.name, axes, several ? fmt::format(" for each of {} kernels and scalings", maps.size()) : "",
                   parameters_text(document.at("best")), close_cells(document), document.at("grid").size())},
      data,
      {{"$x", x},
       {"$y", rows.empty() ? "" : y},
       {"$value", scale.name},
       {"$format", vega_of(scale)},
       {"$reverse", !scale.is_turned()}},
      {{"headings", headings}});
}

Chart curve_chart(const Json& document, const Scale& scale, const std::string& x) {
  ChartData data({{"x", x},
                  {"value", scale.name, format_of(scale)},
                  {"lower", "less one standard error", format_of(scale)},
                  {"upper", "plus one standard error", format_of(scale)},
                  {"mark", "mark", Format::text}});
  const std::vector<std::string> marks = marks_of(document);
  auto mark = marks.begin();
  for (const Json& cell : document.at("grid").values()) {
    const auto error = cell.at("error").number();
    const double se = number_at(cell, "error_se", 0);
    const auto [lower, upper] = error && se > 0 ? ends_of(scale, *error - se, *error + se) : std::pair<Json, Json>();
    data.add({cell.at(x), shown(scale, cell.at("error")), lower, upper, *mark++});
  }
  return make_chart(
      "curve",
      {"curve", fmt::format("The score along {}", x),
       fmt::format("Each point is one setting; the {}, the better. Diamond: the chosen setting. Thin bars: one "
                   "standard error up and down.",
                   scale.better()),
       fmt::format("Line of the {} over {}; chosen: {}.", scale.name, x, parameters_text(document.at("best")))},
      data, {{"$x", x}, {"$value", scale.name}, {"$format", vega_of(scale)}});
}

/// "7 with rbf kernel, standard scaling; 3 with laplacian kernel, quantile scaling".
std::string members_text(const Json& document) {
  const auto cells = document.at("grid").values();
  std::string text;
  for (const std::string& map : kernels_and_scalings(document)) {
    const auto members = document.at("average").at("members").values();
    const auto count = std::ranges::count_if(members, [&](const Json& member) {
      return kernel_and_scaling(cells[static_cast<std::size_t>(*member.number())]) == map;
    });
    if (count > 0) text += fmt::format("{}{} with {}", text.empty() ? "" : "; ", count, map);
  }
  return text;
}

/// What the model makes of settings that the data cannot tell apart.
std::string what_follows(const Json& document, std::size_t close) {
  const std::size_t averaged = averaged_cells(document);
  if (averaged == 0) return "another sample of rows could have chosen any of them.";
  const std::string of_several =
      kernels_and_scalings(document).size() > 1 ? fmt::format(" ({})", members_text(document)) : "";
  return fmt::format(
      "the model is the average of {}{}. On most data such an average errs less often than the best of "
      "its settings, because they err on different rows.",
      averaged == close ? "them all" : fmt::format("the {} best of them", averaged), of_several);
}

}  // namespace

void add_sureness_section(Story& story, const Json& document, const Scale& scale) {
  Section& section = story.section("sure", "How sure the choice is");
  const std::vector<std::string> axes = axes_of(document);
  if (const Json& reached = document.at("reached"); reached.is_object()) {
    section.say(reached_words(reached) + ". The others were dropped on fewer rows, or not looked at.");
  } else if (document.at("race").is_object()) {
    section.say(
        "The settings raced: all were judged on a part of the rows first, and only those that did well there "
        "were judged on all of them. Squares of the others are blank.");
  }
  if (const auto limit = one_standard_error(document)) {
    const std::size_t close = close_cells(document);
    const char* less = scale.is_turned() ? "more" : "less";
    section.say(close <= 1 ? fmt::format("Of {} settings, the best one stands alone: no other is within one standard "
                                         "error of it ({} or {}).",
                                         document.at("grid").size(), scale.text(*limit), less)
                           : fmt::format("{} of {} settings are within one standard error of the best one ({} or "
                                         "{}). The data cannot tell these apart: {}",
                                         close, document.at("grid").size(), scale.text(*limit), less,
                                         what_follows(document, close)));
  }
  const Json& second = document.at("runner_up");
  if (averaged_cells(document) == 0 && second.is_object() && second.at("error").number())
    section.fact("Runner-up", fmt::format("{}: {}", parameters_text(second), scale.text(*second.at("error").number())));
  if (kernels_and_scalings(document).size() > 1)
    section.add(heat_chart(document, scale, values_of(document, "nu").empty() ? "C" : "nu", "gamma"));
  else if (axes.size() >= 2)
    section.add(heat_chart(document, scale, axes.front(), axes.back()));
  else if (axes.size() == 1 && !document.at("kernel_validity").is_object())
    section.add(curve_chart(document, scale, axes.front()));
}

void add_evidence_section(Story& story, const Json& document) {
  const Json& found = document.at("kernel_validity");
  if (!found.is_object()) return;
  Section& section = story.section("evidence", "Which width of the kernel explains the data");
  section.say(
      "For each width one machine is trained on all rows. The evidence says how well that machine, averaged "
      "over its weights, explains the rows; the validity index also asks how little that depends on where the "
      "kernels stand. Both compare widths with each other. Neither is an estimate of the error.");
  if (found.at("all_below_null").flag().value_or(false))
    section.warn("No kernel explains these rows better than a constant does: the choice among them says little.");
  const bool by_sigma = !values_of(document, "sigma").empty();
  std::vector<double> values;
  ChartData data({{"x", by_sigma ? "sigma" : "gamma"},
                  {"kind", "what", Format::text},
                  {"value", "value"},
                  {"mark", "mark", Format::text},
                  {"kernels", "kernels kept"}});
  const std::vector<std::string> marks = marks_of(document);
  auto next = marks.begin();
  for (const Json& cell : document.at("grid").values()) {
    const std::string& mark = *next++;
    const Json& evidence = cell.at("evidence");
    for (const auto& [key, name] :
         {std::pair("log_validity", "log validity"), std::pair("log_evidence", "log evidence")})
      if (evidence.at(key).number()) {
        values.push_back(*evidence.at(key).number());
        data.add({cell.at(by_sigma ? "sigma" : "gamma"), name, evidence.at(key), mark, evidence.at("kernels")});
      }
  }
  const double least = least_shown(values);
  section.fact("The bias alone", fmt::format("log evidence {:.4g}", number_at(found, "null_evidence", 0)));
  if (data.empty()) return;
  section.add(
      make_chart("evidence",
                 {"evidence", "Evidence and validity along the width",
                  "Higher is better. Diamond: the chosen width. Widths far below the others are left out of the "
                  "drawing, and stand in the table. Where the evidence keeps rising toward narrow "
                  "widths and the validity falls, the narrow machines repeat their rows instead of explaining "
                  "them.",
                  "Lines of the log evidence and the log validity over the width of the kernel; chosen: " +
                      parameters_text(document.at("best")) + "."},
                 data, {{"$x", by_sigma ? "sigma (width)" : "gamma"}, {"$least", least}}));
}

}  // namespace credence::report
