#include "report/evaluation/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "credence/conformal/confidence.hpp"
#include "credence/selection/run.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/setting_words.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr const char* more_weight = "give rare classes more weight";
constexpr const char* by_balanced_accuracy = "choose by balanced accuracy";

/// The sentences that say something.
std::vector<std::string> said(std::vector<std::string> sentences) {
  std::erase(sentences, std::string());
  return sentences;
}

/// What was not done already.
std::string advice_for(const selection::Selection& selection) {
  const selection::Options& options = selection.options;
  const bool weights = options.has_costs() && !options.costs.class_weights.any();
  const bool score = options.looks_at("score") && options.score == selection::Score::accuracy;
  return fmt::format("{}{}{}", weights ? more_weight : "", weights && score ? ", and " : "",
                     score ? by_balanced_accuracy : "");
}

/// An estimate by rows of its own may come out below the score that is too good on average, and of squared errors also
/// one by drawn rows, as single large errors weigh much.
std::string below_selected(const selection::Selection& selection) {
  const auto& honest = selection.honest;
  const bool squared = selection.score_kind() == selection::ScoreKind::squared_error;
  if (!honest || !is_optimistic(selection) || (honest->method != "hold-out" && !squared)) return {};
  const bool same_score =
      selection.score.ends_with(honest->score) && selection.chosen_error().value_or(0) > honest->error;
  return same_score ? "the honest estimate is better than the optimistic score: that is chance, so read its interval"
                    : "";
}

/// Which way the grid should be extended, where the best setting lies on its border. Empty where nothing beyond can be
/// seen to help: of an average, without an error, where no feature helps, along an axis with another value that does as
/// well, if gamma changes nothing, or if the best model repeats its targets, as narrower ones do even more.
std::string border_sentence(const selection::Selection& selection) {
  if (!selection.best || !selection.best_on_border || selection.average || votes(selection)) return {};
  const selection::Setting& best = selection.grid[*selection.best];
  if (selection.options.is_free_of_gamma() || selection.memorised || (best.evidence && best.evidence->memorised))
    return {};
  const bool of_kernels = selection.evidence() != nullptr;
  const std::optional<Baseline> baseline = baseline_of(selection, true);
  const bool as_baseline =
      baseline && selection.score_kind() == baseline->scale.kind && best.error > baseline->error - 1e-12;
  if (as_baseline || (!of_kernels && !(best.error > 0))) return {};
  const auto gammas = selection.options.kernels.gamma;
  const bool numbers = std::ranges::all_of(
      gammas, [](const kernel::GammaRule& rule) { return rule.kind == kernel::GammaRule::Kind::value; });
  std::string text;
  selection::Setting::parameters([&](std::string_view name, auto member) {
    const bool is_gamma = name == "gamma";
    if (is_gamma ? !numbers : of_kernels) return;
    const auto [least, greatest] = std::ranges::minmax_element(selection.grid, {}, member);
    const auto low = (*least).*member;
    const auto high = (*greatest).*member;
    const bool at_low = best.*member == low && name != "rho" && !(name == "k" && best.k == 1);
    if (low == high || (!at_low && best.*member != high)) return;
    const auto inside_as_good = [&](const selection::Setting& setting) {
      int others = 0;
      selection::Setting::parameters([&](std::string_view, auto p) { others += setting.*p != best.*p ? 1 : 0; });
      return others == 1 && setting.kernel == best.kernel && setting.scale == best.scale &&
             setting.*member != best.*member && setting.complete && setting.error <= best.error;
    };
    if (std::ranges::any_of(selection.grid, inside_as_good)) return;
    const bool as_sigma = is_gamma && shows_sigma(selection.options);
    text += fmt::format("{} a {} {}", text.empty() ? "" : " and", at_low != as_sigma ? "smaller" : "larger",
                        as_sigma ? "sigma" : name);
  });
  const char* what = of_kernels ? "kernel" : "setting";
  return text.empty() ? text : fmt::format("the best {} lies on the border of the grid: try{}", what, text);
}

/// Where the honest estimate is one of labels.
std::string not_learnt(const selection::Selection& selection) {
  const auto& honest = selection.honest;
  const std::optional<Baseline> baseline = baseline_of(selection);
  if (!honest || !baseline || selection.honest_kind() != baseline->scale.kind) return {};
  return not_learnt_sentence(*baseline, honest->upper.value_or(honest->error),
                             !recall_of(selection.calibration, selection.classes).empty());
}

std::string resolution(const model::Predictor& model, const conformal::PValueOptions& options,
                       const std::vector<double>& levels) {
  const model::Capabilities able = model.capabilities();
  if (able.intervals) return whole_line_warning(model.calibration.nonconformity_scores.size(), levels);
  if (able.p_values == model::PValueSource::none || able.p_values == model::PValueSource::nonconformity) return {};
  if (const auto* conformal = conformal::as_conformal(model)) return resolution_warning(*conformal, options, levels);
  return resolution_warning(model.schema.classes, conformal::compared_with(model), options, levels);
}

std::string no_category_sentence(std::size_t rows, bool smoothed) {
  if (rows == 0) return {};
  return fmt::format(
      "{} of a category without rows to compare with: {}", rows == 1 ? "1 row is" : fmt::format("{} rows are", rows),
      smoothed ? "chance alone decides about the prediction sets there" : "the prediction sets there hold every class");
}

std::string unconverged_sentence(std::size_t unconverged) {
  if (unconverged == 0) return {};
  return fmt::format(
      "{} solved for new rows ended before the tolerance, at the step limit or in rounding errors; their p-values are "
      "approximate",
      count_of(unconverged, "problem"));
}

std::string unknown_sentence(std::size_t unknown) {
  if (unknown == 0) return {};
  return fmt::format(
      "{} of a class that the model does not know: such a row counts as a wrong label and as a miss of every "
      "prediction set, and the tables of classes leave it out",
      unknown == 1 ? "1 row is" : fmt::format("{} rows are", unknown));
}

}  // namespace

std::vector<std::string> selection_warnings(const selection::Selection& selection) {
  std::vector<std::string> list = selection.warnings;
  list.push_back(border_sentence(selection));
  list.push_back(below_selected(selection));
  if (selection.options.task == data::Task::classification) {
    list.push_back(not_learnt(selection));
    list.push_back(rare_classes_sentence(recall_of(selection.calibration, selection.classes), advice_for(selection)));
  }
  list.insert(list.end(), selection.later_warnings.begin(), selection.later_warnings.end());
  return said(std::move(list));
}

std::vector<std::string> comparison_warnings(const selection::Comparison& comparison) {
  constexpr std::size_t most = 3;
  std::vector<selection::MethodResult> methods = comparison.methods;
  std::vector<std::string> list;
  const std::vector<std::string> first = methods.size() < 2 ? std::vector<std::string>{} : methods.front().warnings;
  for (const std::string& warning : first) {
    const auto has = [&](const selection::MethodResult& method) {
      return std::ranges::find(method.warnings, warning) != method.warnings.end();
    };
    if (!std::ranges::all_of(methods, has)) continue;
    list.push_back(warning);
    for (selection::MethodResult& method : methods) std::erase(method.warnings, warning);
  }
  for (const selection::MethodResult& method : methods) {
    const std::size_t count = method.warnings.size();
    for (std::size_t i = 0; i < std::min(most, count); ++i) list.push_back(method.name + ": " + method.warnings[i]);
    if (count > most) {
      list.push_back(fmt::format("{}: {} like these from other folds; the result in JSON has them", method.name,
                                 count_of(count - most, "more warning")));
    }
  }
  list.push_back(partial_mark(comparison));
  return said(std::move(list));
}

std::vector<std::string> p_value_warnings(const std::vector<std::string>& classes,
                                          const std::vector<std::size_t>& counts,
                                          const conformal::PValueOptions& options, const std::vector<double>& levels,
                                          const ResolutionWords& words) {
  return said({resolution_warning(classes, counts, options, levels, words)});
}

std::vector<std::string> fit_warnings(const conformal::ConformalPredictor& predictor,
                                      const std::vector<double>& levels) {
  return said({resolution_warning(predictor, predictor.options, levels)});
}

std::vector<std::string> interval_warnings(std::size_t compared, const std::vector<double>& levels) {
  return said({whole_line_warning(compared, levels)});
}

void RowWarnings::add(const data::Dataset& rows, const model::Prediction& block) {
  if (block.solver_cost) unconverged_ += block.solver_cost->unconverged;
  familiarity_.add(block.familiarity, &rows);
  of_no_category_ += static_cast<std::size_t>(std::ranges::count(block.category_of, -1));
}

std::vector<std::string> RowWarnings::sentences() const {
  return said({resolution(model_, p_values_, levels_), unconverged_sentence(unconverged_), familiarity_.warning(),
               no_category_sentence(of_no_category_, p_values_.smoothed)});
}

std::vector<std::string> RowWarnings::sentences_of_evaluation() const {
  std::vector<std::string> list = sentences();
  if (model_.record.honest && model_.record.honest->interval == "Korn-Graubard") {
    list.emplace_back(
        "the model was chosen with groups or fixed folds of rows that depend on each other; if rows here do too, the "
        "intervals, which count rows as independent, are too narrow");
  }
  return list;
}

std::vector<std::string> evaluation_warnings(const LabelReport& report, const std::vector<std::string>& of_rows) {
  std::vector<std::string> list{report.trained_on, unknown_sentence(report.unknown)};
  const std::optional<Baseline> baseline = baseline_of(report.confusion);
  const double error = share(report.errors, report.rows).value_or(0);
  if (report.trained_on.empty() && baseline)
    list.push_back(no_smaller_sentence(*baseline, error, report.interval.upper));
  list.push_back(
      rare_classes_sentence(recall_of(report.confusion), fmt::format("{}, and {}", more_weight, by_balanced_accuracy)));
  list.insert(list.end(), of_rows.begin(), of_rows.end());
  return said(std::move(list));
}

std::vector<std::string> evaluation_warnings(const RegressionReport& report, const std::vector<std::string>& of_rows) {
  std::vector<std::string> list{report.trained_on};
  if (report.spreads && report.interval.upper < RegressionReport::nominal) {
    list.push_back(
        fmt::format("mean +- {} sd covers fewer of these rows than 95 %: the standard deviations are too small",
                    RegressionReport::half_width));
  }
  list.insert(list.end(), of_rows.begin(), of_rows.end());
  return said(std::move(list));
}

}  // namespace credence::report
