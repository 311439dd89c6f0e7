#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "credence/conformal/inductive.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/model/predictor.hpp"

namespace credence::conformal {

/// The conformal predictor itself; null for other kinds.
const ConformalPredictor* as_conformal(const model::Predictor& model);

/// The options by which a model makes its p-values by default.
PValueOptions p_value_options(const model::Predictor& model);

/// How many examples of each class a new row is compared with; empty for models that compare with none.
std::vector<std::size_t> compared_with(const model::Predictor& model);

/// Predicts with confidence, block by block: what all blocks share is prepared once.
class ConfidentPredictor {
 public:
  /// @param model  which must outlive the object  @param options  as for predict_with_confidence
  /// Cost: that of sorting the scores that the model keeps of rows left out.
  ConfidentPredictor(const model::Predictor& model, const PValueOptions& options);

  /// As predict_with_confidence.
  model::Prediction predict(const data::Dataset& rows, const core::Context& context) const;
  /// As add_confidence.
  bool add_confidence(const data::Dataset& rows, const core::Context& context, model::Prediction& prediction) const;

 private:
  /// Predicts for a regression whose fold models make its intervals (CrossRegression).
  model::Prediction predict_numbers(const data::Dataset& rows, const core::Context& context) const;
  /// Adds the ranks of one row among the examples that a fold model judged.
  void rank(std::size_t fold_model, std::size_t row, std::size_t region, std::span<const double> scores,
            Ranks& ranks) const;
  /// Adds the ranks of rows among all examples, fold model by fold model. @param ranks  which must outlive the visit
  model::Members::Visit ranking(Ranks& ranks) const;
  void give_p_values(const Ranks& ranks, const data::Dataset& rows, model::Prediction& prediction) const;

  const model::Predictor& model_;
  PValueOptions options_;
  std::optional<ConformalPredictor> conformal_;  ///< the model with these options, where it is one
  /// Of each fold model (without fold models: of the model itself) the rows that it judged, by Calibration::region_of.
  std::vector<std::vector<std::optional<ScoreCalibration>>> tables_;
};

/// Predicts, and fills p_value, confidence and credibility for every model that can have them (Capabilities::p_values).
/// For a regression with fold models it adds their predictions, from which intervals are made (cross_regression.hpp).
/// @param options  not used with PValueSource::nonconformity, whose p-values the selection has fixed
/// @throws Error as `predict`; format if the model carries a calibration, but gives no scores to compare with it
model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& rows,
                                          const PValueOptions& options, const core::Context& context);

/// Gives p-values to the predictions of any model that carries a calibration (model::Calibration). A row is compared
/// with the rows of each fold by the scores of the model trained without that fold (model::Members), and the counts of
/// all folds are summed. A model with PValues::split has no fold models, and compares by its own scores. Where rows lie
/// in regions of the feature space (Calibration::region_of), a row is compared with the rows of its region alone. The
/// function fills p_value, confidence and credibility. The labels stay the model's own, and confidence and credibility
/// are those of the model's label, whose p-value need not be the largest.
///
/// model::PValues says what is proved. Cost: the support vectors of all fold models, which share kernel values, for
/// each row.
/// @param rows  the raw rows that were predicted; smoothing takes their keys (data::row_key)
/// @return false, with the prediction unchanged, if the model has no calibration or no scores for each class
/// Source: Vovk, Cross-conformal predictors (2015); Barber, Candes, Ramdas, Tibshirani, Annals of Statistics 49 (2021).
bool add_confidence(const model::Predictor& model, const data::Dataset& rows, const PValueOptions& options,
                    const core::Context& context, model::Prediction& prediction);

}  // namespace credence::conformal
