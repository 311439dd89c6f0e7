#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "credence/selection/family_predictor.hpp"
#include "report/course/race_text.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/score_text.hpp"
#include "report/selection/findings.hpp"
#include "report/selection/kernel_validity_report.hpp"

namespace credence::report {
namespace {

using selection::Cell;
using selection::FamilyPredictor;
using selection::HonestEstimate;
using selection::Selection;

std::size_t complete_cells(const Selection& selection) {
  return static_cast<std::size_t>(
      std::count_if(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.complete; }));
}

const FamilyPredictor* family_of(const Selection& selection) {
  return selection.predictor == nullptr ? nullptr : selection::as_family(*selection.predictor);
}

/// Several models that decide together, so that there is no second best.
bool votes(const Selection& selection) {
  const FamilyPredictor* family = family_of(selection);
  const auto* vote = family == nullptr ? nullptr : std::get_if<selection::VoteRule>(&family->rule);
  return vote != nullptr && vote->members.size() > 1;
}

/// A machine for each class, each with a cell of its own.
bool machines_choose_apart(const Selection& selection) {
  return selection.in_sample() && selection.in_sample()->chosen.size() > 1;
}

bool uses_nu(const selection::Options& options) {
  return options.has_costs() && !options.costs().nu.empty();
}

/// Findings that have a table below the estimates.
bool has_table(const Selection& selection) {
  return selection.in_sample() != nullptr || selection.estimation() != nullptr;
}

bool shows_sigma(const Selection& selection) {
  return selection.options.has_kernels() && selection.options.kernels().by_sigma;
}

/// "C = 8 (2^3), gamma = 0.125 (2^-3)", "nu = 0.2, ...", "rho = 0.1", "k = 5", "sigma = 1 (gamma = 0.5)".
std::string parameters_of_cell(const Cell& cell, const Selection& selection) {
  if (cell.k > 0) return fmt::format("k = {}", cell.k);
  std::string text = cell.nu > 0                        ? "nu = " + readable(cell.nu)
                     : cell.C > 0                       ? "C = " + readable(cell.C)
                     : selection.options.has_machines() ? ""
                                                        : "rho = " + readable(cell.rho);
  if (cell.gamma > 0)
    text += (text.empty() ? "" : ", ") +
            (shows_sigma(selection) ? width_text(cell.gamma) : "gamma = " + readable(cell.gamma));
  return text.empty() ? fmt::format("the {} kernel", kernel::name(selection.options.kernels().shape.type)) : text;
}

/// An error rate or a score; of a regression, whose scores are mean squared errors, the root.
std::string score_of_selection(double loss, const Selection& selection) {
  return selection.task == data::Task::regression ? fmt::format("{:.6g}", std::sqrt(loss))
                                                  : report::score_text(loss, selection.options.score());
}

std::string ends_of_selection(double lower, double upper, const Selection& selection) {
  return selection.task == data::Task::regression
             ? fmt::format("{} to {}", score_of_selection(lower, selection), score_of_selection(upper, selection))
             : report::ends_text(lower, upper, selection.options.score());
}

/// How the rows were used, in the method's own terms.
std::string resampling(const Selection& selection) {
  if (selection.options.is<selection::LeaveOneOut>())
    return fmt::format("each of {} rows left out once", selection.n - selection.set_aside);
  if (selection.options.is<selection::Bootstrap>()) return fmt::format("{} bootstrap samples", selection.folds);
  if (selection.validation_rows == 0) return count_of(static_cast<std::size_t>(selection.folds), "fold");
  const std::size_t trained = selection.n - selection.set_aside - selection.validation_rows;
  std::string text = fmt::format("trained on {}, {} held out", count_of(trained, "row"), selection.validation_rows);
  if (const auto* rule = std::get_if<selection::Nonconformity>(&selection.options.method))
    text += fmt::format("; tie {}, p-value {}", core::word(rule->tie), core::word(rule->p_value));
  if (const auto* rule = std::get_if<selection::MaxMargin>(&selection.options.method))
    text += fmt::format("; {} margin", core::word(rule->margin));
  return text;
}

/// What the rows were split into, one of them.
std::string resample_word(const Selection& selection) {
  if (selection.options.is<selection::LeaveOneOut>()) return "round";
  return selection.options.is<selection::Bootstrap>() ? "sample" : "fold";
}

/// Which scaling, and which rows it saw.
std::string scaling(const Selection& selection) {
  if (*selection.options.preparation.scaling == data::Scaling::none) return "not scaled";
  const std::string text = fmt::format("scale {}", core::word(*selection.options.preparation.scaling));
  if (selection.in_sample() && selection.in_sample()->hint_rows > 0) return text + " fitted on the rows of the hint";
  if (selection.scale_scope == selection::ScaleScope::all || selection.in_sample() || selection.evidence())
    return text + " fitted once on all rows";
  return text + (selection.validation_rows > 0 ? " fitted without the rows held out"
                                               : " fitted in each " + resample_word(selection));
}

std::string candidates(const Selection& selection) {
  if (selection.options.learner() == selection::Learner::knn)
    return fmt::format("nearest neighbours, {} of k", count_of(selection.grid.size(), "value"));
  const std::string_view kernel = kernel::name(selection.options.kernels().shape.type);
  if (selection.options.has_machines()) {
    const auto added = static_cast<std::size_t>(
        std::count_if(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.added; }));
    const std::string widths = selection.options.is_free_of_gamma() && selection.grid.size() == 1
                                   ? "whose gamma changes nothing"
                                   : count_of(selection.grid.size() - added, "width") +
                                         (added > 0 ? fmt::format(" and {} beyond them", added) : "");
    return fmt::format("relevance vector machines, {} kernel, {}", kernel, widths);
  }
  if (selection.partition()) {
    const auto& options = selection.options;
    const std::size_t gammas = options.kernels().shape.uses_gamma() ? options.kernels().gamma.size() : 1;
    return fmt::format("{} kernel, {} of C and gamma for each cell of the feature space", kernel,
                       count_of(gammas * options.costs().axis().size(), "choice"));
  }
  const bool plane = selection.options.has_costs() && selection.options.kernels().shape.uses_gamma();
  return fmt::format("{} kernel{}, {}{}", kernel, uses_nu(selection.options) ? ", nu-SVC" : "",
                     count_of(selection.grid.size(), "cell"),
                     plane ? fmt::format(" ({} x gamma)", uses_nu(selection.options) ? "nu" : "C") : "");
}

/// The chosen cell, or how all models are used.
std::string choice(const Selection& selection) {
  if (const FamilyPredictor* family = family_of(selection)) {
    const std::string all = fmt::format("all {} models are kept; each row is predicted by ", family->members.size());
    if (std::holds_alternative<selection::NonconformityRule>(family->rule))
      return all + "the one with the smallest eps_crit";
    if (std::holds_alternative<selection::MaxMarginRule>(family->rule)) return all + "the one with the largest margin";
    if (votes(selection)) {
      return fmt::format("the vote of {} of {} models, all that attain the smallest error",
                         std::get<selection::VoteRule>(family->rule).members.size(), family->members.size());
    }
  }
  if (machines_choose_apart(selection)) return "a cell for each class against the rest, see below";
  if (selection.best && selection.partition()) return "each cell of the feature space has its own";
  if (!selection.best) return "none: no cell was completed, or none has a finite score";
  const Cell& best = selection.grid[*selection.best];
  const char* rule = selection.options.rule() == selection::Rule::one_se
                         ? ", the most regularised within one standard error of the best"
                         : "";
  return parameters_of_cell(best, selection) + rule;
}

std::string second_best(const Selection& selection, const FindingsReport& findings) {
  const Cell& second = selection.grid[*selection.runner_up];
  const std::string& score = findings.runner_up_score;
  return fmt::format("{}: {}", parameters_of_cell(second, selection),
                     score.empty() ? score_of_selection(second.error, selection) : score);
}

/// The spread of the selected score, as far as the method knows it.
std::string spread(const Cell& cell, const Selection& selection) {
  if (selection.task == data::Task::regression)
    return fmt::format("mean squared error {:.6g}, standard error {:.3g}", cell.error, cell.error_se);
  if (selection.validation_rows > 0) return fmt::format("on {} rows held out", selection.validation_rows);
  if (selection.folds < 2) return {};
  if (selection.options.is<selection::Bootstrap>())
    return fmt::format("standard deviation over the samples {}", percent(cell.error_std));
  const selection::Score score = selection.options.score();
  if (selection.options.is<selection::LeaveOneOut>() && score != selection::Score::accuracy &&
      score != selection::Score::log_loss) {
    return "over all rows at once";
  }
  return fmt::format("standard error {}", spread_text(cell.error_se, score));
}

std::string basis(const HonestEstimate& estimate, bool in_cells) {
  if (estimate.method == "bbc") {
    return fmt::format("bootstrap bias-corrected (bbc): {} samples of {}{}{}", estimate.resamples,
                       count_of(estimate.rows, "row"), in_cells ? ", drawn in each cell" : "",
                       estimate.interval == "Korn-Graubard" ? ", whole groups or fixed folds" : "");
  }
  if (estimate.method == "nested") {
    return fmt::format("nested cross-validation: {}, {}", count_of(estimate.resamples, "outer fold"),
                       count_of(estimate.rows, "row"));
  }
  return fmt::format("{}: {} that chose nothing{}", estimate.method, count_of(estimate.rows, "row"),
                     estimate.interval == "Korn-Graubard" ? ", whole groups or fixed folds" : "");
}

/// The selected score and the honest estimate, apart from all else and from each other.
std::string estimates(const Selection& selection, const FindingsReport& findings, Detail detail) {
  std::string text;
  const std::string score = selection.partition()
                                ? fmt::format("{} of the cells' choices (optimistic)", shown_score(selection))
                                : fmt::format("{} of the chosen {} (optimistic)",
                                              selection.task == data::Task::regression ? "root mean squared CV error"
                                                                                       : shown_score(selection),
                                              votes(selection) ? "cells" : "cell");
  const bool has_score = selection.best && findings.estimates;
  const std::size_t width = (has_score ? score.size() : 15) + 2;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<{}}{}\n", name, width, value);
  };
  if (has_score) {
    const Cell& best = selection.grid[*selection.best];
    const std::string more = spread(best, selection);
    line(score, score_of_selection(best.error, selection) + (more.empty() ? "" : " (" + more + ")"));
  }
  const auto& honest = selection.honest;
  if (honest && std::isfinite(honest->error)) {
    std::string value = score_of_selection(honest->error, selection);
    if (selection.options.loss() == selection::Loss::soft && honest->method == "nested") value += " (error rate)";
    if (selection.weighted) value += fmt::format(" ({})", honest->score);
    if (honest->lower && honest->upper) {
      const int digits = honest->trials < 10 ? 1 : 0;
      const std::string trials = detail == Detail::verbose && honest->trials > 0
                                     ? fmt::format(", as wide as of {:.{}f} independent rows", honest->trials, digits)
                                     : "";
      value += fmt::format(", {:.4g} % interval {} ({}{})", 100 * (1 - honest->delta),
                           ends_of_selection(*honest->lower, *honest->upper, selection), honest->interval, trials);
    }
    line("honest estimate", value);
    line("", basis(*honest, selection.partition() != nullptr));
  } else if (selection.options.estimate == selection::Estimate::none && !findings.silent_without) {
    line("honest estimate", "none was asked for");
  } else if (!findings.estimates && !findings.silent_without) {
    const bool regression = selection.task == data::Task::regression;
    line("honest estimate",
         regression ? "none: no row was held out" : "none: no row was held out (--estimate nested makes one)");
  } else if (has_score && selection.stopped == core::StopReason::none) {
    line("honest estimate", "none: the warnings say why");
  }
  if (selection.task == data::Task::regression) return text.empty() ? text : '\n' + text + '\n';
  const std::optional<Baseline> baseline = baseline_of(selection);
  if (baseline && !text.empty() && selection.options.score() == selection::Score::accuracy)
    line("baseline error", baseline_text(*baseline));
  const std::vector<ClassRecall> recall = recall_of(selection.calibration, selection.classes);
  if (!recall.empty())
    line("recall by class", fmt::format("{} ({})", recall_text(recall), selection.calibration.source));
  return text.empty() ? text : '\n' + text + '\n';
}

std::string work(const Selection& selection) {
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  for (const Cell& cell : selection.grid) {
    steps += cell.steps;
    factorisations += cell.factorisations;
  }
  return fmt::format("{}, {}", count_of(steps, "SMO step"), count_of(factorisations, "factorisation"));
}

/// How many rows the chosen models rest on.
void support_lines(const Selection& selection, const std::function<void(std::string_view, const std::string&)>& line) {
  const Cell& best = selection.grid[*selection.best];
  if (selection.evidence() && selection.options.learner() == selection::Learner::svm) {
    const char* cost = selection.options.costs().nu.empty() ? "C" : "nu";
    line("model", selection.folds > 1 ? fmt::format("an SVM with this kernel, its {} by cross-validation with {}", cost,
                                                    count_of(static_cast<std::size_t>(selection.folds), "fold"))
                                      : "an SVM with this kernel");
  }
  if (selection.evidence() || !(best.n_sv > 0)) return;
  const std::string mean = selection.folds > 1 ? ", mean over " + resample_word(selection) + "s" : "";
  if (selection.options.learner() == selection::Learner::rvm)
    line("kernels", fmt::format("{:.1f} relevance vectors{}", best.n_sv, mean));
  else
    line("support", fmt::format("{:.1f} support vectors{}", best.n_sv, mean));
}

/// Every width, where relevance vector machines are chosen from.
std::string width_table(const Selection& selection) {
  if (selection.options.learner() != selection::Learner::rvm || selection.grid.size() < 2) return {};
  return '\n' + relevance_table(selection) + '\n';
}

/// Which way the grid should be extended, where the best cell lies on its border; empty if nowhere, if gamma changes
/// nothing, or if the best machine repeats its targets, as narrower ones do even more.
std::string border_hint(const Selection& selection) {
  const Cell& best = selection.grid[*selection.best];
  if (selection.options.is_free_of_gamma() || selection.memorised || (best.evidence && best.evidence->memorised))
    return {};
  const auto hint = [&](const char* option, auto Cell::*member, bool downwards = true, const char* inverse = nullptr) {
    const auto [low, high] = std::minmax_element(selection.grid.begin(), selection.grid.end(),
                                                 [&](const Cell& a, const Cell& b) { return a.*member < b.*member; });
    if ((*low).*member == (*high).*member) return std::string();
    if (best.*member == (*low).*member && downwards)
      return inverse ? fmt::format(" larger {}", inverse) : fmt::format(" smaller {}", option);
    if (best.*member == (*high).*member)
      return inverse ? fmt::format(" smaller {}", inverse) : fmt::format(" larger {}", option);
    return std::string();
  };
  const auto gammas =
      selection.options.has_kernels() ? selection.options.kernels().gamma : std::vector<kernel::GammaRule>{};
  const bool numbers = std::all_of(gammas.begin(), gammas.end(), [](const kernel::GammaRule& rule) {
    return rule.kind == kernel::GammaRule::Kind::value;
  });
  if (selection.evidence()) {
    const std::string text =
        numbers ? hint("--gamma", &Cell::gamma, true, shows_sigma(selection) ? "--sigma" : nullptr) : "";
    return text.empty() ? text : "the best kernel lies on the border of the grid: try" + text;
  }
  std::string text;
  for (const std::string& part :
       {hint("--C", &Cell::C), hint("--nu", &Cell::nu), hint("--k", &Cell::k, best.k > 1),
        hint("--rho", &Cell::rho, false),
        numbers ? hint("--gamma", &Cell::gamma, true, shows_sigma(selection) ? "--sigma" : nullptr) : std::string()}) {
    text += (text.empty() || part.empty() ? "" : " and") + part;
  }
  return text.empty() ? text : "the best cell lies on the border of the grid: try" + text;
}

}  // namespace

const char* status_word(core::StopReason reason) {
  switch (reason) {
    case core::StopReason::cancelled:
      return "interrupted";
    case core::StopReason::time_budget:
      return "time limit";
    case core::StopReason::none:
      break;
  }
  return "complete";
}

std::string margin_summary(const model::Calibration& calibration) {
  return fmt::format("{} {}, kept with the model for {}{}", calibration.strangeness.size(), calibration.source,
                     calibration.labels.empty() ? "intervals (predict --eps)" : "p-values and confidence",
                     calibration.part.empty() ? "" : ", which compare a row with those of its own region");
}

std::string effective_text(double effective, std::size_t rows) {
  return fmt::format("{:.1f} kernels (sum of gamma) for {}, a share of {:.3g}", effective, count_of(rows, "row"),
                     effective / static_cast<double>(rows));
}

std::string class_summary(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts) {
  constexpr std::size_t most = 8;
  std::string text = count_of(classes.size(), "class");
  for (std::size_t i = 0; i < std::min({classes.size(), counts.size(), most}); ++i)
    text += fmt::format("{} {} {}", i == 0 ? ":" : ",", classes[i], counts[i]);
  return classes.size() > most ? text + ", ..." : text;
}

std::vector<std::size_t> class_counts(const data::Dataset& dataset) {
  std::vector<std::size_t> counts(dataset.class_count(), 0);
  for (const int label : dataset.labels)
    if (label >= 0) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

std::string data_summary(const data::Dataset& dataset, const std::string& path) {
  return fmt::format(
      "{}: {}, {}, {}", path == "-" ? "standard input" : path, count_of(dataset.rows(), "row"),
      count_of(dataset.schema.columns.size(), "feature"),
      dataset.is_regression() ? "regression" : class_summary(dataset.schema.classes, class_counts(dataset)));
}

std::string partial_mark(const Selection& selection) {
  if (selection.stopped == core::StopReason::none) return {};
  const char* why = selection.stopped == core::StopReason::cancelled ? "INTERRUPTED" : "TIME LIMIT";
  if (const selection::PartitionReport* found = selection.partition()) {
    return fmt::format("{}: partial result, {} of {} cells of the feature space", why, found->of_part.size(),
                       found->parts);
  }
  const std::string rung = rung_text(selection);
  return rung.empty()
             ? fmt::format("{}: partial result, {} of {} cells", why, complete_cells(selection), selection.grid.size())
             : fmt::format("{}: partial result, {}", why, rung);
}

std::string selection_table(const Selection& selection, const std::string& source, Detail detail) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const std::string partial = partial_mark(selection);
  if (!partial.empty()) text += partial + "\n";
  const bool regression = selection.task == data::Task::regression;
  line("data", fmt::format("{}: {}, {}, {}", source == "-" ? "standard input" : source, count_of(selection.n, "row"),
                           count_of(selection.features, "feature"),
                           regression ? "regression" : class_summary(selection.classes, selection.class_counts)));
  const FindingsReport findings = findings_report(selection);
  const auto with = [](const std::string& head, const char* between, const std::string& more) {
    return more.empty() ? head : head + between + more;
  };
  line("method",
       fmt::format("{}: {}", selection.method, findings.basis.empty() ? resampling(selection) : findings.basis));
  line("candidates", fmt::format("{}, {}", with(candidates(selection), ", ", findings.candidates), scaling(selection)));
  if (selection.race) line("race", race_text(selection));
  text += findings.head.empty() ? width_table(selection) : findings.head;
  line("best", with(choice(selection), ": ", findings.best_score));
  if (selection.runner_up && !votes(selection) && !machines_choose_apart(selection))
    line("runner-up", second_best(selection, findings));
  if (selection.best && !votes(selection)) support_lines(selection, line);
  const std::string hint =
      selection.best && selection.best_on_border && !votes(selection) ? border_hint(selection) : "";
  if (!hint.empty()) line("warning", hint);
  text += findings.after_choice;
  const std::string scores = estimates(selection, findings, detail);
  text += scores.empty() && has_table(selection) ? "\n" : scores;
  text += findings.table;
  if (selection.effective) line("effective", effective_text(*selection.effective, selection.n));
  if (!selection.calibration.empty()) line(regression ? "residuals" : "margins", margin_summary(selection.calibration));
  const bool smo = selection.options.learner() == selection::Learner::svm && !selection.evidence();
  if (smo && detail == Detail::verbose) line("steps", findings.work.empty() ? work(selection) : findings.work);
  line("time", fmt::format("{:.2f} s, {}, seed {}", selection.seconds,
                           count_of(static_cast<std::size_t>(selection.threads), "thread"), selection.seed));
  return text;
}

}  // namespace credence::report
