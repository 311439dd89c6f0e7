#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "credence/core/error.hpp"
#include "credence/selection/options.hpp"
#include "report/page/chart_data.hpp"
#include "report/page/story.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// What the numbers of a selection are: shares of rows, or others.
struct Scale {
  std::string name;      ///< "error", "mean squared error", ...
  bool share = true;     ///< a share of rows, shown in per cent
  bool is_error = true;  ///< the share of wrong labels
  bool squared = false;  ///< of a regression, shown as the root

  double shown(double value) const { return squared ? std::sqrt(std::max(0.0, value)) : value; }
  Json shown(const Json& value) const { return value.number() ? Json(shown(*value.number())) : Json(nullptr); }

  Format format() const { return share ? Format::share : Format::number; }
  std::string vega() const { return share ? ".2~%" : ".4~g"; }
  std::string text(double value) const { return share ? percent(value) : fmt::format("{:.4g}", shown(value)); }
};

bool is_regression(const Json& document) {
  return text_at(document.at("options"), "task") == "regression" || text_at(document, "task") == "regression";
}

Scale scale_of(const Json& document) {
  Scale scale;
  scale.name = text_at(document, "score");
  scale.is_error = scale.name.ends_with("error") && scale.name.find("squared") == std::string::npos;
  scale.share = scale.is_error || scale.name == "bound on the soft loss" || scale.name.ends_with("soft loss");
  if (is_regression(document)) {
    scale.is_error = scale.share = false;
    scale.squared = text_at(document, "method") != "kernel-validity" && text_at(document, "method") != "evidence";
    if (scale.squared) scale.name = "root mean squared error";
  }
  return scale;
}

/// The hyper-parameters of cells, by their keys in the document.
struct Axis {
  const char* key;
  const char* title;
};
constexpr std::array parameters{Axis{"C", "C"},         Axis{"nu", "nu"},       Axis{"rho", "rho"},
                                Axis{"sigma", "sigma"}, Axis{"gamma", "gamma"}, Axis{"k", "k"}};

std::vector<double> values_of(const Json& document, const char* key) {
  std::vector<double> values;
  for (const Json& cell : document.at("grid").values())
    if (const auto value = cell.at(key).number()) values.push_back(*value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Those that the cells differ in. Sigma stands for gamma where both are there.
std::vector<Axis> axes_of(const Json& document) {
  std::vector<Axis> axes;
  for (const Axis& axis : parameters) {
    const bool doubled =
        std::string_view(axis.key) == "gamma" && !axes.empty() && std::string_view(axes.back().key) == "sigma";
    if (!doubled && values_of(document, axis.key).size() > 1) axes.push_back(axis);
  }
  return axes;
}

std::string parameters_text(const Json& cell) {
  std::string text;
  for (const Axis& axis : parameters) {
    if (std::string_view(axis.key) == "gamma" && cell.at("sigma").number()) continue;
    if (const auto value = cell.at(axis.key).number())
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", axis.title, plain_number(*value));
  }
  return text;
}

bool same_cell(const Json& a, const Json& b) {
  return std::all_of(parameters.begin(), parameters.end(),
                     [&](const Axis& axis) { return a.at(axis.key).number() == b.at(axis.key).number(); });
}

bool judged_on_all_rows(const Json& cell) {
  return cell.at("error").number().has_value() && cell.at("rung").is_null();
}

/// The smallest score plus its standard error: what may be smaller by luck alone. None if cells have no such error.
std::optional<double> one_standard_error(const Json& document) {
  const Json* best = nullptr;
  for (const Json& cell : document.at("grid").values())
    if (judged_on_all_rows(cell) && (best == nullptr || *cell.at("error").number() < *best->at("error").number()))
      best = &cell;
  if (best == nullptr) return std::nullopt;
  const double error = number_at(*best, "error_se", 0);
  return error > 0 ? std::optional(*best->at("error").number() + error) : std::nullopt;
}

std::string mark_of(const Json& cell, const Json& best, const std::optional<double>& limit) {
  if (best.is_object() && same_cell(cell, best)) return "chosen";
  if (limit && judged_on_all_rows(cell) && *cell.at("error").number() <= *limit) return "close";
  return "";
}

std::size_t close_cells(const Json& document) {
  const auto limit = one_standard_error(document);
  const auto cells = document.at("grid").values();
  return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [&](const Json& cell) {
    return limit && judged_on_all_rows(cell) && *cell.at("error").number() <= *limit;
  }));
}

// What was chosen.

std::string learner_text(const Json& document) {
  const std::string learner = text_at(document, "learner");
  const std::string name = learner == "svm"   ? "support vector machine"
                           : learner == "rvm" ? "relevance vector machine"
                           : learner == "knn" ? "nearest neighbours"
                                              : learner;
  const std::string kernel = text_at(document, "kernel");
  return kernel.empty() ? name : name + ", kernel " + kernel;
}

/// The method's name with its sentence, where this version has the method.
std::string method_text(const std::string& method) {
  try {
    return fmt::format("{}: {}", method, selection::sentence_of_method(method));
  } catch (const Error&) {
    return shown_name(method);
  }
}

/// Errors of always naming the commonest class.
std::optional<double> error_of_guessing(const Json& document) {
  double most = 0;
  double all = 0;
  for (const Json& count : document.at("class_counts").values()) {
    most = std::max(most, count.number().value_or(0));
    all += count.number().value_or(0);
  }
  return all > 0 ? std::optional(1 - most / all) : std::nullopt;
}

/// A bound on the error rate.
struct Bound {
  std::string name;
  double value;
  bool proved;
};

std::vector<Bound> bounds_of(const Json& document) {
  std::vector<Bound> bounds;
  const Json& in_sample = document.at("in_sample");
  if (const auto value = in_sample.at("error_bound").number()) {
    bounds.push_back({"Bound on the error (" + text_at(in_sample, "complexity") + ")", *value,
                      in_sample.at("fixed_in_advance").flag().value_or(false)});
  }
  const Json& estimation = document.at("estimation");
  for (const Json& bound : estimation.at("bounds").values()) {
    const auto value = bound.at("bound").number();
    if (value && text_at(bound, "loss") == "hard") {
      bounds.push_back({"Bound on the error (" + text_at(bound, "name") + ")", *value,
                        estimation.at("independent").flag().value_or(false)});
    }
  }
  return bounds;
}

double delta_of(const Json& document) {
  const Json& in_sample = document.at("in_sample");
  return in_sample.is_object() ? number_at(in_sample, "delta", 0.05)
                               : number_at(document.at("estimation"), "delta", 0.05);
}

void say_bounds(Section& section, const Json& document) {
  const std::optional<double> guessing = error_of_guessing(document);
  for (const Bound& bound : bounds_of(document)) {
    const std::string confidence = fmt::format("{:.4g} %", 100 * (1 - delta_of(document)));
    if (bound.value >= 1) {
      section.warn(
          fmt::format("{}: {:.4g}. This bound is vacuous: it is not below 100 %, and says nothing about the "
                      "error. More rows would make it smaller.",
                      bound.name, bound.value));
    } else if (guessing && bound.value >= *guessing) {
      section.warn(
          fmt::format("{}: {} at confidence {}. Always naming the commonest class errs in {} of the rows, so "
                      "this bound says little.",
                      bound.name, percent(bound.value), confidence, percent(*guessing)));
    } else {
      section.fact(bound.name, fmt::format("at most {} at confidence {}{}", percent(bound.value), confidence,
                                           bound.proved ? "" : "; not proved for this run, see the warnings"));
    }
  }
}

std::optional<Chart> score_chart(const Json& document, const Scale& scale) {
  ChartData data({{"name", "what", Format::text},
                  {"value", "value", scale.format()},
                  {"lower", "from", scale.format()},
                  {"upper", "to", scale.format()},
                  {"kind", "", Format::text},
                  {"label", "", Format::text}});
  const auto add = [&](const std::string& name, double value, const Json& lower, const Json& upper, const char* kind) {
    data.add({name, scale.shown(value), scale.shown(lower), scale.shown(upper), kind,
              fmt::format("{}: {}", name, scale.text(value))});
  };
  const Json& honest = document.at("honest");
  const auto estimate = honest.at("error").number();
  if (estimate) add("Honest estimate", *estimate, honest.at("lower"), honest.at("upper"), "estimate");
  const auto selected = document.at("best").at("error").number();
  if (selected && scale.name != "bound on the soft loss")
    add("Selected score (optimistic)", *selected, nullptr, nullptr, "optimistic");
  for (const Bound& bound : bounds_of(document))
    if (bound.value < 1) add(bound.name, bound.value, nullptr, nullptr, "bound");
  if (scale.is_error || scale.name == "bound on the soft loss") {
    if (const auto guessing = error_of_guessing(document))
      add("Always naming the commonest class", *guessing, nullptr, nullptr, "reference");
  }
  if (data.size() < 2) return std::nullopt;
  const std::string heard =
      estimate ? fmt::format("The honest estimate is {}.", scale.text(*estimate)) : "There is no honest estimate.";
  return make_chart("scores",
                    {"scores", "How good is it?",
                     "Circle: the honest estimate, with the interval in which the true value lies at the stated "
                     "confidence. Cross: the score by which the setting won; winners are lucky, so this score is too "
                     "good, and is never to be quoted as the error. Triangle: an upper bound. Square: what no model "
                     "at all would reach.",
                     "Chart of scores on one axis. " + heard},
                    data, {{"$value", scale.share ? "share of wrong labels" : scale.name}, {"$format", scale.vega()}});
}

void say_answer(Section& section, const Json& document, const Scale& scale) {
  const Json& honest = document.at("honest");
  const auto estimate = honest.at("error").number();
  if (estimate && scale.is_error) {
    const auto lower = honest.at("lower").number();
    const auto upper = honest.at("upper").number();
    std::string text = fmt::format("Expect {} like these to get a wrong label", of_hundred(*estimate));
    if (lower && upper)
      text += fmt::format("; between {} and {} at confidence {:.4g} %", percent(*lower), percent(*upper),
                          100 * (1 - number_at(honest, "delta", 0.05)));
    section.headline(text + ".");
  } else if (estimate) {
    section.headline(fmt::format("Honest estimate of the {}: {}.",
                                 scale.squared ? scale.name : text_at(honest, "score"), scale.text(*estimate)));
  } else {
    section.headline(
        "This run has no honest estimate of the error: its scores compare settings with each other, and "
        "do not say how often new rows get a wrong label.");
  }
}

void add_honest_facts(Section& section, const Json& document, const Scale& scale) {
  const Json& honest = document.at("honest");
  const auto estimate = honest.at("error").number();
  if (!estimate) return;
  const std::map<std::string, std::string> methods{{"bbc", "bootstrap bias-corrected cross-validation"},
                                                   {"nested", "nested cross-validation"},
                                                   {"hold-out", "rows that were set aside"}};
  const auto found = methods.find(text_at(honest, "method"));
  section.fact("Honest estimate", fmt::format("{} by {}, from {:.0f} rows", scale.text(*estimate),
                                              found == methods.end() ? text_at(honest, "method") : found->second,
                                              number_at(honest, "rows", 0)));
  const auto lower = honest.at("lower").number();
  const auto upper = honest.at("upper").number();
  if (lower && upper) {
    section.fact("Its interval",
                 fmt::format("{} to {} at confidence {:.4g} % ({})", scale.text(*lower), scale.text(*upper),
                             100 * (1 - number_at(honest, "delta", 0.05)), text_at(honest, "interval")));
  }
}

void add_data_facts(Section& section, const Json& document) {
  section.fact("Data", fmt::format("{}, {}", core::count_of(count_at(document, "n"), "row"),
                                   core::count_of(count_at(document, "features"), "feature")));
  const std::vector<std::string> names = shown_names(document.at("classes"));
  const auto counts = document.at("class_counts").values();
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t c = 0; c < std::min(names.size(), most) && c < counts.size(); ++c) {
    text += fmt::format(
        "{}{}: {}", c == 0 ? "" : "; ", names[c],
        core::count_of(static_cast<std::size_t>(std::clamp(counts[c].number().value_or(0), 0.0, 1e15)), "row"));
  }
  if (names.size() > most) text += fmt::format("; and {} more", core::count_of(names.size() - most, "class"));
  if (!text.empty()) section.fact("Classes", text);
}

void add_chosen_section(Story& story, const Json& document, const Scale& scale) {
  Section& section = story.section("chosen", "What was chosen, and how good it is");
  say_answer(section, document, scale);
  add_warnings(section, document);
  const Json& best = document.at("best");
  section.fact("Model", learner_text(document));
  if (best.is_object()) section.fact("Chosen setting", parameters_text(best));
  if (const Json& kept = document.at("kept"); kept.is_object())
    section.fact("Kept", fmt::format("all {:.0f} models of the grid decide together", number_at(kept, "models", 0)));
  section.fact("Method", method_text(text_at(document, "method")));
  add_data_facts(section, document);
  add_honest_facts(section, document, scale);
  if (const auto selected = best.at("error").number()) {
    const bool held_out = !document.at("in_sample").is_object() && !document.at("kernel_validity").is_object();
    section.fact("Selected score",
                 fmt::format("{}: {} ({} {} settings; no estimate of the error)", scale.name, scale.text(*selected),
                             held_out ? "optimistic: the best of" : "by which the setting won among",
                             document.at("grid").size()));
  }
  say_bounds(section, document);
  if (auto chart = score_chart(document, scale)) section.add(std::move(*chart));
}

// How sure the choice is.

Chart heat_chart(const Json& document, const Scale& scale, const Axis& x, const Axis& y) {
  ChartData data({{"x", x.title},
                  {"y", y.title},
                  {"value", scale.name, scale.format()},
                  {"error_se", "standard error", scale.format()},
                  {"mark", "mark", Format::text}});
  const auto limit = one_standard_error(document);
  for (const Json& cell : document.at("grid").values())
    data.add({cell.at(x.key), cell.at(y.key), scale.shown(cell.at("error")),
              scale.squared ? Json(nullptr) : cell.at("error_se"), mark_of(cell, document.at("best"), limit)});
  return make_chart(
      "heat_map",
      {"heat-map", fmt::format("The score of every setting of {} and {}", x.title, y.title),
       "Each square is one setting; the brighter, the better. Diamond: the chosen setting. Dots: settings "
       "within one standard error of the best, which are as good as far as these data can tell. A square "
       "that is missing was not computed.",
       fmt::format("Heat map of the {} over {} and {}; chosen: {}; {} of {} settings are within one "
                   "standard error of the best.",
                   scale.name, x.title, y.title, parameters_text(document.at("best")), close_cells(document),
                   document.at("grid").size())},
      data, {{"$x", x.title}, {"$y", y.title}, {"$value", scale.name}, {"$format", scale.vega()}});
}

Chart curve_chart(const Json& document, const Scale& scale, const Axis& x) {
  ChartData data({{"x", x.title},
                  {"value", scale.name, scale.format()},
                  {"lower", "less one standard error", scale.format()},
                  {"upper", "plus one standard error", scale.format()},
                  {"mark", "mark", Format::text}});
  const auto limit = one_standard_error(document);
  for (const Json& cell : document.at("grid").values()) {
    const auto error = cell.at("error").number();
    const double se = number_at(cell, "error_se", 0);
    data.add({cell.at(x.key), scale.shown(cell.at("error")),
              error && se > 0 ? Json(scale.shown(*error - se)) : Json(nullptr),
              error && se > 0 ? Json(scale.shown(*error + se)) : Json(nullptr),
              mark_of(cell, document.at("best"), limit)});
  }
  return make_chart(
      "curve",
      {"curve", fmt::format("The score along {}", x.title),
       "Each point is one setting; the lower, the better. Diamond: the chosen setting. Thin bars: one "
       "standard error up and down.",
       fmt::format("Line of the {} over {}; chosen: {}.", scale.name, x.title, parameters_text(document.at("best")))},
      data, {{"$x", x.title}, {"$value", scale.name}, {"$format", scale.vega()}});
}

void add_sureness_section(Story& story, const Json& document, const Scale& scale) {
  Section& section = story.section("sure", "How sure the choice is");
  const std::vector<Axis> axes = axes_of(document);
  if (document.at("best_on_border").flag().value_or(false)) {
    section.warn(
        "The chosen setting lies on the border of the grid: a better one may lie beyond. Run again with a "
        "wider list for the value on the border.");
  }
  if (const auto limit = one_standard_error(document)) {
    const std::size_t close = close_cells(document);
    section.say(close <= 1 ? fmt::format("Of {} settings, the best one stands alone: no other is within one standard "
                                         "error of it ({} or less).",
                                         document.at("grid").size(), scale.text(*limit))
                           : fmt::format("{} of {} settings are within one standard error of the best one ({} or "
                                         "less). The data cannot tell these "
                                         "apart: another sample of rows could have chosen any of them.",
                                         close, document.at("grid").size(), scale.text(*limit)));
  }
  if (const Json& second = document.at("runner_up"); second.is_object() && second.at("error").number())
    section.fact("Runner-up", fmt::format("{}: {}", parameters_text(second), scale.text(*second.at("error").number())));
  if (axes.size() >= 2) section.add(heat_chart(document, scale, axes.front(), axes.back()));
  if (axes.size() == 1 && !document.at("kernel_validity").is_object())
    section.add(curve_chart(document, scale, axes.front()));
}

// Relevance vector machines.

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
  for (const Json& cell : document.at("grid").values()) {
    const Json& evidence = cell.at("evidence");
    const std::string mark = mark_of(cell, document.at("best"), std::nullopt);
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

}  // namespace

Story selection_story(const Json& document) {
  Story story;
  const Scale scale = scale_of(document);
  story.title = "Choice of a model";
  story.subtitle =
      fmt::format("{}, {}", shown_name(text_at(document, "source")), core::count_of(count_at(document, "n"), "row"));
  add_chosen_section(story, document, scale);
  add_sureness_section(story, document, scale);
  add_trust_section(story, document);
  add_decision_section(story, document);
  add_evidence_section(story, document);
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
