#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "credence/core/list.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/run.hpp"
#include "report/course/training_text.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/sentence.hpp"
#include "report/setting_words.hpp"

namespace credence::report {
namespace {

using selection::Selection;
using selection::Setting;

/// A machine for each class, each with a setting of its own.
bool machines_choose_apart(const Selection& selection) {
  return selection.in_sample() && selection.in_sample()->chosen.size() > 1;
}

std::string chosen_text(const Setting& setting, const Selection& selection) {
  return parameters_text(setting, shows_sigma(selection.options));
}

/// "rbf, laplacian and linear".
template <class Enum>
std::string words_text(const std::vector<Enum>& values) {
  return listed(core::mapped(values, [](Enum value) { return std::string(core::word(value)); }));
}

Scale scale_of(const Selection& selection) {
  return report::scale_of(selection.score_kind(), selection.score);
}

/// How the rows were used, in the method's own terms.
std::string resampling(const Selection& selection) {
  const std::size_t rows = selection.n - selection.set_aside;
  const std::string own = selection.options.words(rows);
  if (selection.validation_rows > 0) {
    return fmt::format("trained on {}, {} held out{}{}", count_of(rows - selection.validation_rows, "row"),
                       selection.validation_rows, own.empty() ? "" : "; ", own);
  }
  return own.empty() ? count_of(static_cast<std::size_t>(selection.resamples), "fold") : own;
}

/// What the rows were split into, one of them.
std::string resample_word(const Selection& selection) {
  const selection::MethodTraits& traits = selection.options.traits();
  return traits.overlaps ? "sample" : traits.scores_at_once ? "round" : "fold";
}

/// Which scaling, and which rows it saw.
std::string scaling(const Selection& selection) {
  const std::vector<data::Scaling>& scalings = selection.options.preparation.scalings;
  if (scalings == std::vector{data::Scaling::none}) return "columns not scaled";
  const std::string text = fmt::format("columns scaled ({}; fitted ", words_text(scalings));
  if (selection.in_sample() && selection.in_sample()->hint_rows > 0) return text + "on the rows of the hint)";
  if (selection.scale_scope == selection::ScaleScope::all || selection.in_sample() || selection.evidence())
    return text + "once on all rows)";
  return text +
         (selection.validation_rows > 0 ? "without the rows held out)" : "in each " + resample_word(selection) + ")");
}

/// "144 settings: C and gamma, rbf and laplacian kernels".
std::string candidates(const Selection& selection) {
  const std::vector<kernel::KernelType>& types = selection.options.kernels.types;
  const std::size_t count = selection.grid.size();
  if (selection.options.learner() == selection::Learner::knn)
    return fmt::format("{} of k, nearest neighbours", count_of(count, "value"));
  const std::string kernel = words_text(types) + (types.size() > 1 ? " kernels" : " kernel");
  if (selection.options.has_rvms()) {
    const auto added = static_cast<std::size_t>(std::ranges::count_if(selection.grid, &Setting::added));
    const std::string widths =
        selection.options.is_free_of_gamma() && count == 1
            ? "one setting, as gamma changes nothing"
            : count_of(count - added, "width") + (added > 0 ? fmt::format(" and {} beyond them", added) : "");
    return fmt::format("{}, {}, relevance vector machines", widths, kernel);
  }
  if (selection.partition())
    return fmt::format("{} in each region, {}", count_of(selection.partition()->settings, "setting"), kernel);
  const auto axis = count > 0 ? cost_axis(selection.grid.front()) : std::nullopt;
  const bool has_gamma = selection.options.kernels.shape().uses_gamma();
  const std::string axes = axis ? std::string(axis->name) + (has_gamma ? " and gamma" : "") : "gamma";
  return fmt::format("{}: {}, {}{}", count_of(count, "setting"), axes, kernel,
                     selection.options.has_costs() && !selection.options.costs.nu.empty() ? ", nu-SVC" : "");
}

/// The chosen setting, or how all models are used.
std::string choice(const Selection& selection) {
  if (const auto* ensemble = selection.predictor ? selection::as_ensemble(*selection.predictor) : nullptr) {
    const std::string all = fmt::format("all {} models are kept; each row is predicted by ", ensemble->names.size());
    const std::string said = std::visit(
        core::Overload{[&](const selection::NonconformityRule&) { return all + "the one with the smallest eps_crit"; },
                       [&](const selection::MaxMarginRule&) { return all + "the one with the largest margin"; },
                       [&](const selection::VoteRule& vote) {
                         return vote.members.size() == 1
                                    ? std::string()
                                    : fmt::format("the vote of {} of {} models, all that attain the smallest error",
                                                  vote.members.size(), ensemble->names.size());
                       },
                       [](const auto&) { return std::string(); }},
        ensemble->rule);
    if (!said.empty()) return said;
  }
  if (machines_choose_apart(selection)) return "a setting for each class against the rest, see below";
  if (selection.best && selection.partition()) return "each region of the feature space has its own";
  if (!selection.best) return "none: no setting was completed, or none has a finite score";
  if (selection.average) {
    if (selection.average->members.size() == 1)
      return fmt::format("the best of {}; no other is within one standard error of it",
                         count_of(selection.grid.size(), "setting"));
    return fmt::format("the average of the {} best of {}, all within one standard error of the best one",
                       selection.average->members.size(), count_of(selection.grid.size(), "setting"));
  }
  const Setting& best = selection.grid[*selection.best];
  const char* rule = selection.options.rule == selection::Rule::one_se
                         ? ", the most regularised within one standard error of the best"
                         : "";
  return chosen_text(best, selection) + rule;
}

/// The spread of the selected score, as far as the method knows it.
std::string spread(const Setting& setting, const Selection& selection) {
  if (selection.options.task == data::Task::regression)
    return fmt::format("mean squared error {:.6g}, standard error {:.3g}", setting.error, setting.error_se);
  if (selection.validation_rows > 0) return fmt::format("on {} rows held out", selection.validation_rows);
  if (selection.resamples < 2) return {};
  if (selection.options.traits().overlaps)
    return fmt::format("standard deviation over the {}s {}", resample_word(selection), percent(setting.error_std));
  const Scale scale = scale_of(selection);
  if (selection.options.traits().scores_at_once && scale.is_turned()) return "over all rows at once";
  return fmt::format("standard error {}", scale.spread(setting.error_se));
}

/// "144 settings", "4 settings in each of 7 regions", or how far a run came that was stopped.
std::string settings_tried(const Selection& selection) {
  if (const auto found = selection::reached(selection))
    return fmt::format("{} of {} settings, on {}", found->settings, found->of_settings, count_of(found->rows, "row"));
  if (const auto* regions = selection.partition()) {
    return fmt::format("{} in each of {}",
                       regions->settings > 0 ? count_of(regions->settings, "setting") : std::string("the settings"),
                       count_of(regions->regions, "region"));
  }
  return count_of(selection.grid.size(), "setting");
}

/// The score by which the choice was made, and that it is no estimate.
void add_score(const Selection& selection, const FindingsReport& findings, Section& section) {
  if (!selection.best || !findings.estimates) return;
  const Scale scale = scale_of(selection);
  Setting selected = selection.grid[*selection.best];
  if (selection.average) selected.error_se = selection.average->error_se;
  const std::string more = spread(selected, selection);
  const bool regularised = selection.options.rule == selection::Rule::one_se;
  section.fact(regularised ? "its score" : "best score",
               fmt::format("{} {}{}{}", scale.text(*selection.chosen_error()),
                           scale.is_squared() ? "root mean squared CV error" : scale.name,
                           selection.average ? " of the average" : "", more.empty() ? "" : " (" + more + ")"),
               is_optimistic(selection)
                   ? "optimistic: the rows that judged it also chose among " + settings_tried(selection)
                   : "nothing was chosen by it, as there is one setting");
}

std::string honest_text(const Selection& selection) {
  const selection::HonestEstimate& honest = *selection.honest;
  const Scale scale = report::scale_of(selection.honest_kind(), honest.score);
  std::string more;
  if (selection.options.loss == selection::Loss::soft && honest.method == "nested") more = " (error rate)";
  if (selection.weighted || !scale.is_error()) more = fmt::format(" ({})", scale.name);
  return error_with_interval(honest, {selection.honest_kind(), more});
}

/// Why there is no honest estimate; empty where nothing is to be said of it.
std::string why_not_honest(const Selection& selection, const FindingsReport& findings) {
  if (findings.silent_without) return {};
  if (selection.options.estimate == selection::Estimate::none) return "none was asked for";
  if (!findings.estimates)
    return selection.options.task == data::Task::regression ? "none: no row was held out"
                                                            : "none: no row was held out (--estimate nested makes one)";
  const bool over = selection.best && selection.stopped == core::StopReason::none;
  return over ? "none: the warnings say why" : "";
}

bool has_estimate(const Selection& selection) {
  return selection.honest && std::isfinite(selection.honest->error);
}

/// The error to quote, and what it is worth.
void add_estimate(const Selection& selection, const FindingsReport& findings, Section& section) {
  if (has_estimate(selection)) {
    const selection::HonestEstimate& honest = *selection.honest;
    section.fact("honest estimate", honest_text(selection),
                 "the figure to quote; " + honest_basis(honest, selection.partition() != nullptr));
    if (honest.trials > 0)
      section.fact("",
                   fmt::format("its interval is as wide as if {:.{}f} independent rows had been judged", honest.trials,
                               honest.trials < 10 ? 1 : 0),
                   Where::verbose);
  } else if (std::string why = why_not_honest(selection, findings); !why.empty()) {
    section.fact("honest estimate", std::move(why));
  }
  if (selection.options.task == data::Task::regression) return;
  if (const std::optional<Baseline> baseline = baseline_of(selection))
    section.fact(baseline->scale.is_error() ? "baseline error" : "baseline", baseline_text(*baseline),
                 selection.judged_shares.empty() ? "" : "on the rows set aside, as the honest estimate");
  const std::vector<ClassRecall> recall = recall_of(selection.calibration, selection.classes);
  if (!recall.empty())
    section.fact("recall by class", fmt::format("{} ({})", recall_text(recall), selection.calibration.source));
  const std::optional<PaperNumbers> numbers = paper_numbers(selection);
  if (numbers && numbers->of_two() && numbers->classes.front().auc)
    section.fact("AUC", fmt::format("{:.4f}, '{}' is positive ({})", numbers->classes.front().auc->auc,
                                    shown_name(numbers->classes.front().name), selection.calibration.source));
}

std::string work(const Selection& selection) {
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  for (const Setting& setting : selection.grid) {
    steps += setting.steps;
    factorisations += setting.factorisations;
  }
  return fmt::format("{}, {}", count_of(steps, "SMO step"), count_of(factorisations, "factorisation"));
}

/// How many rows the chosen models rest on.
void add_support(const Selection& selection, Section& section) {
  if (!selection.best || selection.average || votes(selection)) return;
  const Setting& best = selection.grid[*selection.best];
  if (selection.evidence() && selection.options.learner() == selection::Learner::svm) {
    const char* cost = selection.options.costs.nu.empty() ? "C" : "nu";
    section.fact("model", selection.resamples > 1
                              ? fmt::format("an SVM with this kernel, its {} by cross-validation with {}", cost,
                                            count_of(static_cast<std::size_t>(selection.resamples), "fold"))
                              : "an SVM with this kernel");
  }
  if (selection.evidence() || !(best.n_sv > 0)) return;
  const bool rvm = selection.options.learner() == selection::Learner::rvm;
  section.fact("support",
               fmt::format("{:.1f} {} vectors{}", best.n_sv, rvm ? "relevance" : "support",
                           selection.resamples > 1 ? ", mean over " + resample_word(selection) + "s" : ""),
               Where::verbose);
}

}  // namespace

std::string error_with_interval(const selection::HonestEstimate& estimate, const Scale& scale) {
  std::string value = scale.text(estimate.error) + scale.name;
  if (!estimate.lower || !estimate.upper) return value;
  return value + fmt::format(", {:.4g} % interval {} ({})", 100 * (1 - estimate.delta),
                             scale.ends(*estimate.lower, *estimate.upper), estimate.interval);
}

std::string honest_basis(const selection::HonestEstimate& estimate, bool in_regions) {
  const char* wholes = estimate.interval == "Korn-Graubard" ? ", whole groups or fixed folds" : "";
  if (estimate.method == "bbc") {
    return fmt::format("bootstrap bias-corrected (bbc): {} samples of {}{}{}", estimate.resamples,
                       count_of(estimate.rows, "row"), in_regions ? ", drawn in each region" : "", wholes);
  }
  if (estimate.method == "nested") {
    return fmt::format("nested cross-validation: {}, {}", count_of(estimate.resamples, "outer fold"),
                       count_of(estimate.rows, "row"));
  }
  return fmt::format("{}: {} that chose nothing{}", estimate.method, count_of(estimate.rows, "row"), wholes);
}

const char* status_word(core::StopReason reason) {
  return reason == core::StopReason::none        ? "complete"
         : reason == core::StopReason::cancelled ? "interrupted"
                                                 : "time limit";
}

std::string margin_summary(const model::Calibration& calibration) {
  return fmt::format("{} {}, kept with the model for {}{}", calibration.nonconformity_scores.size(), calibration.source,
                     calibration.labels.empty() ? "intervals" : "p-values and confidence",
                     calibration.region_of.empty() ? "" : "; a row is compared with the rows of its own region alone");
}

namespace {

/// What was read.
std::string text_of_data(const std::string& path, std::size_t rows, std::size_t features, const std::string& task) {
  return fmt::format("{}: {}, {}, {}", path.empty() || path == "-" ? shown_source(path) : path, count_of(rows, "row"),
                     count_of(features, "feature"), task);
}

}  // namespace

std::string class_summary(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts) {
  constexpr std::size_t most = 8;
  std::string text = count_of(classes.size(), "class");
  for (std::size_t i = 0; i < std::min({classes.size(), counts.size(), most}); ++i)
    text += fmt::format("{} '{}' ({})", i == 0 ? ":" : ",", shown_name(classes[i]), counts[i]);
  return classes.size() > most ? text + ", ..." : text;
}

std::vector<std::size_t> class_counts(const data::Dataset& dataset) {
  return core::counts_of(dataset.labels, dataset.class_count());
}

void add_data(const data::Dataset& dataset, const std::string& path, Section& section) {
  section.fact("data",
               text_of_data(path, dataset.rows(), dataset.schema.columns.size(),
                            dataset.is_regression() ? "regression"
                                                    : class_summary(dataset.schema.classes, class_counts(dataset))));
  if (const std::string label = dataset.schema.label_column(); !label.empty()) section.fact("label", label);
}

namespace {

constexpr std::size_t usual_folds = 10;

/// What stands behind p-values and intervals; in detail, what this grade and the others would promise, and their cost.
void add_trust(const Selection& selection, Section& section) {
  using model::PValues;
  const model::Calibration& calibration = selection.calibration;
  if (calibration.empty()) return;
  const bool regression = selection.options.task == data::Task::regression;
  section.fact(regression ? "residuals" : "scores", margin_summary(calibration));
  const PValues own = calibration.p_values;
  section.fact("p-values", promise_of(own));
  const auto verbose = [&](const std::string& text) { section.fact("", text, Where::verbose); };
  const std::size_t folds = std::max<std::size_t>(selection.fold_models.count(), usual_folds);
  if (const std::string figures = promised_figures(own, calibration.nonconformity_scores.size(), folds);
      !figures.empty())
    verbose("here " + figures);
  const bool nests = selection.options.learner() != selection::Learner::knn && !selection.evidence();
  if (own == PValues::cross && nests && !selection.partition()) {
    verbose(fmt::format("with --method kfold-nested --p-values nested {}; this takes 5 times the work",
                        promised_figures(PValues::nested, selection.n, usual_folds)));
  }
  const std::size_t apart = std::clamp<std::size_t>(selection.n * 3 / 10, 1, 10000);
  if (own != PValues::split)
    verbose(fmt::format("with --p-values split {}; {} would be set aside from training",
                        promised_figures(PValues::split, apart, 1), count_of(apart, "row")));
}

void add_work(const Selection& selection, const FindingsReport& findings, Section& section) {
  add_support(selection, section);
  const bool smo = selection.options.learner() == selection::Learner::svm && !selection.evidence();
  if (smo) section.fact("steps", findings.work.empty() ? work(selection) : findings.work, Where::verbose);
  section.fact("time",
               fmt::format("{:.2f} s, {}, seed {}", selection.seconds,
                           count_of(static_cast<std::size_t>(selection.threads), "thread"), selection.options.seed),
               Where::verbose);
  if (selection.honest && selection.honest->seconds > 0)
    section.fact("of these", fmt::format("{:.3g} s for the honest estimate", selection.honest->seconds), {},
                 Where::page);
}

/// How far a run came that was stopped; empty of others.
std::string reached_text(const Selection& selection) {
  const auto found = selection::reached(selection);
  if (!found) return {};
  const std::string rows = found->rows < found->of_rows
                               ? fmt::format("{} of the {}", found->rows, count_of(found->of_rows, "row"))
                               : fmt::format("all {}", count_of(found->rows, "row"));
  return fmt::format("The choice rests on {}, judged on {}; the grid has {}.", count_of(found->settings, "setting"),
                     rows, found->of_settings);
}

std::string answer(const Selection& selection) {
  if (!has_estimate(selection)) {
    return "This run has no honest estimate of the error: its scores compare settings with each other, and do not say "
           "how often new rows get a wrong label.";
  }
  const selection::HonestEstimate& honest = *selection.honest;
  const Scale scale = report::scale_of(selection.honest_kind(), honest.score);
  const bool has_interval = honest.lower && honest.upper;
  if (!scale.is_error()) {
    return fmt::format("Expect a {} of {} on new rows like these{}.", scale.name, scale.text(honest.error),
                       has_interval ? fmt::format("; between {} at confidence {:.4g} %",
                                                  scale.ends(*honest.lower, *honest.upper), 100 * (1 - honest.delta))
                                    : "");
  }
  std::string text = fmt::format("Expect {} like these to get a wrong label", of_hundred(honest.error));
  const int rows = honest.error < 0.01 ? 1000 : 100;  // as in the words before
  const auto shown = [&](double share) { return rows * share < 0.05 ? 0 : rows * share; };
  if (has_interval)
    text += fmt::format("; between {:.2g} and {:.2g} of {} at confidence {:.4g} %", shown(*honest.lower),
                        shown(*honest.upper), rows, 100 * (1 - honest.delta));
  return text + ".";
}

void add_data(const Selection& selection, const std::string& source, Section& section) {
  const bool regression = selection.options.task == data::Task::regression;
  section.fact("data",
               text_of_data(source, selection.n, selection.features,
                            regression ? "regression" : class_summary(selection.classes, selection.class_counts)));
  if (!selection.label.empty()) section.fact("label", selection.label);
}

/// What was read, what was chosen, and what error to quote.
void add_choice(const Selection& selection, const FindingsReport& findings, const std::string& source,
                Section& section) {
  if (const std::string partial = selection::partial_mark(selection); !partial.empty())
    section.say(partial, Where::terminal);
  section.headline(answer(selection));
  if (const std::string reached = reached_text(selection); !reached.empty()) section.warn(reached);
  add_warnings(selection.stopped, selection_warnings(selection), section);
  add_data(selection, source, section);
  const auto with = [](const std::string& head, const std::string& more) {
    return more.empty() ? head : head + ": " + more;
  };
  section.fact("chosen", selection.average ? choice(selection) : with(choice(selection), findings.best_score));
  if (selection.average) section.fact("best setting", chosen_text(selection.grid[*selection.best], selection));
  add_estimate(selection, findings, section);
  for (const std::string& note : selection.notes) section.fact("note", note, Where::page);
}

/// What a paper prints, of the rows left out.
void add_numbers(const Selection& selection, Section& section) {
  const std::optional<PaperNumbers> numbers = paper_numbers(selection);
  if (!numbers) return;
  if (auto chart = confusion_chart(*confusion_of(selection.calibration, selection.classes)))
    section.add(std::move(*chart));
  add_paper_numbers(*numbers, Where::verbose, section);
}

/// What the choice was made from, and how.
void add_course(const Selection& selection, const FindingsReport& findings, Section& section) {
  section.facts();
  section.fact("method", fmt::format("{}: {}", selection.options.name(),
                                     findings.basis.empty() ? resampling(selection) : findings.basis));
  section.fact("tried", fmt::format("{}{}{}, {}", candidates(selection), findings.candidates.empty() ? "" : ", ",
                                    findings.candidates, scaling(selection)));
  if (const std::string costs = selection.options.label_costs; !costs.empty()) section.fact("label costs", costs);
  if (selection.race) section.fact("race", race_text(selection));
  add_score(selection, findings, section);
  if (!selection.average && selection.runner_up && !votes(selection) && !machines_choose_apart(selection)) {
    const Setting& second = selection.grid[*selection.runner_up];
    const std::string& score = findings.runner_up_score;
    section.fact("runner-up", fmt::format("{}: {}", chosen_text(second, selection),
                                          score.empty() ? scale_of(selection).text(second.error) : score));
  }
  for (const std::string& note : selection.notes) section.fact("note", note, Where::terminal);
}

}  // namespace

namespace {

/// How the model was chosen, and its honest estimate.
void add_sentences(const Selection& selection, const FindingsReport& findings, Story& story) {
  if (!selection.best) return;
  using selection::Learner;
  const Learner learner = selection.options.learner();
  Sentences sentences;
  const char* name = learner == Learner::svm   ? "support vector machine"
                     : learner == Learner::rvm ? "relevance vector machine"
                                               : "nearest-neighbour classifier";
  sentences.say(fmt::format("On {}{} with {}, {}",
                            selection.set_aside > 0 ? fmt::format("{} of ", selection.n - selection.set_aside) : "",
                            count_of(selection.n, "row"), count_of(selection.features, "column"),
                            selection.average && selection.average->members.size() > 1
                                ? fmt::format("an average of {} {}s", selection.average->members.size(), name)
                                : fmt::format("a {}", name)));
  if (learner == Learner::svm) sentences.cite(reference::svm);
  if (learner == Learner::rvm) sentences.cite(reference::rvm);
  sentences.say(fmt::format(" was chosen by the method {}", selection.options.name()));
  if (selection.in_sample()) sentences.cite(reference::in_sample);
  if (selection.evidence()) sentences.cite(reference::kernel_validity);
  if (selection.options.name() == "nonconformity") sentences.cite(reference::nonconformity);
  sentences.say(fmt::format(" ({}) among {}, {}.", findings.basis.empty() ? resampling(selection) : findings.basis,
                            candidates(selection), scaling(selection)));
  if (selection.options.has_costs() && selection.options.costs.class_weights.any())
    sentences.say(selection.options.costs.class_weights.balanced
                      ? " Errors of a class cost in proportion to how rare it is."
                      : " Errors of some classes cost more than those of others.");
  if (selection.options.preparation.missing != data::Missing::error)
    sentences.say(selection.options.preparation.missing == data::Missing::impute
                      ? " Missing values were imputed within each resample."
                      : " Rows with missing values were left out.");
  if (has_estimate(selection)) {
    const selection::HonestEstimate& honest = *selection.honest;
    const Scale scale = report::scale_of(selection.honest_kind(), honest.score);
    sentences.say(fmt::format(" On new rows of the same kind, the expected {} is {}",
                              scale.name.empty() ? "error" : scale.name, scale.text(honest.error)));
    if (honest.lower && honest.upper)
      sentences.say(
          fmt::format(" ({:.4g} % interval {})", 100 * (1 - honest.delta), scale.ends(*honest.lower, *honest.upper)));
    if (honest.interval == "Korn-Graubard") sentences.cite(reference::korn_graubard);
    sentences.say(honest.method == "bbc"      ? ", corrected for the choice by bootstrap (BBC-CV)"
                  : honest.method == "nested" ? ", by nested cross-validation"
                                              : ", counted on rows that chose nothing");
    if (honest.method == "bbc") sentences.cite(reference::bbc);
    if (honest.method == "nested") sentences.cite(reference::nested);
    sentences.say(".");
  }
  sentences.say(fmt::format(" Random numbers have the seed {}.", selection.options.seed));
  sentences.add_to(story);
}

}  // namespace

std::optional<PaperNumbers> paper_numbers(const Selection& selection) {
  const model::Calibration& calibration = selection.calibration;
  if (selection.options.task == data::Task::regression) return std::nullopt;
  const std::optional<Confusion> confusion = confusion_of(calibration, selection.classes);
  if (!confusion) return std::nullopt;
  data::DenseMatrix scores = nonconformity_of(calibration, selection.classes.size());
  for (double& score : scores.values) score = -score;
  PaperNumbers numbers =
      paper_numbers(*confusion, positive_class(selection.classes, selection.positive), calibration.labels, scores);
  const bool dependent = selection.honest && selection.honest->interval == "Korn-Graubard";
  numbers.intervals = dependent ? Intervals95::none : Intervals95::shares;
  const std::string rows = fmt::format("Counted on {} ({}), each judged by a model that had not seen it",
                                       count_of(calibration.labels.size(), "row"), calibration.source);
  if (!is_optimistic(selection))
    numbers.basis = rows + ".";
  else if (calibration.p_values == model::PValues::cross)
    numbers.basis =
        fmt::format("{}; {}not corrected for the choice among {}.", rows,
                    has_estimate(selection) ? "unlike the honest estimate, " : "", settings_tried(selection));
  else
    numbers.basis = rows + ", and whose setting was chosen without it.";
  return numbers;
}

Story selection_story(const Selection& selection, const std::string& source, std::vector<Block> of_rows,
                      const ColumnEffects& columns) {
  Story story{"Choice of a model", fmt::format("{}, {}", shown_source(source), count_of(selection.n, "row"))};
  const FindingsReport findings = findings_report(selection);
  Section& chosen = story.section("chosen", "What was chosen, and how good it is");
  add_choice(selection, findings, source, chosen);
  add_numbers(selection, chosen);
  add_course(selection, findings, chosen);
  if (auto chart = score_chart(selection)) chosen.add(std::move(*chart));
  add_findings(selection, story);
  if (!selection.partition()) add_settings(selection, story.section("sure", "How sure the choice is"));
  add_columns(columns, story);
  Section& trust = story.section("trust", "How far single predictions can be trusted");
  if (const auto& effective = selection.effective)
    trust.fact("effective", fmt::format("{:.1f} kernels (sum of gamma) for {}, a share of {:.3g}", *effective,
                                        count_of(selection.n, "row"), *effective / static_cast<double>(selection.n)));
  add_trust(selection, trust);
  std::ranges::move(of_rows, std::back_inserter(trust.blocks));
  add_sentences(selection, findings, story);
  add_work(selection, findings, story.section(cost_id, "What it cost"));
  return story;
}

}  // namespace credence::report
