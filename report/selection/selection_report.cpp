#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "credence/core/list.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/run.hpp"
#include "report/cell_words.hpp"
#include "report/course/training_text.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/rows/p_value_words.hpp"

namespace credence::report {
namespace {

using selection::Cell;
using selection::Selection;

/// A machine for each class, each with a cell of its own.
bool machines_choose_apart(const Selection& selection) {
  return selection.in_sample() && selection.in_sample()->chosen.size() > 1;
}

bool uses_nu(const selection::Options& options) {
  return options.has_costs() && !options.costs.nu.empty();
}

/// Findings that have a table below the estimates.
bool has_table(const Selection& selection) {
  return selection.in_sample() != nullptr || selection.estimation() != nullptr;
}

std::string chosen_text(const Cell& cell, const Selection& selection) {
  return parameters_text(cell, shows_sigma(selection.options));
}

/// "rbf and laplacian".
template <class Enum>
std::string words_text(const std::vector<Enum>& values) {
  std::string text;
  for (const Enum value : values) text += (text.empty() ? "" : " and ") + std::string(core::word(value));
  return text;
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
  if (scalings == std::vector{data::Scaling::none}) return "not scaled";
  const std::string text = fmt::format("scale {}", words_text(scalings));
  if (selection.in_sample() && selection.in_sample()->hint_rows > 0) return text + " fitted on the rows of the hint";
  if (selection.scale_scope == selection::ScaleScope::all || selection.in_sample() || selection.evidence())
    return text + " fitted once on all rows";
  return text + (selection.validation_rows > 0 ? " fitted without the rows held out"
                                               : " fitted in each " + resample_word(selection));
}

std::string candidates(const Selection& selection) {
  const std::vector<kernel::KernelType>& types = selection.options.kernels.types;
  if (selection.options.learner() == selection::Learner::knn)
    return fmt::format("nearest neighbours, {} of k", count_of(selection.grid.size(), "value"));
  const std::string kernel = words_text(types) + (types.size() > 1 ? " kernels" : " kernel");
  if (selection.options.has_rvms()) {
    const auto added =
        static_cast<std::size_t>(std::ranges::count_if(selection.grid, [](const Cell& cell) { return cell.added; }));
    const std::string widths = selection.options.is_free_of_gamma() && selection.grid.size() == 1
                                   ? "whose gamma changes nothing"
                                   : count_of(selection.grid.size() - added, "width") +
                                         (added > 0 ? fmt::format(" and {} beyond them", added) : "");
    return fmt::format("relevance vector machines, {}, {}", kernel, widths);
  }
  if (selection.partition()) {
    return fmt::format("{}, {} for the regions of the feature space", kernel,
                       count_of(selection.partition()->settings, "setting"));
  }
  const bool plane = selection.options.has_costs() && selection.options.kernels.shape().uses_gamma();
  return fmt::format("{}{}, {}{}", kernel, uses_nu(selection.options) ? ", nu-SVC" : "",
                     count_of(selection.grid.size(), "cell"),
                     plane ? fmt::format(" ({} x gamma)", uses_nu(selection.options) ? "nu" : "C") : "");
}

/// The chosen cell, or how all models are used.
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
  if (machines_choose_apart(selection)) return "a cell for each class against the rest, see below";
  if (selection.best && selection.partition()) return "each region of the feature space has its own";
  if (!selection.best) return "none: no cell was completed, or none has a finite score";
  if (selection.average) {
    return fmt::format("the average of the {} best of {}, all within one standard error of the best one",
                       selection.average->members.size(), count_of(selection.grid.size(), "cell"));
  }
  const Cell& best = selection.grid[*selection.best];
  const char* rule = selection.options.rule == selection::Rule::one_se
                         ? ", the most regularised within one standard error of the best"
                         : "";
  return chosen_text(best, selection) + rule;
}

/// What was chosen, as the line of its score names it.
const char* chosen_word(const Selection& selection) {
  if (selection.average) return "average";
  return votes(selection) ? "chosen cells" : "chosen cell";
}

/// @param score  of the cell, in the method's own words; empty: its error
std::string cell_with_score(std::size_t index, const Selection& selection, const std::string& score) {
  const Cell& cell = selection.grid[index];
  return fmt::format("{}: {}", chosen_text(cell, selection),
                     score.empty() ? scale_of(selection).text(cell.error) : score);
}

/// The spread of the selected score, as far as the method knows it.
std::string spread(const Cell& cell, const Selection& selection) {
  if (selection.options.task == data::Task::regression)
    return fmt::format("mean squared error {:.6g}, standard error {:.3g}", cell.error, cell.error_se);
  if (selection.validation_rows > 0) return fmt::format("on {} rows held out", selection.validation_rows);
  if (selection.resamples < 2) return {};
  if (selection.options.traits().overlaps)
    return fmt::format("standard deviation over the {}s {}", resample_word(selection), percent(cell.error_std));
  const Scale scale = scale_of(selection);
  if (selection.options.traits().scores_at_once && scale.is_turned()) return "over all rows at once";
  return fmt::format("standard error {}", scale.spread(cell.error_se));
}

/// The selected score and the honest estimate, apart from all else and from each other.
std::string estimates(const Selection& selection, const FindingsReport& findings, Detail detail) {
  std::string text;
  const Scale scale = scale_of(selection);
  const std::string score =
      selection.partition()
          ? fmt::format("{} of the regions' choices (optimistic)", scale.name)
          : fmt::format("{} of the {} (optimistic)", scale.is_squared() ? "root mean squared CV error" : scale.name,
                        chosen_word(selection));
  const bool has_score = selection.best && findings.estimates;
  const std::size_t width = (has_score ? score.size() : 15) + 2;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<{}}{}\n", name, width, value);
  };
  if (has_score) {
    Cell selected = selection.grid[*selection.best];
    if (selection.average) selected.error_se = selection.average->error_se;
    const std::string more = spread(selected, selection);
    line(score, scale.text(*selection.chosen_error()) + (more.empty() ? "" : " (" + more + ")"));
  }
  const auto& honest = selection.honest;
  if (honest && std::isfinite(honest->error)) {
    const Scale of_honest{selection.honest_kind()};
    std::string value = of_honest.text(honest->error);
    if (selection.options.loss == selection::Loss::soft && honest->method == "nested") value += " (error rate)";
    if (selection.weighted) value += fmt::format(" ({})", honest->score);
    if (honest->lower && honest->upper) {
      const int digits = honest->trials < 10 ? 1 : 0;
      const std::string trials = detail == Detail::verbose && honest->trials > 0
                                     ? fmt::format(", as wide as of {:.{}f} independent rows", honest->trials, digits)
                                     : "";
      value += fmt::format(", {:.4g} % interval {} ({}{})", 100 * (1 - honest->delta),
                           of_honest.ends(*honest->lower, *honest->upper), honest->interval, trials);
    }
    line("honest estimate", value);
    line("", honest_basis(*honest, selection.partition() != nullptr));
  } else if (selection.options.estimate == selection::Estimate::none && !findings.silent_without) {
    line("honest estimate", "none was asked for");
  } else if (!findings.estimates && !findings.silent_without) {
    const bool regression = selection.options.task == data::Task::regression;
    line("honest estimate",
         regression ? "none: no row was held out" : "none: no row was held out (--estimate nested makes one)");
  } else if (has_score && selection.stopped == core::StopReason::none) {
    line("honest estimate", "none: the warnings say why");
  }
  if (selection.options.task == data::Task::regression) return text.empty() ? text : '\n' + text + '\n';
  const std::optional<Baseline> baseline = baseline_of(selection);
  if (baseline && !text.empty())
    line(baseline->scale.is_error() ? "baseline error" : "baseline", baseline_text(*baseline));
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
    const char* cost = selection.options.costs.nu.empty() ? "C" : "nu";
    line("model", selection.resamples > 1
                      ? fmt::format("an SVM with this kernel, its {} by cross-validation with {}", cost,
                                    count_of(static_cast<std::size_t>(selection.resamples), "fold"))
                      : "an SVM with this kernel");
  }
  if (selection.evidence() || !(best.n_sv > 0)) return;
  const std::string mean = selection.resamples > 1 ? ", mean over " + resample_word(selection) + "s" : "";
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

}  // namespace

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
                     calibration.region_of.empty() ? "" : ", which compare a row with those of its own region");
}

std::string effective_text(double effective, std::size_t rows) {
  return fmt::format("{:.1f} kernels (sum of gamma) for {}, a share of {:.3g}", effective, count_of(rows, "row"),
                     effective / static_cast<double>(rows));
}

namespace {

/// What was read. @param label  Schema::label_column
std::string lines_of_data(const std::string& path, std::size_t rows, std::size_t features, const std::string& label,
                          const std::string& task) {
  const std::string text = fmt::format("{}: {}, {}, {}", path == "-" ? "standard input" : path, count_of(rows, "row"),
                                       count_of(features, "feature"), task);
  return named_line("data", text) + (label.empty() ? "" : named_line("label", label));
}

}  // namespace

std::string class_summary(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts) {
  constexpr std::size_t most = 8;
  std::string text = count_of(classes.size(), "class");
  for (std::size_t i = 0; i < std::min({classes.size(), counts.size(), most}); ++i)
    text += fmt::format("{} '{}' ({})", i == 0 ? ":" : ",", classes[i], counts[i]);
  return classes.size() > most ? text + ", ..." : text;
}

std::vector<std::size_t> class_counts(const data::Dataset& dataset) {
  return core::counts_of(dataset.labels, dataset.class_count());
}

std::string data_lines(const data::Dataset& dataset, const std::string& path) {
  return lines_of_data(
      path, dataset.rows(), dataset.schema.columns.size(), dataset.schema.label_column(),
      dataset.is_regression() ? "regression" : class_summary(dataset.schema.classes, class_counts(dataset)));
}

namespace {

constexpr std::size_t usual_folds = 10;

/// Gives a long sentence to several lines, the first of them with a name.
void wrapped(const char* name, std::string text, const auto& line) {
  constexpr std::size_t width = 110;
  while (text.size() > width) {
    const std::size_t blank = text.rfind(' ', width);
    line(name, text.substr(0, blank));
    name = "";
    text.erase(0, blank + 1);
  }
  line(name, text);
}

/// What stands behind p-values and intervals; in detail, what this grade and the others would promise, and their cost.
void trust_lines(const Selection& selection, Detail detail, const auto& line) {
  using model::Trust;
  const Trust own = selection.calibration.trust;
  wrapped("trust", trust_promise(own), line);
  if (detail == Detail::usual) return;
  const std::size_t folds = std::max<std::size_t>(selection.siblings.count(), usual_folds);
  const std::size_t compared = selection.calibration.strangeness.size();
  if (const std::string figures = trust_figures(own, compared, folds); !figures.empty()) line("", "here " + figures);
  const std::size_t apart = std::max<std::size_t>(selection.n * 3 / 10, 1);
  const bool nests = selection.options.learner() != selection::Learner::knn && !selection.evidence();
  if (own == Trust::measured && nests && !selection.partition()) {
    line("", fmt::format("--method kfold-nested --trust proved: {}; 5 times the work",
                         trust_figures(Trust::proved, selection.n, usual_folds)));
  }
  if (own != Trust::split)
    line("", fmt::format("--trust split: {}; three tenths of the rows train nothing",
                         trust_figures(Trust::split, apart, 1)));
}

}  // namespace

std::string selection_table(const Selection& selection, const std::string& source, Detail detail) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += named_line(name, value); };
  const std::string partial = selection::partial_mark(selection);
  if (!partial.empty()) text += partial + "\n";
  const bool regression = selection.options.task == data::Task::regression;
  text += lines_of_data(source, selection.n, selection.features, selection.label,
                        regression ? "regression" : class_summary(selection.classes, selection.class_counts));
  const FindingsReport findings = findings_report(selection);
  const auto with = [](const std::string& head, const char* between, const std::string& more) {
    return more.empty() ? head : head + between + more;
  };
  line("method", fmt::format("{}: {}", selection.options.name(),
                             findings.basis.empty() ? resampling(selection) : findings.basis));
  line("candidates", fmt::format("{}, {}", with(candidates(selection), ", ", findings.candidates), scaling(selection)));
  if (const std::string costs = selection.options.label_costs; !costs.empty()) line("label costs", costs);
  if (selection.race) line("race", race_text(selection));
  text += findings.head.empty() ? width_table(selection) : findings.head;
  line("best", selection.average ? choice(selection) : with(choice(selection), ": ", findings.best_score));
  if (selection.average)
    line("best cell", cell_with_score(*selection.best, selection, findings.best_score));
  else if (selection.runner_up && !votes(selection) && !machines_choose_apart(selection))
    line("runner-up", cell_with_score(*selection.runner_up, selection, findings.runner_up_score));
  const bool in_detail = detail == Detail::verbose;
  if (in_detail && selection.best && !selection.average && !votes(selection)) support_lines(selection, line);
  for (const std::string& note : selection.notes) line("note", note);
  text += findings.after_choice;
  const std::string scores = estimates(selection, findings, detail);
  text += scores.empty() && has_table(selection) ? "\n" : scores;
  text += findings.table;
  if (selection.effective) line("effective", effective_text(*selection.effective, selection.n));
  if (!selection.calibration.empty()) line(regression ? "residuals" : "margins", margin_summary(selection.calibration));
  const bool smo = selection.options.learner() == selection::Learner::svm && !selection.evidence();
  if (smo && in_detail) line("steps", findings.work.empty() ? work(selection) : findings.work);
  if (in_detail)
    line("time", fmt::format("{:.2f} s, {}, seed {}", selection.seconds,
                             count_of(static_cast<std::size_t>(selection.threads), "thread"), selection.options.seed));
  if (!selection.calibration.empty()) trust_lines(selection, detail, line);
  return text;
}

}  // namespace credence::report
