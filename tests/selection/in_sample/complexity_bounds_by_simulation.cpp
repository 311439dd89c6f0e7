#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "credence/bounds/mean.hpp"
#include "support/ivanov_problems.hpp"

// On distributions of a few places everything is known: expected losses by a sum, minima exactly, complexities over all
// label vectors or half splits, each computed once for each multiset of rows. Deviations are large at such n, so beside
// the bounds themselves the inequalities between expectations are tested that they rest on: nothing is spare there.
namespace complexity_bounds_by_simulation_tests {

using namespace credence;

struct World {
  std::string name;
  data::DenseMatrix places;
  std::vector<double> share;     ///< of each place
  std::vector<double> positive;  ///< share of label +1 there
  std::size_t n = 8;             ///< rows of a sample

  std::size_t settings() const { return 2 * share.size(); }
  /// Setting 2 p + 1 is place p with label +1, setting 2 p with -1.
  double probability(std::size_t setting) const {
    const double plus = positive[setting / 2];
    return share[setting / 2] * (setting % 2 == 1 ? plus : 1 - plus);
  }
};

const World noise{"noise on a line", test::points(1, {-1, 0.5, 2}), {0.4, 0.35, 0.25}, {0.5, 0.5, 0.5}};
const World line{"a noisy line", test::points(1, {-1, 0.5, 2}), {0.3, 0.4, 0.3}, {0.1, 0.7, 0.9}};
const World plane{
    "noisy corners", test::points(2, {0, 0, 1, 0, 0, 1, 1, 1}), {0.25, 0.25, 0.3, 0.2}, {0.2, 0.8, 0.7, 0.3}, 6};

using Counts = std::vector<std::size_t>;  ///< rows in each setting

struct Trained {
  double loss = 0;      ///< mean soft loss of the sample
  double expected = 0;  ///< soft loss to expect
};

double ways(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
  return result;
}

/// Calls each(parts) for all parts[c] <= most[c] that sum to `sum`.
void for_all_parts(const Counts& most, std::size_t sum, const std::function<void(const Counts&)>& each) {
  Counts parts(most.size(), 0);
  const std::function<void(std::size_t, std::size_t)> fill = [&](std::size_t c, std::size_t left) {
    if (c + 1 == most.size()) {
      parts[c] = left;
      if (left <= most[c]) each(parts);
      return;
    }
    for (parts[c] = 0; parts[c] <= std::min(most[c], left); ++parts[c]) fill(c + 1, left - parts[c]);
  };
  fill(0, sum);
}

/// One class F_rho on one distribution.
class Class {
 public:
  Class(const World& world, double rho) : world_(world), rho_(rho) {}

  const Trained& trained(const Counts& counts) {
    const auto known = trained_.find(counts);
    return known != trained_.end() ? known->second : trained_.emplace(counts, train(counts)).first->second;
  }

  /// Mean of 1 - 2 min over all label vectors for the places drawn.
  double rademacher(const Counts& counts) {
    Counts at_place(world_.share.size());
    for (std::size_t c = 0; c < counts.size(); ++c) at_place[c / 2] += counts[c];
    const auto known = rademacher_.find(at_place);
    if (known != rademacher_.end()) return known->second;
    double sum = 0;
    for (std::size_t ups = 0; ups <= world_.n; ++ups) {
      for_all_parts(at_place, ups, [&](const Counts& up) {
        Counts labelled(counts.size());
        double weight = std::pow(0.5, static_cast<double>(world_.n));
        for (std::size_t p = 0; p < up.size(); ++p) {
          labelled[2 * p] = at_place[p] - up[p];
          labelled[2 * p + 1] = up[p];
          weight *= ways(at_place[p], up[p]);
        }
        sum += weight * (1 - 2 * trained(labelled).loss);
      });
    }
    return rademacher_[at_place] = sum;
  }

  /// Mean of 1 - 2 min over all ways to flip half of the labels.
  double discrepancy(const Counts& counts) {
    const auto known = discrepancy_.find(counts);
    if (known != discrepancy_.end()) return known->second;
    double sum = 0;
    for_all_parts(counts, world_.n / 2, [&](const Counts& flip) {
      Counts labelled(counts.size());
      double weight = 1 / ways(world_.n, world_.n / 2);
      for (std::size_t c = 0; c < counts.size(); ++c) {
        labelled[c] += counts[c] - flip[c];
        labelled[c ^ 1U] += flip[c];
        weight *= ways(counts[c], flip[c]);
      }
      sum += weight * (1 - 2 * trained(labelled).loss);
    });
    return discrepancy_[counts] = sum;
  }

  /// sup over the class of the expected loss minus that of the sample, from settings in the primal.
  double supremum(const Counts& counts) const {
    test::PrimalProblem problem{data::DenseMatrix(world_.settings(), world_.places.columns), {}, {}, rho_};
    for (std::size_t c = 0; c < world_.settings(); ++c) {
      std::copy(world_.places.row(c / 2).begin(), world_.places.row(c / 2).end(), problem.x.row(c).begin());
      problem.y.push_back(c % 2 == 1 ? 1 : -1);
      const double seen = static_cast<double>(counts[c]) / static_cast<double>(world_.n);
      problem.weights.push_back((seen - world_.probability(c)) / 2);
    }
    return -problem.minimum().value;
  }

 private:
  Trained train(const Counts& counts) const {
    test::IvanovProblem problem;
    data::DenseMatrix x(world_.n, world_.places.columns);
    for (std::size_t c = 0; c < counts.size(); ++c) {
      for (std::size_t k = 0; k < counts[c]; ++k) {
        const auto place = world_.places.row(c / 2);
        std::copy(place.begin(), place.end(), x.row(problem.y.size()).begin());
        problem.y.push_back(c % 2 == 1 ? 1 : -1);
      }
    }
    problem.k = test::products(x);
    svm::IvanovOptions options;
    options.norm_tolerance = 1e-6;
    options.solver.tolerance = 1e-8;
    const svm::IvanovSolution found = problem.exact(rho_, options);
    Trained result{found.loss, 0};
    for (std::size_t c = 0; c < world_.settings(); ++c) {
      double f = found.bias;
      for (std::size_t i = 0; i < world_.n; ++i)
        for (std::size_t j = 0; j < x.columns; ++j) f += found.beta[i] * x.row(i)[j] * world_.places.row(c / 2)[j];
      result.expected += world_.probability(c) * svm::soft_loss(c % 2 == 1 ? f : -f);
    }
    return result;
  }

  const World& world_;
  double rho_;
  std::map<Counts, Trained> trained_;
  std::map<Counts, double> rademacher_;
  std::map<Counts, double> discrepancy_;
};

constexpr std::size_t draws = 2000;

Counts draw(const World& world, std::uint64_t seed) {
  core::RandomStream random(seed, 114);
  Counts counts(world.settings());
  for (std::size_t i = 0; i < world.n; ++i) {
    double u = random.uniform();
    std::size_t setting = 0;
    while (setting + 1 < world.settings() && u >= world.probability(setting)) u -= world.probability(setting++);
    ++counts[setting];
  }
  return counts;
}

/// Share of draws in which the expected loss of the trained classifier is above its bound.
template <class Bound>
double violated(const World& world, Class& functions, Bound&& bound) {
  double count = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Counts counts = draw(world, seed);
    const Trained& trained = functions.trained(counts);
    count += trained.expected > trained.loss + bound(counts);
  }
  return count / static_cast<double>(draws);
}

class ComplexityBounds : public ::testing::TestWithParam<const World*> {
 protected:
  const World& world() const { return *GetParam(); }
};

TEST_P(ComplexityBounds, HoldForAClassChosenInAdvance) {
  for (const double rho : {0.05, 1.0, 9.0}) {
    Class functions(world(), rho);
    for (const double delta : {0.05, 0.3, 0.9}) {
      const double deviation = bounds::complexity_deviation(world().n, delta);
      EXPECT_LE(violated(world(), functions, [&](const Counts& c) { return functions.rademacher(c) + deviation; }),
                delta)
          << world().name << ", Rademacher, rho " << rho;
      EXPECT_LE(violated(world(), functions, [&](const Counts& c) { return functions.discrepancy(c) + deviation; }),
                delta)
          << world().name << ", discrepancy, rho " << rho;
    }
  }
}

/// Of several rhos the smallest bound, each bound with its part of delta.
TEST_P(ComplexityBounds, HoldForTheSelectedRho) {
  std::vector<Class> classes;
  for (const double rho : {0.05, 1.0, 9.0}) classes.emplace_back(world(), rho);
  for (const double delta : {0.05, 0.9}) {
    const double deviation = bounds::complexity_deviation(world().n, delta / static_cast<double>(classes.size()));
    double count = 0;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const Counts counts = draw(world(), seed);
      double least = std::numeric_limits<double>::infinity();
      double expected = 0;
      for (Class& functions : classes) {
        const Trained& trained = functions.trained(counts);
        const double bound = trained.loss + functions.rademacher(counts) + deviation;
        if (bound >= least) continue;
        least = bound;
        expected = trained.expected;
      }
      count += expected > least;
    }
    EXPECT_LE(count / static_cast<double>(draws), delta) << world().name;
  }
}

/// E sup (expected loss - loss of the sample) <= E R and <= E M, over all samples there are, with no chance in it.
/// In noise every expected loss is 1/2, and both are exactly twice it: no factor can be lost.
TEST_P(ComplexityBounds, ComplexitiesAreAboveTheLargestDeviationOnAverage) {
  for (const double rho : {0.05, 9.0}) {
    Class functions(world(), rho);
    double total = 0;
    double supremum = 0;
    double gap = 0;
    double rademacher = 0;
    double discrepancy = 0;
    for_all_parts(Counts(world().settings(), world().n), world().n, [&](const Counts& counts) {
      double probability = 1;
      std::size_t left = world().n;
      for (std::size_t c = 0; c < counts.size(); ++c) {
        probability *= ways(left, counts[c]) * std::pow(world().probability(c), static_cast<double>(counts[c]));
        left -= counts[c];
      }
      const double largest = functions.supremum(counts);
      const double own = functions.trained(counts).expected - functions.trained(counts).loss;
      EXPECT_LE(own, largest + 1e-5) << world().name;  // the supremum is one
      total += probability;
      supremum += probability * largest;
      gap += probability * own;
      rademacher += probability * functions.rademacher(counts);
      discrepancy += probability * functions.discrepancy(counts);
    });
    EXPECT_NEAR(total, 1, 1e-9);
    EXPECT_GT(gap, 0) << world().name << ", rho " << rho;
    EXPECT_LE(supremum, rademacher) << world().name << ", rho " << rho;
    EXPECT_LE(supremum, discrepancy) << world().name << ", rho " << rho;
    EXPECT_GT(supremum, 0.45 * rademacher) << world().name << ", rho " << rho;
    EXPECT_GT(supremum, 0.45 * discrepancy) << world().name << ", rho " << rho;
    if (GetParam() == &noise) {
      EXPECT_NEAR(supremum, rademacher / 2, 1e-5) << rho;
      EXPECT_NEAR(supremum, discrepancy / 2, 1e-5) << rho;
    }
  }
}

/// The simulation can tell: without the complexity and with a tenth of the deviation the bound fails far too often.
TEST_P(ComplexityBounds, FailWithoutTheComplexity) {
  Class functions(world(), 9);
  const double tenth = bounds::complexity_deviation(world().n, 0.05) / 10;
  EXPECT_GT(violated(world(), functions, [&](const Counts&) { return tenth; }), 2 * 0.05) << world().name;
  EXPECT_LE(violated(world(), functions, [&](const Counts& c) { return functions.rademacher(c) + tenth; }), 0.05)
      << world().name;
}

INSTANTIATE_TEST_SUITE_P(Worlds, ComplexityBounds, ::testing::Values(&noise, &line, &plane),
                         [](const auto& world) { return std::string(1, static_cast<char>('a' + world.index)); });

}  // namespace complexity_bounds_by_simulation_tests
