#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/data/dataset.hpp"
#include "credence/io/libsvm.hpp"
#include "credence/model/predictor.hpp"
#include "credence/model/probability.hpp"
#include "credence/selection/run.hpp"
#include "described.hpp"
#include "flags.hpp"
#include "options.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "run.hpp"

namespace credence::cli {

/// What was asked of p-values on the command line; where nothing was, the model's own way.
using PValueOverrides = Described;

/// --label-conditional, --smoothed, their opposites and --seed.
void add_p_value_options(Command command, PValueOverrides& overrides);

/// What was asked of probabilities on the command line.
struct ProbabilityRequest {
  bool wanted = false;
  Described described;

  /// None if no probabilities are wanted. @throws Error invalid_argument for a word that is none, or for options of
  ///         probabilities that are not wanted
  std::optional<model::ProbabilityOptions> options() const;
};

/// --probability and --calibration.
void add_probability_options(Command command, ProbabilityRequest& request);

/// Fills the probabilities, if they were asked for, of predictions that come block by block: maps are fitted once.
class Probabilities {
 public:
  /// @param model  which must outlive the object
  Probabilities(const model::Predictor& model, std::optional<model::ProbabilityOptions> options)
      : model_(model), options_(options) {}
  /// @throws Error as model::add_probabilities, after the name of the option
  void add(model::Prediction& prediction);

 private:
  const model::Predictor& model_;
  std::optional<model::ProbabilityOptions> options_;
  std::optional<model::ProbabilityMaps> maps_;  ///< fitted for the first prediction that needs them
};

/// On standard error: what the probabilities rest on that were asked for. @param moved  to other class shares
void note_probabilities(const model::Predictor& model, const std::optional<model::ProbabilityOptions>& options,
                        const model::Prediction& prediction, bool moved);

using io::load_any_model;

/// Rows to apply the model to; says on standard error if rows were dropped for missing values.
/// @param texts  columns whose values are also wanted as they stand
data::Dataset read_for(const model::Predictor& model, const DataOptions& options, bool quiet, int threads = 0,
                       const std::vector<std::string>& texts = {});

/// The sentence about rows that were dropped. @param last  number in the file of the last row that is left
void note_dropped(const model::Predictor& model, std::size_t last, std::size_t rows);

/// Predicts, with p-values, confidence and credibility of every model that can have them; Ctrl-C ends it.
/// @throws Error as conformal::predict_with_confidence; invalid_argument if p-values are to be made in a way that the
///         model does not know; interrupted
model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& dataset,
                                          const PValueOverrides& overrides, Run& run);

/// @throws Error interrupted after Ctrl-C
void refuse_if_interrupted();

/// @throws Error invalid_argument if p-values are to be made in a way that the model does not know
void check_overrides(const model::Predictor& model, const PValueOverrides& overrides);

/// How the model's p-values are made: its own way, but for what was asked. Defaults for models without.
conformal::PValueOptions p_value_options(const model::Predictor& model, const PValueOverrides& overrides);

bool has_p_values(const model::Predictor& model);

/// On standard error: what the prediction sets or intervals guarantee, and with --verbose what solving took.
void note_p_values(const model::Predictor& model, const PValueOverrides& overrides, const model::Prediction& prediction,
                   bool verbose);

/// The significance levels of --confidence-level, in its order; none if none were asked for.
/// @throws Error invalid_argument
std::vector<double> parse_confidence_levels(const std::string& text);
/// The significance levels asked for, or 0.05; none for models without p-values and without intervals.
/// @throws Error invalid_argument if levels were asked of such a model, or 0 of intervals
std::vector<double> levels_asked(const model::Predictor& model, const std::vector<double>& asked);

/// What evaluate and select are asked of columns: which matter, and how the answer changes with one.
struct ColumnsAsked {
  bool importance = false;
  std::optional<double> correlated;  ///< columns that are shuffled together
  std::string dependence;            ///< names of columns

  /// @throws Error invalid_argument, before any work, for columns that the schema lacks and for no correlation
  void check(const data::Schema& schema) const;
  bool any() const { return importance || correlated || !dependence.empty(); }
};

void add_columns_options(Command command, ColumnsAsked& asked);

/// Importance on new rows, or on the rows that a selection left out, and dependence.
/// @param chosen  the selection that the model comes from; errors are then warnings. nullptr: the rows are new
/// @throws Error as selection::permutation_importance and selection::partial_dependence
report::ColumnEffects effects_of(const ColumnsAsked& asked, const model::Predictor& model, const data::Dataset& rows,
                                 const selection::Selection* chosen, std::uint64_t seed, Run& run);

}  // namespace credence::cli
