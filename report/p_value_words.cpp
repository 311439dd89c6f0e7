#include "report/p_value_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/predictor.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using conformal::ConformalPredictor;
using conformal::Validity;

constexpr const char* if_exchangeable = "if new rows and the model's rows are exchangeable";

/// All of them, or those of the smallest class.
std::size_t compared_at_least(const std::vector<std::size_t>& counts, bool label_conditional) {
  return label_conditional ? *std::min_element(counts.begin(), counts.end())
                           : std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

/// The bound of cross-conformal prediction, in numbers.
std::string cross_bound(const std::vector<std::size_t>& counts, std::size_t folds, bool label_conditional) {
  constexpr double eps = 0.05;
  const std::size_t n = compared_at_least(counts, label_conditional);
  const double bound = conformal::cross_conformal_bound(eps, n, folds);
  return fmt::format("2 eps + 2 (1 - eps) (K - 1) / (n + K) ({:.2g}{} at eps 0.05, with K = {} folds and n = {}{})",
                     bound, bound >= 1 ? ", which says nothing," : "", folds, count_of(n, "row"),
                     label_conditional ? " of the smallest class" : "");
}

std::string misses(std::string_view claim, std::string_view missed, Apart apart) {
  const std::string_view each = apart.classes && apart.groups ? ", of each class and in each group apart,"
                                : apart.classes               ? ", of each class apart,"
                                : apart.groups                ? ", in each group apart,"
                                                              : "";
  return fmt::format("{} at eps misses {}{} with probability ", claim, missed, each);
}

std::string region_misses(Apart apart) {
  return misses("a region", "the true class", apart);
}

const char* why_not_proved(const ConformalPredictor& model) {
  if (model.fitted_on_compared)
    return "as scaling, medians or gamma were fitted on the model's rows without the new one";
  if (model.stratified && !model.options.label_conditional)
    return "as the rows compared with were held out class by class, which makes label-conditional p-values exact";
  return "as the kernel is not positive definite";
}

std::string conformal_sentence(const ConformalPredictor& model) {
  const std::string start = region_misses({.classes = model.options.label_conditional});
  switch (model.validity()) {
    case Validity::exact:
      return fmt::format("{}at most eps, {}", start, if_exchangeable);
    case Validity::twice:
      return fmt::format(
          "{}at most {}, mostly near eps, {}", start,
          cross_bound(model.machine->class_counts(), model.machine->folds(), model.options.label_conditional),
          if_exchangeable);
    case Validity::approximate:
      break;
  }
  return fmt::format("{}near eps; nothing is proved, {}", start, why_not_proved(model));
}

/// Per cent of new rows whose true class the regions at 5, 10 and 20 % missed: docs/selection.md.
struct MeasuredMisses {
  std::string_view source;
  std::array<double, 3> easy;   ///< two clouds, 100 rows
  std::array<double, 3> coins;  ///< labels of which the features know nothing, 60 rows
};

constexpr std::array measured_misses{MeasuredMisses{"out-of-fold", {6.0, 10.4, 19.3}, {6.5, 12.8, 24.5}},
                                     MeasuredMisses{"left-one-out", {5.8, 10.4, 19.6}, {6.1, 11.8, 22.9}},
                                     MeasuredMisses{"out-of-bag", {5.1, 9.8, 18.8}, {7.0, 13.6, 26.1}},
                                     MeasuredMisses{"held-out", {7.6, 12.1, 20.1}, {8.6, 16.1, 28.1}},
                                     MeasuredMisses{"held-out, not retrained", {6.4, 11.4, 20.7}, {6.1, 12.2, 25.2}}};

/// What simulations found of models chosen like this one.
std::string measured_sentence(const model::Predictor& model, bool label_conditional) {
  if (label_conditional || model.capabilities().probabilities) return {};  // these were not simulated
  const std::string source = model.calibration.source + (model.calibration.exact ? ", not retrained" : "");
  const auto* found = std::ranges::find(measured_misses, source, &MeasuredMisses::source);
  if (found == measured_misses.end()) return {};
  return fmt::format(
      "; in simulations, regions at 5, 10 and 20 % missed {:.1f} % of new rows where classes are easy to tell apart, "
      "and {:.1f} % where labels are coins (docs/selection.md)",
      fmt::join(found->easy, ", "), fmt::join(found->coins, ", "));
}

std::string calibration_sentence(const model::Predictor& model, bool label_conditional) {
  const std::size_t rows = model.calibration.labels.size();
  std::string text = fmt::format(
      "p-values compare each row with the {} scores of {}: a region at eps misses the true "
      "class{} with probability ",
      model.calibration.source, count_of(rows, "row"), label_conditional ? ", of each class apart," : "");
  if (!model.calibration.exact) {
    return text +
           "near eps, but this is not exact for finite n, because these scores come from other models than the " +
           "one that predicts" +
           (model.capabilities().chosen
                ? ", whose parameters were chosen on the same rows" + measured_sentence(model, label_conditional)
                : "");
  }
  return text + (model.capabilities().chosen
                     ? "near eps, but this is not exact, because the model was chosen on the same rows" +
                           measured_sentence(model, label_conditional)
                     : "at most eps, if new rows and these are exchangeable");
}

/// Of the intervals of a regression.
std::string interval_sentence(const model::Predictor& model) {
  const std::string text = fmt::format(
      "intervals are the mean +- a quantile of the {} residuals of {}: one at eps misses the target with "
      "probability ",
      model.calibration.source, count_of(model.calibration.strangeness.size(), "row"));
  if (model.calibration.exact && !model.capabilities().chosen)
    return text + "at most eps, if new rows and these are exchangeable";
  return text +
         "near eps, but this is not exact for finite n, because these residuals come from other models than the "
         "one that predicts" +
         (model.capabilities().chosen ? ", whose kernel was chosen on the same rows" : "") +
         "; credence conformal intervals makes exact ones from rows that were held out";
}

/// One class (or all of them, without a name) of which `rows` are compared with.
std::string resolution_sentence(const std::string& name, std::size_t rows, const std::vector<double>& levels) {
  const double smallest = conformal::p_value({0, 0, rows});
  std::vector<double> below;
  std::copy_if(levels.begin(), levels.end(), std::back_inserter(below),
               [&](double eps) { return conformal::in_region(smallest, eps); });
  if (below.empty()) return {};
  return fmt::format("no p-value{} can be below {:.4g}, 1 / ({} + 1): every region at {} holds {}",
                     name.empty() ? "" : fmt::format(" of class '{}'", name), smallest, rows, fmt::join(below, " and "),
                     name.empty() ? "every class" : "that class");
}

}  // namespace

std::string validity_sentence(const model::Predictor& model, const conformal::PValueOptions& options) {
  const model::Capabilities able = model.capabilities();
  if (const ConformalPredictor* conformal = conformal::as_conformal(model)) {
    ConformalPredictor changed = *conformal;
    changed.options = options;
    return conformal_sentence(changed);
  }
  if (able.p_values == model::PValueSource::nonconformity) {
    return "p-values are those of the model picked for each row, in whose eyes a class is strangest, so regions and "
           "confidence have no guarantee: in simulations, regions at 10 % missed 20 to 31 % of new rows "
           "(docs/guarantees.md); what is proved (as_strange_at_most) limits how many rows are as strange under their "
           "true class, not how many of the labels are wrong";
  }
  if (able.intervals) return interval_sentence(model);
  if (able.p_values == model::PValueSource::calibration) return calibration_sentence(model, options.label_conditional);
  if (model.schema.task == data::Task::regression) {
    return "this model predicts numbers, so it has no p-values; its standard deviations are right if the model is: "
           "measured, mean +- 1.96 sd mostly covers fewer new rows than 95 %. It carries no residuals of rows left "
           "out, "
           "which --eps makes intervals of: models of select --method cv and of select and train --folds carry them; "
           "credence conformal intervals makes exact ones from rows that were held out";
  }
  return "this model has no p-values: it carries no margins of rows left out; models of select --method cv, loo, "
         "bootstrap or holdout and of train --folds carry them";
}

std::string validity_sentence(const model::Predictor& model) {
  return validity_sentence(model, conformal::p_value_options(model));
}

std::string region_guarantee(Apart apart, std::string_view condition) {
  return fmt::format("{}at most eps, {}", region_misses(apart), condition);
}

std::string interval_guarantee(Apart apart, std::string_view condition) {
  return fmt::format("{}at most eps, {}", misses("an interval", "the target", apart), condition);
}

std::string cross_guarantee(const std::vector<std::size_t>& rows, std::size_t folds, bool label_conditional,
                            bool stratified) {
  const std::string start = region_misses({.classes = label_conditional});
  if (stratified && !label_conditional) {
    return start +
           "near eps; nothing is proved, as the folds were drawn class by class, which proves a limit for "
           "label-conditional p-values alone";
  }
  return fmt::format("{}at most {}, mostly near eps, if new rows and those of the folds are exchangeable", start,
                     cross_bound(rows, folds, label_conditional));
}

std::string resolution_warning(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                               const conformal::PValueOptions& options, const std::vector<double>& levels) {
  if (counts.empty() || options.smoothed) return {};
  if (!options.label_conditional) return resolution_sentence("", compared_at_least(counts, false), levels);
  std::vector<std::string> sentences;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::string sentence = resolution_sentence(classes[c], counts[c], levels);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return fmt::format("{}", fmt::join(sentences, "; "));
}

}  // namespace credence::report
