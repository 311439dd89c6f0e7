#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/model/predictor.hpp"

namespace credence::cli {

/// What was asked of p-values on the command line; where nothing was, the model's own way.
struct PValueOverrides {
  std::optional<bool> label_conditional;
  std::optional<bool> smoothed;
  std::optional<std::uint64_t> seed;

  bool any() const { return label_conditional || smoothed || seed; }
};
/// What the regions of a model guarantee, in one sentence; for models without p-values, that they have none and how to
/// get them.
std::string validity_sentence(const model::Predictor& model, const PValueOverrides& overrides = {});
/// Which levels lie below the smallest p-value that can occur, so that regions cannot leave classes out; empty if none.
std::string resolution_warning(const model::Predictor& model, const PValueOverrides& overrides,
                               const std::vector<double>& levels);
/// The same of classes, and of the number of examples of each that rows are compared with.
std::string resolution_warning(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                               const conformal::PValueOptions& options, const std::vector<double>& levels);

/// All of it on standard error: what holds, where the levels are too small for the rows, what solving took.
void note_p_values(const model::Predictor& model, const PValueOverrides& overrides, const std::vector<double>& levels,
                   const model::Prediction& prediction);

}  // namespace credence::cli
