#include "credence/selection/family_predictor.hpp"

#include <algorithm>
#include <type_traits>

#include "credence/core/error.hpp"

namespace credence::selection {
namespace {

model::Prediction prepare(const NonconformityRule& rule, std::size_t rows, std::size_t) {
  return rule.prepare(rows);
}

model::Prediction prepare(const MaxMarginRule&, std::size_t rows, std::size_t) {
  model::Prediction prediction;
  prediction.label.resize(rows);
  prediction.chosen.resize(rows);
  return prediction;
}

model::Prediction prepare(const VoteRule& rule, std::size_t rows, std::size_t classes) {
  model::Prediction prediction;
  prediction.label.resize(rows);
  if (rule.members.size() == 1) prediction.score = data::DenseMatrix(rows, classes);
  return prediction;
}

void decide(const NonconformityRule& rule, const model::Scores& block, std::size_t first,
            model::Prediction& prediction) {
  rule.predict(block, first, prediction);
}

void decide(const MaxMarginRule&, const model::Scores& block, std::size_t first, model::Prediction& prediction) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    const LargestMargin largest = largest_margin(block, r);
    prediction.chosen[first + r] = static_cast<std::uint32_t>(largest.model);
    prediction.label[first + r] = largest.label;
  }
}

void decide(const VoteRule& rule, const model::Scores& block, std::size_t first, model::Prediction& prediction) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    prediction.label[first + r] = majority(rule, block, r);
    if (rule.members.size() == 1)
      std::copy_n(block.at(r, rule.members.front()), block.classes, prediction.score.row(first + r).begin());
  }
}

void check(const FamilyPredictor& predictor) {
  if (predictor.family == nullptr)
    throw Error(ErrorCode::invalid_argument, "the predictor has no family of classifiers");
  const auto* const vote = std::get_if<VoteRule>(&predictor.rule);
  if (vote == nullptr) return;
  const std::size_t models = predictor.family->models();
  if (vote->members.empty() ||
      std::any_of(vote->members.begin(), vote->members.end(), [&](std::uint32_t k) { return k >= models; })) {
    throw Error(ErrorCode::invalid_argument, "the models that vote are none, or not all of the family");
  }
}

}  // namespace

model::Prediction FamilyPredictor::predict_preprocessed(const data::Features& rows,
                                                        const core::Context& context) const {
  check(*this);
  return std::visit(
      [&](const auto& chosen_rule) {
        model::Prediction prediction = prepare(chosen_rule, rows.rows(), family->classes());
        family->score(rows, context, [&](std::size_t first, const model::Scores& block) {
          decide(chosen_rule, block, first, prediction);
        });
        return prediction;
      },
      rule);
}

}  // namespace credence::selection
