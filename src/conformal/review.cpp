#include "credence/conformal/review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/conformal/decision.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/model/probability.hpp"

namespace credence::conformal {
namespace {

constexpr double least_familiar = 0.01;

/// How many classes are not ruled out.
std::size_t classes_left(std::span<const double> p, std::span<const double> levels) {
  std::size_t left = 0;
  for (std::size_t c = 0; c < p.size(); ++c) left += in_set(p[c], levels[c]) ? 1U : 0U;
  return left;
}

/// The share of n rows, rounded up; a share of 0.07 is 7 of 100 rows, although 0.07 * 100 is a little more.
std::size_t budget_of(double share, std::size_t n) {
  const double rows = std::ceil(share * static_cast<double>(n) - 1e-9);
  return std::min(n, static_cast<std::size_t>(rows));
}

}  // namespace

ReviewRule ReviewRule::of(const model::Predictor& model, const std::string& text, std::vector<double> levels) {
  const std::size_t classes = model.schema.classes.size();
  ReviewRule rule{std::nullopt, std::move(levels)};
  if (rule.levels.empty()) rule.levels.assign(classes, usual_limit);
  if (text != "limit") {
    rule.share = core::parse_number(text);
    if (!(*rule.share > 0 && *rule.share <= 1))
      refuse(fmt::format("a share of the rows lies above 0 and is at most 1, not {}", text));
  } else {
    levels_of_limits(model, rule.levels, std::nullopt);
  }
  if (model.capabilities().probabilities) return rule;
  if (const std::string missing = model::missing_for_probabilities(model); !missing.empty())
    refuse("rows are marked by the probability of their label, and " + missing);
  return rule;
}

Review review(const model::Prediction& prediction, const ReviewRule& rule) {
  const std::size_t n = prediction.label.size();
  const data::DenseMatrix& p = prediction.p_value;
  const std::vector<double> usual(p.columns, ReviewRule::usual_limit);
  const std::vector<double>& levels = rule.levels.empty() ? usual : rule.levels;
  const auto left = [&](std::size_t row) { return classes_left(p.row(row), levels); };
  const auto probability = [&](std::size_t row) {
    return prediction.probability.row(row)[static_cast<std::size_t>(prediction.label[row])];
  };
  Review found{std::vector<ReviewReason>(n, ReviewReason::none), core::numbers_below(n), {}};
  if (!rule.share) std::erase_if(found.rows, [&](std::size_t row) { return left(row) == 1; });
  std::ranges::stable_sort(found.rows, {}, probability);
  if (rule.share) found.rows.resize(budget_of(*rule.share, n));
  found.probability = core::mapped(found.rows, probability);
  for (const std::size_t row : found.rows) {
    const bool unlike = !prediction.familiarity.empty() && prediction.familiarity[row] <= least_familiar;
    found.reasons[row] = unlike                            ? ReviewReason::unlike_training
                         : p.columns > 0 && left(row) == 0 ? ReviewReason::fits_no_class
                                                           : ReviewReason::between_classes;
  }
  return found;
}

std::optional<Review> usual_review(const model::Predictor& model, model::Prediction prediction) {
  const bool is_scored = prediction.score.columns > 0 && model::missing_for_probabilities(model).empty();
  if (prediction.probability.columns == 0 && !is_scored) return std::nullopt;
  model::add_probabilities(model, {}, prediction);
  return review(prediction, {.share = ReviewRule::usual_share});
}

}  // namespace credence::conformal
