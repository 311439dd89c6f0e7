#include "report/evaluation/trained_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "credence/conformal/comparable.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/core/error.hpp"
#include "credence/rvm/model.hpp"
#include "credence/svm/model.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t most_training_rows = 1000;

/// The rows that are asked about, evenly taken.
data::Dataset some_training_rows(const data::Dataset& training) {
  const std::size_t count = std::min(training.rows(), most_training_rows);
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = i * training.rows() / count;
  return training.select_rows(rows);
}

bool is_null_machine(const model::Predictor& model) {
  const auto* machines = dynamic_cast<const rvm::RvmModel*>(&model);
  return machines != nullptr && std::ranges::all_of(machines->machines, &rvm::Machine::null_model);
}

std::string memorised_sentence(const model::Predictor& model, const core::Context& context) {
  const auto* machine = dynamic_cast<const svm::SvmModel*>(&model);
  if (machine == nullptr || !svm::memorised(*machine, context)) return {};
  return "the machine remembers its rows one by one: a new row gets nearly the same answer wherever it lies, and "
         "regions may miss far more than their level";
}

std::string one_class_sentence(const model::Predictor& model, const std::vector<int>& labels, bool all) {
  if (labels.empty() || std::ranges::adjacent_find(labels, std::not_equal_to<>{}) != labels.end()) return {};
  return fmt::format("the machine gives all {}{} training rows the class '{}'", all ? "" : "of ", labels.size(),
                     model.schema.classes.at(static_cast<std::size_t>(labels.front())));
}

std::string constant_sentence(const model::Predictor& model, const model::Prediction& prediction) {
  constexpr double least = 0.25;
  if (!model.calibration.region_of.empty()) return {};  // each region has a machine of its own
  const double spread = conformal::relative_spread(model.calibration, prediction.score);
  if (spread >= least) return {};
  return fmt::format(
      "the machine is nearly constant: its values vary {} times as much over the training rows as they differ from the "
      "kept scores",
      spread < 0.01 ? "less than 0.01" : fmt::format("{:.2f}", spread));
}

/// Kept scores are of machines that had not seen a row, so that the machine that has seen it finds it less strange,
/// unless its values have another place or scale than theirs.
std::string unlike_kept_scores_sentence(const model::Prediction& prediction, const data::Dataset& rows) {
  constexpr double eps = 0.1;
  constexpr double most = 0.15;
  const std::size_t missed = conformal::count_regions(prediction.p_value, rows.labels, eps).errors;
  const double share = static_cast<double>(missed) / static_cast<double>(rows.rows());
  if (share <= most) return {};
  return fmt::format(
      "regions at {} miss {} of the training rows themselves: the kept scores do not fit the machine, and new rows "
      "fare no better",
      eps, percent(share));
}

}  // namespace

std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& training,
                                          const core::Context& context) {
  if (context.monitor.should_stop() || training.is_regression() || training.rows() == 0 || is_null_machine(model))
    return {};
  core::Monitor apart(context.monitor, 0);  // no part of the progress
  const core::Context own{context.threads, apart, context.memory_budget};
  std::vector<std::string> warnings;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) warnings.push_back(std::move(sentence));
  };
  try {
    add(memorised_sentence(model, own));
    const data::Dataset rows = some_training_rows(training);
    const bool others = conformal::keeps_scores_of_others(model);
    const model::Prediction prediction =
        others ? conformal::predict_with_confidence(model, rows, {}, own) : model.predict(rows, own);
    add(one_class_sentence(model, prediction.label, rows.rows() == training.rows()));
    if (others) add(constant_sentence(model, prediction));
    if (others) add(unlike_kept_scores_sentence(prediction, rows));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
  }
  return warnings;
}

}  // namespace credence::report
