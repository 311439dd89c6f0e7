#include "credence/selection/as_strange.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <variant>

#include "credence/core/error.hpp"

namespace credence::selection {
namespace {

/// Of each model, how many rows have a true class of each rank 0 .. n.
using RankCounts = std::vector<std::vector<std::size_t>>;

/// Fills the prediction, too.
RankCounts count_ranks(const Ensemble& ensemble, const NonconformityRule& rule, const data::Dataset& labelled,
                       const core::Context& context, model::Prediction& prediction) {
  const std::size_t models = rule.models();
  RankCounts counts(models, std::vector<std::size_t>(rule.validation_rows() + 1, 0));
  std::mutex mutex;
  const data::Features rows = ensemble.preprocessing.apply(labelled, data::UnknownLevel::ignore);
  ensemble.family().score(rows, context, [&](std::size_t first, const model::Scores& block) {
    rule.predict(block, first, prediction);
    std::vector<std::size_t> ranks(block.rows * models);
    for (std::size_t r = 0; r < block.rows; ++r) {
      const auto truth = static_cast<std::size_t>(labelled.labels[first + r]);
      for (std::size_t k = 0; k < models; ++k) ranks[r * models + k] = rule.rank(k, block.at(r, k)[truth]);
    }
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < ranks.size(); ++i) ++counts[i % models][ranks[i]];
  });
  return counts;
}

/// The largest over the models of the rows with a rank of `critical` or less.
std::size_t most_rows(const RankCounts& counts, std::size_t critical) {
  std::size_t most = 0;
  for (const std::vector<std::size_t>& of_model : counts) {
    std::size_t rows = 0;
    for (std::size_t rank = 0; rank <= critical; ++rank) rows += of_model[rank];
    most = std::max(most, rows);
  }
  return most;
}

std::size_t critical_rank(double eps_crit, const NonconformityRule& rule) {
  const auto n = static_cast<double>(rule.validation_rows());
  const bool paper = rule.options().p_value == PValue::paper;
  return static_cast<std::size_t>(std::llround(paper ? eps_crit * n : eps_crit * (n + 1) - 1));
}

const NonconformityRule& rule_of(const Ensemble& ensemble) {
  const auto* rule = std::get_if<NonconformityRule>(&ensemble.rule);
  if (rule != nullptr) return *rule;
  throw Error(ErrorCode::invalid_argument, "rows are counted as strange for models chosen by nonconformity only");
}

void check_calibrated_rule(const NonconformityRule& rule, const data::Dataset& labelled) {
  const auto unknown = [&](int label) { return label < 0 || static_cast<std::size_t>(label) >= rule.classes(); };
  if (labelled.labels.size() == labelled.rows() &&
      std::none_of(labelled.labels.begin(), labelled.labels.end(), unknown)) {
    return;
  }
  throw Error(ErrorCode::invalid_argument, "a row has no class that the model knows");
}

}  // namespace

PredictedAndCounted predict_and_count(const Ensemble& ensemble, const data::Dataset& labelled,
                                      const core::Context& context) {
  const NonconformityRule& rule = rule_of(ensemble);
  check_calibrated_rule(rule, labelled);
  PredictedAndCounted result{rule.prepare(labelled.rows()), {}};
  const model::Prediction& prediction = result.prediction;
  const RankCounts counts = count_ranks(ensemble, rule, labelled, context, result.prediction);
  std::map<double, AsStrange> lines;
  for (std::size_t i = 0; i < prediction.eps_crit.size(); ++i) {
    const double eps = prediction.eps_crit[i];
    lines.try_emplace(eps, AsStrange{eps, prediction.bound_vc[i], prediction.bound_dkw[i], 0});
  }
  for (const auto& [eps, line] : lines) {
    result.as_strange.push_back(line);
    result.as_strange.back().rows = most_rows(counts, critical_rank(eps, rule));
  }
  return result;
}

}  // namespace credence::selection
