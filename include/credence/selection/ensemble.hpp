#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "credence/model/members.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/nonconformity.hpp"

/// An ensemble: several models (members), and a rule that makes one prediction of their predictions.
namespace credence::selection {

/// The first model predicts; SVMs in regions of the feature space are one model. Fills label, score, region_of, and the
/// decision value for two classes.
struct FirstRule {};

/// Each row is predicted by the model with the largest margin: the largest score over models and classes (SVM-Linf:
/// Ozogur-Akyuz, Hussain, Shawe-Taylor), whose class is the label. Ties go to the first model, then to the lowest
/// class. Fills label and chosen.
struct MaxMarginRule {};

/// The models named here vote with their labels; ties go to the label of the first model if it is among the tied, else
/// to the lowest class. Fills label, and score if one model votes alone.
struct VoteRule {
  std::vector<std::uint32_t> members;  ///< at least one
};

/// The average of the models named here: the mean of their clipped scores (model::clipped). Ties go to the lowest
/// class. Fills label, score, and as decision values the score of the second of two classes, or those of all classes.
struct AverageRule {
  std::vector<std::uint32_t> members;  ///< at least one
};

/// One model is drawn for each row: the seed and the row's content (data::row_key) decide, so that a row gets the same
/// model in whatever call it comes. The expected loss of such a classifier is the mean of the members', which is what
/// equations 23 and 24 of Anguita et al. (2012) bound. Fills label and chosen.
struct DrawRule {
  std::uint64_t seed = 0;
};

/// The prediction of MaxMarginRule for the scores of a row.
struct LargestMargin {
  std::size_t model = 0;
  int label = 0;
  double margin = 0;
};
LargestMargin largest_margin(const model::Scores& scores, std::size_t row);

/// The prediction of VoteRule for the scores of a row.
int majority(const VoteRule& rule, const model::Scores& scores, std::size_t row);

/// The prediction of AverageRule for the scores of a row. @param mean  of each class  @return the label
int average(const AverageRule& rule, const model::Scores& scores, std::size_t row, std::span<double> mean);

/// The name of a model of an ensemble, for people.
struct MemberName {
  double C = 0;   ///< 0: has none
  double nu = 0;  ///< 0: has none
  double gamma = 0;
  int k = 0;
};

/// A predictor of several models: models of a grid with a rule, classifiers of resamples one of which is drawn, or SVMs
/// in the regions of one or more partitions (svm::RegionFamily). Each part of its members may have a scaling and a
/// kernel of its own; `preprocessing` is that of known rows, and of parts without one.
struct Ensemble final : model::Predictor {
  model::Members members;
  std::vector<MemberName> names;  ///< one for each model of a grid; else none
  std::variant<FirstRule, NonconformityRule, MaxMarginRule, VoteRule, AverageRule, DrawRule> rule = FirstRule{};
  std::size_t validation_rows = 0;  ///< rows held out from training

  /// Makes `own` the only part, for rows in the ensemble's preprocessing.  @param own  not null
  void set_family(std::shared_ptr<const model::ClassifierFamily> own);
  /// The family of the only part.  @throws Error invalid_argument for several parts, or one with its own preprocessing
  const model::ClassifierFamily& family() const;
  /// The member that DrawRule draws for a raw row. @throws Error invalid_argument for other rules, and without members
  std::size_t drawn(const data::Features& rows, std::size_t row) const;

  /// @throws Error as the interface says; invalid_argument if there is no member, or the rule does not fit them
  model::Prediction predict(const data::Dataset& rows, const core::Context& context) const override;
  /// @throws Error invalid_argument also where parts have a preprocessing of their own
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  std::shared_ptr<const model::ClassifierFamily> classifiers() const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;
  std::vector<std::string> decision_names() const override;
  std::vector<model::ModelParameter> parameters() const override;
};

/// The ensemble itself; null for other kinds.
const Ensemble* as_ensemble(const model::Predictor& model);
/// The models that take part in a vote or an average; null for other rules, in which all do.
const std::vector<std::uint32_t>* taking_part(const Ensemble& ensemble);
/// The rule of a predictor that keeps validation margins; null for others.
const NonconformityRule* nonconformity_rule(const model::Predictor& model);

}  // namespace credence::selection
