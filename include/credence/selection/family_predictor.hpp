#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "credence/model/classifier_family.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/nonconformity.hpp"

namespace credence::selection {

/// For each row, the model with the largest margin speaks: the largest score over models and classes (SVM-Linf:
/// Ozogur-Akyuz, Hussain, Shawe-Taylor), whose class is the label. Ties to the first model, then to the lowest class.
/// Fills label and chosen.
struct MaxMarginRule {};

/// The models named here vote with their labels; ties to the label of the first of them if it is among the tied, else
/// to the lowest class. Fills label, and score if there is only one.
struct VoteRule {
  std::vector<std::uint32_t> members;  ///< at least one
};

/// The average of the models named here: the mean of their clipped scores (model::clipped). Ties go to the lowest
/// class. Fills label and score.
struct AverageRule {
  std::vector<std::uint32_t> members;  ///< at least one
};

/// What MaxMarginRule says of a row of scores.
struct LargestMargin {
  std::size_t model = 0;
  int label = 0;
  double margin = 0;
};
LargestMargin largest_margin(const model::Scores& scores, std::size_t row);

/// What VoteRule says of a row of scores.
int majority(const VoteRule& rule, const model::Scores& scores, std::size_t row);

/// What AverageRule says of a row of scores. @param mean  of each class  @return the label
int average(const AverageRule& rule, const model::Scores& scores, std::size_t row, std::span<double> mean);

/// The name of a model of a family, for people.
struct FamilyMember {
  double C = 0;   ///< 0: has none
  double nu = 0;  ///< 0: has none
  double gamma = 0;
  int k = 0;
};

/// A predictor that keeps several models of a grid and decides for each row which of them to believe.
struct FamilyPredictor final : model::Predictor {
  std::shared_ptr<const model::ClassifierFamily> family;
  std::vector<FamilyMember> members;  ///< one for each model
  std::variant<NonconformityRule, MaxMarginRule, VoteRule, AverageRule> rule = MaxMarginRule{};
  std::size_t validation_rows = 0;  ///< rows kept from training

  /// @throws Error as the interface says; invalid_argument if there is no family, or the rule does not fit it
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;
  std::vector<model::ModelParameter> parameters() const override;
};

/// The family predictor itself; null for other kinds.
const FamilyPredictor* as_family(const model::Predictor& model);
/// The models of a family that take part in a vote or an average; null for rules in which all do.
const std::vector<std::uint32_t>* taking_part(const FamilyPredictor& predictor);
/// The rule of a predictor that keeps validation margins; null for others.
const NonconformityRule* nonconformity_rule(const model::Predictor& model);

}  // namespace credence::selection
