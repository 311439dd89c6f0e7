#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "credence/core/list.hpp"
#include "credence/selection/run.hpp"
#include "report/bound_report.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/selection/selection_report.hpp"
#include "report/setting_words.hpp"

/// What a page draws of a selection: how good it is, and how sure the choice is.
namespace credence::report {
namespace {

using selection::Selection;
using selection::Setting;

bool judged_on_all_rows(const Setting& setting) {
  return setting.complete && setting.rung == 0 && std::isfinite(setting.error);
}

/// The one with the smallest score; nullptr if none was judged.
const Setting* best_judged(const Selection& selection) {
  const Setting* best = nullptr;
  for (const Setting& setting : selection.grid)
    if (judged_on_all_rows(setting) && (best == nullptr || setting.error < best->error)) best = &setting;
  // Of equal settings the one that the average began with.
  return selection.average && selection.best ? &selection.grid[*selection.best] : best;
}

/// The smallest score plus its standard error: what may be smaller by luck alone. None if settings have no such error.
std::optional<double> one_standard_error(const Selection& selection) {
  const Setting* best = best_judged(selection);
  if (best == nullptr || !(best->error_se > 0)) return std::nullopt;
  return best->error + best->error_se;
}

bool is_close(const Setting& setting, const std::optional<double>& limit) {
  return limit && judged_on_all_rows(setting) && setting.error <= *limit;
}

/// Of each setting "chosen", "close" for a member of the average, or, where one setting decides, for a setting within
/// one standard error; or nothing.
std::vector<std::string> marks_of(const Selection& selection) {
  const auto limit = one_standard_error(selection);
  std::vector<std::string> marks = core::mapped(selection.grid, [&](const Setting& setting) {
    return std::string(!selection.average && is_close(setting, limit) ? "close" : "");
  });
  if (selection.average)
    for (const std::size_t member : selection.average->members) marks[member] = "close";
  if (selection.best) marks[*selection.best] = "chosen";
  return marks;
}

std::string kernel_and_scaling(const Setting& setting) {
  return setting.kernel ? fmt::format("{} kernel, {} scaling", core::word(*setting.kernel), core::word(*setting.scale))
                        : "";
}

/// Those of all settings, each once, in the order of the grid.
std::vector<std::string> kernels_and_scalings(const Selection& selection) {
  std::vector<std::string> all;
  for (const Setting& setting : selection.grid)
    if (std::string one = kernel_and_scaling(setting); std::ranges::find(all, one) == all.end()) all.push_back(one);
  return all;
}

/// The grid as a picture sees it: the parameters of each setting by name.
class Grid {
 public:
  explicit Grid(const Selection& of) : selection(of), marks(marks_of(of)) {
    for (const Setting& setting : of.grid) parameters_.push_back(parameters_json(setting, shows_sigma(of.options)));
  }

  const Json& at(std::size_t setting, const std::string& axis) const { return parameters_[setting].at(axis); }
  /// The values that the settings have, ascending.
  std::vector<double> values(const std::string& axis) const {
    std::set<double> values;
    for (const Json& one : parameters_)
      if (const auto value = one.at(axis).number()) values.insert(*value);
    return {values.begin(), values.end()};
  }
  /// Those that the settings differ in. Sigma stands for gamma where both are there.
  std::vector<std::string> axes() const {
    std::vector<std::string> axes;
    for (const std::string& key : parameter_keys()) {
      const bool doubled = key == "gamma" && !axes.empty() && axes.back() == "sigma";
      if (!doubled && values(key).size() > 1) axes.push_back(key);
    }
    return axes;
  }
  std::string chosen() const {
    return selection.best ? parameters_text(selection.grid[*selection.best], shows_sigma(selection.options)) : "none";
  }

  const Selection& selection;
  const std::vector<std::string> marks;

 private:
  std::vector<Json> parameters_;
};

/// Where a row of squares stands: rows are sorted from the last place to the first, and what follows the bar is shown.
/// @param map  from the last one  @param row  of the map, from below
std::string row_place(std::size_t map, std::size_t row, const std::string& shown) {
  return fmt::format("{:04}{:04}|{}", map, row, shown);
}

/// How many standard errors from the best the colours of a map end: what is worse is of no interest.
constexpr int coloured_errors = 3;

/// The scores at which the colours begin and end, ascending.
Json coloured(const Selection& selection, const Scale& scale) {
  const Setting* best = best_judged(selection);
  if (best == nullptr) return Json(std::vector<Json>{0, 1});
  double last = best->error + coloured_errors * best->error_se;
  if (!(best->error_se > 0))
    for (const Setting& setting : selection.grid)
      if (judged_on_all_rows(setting) && std::isfinite(setting.error)) last = std::max(last, setting.error);
  std::vector<Json> ends{scale.value(best->error), scale.value(last)};
  if (scale.is_turned()) std::swap(ends.front(), ends.back());
  return Json(ends);
}

/// A map of each kernel and scaling, one below the other.
Chart heat_chart(const Grid& grid, const Scale& scale, const std::string& x, const std::string& y) {
  constexpr std::size_t above_all_rows = 9999;
  const Selection& selection = grid.selection;
  const std::vector<std::string> maps = kernels_and_scalings(selection);
  const bool several = maps.size() > 1;
  Table data{{Column("map", several ? "kernel and scaling" : "", Format::text), Column("x", x), Column("y", y),
              "row||text", Column("value", scale.name, scale.format()),
              Column("error_se", "standard error", scale.format()), "mark|mark|text"}};
  const std::vector<double> rows = grid.values(y);
  for (std::size_t i = 0; i < selection.grid.size(); ++i) {
    const Setting& setting = selection.grid[i];
    const std::string own = kernel_and_scaling(setting);
    const auto value = grid.at(i, y).number();
    const auto row = value ? std::ranges::find(rows, *value) - rows.begin() : std::ptrdiff_t{0};
    const Json spread = setting.complete && !scale.is_squared() ? Json(setting.error_se) : Json(nullptr);
    data.add({own, grid.at(i, x), grid.at(i, y),
              row_place(static_cast<std::size_t>(maps.end() - std::ranges::find(maps, own)),
                        static_cast<std::size_t>(row), value ? plain_number(*value) : ""),
              setting.complete ? scale.value(setting.error) : Json(nullptr), spread, grid.marks[i]});
  }
  Json headings = Json::array();
  for (std::size_t k = 0; several && k < maps.size(); ++k)
    headings.push_back(Json::object("row"_key = row_place(maps.size() - k, above_all_rows, ""), "text"_key = maps[k]));
  const std::string axes = rows.empty() ? x : fmt::format("{} and {}", x, y);  // a linear kernel has no gamma
  const char* also = !several ? "" : rows.empty() ? "kernel, scaling and " : "kernel, scaling, ";
  const auto limit = one_standard_error(selection);
  const auto close =
      std::ranges::count_if(selection.grid, [&](const Setting& setting) { return is_close(setting, limit); });
  const bool whole = std::ranges::all_of(selection.grid, &Setting::complete);
  return std::move(data).as_chart(
      "heat_map", fmt::format("The score of every setting of {}{}", also, axes),
      fmt::format(
          "Each square is one setting; the brighter, the better{}{}. {}{}",
          several ? ", on one scale for all kernels and scalings" : "",
          one_standard_error(selection)
              ? fmt::format("; the colours end at {} standard errors from the best, and what is worse is darkest",
                            coloured_errors)
              : "",
          selection.average ? "Dots: the settings whose average was chosen. Diamond: the best of them."
                            : "Diamond: the chosen setting. Dots: settings within one standard error of the best, "
                              "which are as good as far as these data can tell.",
          whole ? "" : " A square that is missing was not computed."),
      fmt::format(
          "Heat map of the {} over {}{}; chosen: {}; {} of {} settings are within one standard error of the best.",
          scale.name, axes, several ? fmt::format(" for each of {} kernels and scalings", maps.size()) : "",
          grid.chosen(), close, selection.grid.size()),
      Json::object("$x"_key = x, "$y"_key = rows.empty() ? "" : y, "$value"_key = scale.name,
                   "$format"_key = scale.axis_format(), "$reverse"_key = !scale.is_turned(),
                   "$domain"_key = coloured(selection, scale)),
      Json::object("headings"_key = std::move(headings)));
}

Chart curve_chart(const Grid& grid, const Scale& scale, const std::string& x) {
  Table data{{Column("x", x), Column("value", scale.name, scale.format()),
              Column("lower", "less one standard error", scale.format()),
              Column("upper", "plus one standard error", scale.format()), "mark|mark|text"}};
  for (std::size_t i = 0; i < grid.selection.grid.size(); ++i) {
    const Setting& setting = grid.selection.grid[i];
    Json lower;
    Json upper;
    if (setting.complete && setting.error_se > 0) {
      lower = scale.value(setting.error - setting.error_se);
      upper = scale.value(setting.error + setting.error_se);
      if (scale.is_turned()) std::swap(lower, upper);
    }
    data.add(
        {grid.at(i, x), setting.complete ? scale.value(setting.error) : Json(nullptr), lower, upper, grid.marks[i]});
  }
  return std::move(data).as_chart(
      "curve", fmt::format("The score along {}", x),
      fmt::format("Each point is one setting; the {}, the better. Diamond: the chosen setting. Thin "
                  "bars: one standard error up and down.",
                  scale.better()),
      fmt::format("Line of the {} over {}; chosen: {}.", scale.name, x, grid.chosen()),
      Json::object("$x"_key = x, "$value"_key = scale.name, "$format"_key = scale.axis_format()));
}

/// "7 with rbf kernel, standard scaling; 3 with laplacian kernel, quantile scaling".
std::string members_text(const Selection& selection) {
  std::string text;
  for (const std::string& map : kernels_and_scalings(selection)) {
    const auto count = std::ranges::count_if(selection.average->members, [&](std::size_t member) {
      return kernel_and_scaling(selection.grid[member]) == map;
    });
    if (count > 0) text += fmt::format("{}{} with {}", text.empty() ? "" : "; ", count, map);
  }
  return text;
}

/// What the model makes of settings that the data cannot tell apart.
std::string what_follows(const Selection& selection, std::size_t close) {
  if (!selection.average) return "another sample of rows could have chosen any of them.";
  const std::size_t averaged = selection.average->members.size();
  const std::string of_several =
      kernels_and_scalings(selection).size() > 1 ? fmt::format(" ({})", members_text(selection)) : "";
  return fmt::format(
      "the model is the average of {}{}. On most data such an average errs less often than the best of "
      "its settings, because they err on different rows.",
      averaged == close ? "them all" : fmt::format("the {} best of them", averaged), of_several);
}

/// A bound on the error rate.
struct Bound {
  std::string name;
  double value;  ///< the upper side
};

std::vector<Bound> bounds_of(const Selection& selection) {
  std::vector<Bound> bounds;
  if (const auto* found = selection.in_sample(); found != nullptr && !found->chosen.empty())
    bounds.push_back({"Bound on the error (" + found->complexity + ")", found->error_bound_upper});
  if (const auto* found = selection.estimation()) {
    for (const selection::ErrorBound& bound : found->bounds)
      if (bound.loss == selection::Loss::hard)
        bounds.push_back({"Bound on the error (" + bound.name + ")", bound.bound});
  }
  return bounds;
}

bool is_proved(const Selection& selection) {
  if (const auto* found = selection.in_sample()) return found->gaps.empty();
  const auto* found = selection.estimation();
  return found != nullptr && !found->judgements.empty() && found->gaps.empty();
}

/// What the marks of a chart of scores stand for.
std::string marks_text(const Selection& selection, const std::set<std::string>& kinds, const Baseline& baseline) {
  std::string text;
  if (kinds.contains("estimate"))
    text += selection.honest->lower ? "Circle: the honest estimate, with its interval, whose confidence was measured "
                                      "by simulation. "
                                    : "Circle: the honest estimate. ";
  if (kinds.contains("optimistic"))
    text +=
        "Cross: the score by which the setting won; winners are lucky, so this score is too good, and is never to be "
        "quoted as the error. ";
  if (kinds.contains("bound"))
    text += fmt::format("Triangle: an upper bound{}. ", is_proved(selection) ? "" : ", not proved in this run");
  if (kinds.contains("reference"))
    text +=
        fmt::format("Square: the {} {}. ", baseline.scale.name,
                    baseline.name.empty() ? "of " + baseline.rule()
                                          : fmt::format("if every row were called '{}'", shown_name(baseline.name)));
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

std::optional<Chart> score_chart(const Selection& selection) {
  const bool has_estimate = selection.honest && std::isfinite(selection.honest->error);
  const Scale of_settings = scale_of(selection.score_kind(), selection.score);
  const Scale scale = has_estimate ? scale_of(selection.honest_kind(), selection.honest->score) : of_settings;
  Table data{{"name|what|text", Column("value", "value", scale.format()), Column("lower", "from", scale.format()),
              Column("upper", "to", scale.format()), "kind||text", "label||text"}};
  std::set<std::string> kinds;  // that are drawn
  const auto add = [&](const std::string& name, double value, const char* kind, Json lower = {}, Json upper = {}) {
    kinds.insert(kind);
    data.add({name, scale.value(value), std::move(lower), std::move(upper), kind,
              fmt::format("{}: {}", name, scale.text(value))});
  };
  if (has_estimate) {
    const selection::HonestEstimate& honest = *selection.honest;
    Json lower = honest.lower ? scale.value(*honest.lower) : Json(nullptr);
    Json upper = honest.upper ? scale.value(*honest.upper) : Json(nullptr);
    if (scale.is_turned()) std::swap(lower, upper);
    add("Honest estimate", honest.error, "estimate", std::move(lower), std::move(upper));
  }
  const bool is_bound = of_settings.kind == selection::ScoreKind::loss_bound;
  const auto selected = selection.chosen_error();
  const bool is_score = !is_bound && of_settings.kind != selection::ScoreKind::log_evidence;
  if (is_score && is_optimistic(selection) && selected && std::isfinite(*selected))
    add("Selected score (optimistic)", *selected, "optimistic");
  for (const Bound& bound : bounds_of(selection))
    if (bound.value < 1) add(bound.name, bound.value, "bound");
  const Baseline baseline = baseline_of(selection).value_or(Baseline{});
  if (baseline_of(selection) && baseline.scale.kind == (is_bound ? selection::ScoreKind::error : scale.kind))
    add(baseline.scale.is_error() && !baseline.name.empty() ? "Always naming the commonest class"
                                                            : "The same answer for every row",
        baseline.error, "reference");
  if (data.size() < 2) return std::nullopt;
  const std::string heard = has_estimate
                                ? fmt::format("The honest estimate is {}.", scale.text(selection.honest->error))
                                : "There is no honest estimate.";
  return std::move(data).as_chart("scores", "How good is it?", marks_text(selection, kinds, baseline),
                                  "Chart of scores on one axis. " + heard,
                                  scale.words(scale.is_share() ? "share of wrong labels" : scale.name));
}

void add_settings(const Selection& selection, Section& section) {
  const Scale scale = scale_of(selection.score_kind(), selection.score);
  const Grid grid(selection);
  const std::vector<std::string> axes = grid.axes();
  if (selection::reached(selection)) {
    section.say("The other settings were dropped on fewer rows, or not looked at.");
  } else if (selection.race) {
    section.say(
        "The settings raced: all were judged on a part of the rows first, and only those that did well there "
        "were judged on all of them. Squares of the others are blank.");
  }
  if (const auto limit = one_standard_error(selection)) {
    const auto close = static_cast<std::size_t>(
        std::ranges::count_if(selection.grid, [&](const Setting& setting) { return is_close(setting, limit); }));
    const char* less = scale.is_turned() ? "more" : "less";
    section.say(close <= 1 ? fmt::format("Of {} settings, the best one stands alone: no other is within one standard "
                                         "error of it ({} or {}).",
                                         selection.grid.size(), scale.text(*limit), less)
                           : fmt::format("{} of {} settings are within one standard error of the best one ({} or "
                                         "{}). The data cannot tell these apart: {}",
                                         close, selection.grid.size(), scale.text(*limit), less,
                                         what_follows(selection, close)));
  }
  if (kernels_and_scalings(selection).size() > 1)
    section.add(heat_chart(grid, scale, grid.values("nu").empty() ? "C" : "nu", "gamma"));
  else if (axes.size() >= 2)
    section.add(heat_chart(grid, scale, axes.front(), axes.back()));
  else if (axes.size() == 1 && !selection.evidence())
    section.add(curve_chart(grid, scale, axes.front()));
}

}  // namespace credence::report
