#include "credence/selection/family_predictor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/text.hpp"

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

model::Prediction prepare(const AverageRule&, std::size_t rows, std::size_t classes) {
  model::Prediction prediction;
  prediction.label.resize(rows);
  prediction.score = data::DenseMatrix(rows, classes);
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

void decide(const AverageRule& rule, const model::Scores& block, std::size_t first, model::Prediction& prediction) {
  for (std::size_t r = 0; r < block.rows; ++r)
    prediction.label[first + r] = average(rule, block, r, prediction.score.row(first + r));
}

void check_family_predictor(const FamilyPredictor& predictor) {
  if (predictor.family == nullptr)
    throw Error(ErrorCode::invalid_argument, "the predictor has no family of classifiers");
  const std::vector<std::uint32_t>* const members = taking_part(predictor);
  if (members == nullptr) return;
  const std::size_t models = predictor.family->models();
  if (members->empty() || std::ranges::any_of(*members, [&](std::uint32_t k) { return k >= models; }))
    throw Error(ErrorCode::invalid_argument, "the models that take part are none, or not all of the family");
}

}  // namespace

model::Prediction FamilyPredictor::predict_preprocessed(const data::Features& rows,
                                                        const core::Context& context) const {
  check_family_predictor(*this);
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

model::Capabilities FamilyPredictor::capabilities() const {
  model::Capabilities able = Predictor::capabilities();
  if (std::holds_alternative<NonconformityRule>(rule)) able.p_values = model::PValueSource::nonconformity;
  if (const auto* vote = std::get_if<VoteRule>(&rule)) able.voting = vote->members.size();
  const auto* const average = std::get_if<AverageRule>(&rule);
  able.models = average != nullptr ? average->members.size() : members.size();
  able.chosen = members.size() > 1;
  able.precomputed = family != nullptr && family->is_precomputed();
  return able;
}

std::string FamilyPredictor::description() const {
  const auto* const average = std::get_if<AverageRule>(&rule);
  std::string text = core::count_of(average != nullptr ? average->members.size() : members.size(), "model");
  if (average != nullptr) text = "the average of " + text;
  if (const auto* vote = std::get_if<VoteRule>(&rule))
    text = vote->members.size() == 1 ? "one of " + text : fmt::format("{} of {} vote", vote->members.size(), text);
  const std::string shared = family == nullptr ? "" : family->shared_parts();
  if (!shared.empty()) text += ", " + shared;
  text += ", " + Predictor::description();
  return validation_rows == 0 ? text : text + fmt::format(", judged on {}", validation_rows);
}

std::vector<model::ModelParameter> FamilyPredictor::parameters() const {
  std::vector<model::ModelParameter> parameters;
  const auto add = [&](const char* name, auto FamilyMember::*parameter) {
    model::ModelParameter one{name, {}};
    for (const FamilyMember& member : members) one.values.push_back(static_cast<double>(member.*parameter));
    const bool has = std::any_of(one.values.begin(), one.values.end(), [](double value) { return value > 0; });
    if (has) parameters.push_back(std::move(one));
  };
  add("C", &FamilyMember::C);
  add("nu", &FamilyMember::nu);
  add("gamma", &FamilyMember::gamma);
  add("k", &FamilyMember::k);
  return parameters;
}

const FamilyPredictor* as_family(const model::Predictor& model) {
  return dynamic_cast<const FamilyPredictor*>(&model);
}

const std::vector<std::uint32_t>* taking_part(const FamilyPredictor& predictor) {
  if (const auto* vote = std::get_if<VoteRule>(&predictor.rule)) return &vote->members;
  const auto* const average = std::get_if<AverageRule>(&predictor.rule);
  return average != nullptr ? &average->members : nullptr;
}

const NonconformityRule* nonconformity_rule(const model::Predictor& model) {
  const FamilyPredictor* family = as_family(model);
  return family == nullptr ? nullptr : std::get_if<NonconformityRule>(&family->rule);
}

}  // namespace credence::selection
