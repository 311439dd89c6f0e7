#include "credence/conformal/local.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"

namespace credence::conformal {
namespace {

/// Of core::RandomStream.
constexpr std::uint64_t permutation_purpose = 0x6c6f63616c;  // "local"

/// Nonconformity score and label of rows.
struct Judged {
  std::vector<double> nonconformity_scores;
  std::vector<int> labels;
};

/// Mid-ranks of the rows of one class, local ones first, and the moments of the rank sum of as many random rows.
struct RankedClass {
  std::vector<double> ranks;
  std::size_t local = 0;
  double mean = 0;
  double sd = 0;

  double squared(double sum) const { return sd > 0 ? std::pow((sum - mean) / sd, 2) : 0; }
};

RankedClass ranked(const Judged& kept, const Judged& local, int label) {
  std::vector<double> values;
  RankedClass ranked;
  for (const Judged* rows : {&local, &kept}) {
    for (std::size_t i = 0; i < rows->labels.size(); ++i)
      if (rows->labels[i] == label) values.push_back(rows->nonconformity_scores[i]);
    if (rows == &local) ranked.local = values.size();
  }
  std::vector<double> ascending = values;
  std::ranges::sort(ascending);
  for (const double value : values) {
    const auto [first, last] = std::ranges::equal_range(ascending, value);
    ranked.ranks.push_back(static_cast<double>((first - ascending.begin()) + (last - ascending.begin()) + 1) / 2);
  }
  const auto n = static_cast<double>(values.size());
  const auto m = static_cast<double>(ranked.local);
  if (n < 2) return ranked;
  const double middle = (n + 1) / 2;
  double squares = 0;
  for (const double rank : ranked.ranks) squares += std::pow(rank - middle, 2);
  ranked.mean = m * middle;
  ranked.sd = std::sqrt(m * (n - m) / (n * (n - 1)) * squares);
  return ranked;
}

double statistic_of(const std::vector<RankedClass>& classes) {
  double sum = 0;
  for (const RankedClass& one : classes)
    sum += one.squared(
        std::accumulate(one.ranks.begin(), one.ranks.begin() + static_cast<std::ptrdiff_t>(one.local), 0.0));
  return sum;
}

LocalTest compare(const Judged& kept, const Judged& local, std::size_t classes, std::uint64_t seed,
                  const core::Context& context) {
  LocalTest test;
  test.local = core::counts_of(local.labels, classes);
  test.kept = core::counts_of(kept.labels, classes);
  std::vector<RankedClass> ranks;
  for (std::size_t c = 0; c < classes; ++c) ranks.push_back(ranked(kept, local, static_cast<int>(c)));
  test.statistic = statistic_of(ranks);
  core::RandomStream random(seed, permutation_purpose);
  constexpr double rounding = 1e-9;
  std::size_t as_large = 0;
  for (std::size_t b = 0; b < LocalTest::permutations; ++b) {
    if (context.monitor.should_stop()) throw Error(ErrorCode::interrupted, "interrupted");
    // The first places of each class become a random subset of its rows.
    for (RankedClass& one : ranks)
      for (std::size_t i = 0; i < one.local; ++i)
        std::swap(one.ranks[i], one.ranks[i + static_cast<std::size_t>(random.below(one.ranks.size() - i))]);
    as_large += statistic_of(ranks) >= test.statistic - rounding ? 1U : 0U;
  }
  test.p_value = static_cast<double>(1 + as_large) / static_cast<double>(LocalTest::permutations + 1);
  return test;
}

Judged judged(const data::DenseMatrix& scores, const std::vector<int>& labels) {
  Judged rows{{}, labels};
  for (std::size_t i = 0; i < labels.size(); ++i)
    rows.nonconformity_scores.push_back(margin_nonconformity(scores.row(i)[static_cast<std::size_t>(labels[i])]));
  return rows;
}

LocalTest calibrate_inductive(ConformalPredictor& model, const data::Dataset& local, std::uint64_t seed,
                              const core::Context& context) {
  const auto* inductive = dynamic_cast<const Inductive*>(model.machine.get());
  if (inductive == nullptr || inductive->parts().size() != 1)
    refuse("only inductive predictors of one part compare with rows that can be replaced");
  const CalibratedClassifier& old = inductive->parts().front();
  if (!old.category_of.empty() || !old.region_of.empty())
    refuse("this model compares within categories or regions, of which each would need local rows");
  if (inductive->has_groups() || inductive->has_weights()) refuse("this model weighs the rows that it compares with");
  CalibratedClassifier fresh = calibrate(old.classifier, model.preprocessed(local), local.labels, context);
  LocalTest test = compare({old.nonconformity_scores, old.labels}, {fresh.nonconformity_scores, fresh.labels},
                           model.schema.classes.size(), seed, context);
  test.proved = !model.stratified;
  model.machine = std::make_shared<Inductive>(std::vector{std::move(fresh)});
  model.fitted_on_compared = false;
  model.stratified = false;
  return test;
}

}  // namespace

LocalTest calibrate_locally(model::Predictor& model, const data::Dataset& local, std::uint64_t seed,
                            const core::Context& context) {
  const std::size_t classes = model.schema.classes.size();
  if (local.labels.empty() || local.rows() == 0) refuse_data("the local rows have no labels to compare with");
  local.refuse_other_classes();
  if (auto* conformal = dynamic_cast<ConformalPredictor*>(&model))
    return calibrate_inductive(*conformal, local, seed, context);
  if (model.capabilities().p_values != model::PValueSource::calibration)
    refuse("this model compares with no rows that can be replaced");
  if (!model.calibration.region_of.empty())
    refuse("this model compares within regions of the feature space, of which each would need local rows");
  const model::Prediction prediction = model.predict(local, context);
  if (prediction.score.columns == 0) refuse("this model gives no scores to compare with");
  const Judged rows = judged(prediction.score, local.labels);
  model::Calibration& kept = model.calibration;
  LocalTest test = compare({kept.nonconformity_scores, kept.labels}, rows, classes, seed, context);
  test.proved = kept.p_values == model::PValues::split;
  kept = {"local", model::PValues::split, rows.nonconformity_scores, rows.labels};
  if (classes > 2) kept.scores = prediction.score;
  model.fold_models = {};
  return test;
}

}  // namespace credence::conformal
