#include "report/rows/p_value_words.hpp"

#include <fmt/format.h>

#include <array>

#include "report/text.hpp"

namespace credence::report {
namespace {

/// A model's own probabilities come with moderated ones, which fitted probabilities do not.
bool are_own(const model::ProbabilityOptions& options, const model::Prediction& prediction) {
  return !options.calibration && prediction.moderated.columns > 0;
}

const char* title(model::CalibrationMap map) {
  // in the order of model::CalibrationMap
  constexpr std::array titles{"a sigmoid", "an isotonic regression", "a Venn-Abers predictor"};
  return titles.at(static_cast<std::size_t>(map));
}

}  // namespace

std::string probability_name(const model::ProbabilityOptions& options, const model::Prediction& prediction) {
  if (are_own(options, prediction)) return "plain";
  return core::word(options.calibration.value_or(model::CalibrationMap::sigmoid));
}

std::string probability_sentence(const model::Predictor& model, const model::ProbabilityOptions& options,
                                 const model::Prediction& prediction, bool moved) {
  if (are_own(options, prediction)) return {};
  return fmt::format("probabilities come from {}, fitted to the {} scores of {}{}{}",
                     title(options.calibration.value_or(model::CalibrationMap::sigmoid)), model.calibration.source,
                     count_of(model.calibration.labels.size(), "row"),
                     model.calibration.exact() ? "" : "; other models than the one that predicts gave these scores",
                     moved ? ""
                     : model.record.weighs_classes
                         ? "; the label need not be the most probable class, as classes were weighted in the training"
                         : "; the most probable class of a row is its label");
}

}  // namespace credence::report
