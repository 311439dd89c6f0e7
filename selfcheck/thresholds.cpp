#include "selfcheck/thresholds.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "credence/core/random.hpp"

namespace credence::selfcheck {
namespace {

constexpr std::uint64_t thresholds_purpose = 1804;

/// Labels, +1 with this probability left of 1/2 and with the rest right of it.
struct Law {
  const char* name;
  double left;
};

/// x ascending; bit i of `labels` is the label of row i.
struct Fit {
  std::size_t errors = 0;
  std::size_t cut = 0;  ///< rows below are on the left
  bool up = true;       ///< the right is positive
};

Fit best_fit(std::uint64_t labels, std::size_t n) {
  // Errors of "left negative, right positive" when no row is on the left: the negative rows.
  std::size_t errors = 0;
  for (std::size_t i = 0; i < n; ++i) errors += (labels >> i & 1U) == 0 ? 1U : 0U;
  Fit best{std::numeric_limits<std::size_t>::max(), 0, true};
  for (std::size_t cut = 0;; ++cut) {
    if (errors < best.errors) best = {errors, cut, true};
    if (n - errors < best.errors) best = {n - errors, cut, false};
    if (cut == n) return best;
    if ((labels >> cut & 1U) == 1)
      ++errors;
    else
      --errors;
  }
}

double error_at_threshold(const Fit& fit, const std::vector<double>& x, double left) {
  // The threshold lies in the middle between its neighbours.
  const double low = fit.cut == 0 ? 0 : x[fit.cut - 1];
  const double high = fit.cut == x.size() ? 1 : x[fit.cut];
  const double t = fit.cut == 0 ? 0 : fit.cut == x.size() ? 1 : (low + high) / 2;
  // P(positive) is `left` below 1/2 and 1 - left above.
  const double positive_below = left * std::min(t, 0.5) + (1 - left) * std::max(0.0, t - 0.5);
  const double negative_above = (1 - left) * std::max(0.0, 0.5 - t) + left * (1 - std::max(t, 0.5));
  const double error = positive_below + negative_above;
  return fit.up ? error : 1 - error;
}

double value_of(std::uint64_t labels, std::size_t n) {
  return 1 - 2 * static_cast<double>(best_fit(labels, n).errors) / static_cast<double>(n);
}

/// The mean over all label vectors depends on n alone.
double rademacher(std::size_t n) {
  double sum = 0;
  for (std::uint64_t labels = 0; labels < (std::uint64_t{1} << n); ++labels) sum += value_of(labels, n);
  return sum / static_cast<double>(std::uint64_t{1} << n);
}

double rademacher_of_trials(std::size_t n, std::size_t trials, core::RandomStream& random) {
  std::set<std::uint64_t> drawn;
  while (drawn.size() < trials) drawn.insert(random.below(std::uint64_t{1} << n));
  double sum = 0;
  for (const std::uint64_t labels : drawn) sum += value_of(labels, n);
  return sum / static_cast<double>(trials);
}

}  // namespace

std::vector<Setting> of_threshold_classes(const bounds::Bound& bound) {
  constexpr std::size_t trials = 20;
  constexpr std::size_t most_enumerated = 10;
  const bool drawn = bound.needs_one("trials");
  std::vector<Setting> settings;
  for (const Law& law : {Law{"thresholds, noise", 0.5}, Law{"thresholds, a tenth wrong", 0.1}}) {
    for (const std::size_t n :
         drawn ? std::vector<std::size_t>{10, 40} : std::vector<std::size_t>{6, most_enumerated}) {
      const double all = drawn ? 0 : rademacher(n);
      settings.push_back({law.name, n, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                            core::RandomStream random(seed, thresholds_purpose);
                            std::vector<double> x(n);
                            for (double& value : x) value = random.uniform();
                            std::ranges::sort(x);
                            std::uint64_t labels = 0;
                            for (std::size_t i = 0; i < n; ++i) {
                              const double positive = x[i] < 0.5 ? law.left : 1 - law.left;
                              if (random.uniform() < positive) labels |= std::uint64_t{1} << i;
                            }
                            const Fit fit = best_fit(labels, n);
                            bounds::Sample sample{
                                {"n", static_cast<double>(n)},
                                {"loss", static_cast<double>(fit.errors) / static_cast<double>(n)},
                                {"trials", static_cast<double>(trials)},
                                {"complexity", drawn ? rademacher_of_trials(n, trials, random) : all}};
                            const double truth = error_at_threshold(fit, x, law.left);
                            values.push_back(breaking_level([&](double delta) {
                              sample["delta"] = delta;
                              return *bound.limits(sample).upper < truth;
                            }));
                          }});
    }
  }
  return settings;
}

}  // namespace credence::selfcheck
