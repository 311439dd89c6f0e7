#include "selfcheck/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/uniform.hpp"
#include "credence/core/random.hpp"
#include "selfcheck/thresholds.hpp"

namespace credence::selfcheck {
namespace {

constexpr std::uint64_t bounds_purpose = 1803;
constexpr double rounding = 1e-12;

/// A loss in [0, 1] with its expectation.
struct Loss {
  std::string name;
  double expectation;
  double (*draw)(core::RandomStream& random, double expectation);
};

double coin(core::RandomStream& random, double p) {
  return random.uniform() < p ? 1 : 0;
}

std::vector<Loss> errors() {
  return {{"errors, 2 %", 0.02, coin},
          {"errors, 10 %", 0.1, coin},
          {"errors, 50 %", 0.5, coin},
          {"errors, 90 %", 0.9, coin}};
}

std::vector<Loss> soft_losses() {
  return {{"losses, triangular", 0.5, [](auto& random, double) { return (random.uniform() + random.uniform()) / 2; }},
          {"losses, mostly small", 0.1, [](auto& random, double) { return std::pow(random.uniform(), 9); }},
          {"losses 0, 1/2, 1", 0.5, [](auto& random, double) { return static_cast<double>(random.below(3)) / 2; }}};
}

bool fails(const bounds::Limits& limits, double truth) {
  return (limits.upper && *limits.upper < truth - rounding) || (limits.lower && *limits.lower > truth + rounding);
}

Setting of_losses(const bounds::Bound& bound, const Loss& loss, std::size_t n) {
  return {loss.name, n, [bound, loss, n](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
            core::RandomStream random(seed, bounds_purpose);
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += loss.draw(random, loss.expectation);
            const auto rows = static_cast<double>(n);
            bounds::Sample sample{{"n", rows}, {"loss", std::min(1.0, sum / rows)}, {"errors", std::round(sum)}};
            values.push_back(breaking_level([&](double delta) {
              sample["delta"] = delta;
              return fails(bound.limits(sample), loss.expectation);
            }));
          }};
}

bool of_training(const bounds::Bound& bound) {
  return std::ranges::any_of(bounds::quantities(), [&](const bounds::Quantity& quantity) {
    return quantity.of_training && bound.needs_one(quantity.name);
  });
}

/// sup |F_n(x) - F(x)| of a distribution on [0, 1] with atoms at multiples of 1 / atoms; 0: continuous.
double largest_deviation(std::size_t n, std::size_t atoms, core::RandomStream& random) {
  std::vector<double> x(n);
  for (double& value : x)
    value = atoms == 0 ? random.uniform() : static_cast<double>(random.below(atoms) + 1) / static_cast<double>(atoms);
  std::ranges::sort(x);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double after = static_cast<double>(std::ranges::upper_bound(x, x[i]) - x.begin()) / static_cast<double>(n);
    const double before = static_cast<double>(std::ranges::lower_bound(x, x[i]) - x.begin()) / static_cast<double>(n);
    const double below = atoms == 0 ? x[i] : x[i] - 1 / static_cast<double>(atoms);
    largest = std::max({largest, std::abs(after - x[i]), std::abs(before - below)});
  }
  return largest;
}

}  // namespace

std::vector<Setting> settings_of(const bounds::Bound& bound) {
  if (of_training(bound)) return of_threshold_classes(bound);
  std::vector<Loss> losses = errors();
  if (!bound.needs_one("errors"))
    for (const Loss& loss : soft_losses()) losses.push_back(loss);
  std::vector<Setting> settings;
  for (const Loss& loss : losses)
    for (const std::size_t n : {5U, 40U, 400U}) settings.push_back(of_losses(bound, loss, n));
  return settings;
}

std::vector<Check> registry_checks() {
  std::vector<Check> list;
  for (const bounds::Bound& bound : bounds::bounds()) {
    Check check;
    check.name = "bound-" + std::string(bound.name);
    std::ranges::replace(check.name, '_', '-');
    check.what = "bound of the error: " + std::string(bound.title);
    check.source = "bounds/registry.hpp";
    check.promise = Promise::conservative;
    check.settings = settings_of(bound);
    check.trials = of_training(bound) ? Effort{1000, 50'000} : Effort{2000, 50'000};
    check.curve = false;
    list.push_back(std::move(check));
  }
  return list;
}

std::vector<Setting> of_deviations(Deviation deviation) {
  std::vector<Setting> settings;
  if (deviation == Deviation::hoeffding) {
    for (const Loss& loss : {errors()[1], errors()[2], soft_losses()[0]}) {
      for (const std::size_t n : {5U, 50U}) {
        settings.push_back({loss.name, n, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                              core::RandomStream random(seed, bounds_purpose);
                              double sum = 0;
                              for (std::size_t i = 0; i < n; ++i) sum += loss.draw(random, loss.expectation);
                              const double gap = loss.expectation - sum / static_cast<double>(n);
                              values.push_back(breaking_level([&](double delta) {
                                return gap > bounds::hoeffding_deviation(n, delta) + rounding;
                              }));
                            }});
      }
    }
    return settings;
  }
  for (const unsigned atoms : {0U, 4U}) {
    const char* const name = atoms == 0 ? "uniform numbers" : "four values";
    for (const std::size_t n : {5U, 50U}) {
      settings.push_back({name, n, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                            core::RandomStream random(seed, bounds_purpose);
                            const double largest = largest_deviation(n, atoms, random);
                            values.push_back(breaking_level([&](double delta) {
                              const double limit = deviation == Deviation::dkw ? bounds::dkw_deviation(n, delta)
                                                                               : bounds::vc_deviation(n, 1, delta);
                              return largest > limit + rounding;
                            }));
                          }});
    }
  }
  return settings;
}

std::vector<Setting> of_central_counts() {
  std::vector<Setting> settings;
  for (const double p : {0.02, 0.5}) {
    for (const std::size_t n : {5U, 200U}) {
      settings.push_back({p < 0.1 ? "errors, 2 %" : "errors, 50 %", n,
                          [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                            core::RandomStream random(seed, bounds_purpose);
                            std::size_t count = 0;
                            for (std::size_t i = 0; i < n; ++i) count += random.uniform() < p ? 1U : 0U;
                            values.push_back(breaking_level([&](double delta) {
                              const bounds::CountInterval limits = bounds::central_counts(n, p, delta);
                              return count < limits.lower || count > limits.upper;
                            }));
                          }});
    }
  }
  return settings;
}

std::vector<Setting> of_clusters() {
  std::vector<Setting> settings;
  for (const std::size_t clusters : {10U, 40U}) {
    settings.push_back({"clusters of 5 that agree by half", clusters * 5,
                        [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                          constexpr std::size_t size = 5;
                          constexpr double truth = 0.3;
                          core::RandomStream random(seed, bounds_purpose);
                          std::vector<double> counts;
                          double sum = 0;
                          for (std::size_t c = 0; c < clusters; ++c) {
                            const double shared = coin(random, truth);
                            double count = 0;
                            for (std::size_t i = 0; i < size; ++i)
                              count += coin(random, 0.5) == 0 ? coin(random, truth) : shared;
                            counts.push_back(count);
                            sum += count;
                          }
                          const auto m = static_cast<double>(clusters);
                          const double p = sum / (m * size);
                          double squares = 0;
                          for (const double count : counts) squares += std::pow(count / size - p, 2);
                          const double variance = squares / (m * (m - 1));
                          values.push_back(breaking_level([&](double delta) {
                            const double worth =
                                bounds::effective_trials(p, variance, clusters, clusters * size, delta);
                            const bounds::Interval limits = bounds::binomial_interval(p * worth, worth, delta);
                            return limits.lower > truth || limits.upper < truth;
                          }));
                        }});
  }
  return settings;
}

}  // namespace credence::selfcheck
