#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/selection/options.hpp"
#include "report/bound_report.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/page/stories/selection_parts.hpp"
#include "report/selection/selection_report.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

std::string learner_text(const Json& document) {
  const std::string learner = text_at(document, "learner");
  const std::string name = learner == "svm"   ? "support vector machine"
                           : learner == "rvm" ? "relevance vector machine"
                           : learner == "knn" ? "nearest neighbours"
                                              : learner;
  const auto words = [&](const char* key) {
    std::string text;
    for (const Json& word : document.at("options").at(key).values())
      text += (text.empty() ? "" : " and ") + *word.text();
    return text;
  };
  const std::string kernels = words("kernel");
  return kernels.empty() ? name : fmt::format("{}, kernel {}, scaling {}", name, kernels, words("scale"));
}

/// The method's name with its sentence, where this version has the method.
std::string method_text(const std::string& method) {
  try {
    return fmt::format("{}: {}", method, selection::sentence_of_method(method));
  } catch (const Error&) {
    return shown_name(method);
  }
}

/// The best answer that looks at no feature; documents that do not name its score have the share of wrong labels.
std::optional<Baseline> baseline_in(const Json& document) {
  const Json& found = document.at("baseline");
  const auto error = found.at("error").number();
  if (!error) return std::nullopt;
  Baseline baseline{shown_name(text_at(found, "class")), *error};
  if (found.at("weighted").flag().value_or(false)) baseline.scale = {selection::ScoreKind::weighted_error};
  if (!text_at(found, "score_kind").empty()) baseline.scale = scale_of(found);
  return baseline;
}

/// A bound on the error rate.
struct Bound {
  std::string name;
  double value;                    ///< the upper side
  std::optional<double> estimate;  ///< of a bound whose minima are approximate
};

/// What says whether the bounds of the document are proved.
const Json& bounding(const Json& document) {
  const Json& in_sample = document.at("in_sample");
  return in_sample.is_object() ? in_sample : document.at("estimation");
}

std::vector<Bound> bounds_of(const Json& document) {
  std::vector<Bound> bounds;
  const Json& in_sample = document.at("in_sample");
  if (const auto value = in_sample.at("error_bound").number()) {
    const double upper = in_sample.at("error_bound_upper").number().value_or(*value);
    const bool exact = in_sample.at("exact").flag().value_or(true);
    bounds.push_back(
        {"Bound on the error (" + text_at(in_sample, "complexity") + ")", upper, exact ? std::nullopt : value});
  }
  for (const Json& bound : document.at("estimation").at("bounds").values()) {
    const auto value = bound.at("bound").number();
    if (value && text_at(bound, "loss") == "hard")
      bounds.push_back({"Bound on the error (" + text_at(bound, "name") + ")", *value, std::nullopt});
  }
  return bounds;
}

double delta_of(const Json& document) {
  return number_at(bounding(document), "delta", 0.05);
}

bool is_proved(const Json& document) {
  return bounding(document).at("proved").flag().value_or(false);
}

/// Whether the bounds are proved, in the words of the terminal.
void say_proof(Section& section, const Json& document) {
  const Json& of_bounds = bounding(document);
  std::vector<std::string> gaps;
  for (const Json& gap : of_bounds.at("gaps").values())
    if (const std::string* text = gap.text()) gaps.push_back(*text);
  const bool upper_alone = !of_bounds.at("exact").flag().value_or(true);
  const char* subject = upper_alone ? subject_upper_bounds : subject_all_bounds;
  if (is_proved(document))
    section.say(proof_line(subject, {}, delta_of(document)));
  else if (!gaps.empty())
    section.warn(proof_line(subject, gaps, delta_of(document)));
  else
    section.warn("This result does not say whether its bounds are proved.");
}

void say_bounds(Section& section, const Json& document) {
  const std::optional<Baseline> guessing = baseline_in(document);
  const std::vector<Bound> bounds = bounds_of(document);
  for (const Bound& bound : bounds) {
    const std::string confidence = fmt::format("{:.4g} %", 100 * (1 - delta_of(document)));
    const std::string estimate =
        bound.estimate ? fmt::format(" (estimate, as minima are approximate: {})", percent(*bound.estimate)) : "";
    if (bound.value >= 1) {
      section.warn(
          fmt::format("{}: {:.4g}{}. This bound is vacuous: it is not below 100 %, and says nothing about the "
                      "error. More rows would make it smaller.",
                      bound.name, bound.value, estimate));
    } else if (guessing && guessing->scale.is_error() && bound.value >= guessing->error) {
      section.warn(
          fmt::format("{}: {} at confidence {}{}. Always naming the commonest class errs in {} of the rows, so "
                      "this bound says little.",
                      bound.name, percent(bound.value), confidence, estimate, percent(guessing->error)));
    } else {
      section.fact(bound.name, fmt::format("at most {} at confidence {}{}{}", percent(bound.value), confidence,
                                           is_proved(document) ? "" : ", not proved in this run", estimate));
    }
  }
  if (!bounds.empty()) say_proof(section, document);
}

/// On the scale of the honest estimate, where there is one.
std::optional<Chart> score_chart(const Json& document, const Scale& of_cells) {
  const Json& honest = document.at("honest");
  const auto estimate = honest.at("error").number();
  const Scale scale = estimate ? scale_of(honest) : of_cells;
  ChartData data({{"name", "what", Format::text},
                  {"value", "value", format_of(scale)},
                  {"lower", "from", format_of(scale)},
                  {"upper", "to", format_of(scale)},
                  {"kind", "", Format::text},
                  {"label", "", Format::text}});
  std::set<std::string> kinds;  // that are drawn
  const auto add = [&](const std::string& name, double value, const Json& lower, const Json& upper, const char* kind) {
    const auto [from, to] = ends_of(scale, lower, upper);
    kinds.insert(kind);
    data.add({name, scale.shown(value), from, to, kind, fmt::format("{}: {}", name, scale.text(value))});
  };
  if (estimate) add("Honest estimate", *estimate, honest.at("lower"), honest.at("upper"), "estimate");
  const auto selected = chosen_error(document);
  const bool is_bound = of_cells.kind == selection::ScoreKind::loss_bound;
  if (selected && !is_bound && of_cells.kind != selection::ScoreKind::log_evidence)
    add("Selected score (optimistic)", *selected, nullptr, nullptr, "optimistic");
  for (const Bound& bound : bounds_of(document))
    if (bound.value < 1) add(bound.name, bound.value, nullptr, nullptr, "bound");
  const std::optional<Baseline> baseline = baseline_in(document);
  if (baseline && baseline->scale.kind == (is_bound ? selection::ScoreKind::error : scale.kind))
    add(baseline->scale.is_error() ? "Always naming the commonest class" : "The same answer for every row",
        baseline->error, nullptr, nullptr, "reference");
  if (data.size() < 2) return std::nullopt;
  const auto has = [&](const char* kind) { return kinds.contains(kind); };
  std::string caption;
  if (has("estimate"))
    caption += estimate && honest.at("lower").number()
                   ? "Circle: the honest estimate, with its interval, whose confidence was measured by simulation. "
                   : "Circle: the honest estimate. ";
  if (has("optimistic"))
    caption +=
        "Cross: the score by which the setting won; winners are lucky, so this score is too good, and is never "
        "to be quoted as the error. ";
  if (has("bound"))
    caption += fmt::format("Triangle: an upper bound{}. ", is_proved(document) ? "" : ", not proved in this run");
  if (has("reference"))
    caption += fmt::format("Square: the {} {}. ", baseline->scale.name,
                           baseline->name.empty() ? "of " + baseline->rule()
                                                  : fmt::format("if every row were called '{}'", baseline->name));
  if (!caption.empty()) caption.pop_back();
  const std::string heard =
      estimate ? fmt::format("The honest estimate is {}.", scale.text(*estimate)) : "There is no honest estimate.";
  return make_chart("scores", {"scores", "How good is it?", caption, "Chart of scores on one axis. " + heard}, data,
                    {{"$value", scale.is_share() ? "share of wrong labels" : scale.name}, {"$format", vega_of(scale)}});
}

void say_answer(Section& section, const Json& document) {
  const Json& honest = document.at("honest");
  const Scale scale = scale_of(honest);
  const auto estimate = honest.at("error").number();
  if (estimate && scale.is_error()) {
    const auto lower = honest.at("lower").number();
    const auto upper = honest.at("upper").number();
    std::string text = fmt::format("Expect {} like these to get a wrong label", of_hundred(*estimate));
    const int rows = *estimate < 0.01 ? 1000 : 100;  // as in the words before
    if (lower && upper)
      text += fmt::format("; between {:.3g} and {:.3g} of {} at confidence {:.4g} %", rows * *lower, rows * *upper,
                          rows, 100 * (1 - number_at(honest, "delta", 0.05)));
    if (const std::size_t averaged = averaged_cells(document); averaged > 0)
      text += fmt::format(". The model is the average of {} settings", averaged);
    section.headline(text + ".");
  } else if (estimate) {
    section.headline(fmt::format("Honest estimate of the {}: {}.", scale.name, scale.text(*estimate)));
  } else {
    section.headline(
        "This run has no honest estimate of the error: its scores compare settings with each other, and "
        "do not say how often new rows get a wrong label.");
  }
}

void add_honest_facts(Section& section, const Json& document) {
  const Json& honest = document.at("honest");
  const auto estimate = honest.at("error").number();
  if (!estimate) return;
  const Scale scale = scale_of(honest);
  section.fact("Honest estimate", fmt::format("{}; {}", scale.text(*estimate), text_at(honest, "basis")));
  const auto lower = honest.at("lower").number();
  const auto upper = honest.at("upper").number();
  if (lower && upper) {
    section.fact("Its interval",
                 fmt::format("{} at confidence {:.4g} % ({})", scale.ends(*lower, *upper),
                             100 * (1 - number_at(honest, "delta", 0.05)), text_at(honest, "interval")));
  }
}

/// What the terminal says of classes.
void add_class_facts(Section& section, const Json& document) {
  if (const std::optional<Baseline> baseline = baseline_in(document))
    section.fact(baseline->scale.is_error() ? "Baseline error" : "Baseline", baseline_text(*baseline));
  const std::vector<ClassRecall> recall = core::mapped(document.at("recall").values(), [&](const Json& one) {
    return ClassRecall{shown_name(text_at(one, "class")), count_at(one, "n"), count_at(one, "found")};
  });
  if (recall.empty()) return;
  section.fact("Recall by class",
               fmt::format("{} ({})", recall_text(recall), text_at(document.at("calibration"), "source")));
}

void add_data_facts(Section& section, const Json& document) {
  section.fact("Data", fmt::format("{}, {}", core::count_of(count_at(document, "n"), "row"),
                                   core::count_of(count_at(document, "features"), "feature")));
  if (const std::string label = text_at(document, "label"); !label.empty()) section.fact("Label", shown_name(label));
  const std::vector<std::size_t> counts = core::mapped(document.at("class_counts").values(), [&](const Json& count) {
    return static_cast<std::size_t>(std::clamp(count.number().value_or(0), 0.0, 1e15));
  });
  if (!counts.empty()) section.fact("Classes", class_summary(shown_names(document.at("classes")), counts));
}

void add_chosen_section(Story& story, const Json& document, const Scale& scale) {
  Section& section = story.section("chosen", "What was chosen, and how good it is");
  say_answer(section, document);
  add_warnings(section, document);
  const Json& best = document.at("best");
  section.fact("Model", learner_text(document));
  if (has_regions(document))
    add_region_facts(section, document);
  else if (const std::size_t averaged = averaged_cells(document); averaged > 0)
    section.fact("Chosen settings",
                 fmt::format("the average of the {} best of {}, all within one standard error of the best one, {}",
                             averaged, document.at("grid").size(), parameters_text(best)));
  else if (best.is_object())
    section.fact("Chosen setting", parameters_text(best));
  if (const Json& kept = document.at("kept"); kept.is_object())
    section.fact("Kept", fmt::format("all {:.0f} models of the grid decide together", number_at(kept, "models", 0)));
  section.fact("Method", method_text(text_at(document, "method")));
  if (const std::string costs = text_at(document.at("options"), "cost"); !costs.empty())
    section.fact("Label costs", shown_name(costs));
  add_data_facts(section, document);
  add_honest_facts(section, document);
  add_class_facts(section, document);
  if (const auto selected = chosen_error(document)) {
    const bool held_out = !document.at("in_sample").is_object() && !document.at("kernel_validity").is_object();
    const Json& reached = document.at("reached");
    const std::string settings =
        reached.is_object()
            ? fmt::format("{} of {} settings, on {}", count_at(reached, "settings"), count_at(reached, "of_settings"),
                          core::count_of(count_at(reached, "rows"), "row"))
        : has_regions(document) ? settings_of_regions(document)
                                : fmt::format("{} settings", document.at("grid").size());
    section.fact("Selected score",
                 fmt::format("{}: {} ({} {}; no estimate of the error)", scale.name, scale.text(*selected),
                             averaged_cells(document) > 0 ? "optimistic: the average of the best of"
                             : held_out                   ? "optimistic: the best of"
                                                          : "by which the setting won among",
                             settings));
  }
  say_bounds(section, document);
  if (auto chart = score_chart(document, scale)) section.add(std::move(*chart));
}

}  // namespace

Story selection_story(const Json& document) {
  Story story;
  const Scale scale = scale_of(document);
  story.title = "Choice of a model";
  story.subtitle = fmt::format("{}, {}", shown_source(document), core::count_of(count_at(document, "n"), "row"));
  add_chosen_section(story, document, scale);
  if (has_regions(document))
    add_regions_section(story, document, scale);
  else
    add_sureness_section(story, document, scale);
  add_trust_section(story, document);
  add_decision_section(story, document);
  add_evidence_section(story, document);
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
