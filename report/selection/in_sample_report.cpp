#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/bound_report.hpp"
#include "report/evaluation/class_facts.hpp"

namespace credence::report {
namespace {

using selection::InSample;
using selection::InSampleSetting;

/// Settings of one binary SVM: (gamma, rho), rho fastest.
std::size_t settings_of_a_machine(const InSample& found) {
  return found.rhos.size() * found.gammas.size();
}

const InSampleSetting& chosen_setting(const InSample& found, std::size_t machine) {
  const std::size_t count = settings_of_a_machine(found);
  return found.settings[machine * count + found.chosen[machine] % count];
}
double chosen_rho(const InSample& found, std::size_t machine) {
  return found.rhos[found.chosen[machine] % found.rhos.size()];
}
double chosen_gamma(const InSample& found, std::size_t machine) {
  return found.gammas[found.chosen[machine] % settings_of_a_machine(found) / found.rhos.size()];
}

std::string class_of_machine(const InSample& found, std::size_t machine, const std::vector<std::string>& classes) {
  return classes.at(static_cast<std::size_t>(found.classes[machine]));
}

/// Training loss, complexity and deviation of a single binary SVM, and what they add up to.
Table bounds_table(const InSample& found) {
  Table table{{"part of the bound", Column("", found.exact ? "exact" : "estimate"), "|upper"}, "", Where::both};
  const bool several = found.classes.size() > 1;
  if (!several) {
    const InSampleSetting& setting = chosen_setting(found, 0);
    const std::string error =
        found.enumerated ? "" : fmt::format(" (standard error {})", percent(setting.complexity_error));
    table.add({"training loss", percent(setting.training_loss), percent(setting.training_loss)});
    table.add({"+ complexity" + error, percent(setting.complexity), percent(setting.complexity_upper)});
    table.add({"+ deviation", percent(setting.deviation), percent(setting.deviation)});
  }
  table.add({several ? "sum of their bounds" : "= soft loss at most", bound_text(found.bound),
             bound_text(found.bound_upper)});
  table.add({"error rate at most", bound_text(found.error_bound), bound_text(found.error_bound_upper)});
  if (found.exact) table.drop("upper");
  return table;
}

/// A line for each class against the rest.
Table classes_table(const InSample& found, const std::vector<std::string>& classes) {
  Table table{
      {"class", "|rho", "|gamma", "|loss", "|complexity", "|std error", "|upper", "|deviation"}, "", Where::both};
  for (std::size_t m = 0; m < found.classes.size(); ++m) {
    const InSampleSetting& setting = chosen_setting(found, m);
    table.add({shown_name(class_of_machine(found, m, classes)), short_number(chosen_rho(found, m)),
               short_number(chosen_gamma(found, m)), percent(setting.training_loss), percent(setting.complexity),
               percent(setting.complexity_error), percent(setting.complexity_upper), percent(setting.deviation)});
  }
  if (!(found.gammas.front() > 0)) table.drop("gamma");
  return table;
}

/// What the minima are worth.
std::string minima_sentence(const InSample& found, const selection::Options& options) {
  if (found.exact) return "Minima are exact, by enumeration of the rows given up.";
  if (options.in_sample.ivanov.peel) {
    return "Minima are approximate, by peeling, which makes the complexity larger than the losses found; the column "
           "upper needs no minimum.";
  }
  return "Minima are approximate: the complexity and the bounds in the column estimate may be too small, but not those "
         "in the column upper.";
}

Json in_sample_setting_json(const InSample& found, std::size_t index) {
  const InSampleSetting& setting = found.settings[index];
  const auto known = [&](const auto& value) { return setting.complete ? Json(value) : Json(nullptr); };
  const double gamma = found.gammas[index / found.rhos.size() % found.gammas.size()];
  return Json::object("rho"_key = found.rhos[index % found.rhos.size()],
                      "gamma"_key = gamma > 0 ? Json(gamma) : Json(nullptr), "complete"_key = setting.complete,
                      "training_loss"_key = known(setting.training_loss), "complexity"_key = known(setting.complexity),
                      "complexity_error"_key = known(setting.complexity_error),
                      "complexity_upper"_key = known(setting.complexity_upper),
                      "deviation"_key = known(setting.deviation), "bound"_key = known(setting.bound),
                      "bound_upper"_key = known(setting.bound_upper), "vacuous"_key = known(setting.vacuous()),
                      "trials"_key = known(setting.trials), "trials_upper"_key = known(setting.trials_upper));
}

Json machines_json(const InSample& found, const std::vector<std::string>& classes) {
  const std::size_t count = settings_of_a_machine(found);
  return Json::list(found.classes.size(), [&](std::size_t m) {
    return Json::object("positive"_key = class_of_machine(found, m, classes),
                        "chosen"_key = m < found.chosen.size() ? Json(found.chosen[m] % count) : Json(nullptr),
                        "settings"_key = Json::list(
                            count, [&](std::size_t i) { return in_sample_setting_json(found, m * count + i); }));
  });
}

Json work_json(const svm::IvanovWork& work) {
  return Json::object("convex_steps"_key = work.convex_steps, "solves"_key = work.solves, "steps"_key = work.steps,
                      "factorisations"_key = work.factorisations, "unconverged"_key = work.unconverged);
}

}  // namespace

std::string in_sample_basis(const InSample& found) {
  std::string text = fmt::format("{} over {}{}, {} in the bound", found.complexity, found.enumerated ? "all " : "",
                                 count_of(found.trials, "label vector"), count_of(found.n, "row"));
  if (found.hint_rows > 0) text += fmt::format(", {} for the hint", found.hint_rows);
  if (found.given_hint) text += ", around the given hint";
  return text;
}

void add_finding(const InSample& found, const selection::Selection& selection, Story& story) {
  if (found.chosen.empty() || found.chosen.size() < found.classes.size()) return;
  Section& section = story.section("bounds", "What the bound is made of");
  if (found.classes.size() > 1) section.add(classes_table(found, selection.classes));
  section.add(bounds_table(found));
  section.tell(minima_sentence(found, selection.options));
  add_worth(found.error_bound_upper, baseline_error(selection), section);
  add_proof(found.exact ? subject_all_bounds : subject_upper_bounds, found.gaps, found.delta, section);
}

Json in_sample_json(const InSample& found, const std::vector<std::string>& classes) {
  const auto chosen = [&](double value) { return found.chosen.empty() ? Json(nullptr) : Json(value); };
  return Json::object("complexity"_key = found.complexity, "n"_key = found.n, "hint_rows"_key = found.hint_rows,
                      "given_hint"_key = found.given_hint, "trials"_key = found.trials,
                      "enumerated"_key = found.enumerated, "exact"_key = found.exact, "delta"_key = found.delta,
                      "delta_each"_key = found.delta_each, "union"_key = found.united,
                      "floor_of_label_vectors"_key = found.floor, "fixed_in_advance"_key = found.fixed_in_advance,
                      "positive_semidefinite"_key = found.positive_semidefinite, "proved"_key = found.gaps.empty(),
                      "gaps"_key = found.gaps, "bound"_key = chosen(found.bound),
                      "bound_upper"_key = chosen(found.bound_upper), "error_bound"_key = chosen(found.error_bound),
                      "error_bound_upper"_key = chosen(found.error_bound_upper),
                      "svms"_key = machines_json(found, classes), "work"_key = work_json(found.work));
}

}  // namespace credence::report
