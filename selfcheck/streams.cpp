#include <algorithm>
#include <cmath>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/grouped.hpp"
#include "credence/conformal/online.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/data/row_key.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "selfcheck/p_values.hpp"

/// Values of streams, of regressions, and of tests.
namespace credence::selfcheck {
namespace {

constexpr std::uint64_t streams_purpose = 1802;

/// P(U V <= product) of two independent uniform numbers.
double fisher(double product) {
  return product <= 0 ? 0 : product * (1 - std::log(product));
}

struct Targets {
  std::vector<double> y;
  std::vector<double> prediction;
  std::vector<double> difficulty;
  std::vector<int> group;
};

/// y = x + noise that grows with x, predicted by a regression that is wrong by a third.
Targets draw_targets(std::size_t n, core::RandomStream& random) {
  Targets targets;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = random.uniform();
    targets.y.push_back(x + (0.1 + x) * random.normal());
    targets.prediction.push_back(x * 2 / 3);
    targets.difficulty.push_back(x);
    targets.group.push_back(x < 0.3 ? 0 : 1);
  }
  return targets;
}

/// The values of one machine, whose calls differ in what they take beside the predictions.
template <class Intervals, class RanksOf>
double regression_value(const Targets& fresh, bool smoothed, std::uint64_t seed, const Intervals& intervals,
                        const RanksOf& ranks) {
  if (smoothed) {
    data::DenseMatrix row(1, 1);
    row.row(0)[0] = fresh.prediction[0];
    const std::vector<std::uint64_t> keys = data::row_keys(data::Features(row));
    return conformal::p_values(ranks(), {.smoothed = true, .seed = seed}, keys).row(0)[0];
  }
  return breaking_level([&](double significance) {
    const conformal::PredictionInterval interval = intervals(significance).at(0);
    return fresh.y[0] < interval.lower || fresh.y[0] > interval.upper;
  });
}

double regression_value(const Targets& kept, const Targets& fresh, Residuals residuals, bool smoothed,
                        std::uint64_t seed) {
  if (residuals == Residuals::grouped) {
    const conformal::GroupedRegression machine(kept.y, kept.prediction, kept.group);
    return regression_value(
        fresh, smoothed, seed,
        [&](double significance) { return machine.intervals(fresh.prediction, fresh.group, {}, significance); },
        [&] { return machine.ranks(fresh.y, fresh.prediction, fresh.group); });
  }
  const std::vector<double> none;
  const bool normalised = residuals == Residuals::normalised;
  const std::vector<double>& known = normalised ? kept.difficulty : none;
  const std::vector<double>& asked = normalised ? fresh.difficulty : none;
  const conformal::InductiveRegression machine(kept.y, kept.prediction, known, {.beta = 0.1});
  return regression_value(
      fresh, smoothed, seed,
      [&](double significance) { return machine.intervals(fresh.prediction, asked, significance); },
      [&] { return machine.ranks(fresh.y, fresh.prediction, asked); });
}

}  // namespace

std::vector<Setting> of_streams(const std::vector<Place>& places, const conformal::PValueOptions& options,
                                Stream stream) {
  std::vector<Setting> settings;
  for (const Place& place : places) {
    const Problem& law = problem(place.problem);
    const auto rare = static_cast<int>(law.shares.size()) - 1;
    const auto trial = [=, &law](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
      core::RandomStream random(seed, streams_purpose);
      const Rows rows = draw_rows(law, place.n, random);
      conformal::PValueOptions own = options;
      own.seed = seed;
      std::vector<double> steps;
      conformal::run_online(rows.x, rows.labels, law.shares.size(), {.k = 1}, own, context,
                            [&](const conformal::OnlineStep& step) {
                              if (stream != Stream::rare_class || step.truth == rare)
                                steps.push_back(step.p_value[static_cast<std::size_t>(step.truth)]);
                              return true;
                            });
      if (stream == Stream::uniformity)
        values.push_back(conformal::test_uniform(steps).p_value);
      else if (stream == Stream::pairs)
        for (std::size_t i = 0; i + 1 < steps.size(); i += 2) values.push_back(fisher(steps[i] * steps[i + 1]));
      else
        values.insert(values.end(), steps.begin(), steps.end());
    };
    settings.push_back({law.name, place.n, trial});
  }
  return settings;
}

std::vector<Setting> of_regressions(const std::vector<std::size_t>& sizes, Residuals residuals, bool smoothed) {
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    settings.push_back({"growing noise", n, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                          core::RandomStream random(seed, streams_purpose);
                          const Targets kept = draw_targets(n, random);
                          const Targets fresh = draw_targets(1, random);
                          values.push_back(regression_value(kept, fresh, residuals, smoothed, seed));
                        }});
  }
  return settings;
}

std::vector<Setting> of_uniformity_tests(bool one_sided) {
  std::vector<Setting> settings;
  for (const std::size_t n : {5U, 100U}) {
    settings.push_back(
        {"uniform numbers", n, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
           core::RandomStream random(seed, streams_purpose);
           std::vector<double> sample(n);
           for (double& value : sample) value = random.uniform();
           values.push_back(one_sided ? conformal::test_dominates_uniform(sample).p_value
                                      : conformal::test_uniform(sample).p_value);
         }});
  }
  return settings;
}

std::vector<Setting> of_paired_tests() {
  std::vector<Setting> settings;
  for (const std::size_t folds : {2U, 10U}) {
    settings.push_back(
        {"normal differences", folds, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
           core::RandomStream random(seed, streams_purpose);
           const double ratio = 1 / (static_cast<double>(folds) - 1);
           const double correlation = ratio / (1 + ratio);
           const double shared = std::sqrt(correlation) * random.normal();
           std::vector<double> first(folds);
           for (double& one : first) one = shared + std::sqrt(1 - correlation) * random.normal();
           const std::vector<double> second(folds, 0.0);
           values.push_back(selection::corrected_resampled_t_test(first, second, ratio).p_value);
         }});
  }
  return settings;
}

}  // namespace credence::selfcheck
