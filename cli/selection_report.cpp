#include "selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/selection/family_predictor.hpp"
#include "estimation_report.hpp"
#include "in_sample_report.hpp"

namespace credence::cli {
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
  return dynamic_cast<const FamilyPredictor*>(selection.predictor.get());
}

/// Several models that decide together, so that there is no second best.
bool votes(const Selection& selection) {
  const FamilyPredictor* family = family_of(selection);
  const auto* vote = family == nullptr ? nullptr : std::get_if<selection::VoteRule>(&family->rule);
  return vote != nullptr && vote->members.size() > 1;
}

/// A machine for each class, each with a cell of its own.
bool machines_choose_apart(const Selection& selection) {
  return selection.in_sample && selection.in_sample->chosen.size() > 1;
}

/// "C = 8 (2^3), gamma = 0.125 (2^-3)", "nu = 0.2, ...", "rho = 0.1", "k = 5".
std::string parameters(const Cell& cell) {
  if (cell.k > 0) return fmt::format("k = {}", cell.k);
  std::string text = cell.nu > 0  ? "nu = " + readable(cell.nu)
                     : cell.C > 0 ? "C = " + readable(cell.C)
                                  : "rho = " + readable(cell.rho);
  if (cell.gamma > 0) text += ", gamma = " + readable(cell.gamma);
  return text;
}

/// How the rows were used, in the method's own terms.
std::string resampling(const Selection& selection, const selection::Options& options) {
  const std::string& method = selection.method;
  if (selection.in_sample) return in_sample_basis(*selection.in_sample);
  if (method == "loo") return fmt::format("each of {} rows left out once", selection.n);
  if (method == "bootstrap") return fmt::format("{} bootstrap samples", selection.folds);
  if (selection.validation_rows == 0) return count_of(static_cast<std::size_t>(selection.folds), "fold");
  std::string text = fmt::format("trained on {}, {} held out", count_of(selection.n - selection.validation_rows, "row"),
                                 selection.validation_rows);
  if (method == "nonconformity") {
    const selection::NonconformityOptions& rule = options.nonconformity;
    text += fmt::format("; tie {}, p-value {}", word(rule.tie), word(rule.p_value));
  }
  if (method == "max-margin") text += fmt::format("; {} margin", word(options.margin));
  return text;
}

/// Which scaling, and which rows it saw.
std::string scaling(const Selection& selection, const selection::Options& options) {
  if (options.scaling == data::Scaling::none) return "not scaled";
  const std::string text = fmt::format("scale {}", scaling_word(options.resolved_scaling()));
  if (selection.in_sample && selection.in_sample->hint_rows > 0) return text + " fitted on the rows of the hint";
  if (selection.scale_scope == selection::ScaleScope::all || selection.in_sample) {
    return text + " fitted once on all rows";
  }
  return text + (selection.validation_rows > 0 ? " fitted without the rows held out" : " fitted in each resample");
}

std::string candidates(const Selection& selection, const selection::Options& options) {
  if (options.resolved_learner() == selection::Learner::knn) {
    return fmt::format("nearest neighbours, {} of k", count_of(selection.grid.size(), "value"));
  }
  return fmt::format("{} kernel{}, {}", kernel::name(options.kernel.type), options.grid.nu.empty() ? "" : ", nu-SVC",
                     count_of(selection.grid.size(), "cell"));
}

/// The chosen cell, or how all models are used.
std::string choice(const Selection& selection) {
  if (const FamilyPredictor* family = family_of(selection)) {
    const std::string all = fmt::format("all {} models are kept; each row is predicted by ", family->members.size());
    if (std::holds_alternative<selection::NonconformityRule>(family->rule)) {
      return all + "the one with the smallest eps_crit";
    }
    if (std::holds_alternative<selection::MaxMarginRule>(family->rule)) return all + "the one with the largest margin";
    if (votes(selection)) {
      return fmt::format("the vote of {} of {} models, all that attain the smallest error",
                         std::get<selection::VoteRule>(family->rule).members.size(), family->members.size());
    }
  }
  if (machines_choose_apart(selection)) return "a cell for each class against the rest, see below";
  return selection.best ? parameters(selection.grid[*selection.best]) : "none: no cell was completed";
}

/// The spread of the selected score, as far as the method knows it.
std::string spread(const Cell& cell, const Selection& selection) {
  if (selection.validation_rows > 0) return fmt::format("on {} rows held out", selection.validation_rows);
  if (selection.folds < 2) return {};
  if (selection.method == "bootstrap") {
    return fmt::format("standard deviation over the samples {}", percent(cell.error_std));
  }
  return fmt::format("standard error {}", percent(cell.error_std / std::sqrt(static_cast<double>(selection.folds))));
}

std::string basis(const HonestEstimate& estimate) {
  if (estimate.method == "bbc") {
    return fmt::format("bootstrap bias-corrected (bbc): {} samples of {}", estimate.resamples,
                       count_of(estimate.rows, "row"));
  }
  if (estimate.method == "nested") {
    return fmt::format("nested cross-validation: {}, {}", count_of(estimate.resamples, "outer fold"),
                       count_of(estimate.rows, "row"));
  }
  return fmt::format("{}: {} that chose nothing", estimate.method, count_of(estimate.rows, "row"));
}

/// The selected score and the honest estimate, apart from all else and from each other.
std::string estimates(const Selection& selection, const selection::Options& options) {
  std::string text;
  const std::string score =
      fmt::format("{} of the chosen {} (optimistic)", selection.score, votes(selection) ? "cells" : "cell");
  const bool has_score = selection.best && !selection.in_sample;  // whose score is a bound, not an estimate
  const std::size_t width = (has_score ? score.size() : 15) + 2;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<{}}{}\n", name, width, value);
  };
  if (has_score) {
    const Cell& best = selection.grid[*selection.best];
    const std::string more = spread(best, selection);
    line(score, percent(best.error) + (more.empty() ? "" : " (" + more + ")"));
  }
  const auto& honest = selection.honest;
  if (honest && std::isfinite(honest->error)) {
    std::string value = percent(honest->error);
    if (honest->lower && honest->upper) {
      value += fmt::format(", {:.4g} % interval {} to {} ({})", 100 * (1 - honest->delta), percent(*honest->lower),
                           percent(*honest->upper), honest->interval);
    }
    if (options.loss == selection::Loss::soft && honest->method == "nested") value += " (error rate)";
    line("honest estimate", value);
    line("", basis(*honest));
  } else if (options.estimate == selection::Estimate::none && !selection.in_sample) {
    line("honest estimate", "none was asked for");
  }
  return text.empty() ? text : '\n' + text + '\n';
}

std::string work(const Selection& selection) {
  if (selection.in_sample) {
    const svm::IvanovWork& done = selection.in_sample->work;
    return fmt::format("{}, {}, {}, {}", count_of(done.convex_steps, "convex problem"), count_of(done.solves, "QP"),
                       count_of(done.steps, "SMO step"), count_of(done.factorisations, "factorisation"));
  }
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  for (const Cell& cell : selection.grid) {
    steps += cell.steps;
    factorisations += cell.factorisations;
  }
  return fmt::format("{}, {}", count_of(steps, "SMO step"), count_of(factorisations, "factorisation"));
}

/// Which way the grid should be extended, where the best cell lies on its border; empty if nowhere.
std::string border_hint(const Selection& selection, const selection::Options& options) {
  const Cell& best = selection.grid[*selection.best];
  const auto hint = [&](const char* option, auto Cell::*member, bool downwards = true) {
    const auto [low, high] = std::minmax_element(selection.grid.begin(), selection.grid.end(),
                                                 [&](const Cell& a, const Cell& b) { return a.*member < b.*member; });
    if ((*low).*member == (*high).*member) return std::string();
    if (best.*member == (*low).*member && downwards) return fmt::format(" smaller {}", option);
    if (best.*member == (*high).*member) return fmt::format(" larger {}", option);
    return std::string();
  };
  const auto& gammas = options.grid.gamma;
  const bool numbers = std::all_of(gammas.begin(), gammas.end(), [](const kernel::GammaRule& rule) {
    return rule.kind == kernel::GammaRule::Kind::value;
  });
  std::string text;
  for (const std::string& part :
       {hint("--C", &Cell::C), hint("--nu", &Cell::nu), hint("--k", &Cell::k, best.k > 1),
        hint("--rho", &Cell::rho, false), numbers ? hint("--gamma", &Cell::gamma) : std::string()}) {
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

const char* scaling_word(data::Scaling scaling) {
  switch (scaling) {
    case data::Scaling::standard:
      return "standard";
    case data::Scaling::minmax:
      return "minmax";
    case data::Scaling::none:
      break;
  }
  return "none";
}

std::string margin_summary(const model::Calibration& calibration) {
  return fmt::format("{} {}, kept with the model for p-values and confidence", calibration.strangeness.size(),
                     calibration.source);
}

std::string class_summary(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts) {
  constexpr std::size_t most = 8;
  std::string text = count_of(classes.size(), "class");
  for (std::size_t i = 0; i < std::min({classes.size(), counts.size(), most}); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? ":" : ",", classes[i], counts[i]);
  }
  return classes.size() > most ? text + ", ..." : text;
}

std::vector<std::size_t> class_counts(const data::Dataset& dataset) {
  std::vector<std::size_t> counts(dataset.class_count(), 0);
  for (const int label : dataset.labels) {
    if (label >= 0) ++counts[static_cast<std::size_t>(label)];
  }
  return counts;
}

std::string data_summary(const data::Dataset& dataset, const std::string& path) {
  return fmt::format("{}: {}, {}, {}", path == "-" ? "standard input" : path, count_of(dataset.rows(), "row"),
                     count_of(dataset.schema.columns.size(), "feature"),
                     class_summary(dataset.schema.classes, class_counts(dataset)));
}

std::string partial_mark(const Selection& selection) {
  if (selection.stopped == core::StopReason::none) return {};
  return fmt::format("{}: partial result, {} of {} cells",
                     selection.stopped == core::StopReason::cancelled ? "INTERRUPTED" : "TIME LIMIT",
                     complete_cells(selection), selection.grid.size());
}

std::string selection_table(const Selection& selection, const selection::Options& options, const std::string& source) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const std::string partial = partial_mark(selection);
  if (!partial.empty()) text += partial + "\n";
  line("data",
       fmt::format("{}: {}, {}, {}", source == "-" ? "standard input" : source, count_of(selection.n, "row"),
                   count_of(selection.features, "feature"), class_summary(selection.classes, selection.class_counts)));
  line("method", fmt::format("{}: {}", selection.method, resampling(selection, options)));
  line("candidates", fmt::format("{}, {}", candidates(selection, options), scaling(selection, options)));
  line("best", choice(selection));
  if (selection.runner_up && !votes(selection) && !machines_choose_apart(selection)) {
    const Cell& second = selection.grid[*selection.runner_up];
    line("runner-up",
         fmt::format("{}: {}{}", parameters(second), selection.in_sample ? "bound " : "", percent(second.error)));
  }
  if (selection.best && !votes(selection) && selection.grid[*selection.best].n_sv > 0) {
    line("support", fmt::format("{:.1f} support vectors{}", selection.grid[*selection.best].n_sv,
                                selection.folds > 1 ? ", mean over resamples" : ""));
  }
  const std::string hint =
      selection.best && selection.best_on_border && !votes(selection) ? border_hint(selection, options) : "";
  if (!hint.empty()) line("warning", hint);
  const std::string scores = estimates(selection, options);
  text += scores.empty() && (selection.in_sample || selection.estimation) ? "\n" : scores;
  if (selection.in_sample) text += in_sample_table(*selection.in_sample, options.in_sample, selection.classes);
  if (selection.estimation) text += estimation_table(*selection.estimation);
  if (!selection.calibration.empty()) line("margins", margin_summary(selection.calibration));
  if (options.resolved_learner() == selection::Learner::svm) line("steps", work(selection));
  line("time", fmt::format("{:.2f} s, {}, seed {}", selection.seconds,
                           count_of(static_cast<std::size_t>(selection.threads), "thread"), selection.seed));
  return text;
}

}  // namespace credence::cli
