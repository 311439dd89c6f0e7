#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "bounds/distributions.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/selection/as_strange.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/honest_estimate.hpp"

namespace credence::selection {

namespace {

void check_estimation(const ErrorEstimation& estimation) {
  std::vector<std::string> problems;
  if (estimation.judgements.empty())
    problems.emplace_back("an error estimate needs at least one classifier that was judged");
  for (std::size_t j = 0; j < estimation.judgements.size(); ++j) {
    const Judgement& judgement = estimation.judgements[j];
    if (judgement.rows == 0) {
      problems.push_back(fmt::format("judgement {} rests on no row", j + 1));
    } else if (judgement.errors > judgement.rows || !(judgement.soft >= 0 && judgement.soft <= 1)) {
      problems.push_back(fmt::format("judgement {} has {} errors on {} rows, and a mean soft loss of {}", j + 1,
                                     judgement.errors, judgement.rows, judgement.soft));
    }
  }
  if (!(estimation.delta > 0 && estimation.delta < 1))
    problems.push_back(fmt::format("delta must lie between 0 and 1, both excluded; it is {}", estimation.delta));
  throw_if_any(problems);
}

double error_rate(const Judgement& judgement) {
  return static_cast<double>(judgement.errors) / static_cast<double>(judgement.rows);
}

double mean_over_judgements(const std::vector<Judgement>& judgements, const auto& value) {
  return core::mean_of(core::mapped(judgements, value));
}

double bernstein(double mean, double rows, double delta) {
  return rows > 1 ? bounds::empirical_bernstein_upper_limit(mean, rows, delta) : 1.0;
}

}  // namespace

void add_bounds(ErrorEstimation& estimation) {
  check_estimation(estimation);
  const auto count = static_cast<double>(estimation.judgements.size());
  const double delta = estimation.united ? estimation.delta / count : estimation.delta;
  estimation.delta_each = delta;
  estimation.hard = mean_over_judgements(estimation.judgements, error_rate);
  estimation.soft = mean_over_judgements(estimation.judgements, &Judgement::soft);
  estimation.bounds.clear();
  using Limit = double (*)(double mean, double m, double delta);
  const auto add = [&](const char* name, Loss loss, Limit limit) {
    estimation.bounds.push_back({name, loss, loss == Loss::soft ? estimation.soft : estimation.hard,
                                 mean_over_judgements(estimation.judgements, [&](const Judgement& judgement) {
                                   return limit(loss == Loss::soft ? judgement.soft : error_rate(judgement),
                                                static_cast<double>(judgement.rows), delta);
                                 })});
  };
  add("Hoeffding", Loss::soft, bounds::hoeffding_upper_limit);
  add("empirical Bernstein", Loss::soft, bernstein);
  const auto clopper_pearson = [&](const Judgement& judgement) {
    return bounds::binomial_upper_limit(static_cast<double>(judgement.errors), static_cast<double>(judgement.rows),
                                        delta);
  };
  estimation.bounds.push_back(
      {"Clopper-Pearson", Loss::hard, estimation.hard, mean_over_judgements(estimation.judgements, clopper_pearson)});
  add("Hoeffding", Loss::hard, bounds::hoeffding_upper_limit);
  add("empirical Bernstein", Loss::hard, bernstein);
  add("empirical Chernoff", Loss::hard, bounds::empirical_chernoff_upper_limit);
}

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
  refuse("rows are counted as strange for models chosen by nonconformity only");
}

void check_calibrated_rule(const NonconformityRule& rule, const data::Dataset& labelled) {
  const auto unknown = [&](int label) { return label < 0 || static_cast<std::size_t>(label) >= rule.classes(); };
  if (labelled.labels.size() == labelled.rows() && std::ranges::none_of(labelled.labels, unknown)) return;
  refuse("a row has no class that the model knows");
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

std::vector<BoundPoint> bound_curve(const model::Prediction& prediction, std::span<const int> labels) {
  const std::vector<double>& eps = prediction.eps_crit;
  const std::size_t rows = prediction.label.size();
  if (std::min({eps.size(), prediction.bound_vc.size(), prediction.bound_dkw.size()}) != rows)
    refuse("the prediction has no bounds");
  if (labels.size() != rows) refuse(fmt::format("there are {} labels for {} rows", labels.size(), rows));
  std::vector<std::size_t> order = core::numbers_below(eps.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return eps[a] < eps[b]; });

  std::vector<BoundPoint> curve;
  for (const std::size_t i : order) {
    if (curve.empty() || curve.back().eps_crit < eps[i]) {
      BoundPoint next = curve.empty() ? BoundPoint{} : curve.back();
      next.eps_crit = eps[i];
      next.bound_vc = prediction.bound_vc[i];
      next.bound_dkw = prediction.bound_dkw[i];
      curve.push_back(next);
    }
    ++curve.back().rows;
    curve.back().errors += prediction.label[i] != labels[i] ? 1U : 0U;
  }
  return curve;
}

namespace {

void check_pairs(std::span<const double> first, std::span<const double> second, double test_ratio) {
  const auto all_finite = [](std::span<const double> errors) {
    return std::ranges::all_of(errors, [](double error) { return std::isfinite(error); });
  };
  std::vector<std::string> problems;
  if (first.size() != second.size()) {
    problems.push_back(
        fmt::format("a paired test needs errors on the same splits, but there are {} of one and {} of the other method",
                    first.size(), second.size()));
  } else if (first.size() < 2) {
    problems.emplace_back("a paired test needs at least 2 splits");
  }
  if (!all_finite(first) || !all_finite(second))
    problems.emplace_back("the errors of a paired test must be finite numbers");
  if (!(test_ratio > 0 && std::isfinite(test_ratio))) {
    problems.push_back(
        fmt::format("the ratio of test to training rows must be finite and above 0, not {}", test_ratio));
  }
  throw_if_any(problems);
}

}  // namespace

PairedTest corrected_resampled_t_test(std::span<const double> first, std::span<const double> second,
                                      double test_ratio) {
  check_pairs(first, second, test_ratio);
  std::vector<double> d(first.size());
  std::ranges::transform(first, second, d.begin(), std::minus{});
  if (d.front() == 0 && std::ranges::all_of(d, [&](double difference) { return difference == 0; })) return {};
  if (std::ranges::all_of(d, [&](double difference) { return difference == d.front(); }))  // no variance to divide by
    return {d.front(), std::copysign(std::numeric_limits<double>::infinity(), d.front()), 0, 0};
  const auto J = static_cast<double>(d.size());
  const double mean = core::mean_of(d);
  double squares = 0;
  for (const double difference : d) squares += (difference - mean) * (difference - mean);
  const double variance = squares / (J - 1);
  const double standard_error = std::sqrt((1 / J + test_ratio) * variance);
  const double t = mean / standard_error;
  constexpr double tail = 0.025;
  return {mean, t, 2 * bounds::students_above(J - 1, std::abs(t)),
          standard_error * bounds::students_quantile(J - 1, tail)};
}

}  // namespace credence::selection
