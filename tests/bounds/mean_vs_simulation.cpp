#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/core/random.hpp"

namespace credence::bounds {
namespace {

constexpr int trials = 10000;
using Limit = std::function<double(double mean, double m, double delta)>;
using Draw = std::function<double(core::RandomStream&)>;

/// Above this share a limit that fails with probability p is a chance of less than 1 in 10^4.
double highest_share(double p) {
  return p + 3.8 * std::sqrt(p * (1 - p) / trials);
}

/// In what share of trials the limit from n values lies below their expectation.
double share_of_failures(const Limit& limit, const Draw& draw, double expectation, int n, double delta) {
  core::RandomStream random(20120901, static_cast<std::uint64_t>(n));
  int failures = 0;
  for (int trial = 0; trial < trials; ++trial) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += draw(random);
    failures += limit(std::min(sum / n, 1.0), n, delta) < expectation ? 1 : 0;
  }
  return double(failures) / trials;
}

Draw coin(double p) {
  return [p](core::RandomStream& random) { return random.uniform() < p ? 1.0 : 0.0; };
}

double clopper_pearson_of_mean(double mean, double m, double delta) {
  return binomial_upper_limit(std::round(mean * m), m, delta);
}

struct Named {
  std::string name;
  Limit limit;
};

const std::vector<Named> limits_of_a_mean{{"Hoeffding", hoeffding_upper_limit},
                                          {"Bernstein", empirical_bernstein_upper_limit},
                                          {"Chernoff", empirical_chernoff_upper_limit}};

TEST(MeanVsSimulation, LimitsHoldForErrors) {
  std::vector<Named> limits = limits_of_a_mean;
  limits.push_back({"Clopper-Pearson", clopper_pearson_of_mean});
  for (const Named& one : limits) {
    for (const double p : {0.02, 0.1, 0.5, 0.9}) {
      for (const double delta : {0.3, 0.05}) {
        EXPECT_LE(share_of_failures(one.limit, coin(p), p, 40, delta), highest_share(delta))
            << one.name << ", " << p << ", " << delta;
      }
    }
  }
}

TEST(MeanVsSimulation, LimitsHoldForSoftLosses) {
  // The mean of two uniforms, a soft loss of which most are small, and one that is 0, 1/2 or 1.
  const std::vector<std::pair<Draw, double>> losses{
      {[](core::RandomStream& random) { return (random.uniform() + random.uniform()) / 2; }, 0.5},
      {[](core::RandomStream& random) { return std::pow(random.uniform(), 9); }, 0.1},
      {[](core::RandomStream& random) { return static_cast<double>(random.below(3)) / 2; }, 0.5}};
  for (const Named& one : limits_of_a_mean) {
    for (std::size_t i = 0; i < losses.size(); ++i) {
      for (const double delta : {0.3, 0.05}) {
        EXPECT_LE(share_of_failures(one.limit, losses[i].first, losses[i].second, 30, delta), highest_share(delta))
            << one.name << ", loss " << i << ", " << delta;
      }
    }
  }
}

TEST(MeanVsSimulation, WouldNoticeALimitThatIsTooLow) {
  // Clopper-Pearson is nearly exact for coins: a limit with twice the delta fails. The others are looser.
  const Limit bold = [](double mean, double m, double delta) { return clopper_pearson_of_mean(mean, m, 2 * delta); };
  EXPECT_GT(share_of_failures(bold, coin(0.5), 0.5, 40, 0.05), highest_share(0.05));
  for (const Named& one : limits_of_a_mean) {
    const double part = one.name == "Hoeffding" ? 0.5 : 0.25;
    const Limit near = [&](double mean, double m, double delta) {
      return mean + part * (one.limit(mean, m, delta) - mean);
    };
    EXPECT_GT(share_of_failures(near, coin(0.5), 0.5, 40, 0.05), highest_share(0.05)) << one.name;
  }
}

}  // namespace
}  // namespace credence::bounds
