#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "credence/conformal/evaluation.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace credence::conformal {
namespace uniformity_vs_published_values_tests {

struct Published {
  std::size_t n;
  double d;
  double two_sided;
  double one_sided;
};

// SciPy 1.17: scipy.stats.kstwo.sf(d, n) and scipy.stats.ksone.sf(d, n); where kstwo approximates (n = 1,000, d = 0.02
// to 0.05) scipy.stats._ksstats._kolmogn_DMTW(n, d, cdf=False), which does not.
const std::vector<Published> exact_values{
    {1, 0.6, 0.8, 0.4},
    {1, 0.9, 0.2, 0.1},
    {2, 0.4, 0.82, 0.44},
    {2, 0.7, 0.18, 0.09},
    {5, 0.15, 0.9988, 0.7376490625},
    {5, 0.3, 0.664, 0.34282},
    {5, 0.45, 0.19399375, 0.097001875},
    {5, 0.7, 0.00556, 0.00278},
    {10, 0.06, 0.999999999962841, 0.898631262459838},
    {10, 0.274, 0.371520384543496, 0.186605069691484},
    {10, 0.40925, 0.049996452334259, 0.0249982509869492},
    {10, 0.5, 0.00777741, 0.003888705},
    {10, 0.8, 2.20799999999999e-07, 1.104e-07},
    {50, 0.05, 0.999023809846188, 0.754075120890144},
    {50, 0.1, 0.662311270465819, 0.34490701996888},
    {50, 0.2, 0.0314387777695324, 0.0157194274494056},
    {50, 0.27, 0.00103876659196811, 0.000519383295997768},
    {50, 0.4, 9.86356336441006e-08, 4.93178168220503e-08},
    {100, 0.04, 0.995307510717411, 0.707480642336499},
    {100, 0.09, 0.370632025586328, 0.186487024185509},
    {100, 0.15, 0.019839242125643, 0.00991962841330852},
    {100, 0.19, 0.00123399263827228, 0.000616996319206222},
    {100, 0.21, 0.000239473452146513, 0.000119736726073257},
    {100, 0.3, 1.77198698926629e-08, 8.85993494633146e-09},
    {1000, 0.012, 0.99844646686201, 0.743828685884585},
    {1000, 0.02, 0.81089713107021, 0.443424988439494},
    {1000, 0.035, 0.168484808023963, 0.0842925230631146},
    {1000, 0.05, 0.0130120713099827, 0.00650603739054517},
    {1000, 0.0632, 0.000647208937499834, 0.000323604468749917},
    {1000, 0.064, 0.000527575609506988, 0.000263787804753494},
    {1000, 0.1, 3.70368709681771e-09, 1.85184354840886e-09},
};

// The same calls, _kolmogn_DMTW up to n = 5,000 and d = 0.02.
const std::vector<Published> asymptotic_two_sided{
    {1001, 0.02, 0.810425392417009, 0.443070358021395},
    {1001, 0.04, 0.0790860305259, 0.0395454300776985},
    {1001, 0.06, 0.00141834073072675, 0.000709170365592138},
    {1001, 0.07, 0.000103917541106543, 5.19587705532713e-05},
    {5000, 0.008, 0.903590785118519, 0.524497844760375},
    {5000, 0.012, 0.463991218214979, 0.235044072073959},
    {5000, 0.02, 0.0361394134930643, 0.0180698129372227},
    {5000, 0.03, 0.000241592344226668, 0.000120796172113334},
    {100000, 0.002, 0.817840836308154, 0.448730736721388},
    {100000, 0.004, 0.0813014892022247, 0.0406534756940655},
    {100000, 0.006, 0.00148714893011316, 0.000743574465056578},
    {100000, 0.01, 4.09327802354925e-09, 2.04663901177463e-09},
};
const std::vector<Published> asymptotic_both{
    {200000, 0.001, 0.988150020885573, 0.669873553261135},
    {200000, 0.002, 0.399950853690381, 0.201627573539747},
    {200000, 0.004, 0.00331421282256026, 0.00165710641128013},
};

/// n numbers in [0, 1] with D+ = d, and D- <= d where d >= 1 / (2 n).
std::vector<double> with_statistic(std::size_t n, double d) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = std::max(0.0, static_cast<double>(i + 1) / static_cast<double>(n) - d);
  std::reverse(values.begin(), values.end());
  return values;
}

void expect_published(const std::vector<Published>& table, double one_sided_tolerance, double two_sided_tolerance) {
  for (const Published& published : table) {
    const std::vector<double> values = with_statistic(published.n, published.d);
    const UniformityTest one = test_dominates_uniform(values);
    const UniformityTest two = test_uniform(values);
    const std::string where = "n = " + std::to_string(published.n) + ", d = " + std::to_string(published.d);
    EXPECT_TRUE(one.one_sided && !two.one_sided);
    EXPECT_NEAR(one.statistic, published.d, 1e-14) << where;
    EXPECT_NEAR(two.statistic, published.d, 1e-14) << where;
    EXPECT_NEAR(one.p_value / published.one_sided, 1, one_sided_tolerance) << where;
    EXPECT_NEAR(two.p_value / published.two_sided, 1, two_sided_tolerance) << where;
  }
}

TEST(Uniformity, EqualsSciPyWhereItIsExact) {
  expect_published(exact_values, 1e-10, 1e-10);
}

TEST(Uniformity, BeyondAThousandIsWithinWhatTheHeaderSays) {
  expect_published(asymptotic_two_sided, 1e-9, 1e-5);
}

TEST(Uniformity, BeyondAHundredThousandIsWithinWhatTheHeaderSays) {
  expect_published(asymptotic_both, 1e-4, 1e-4);
}

TEST(Uniformity, EqualsThePrintedExampleOfMarsagliaTsangWang) {
  // Journal of Statistical Software 8(18), section 3: K(10, 0.274) = 0.628479615456504275298526691328.
  EXPECT_NEAR(1 - test_uniform(with_statistic(10, 0.274)).p_value, 0.628479615456504275, 1e-14);
}

TEST(Uniformity, StatisticsEqualTheirDefinition) {
  core::RandomStream random(5);
  for (const std::size_t n : {1U, 2U, 7U, 60U}) {
    std::vector<double> values(n);
    for (double& value : values) value = static_cast<double>(random.below(11)) / 10;
    double above = 0;
    double below = 0;
    for (const double u : values) {  // F_n(u) - u is largest at a number, u - F_n(u-) too
      const auto at_most = std::count_if(values.begin(), values.end(), [&](double v) { return v <= u; });
      const auto less = std::count_if(values.begin(), values.end(), [&](double v) { return v < u; });
      above = std::max(above, static_cast<double>(at_most) / static_cast<double>(n) - u);
      below = std::max(below, u - static_cast<double>(less) / static_cast<double>(n));
    }
    EXPECT_EQ(test_dominates_uniform(values).statistic, above);
    EXPECT_EQ(test_uniform(values).statistic, std::max(above, below));
  }
}

TEST(Uniformity, ExtremesAreCertainOrImpossible) {
  EXPECT_EQ(test_dominates_uniform(std::vector<double>{1, 1, 1}).p_value, 1);
  EXPECT_EQ(test_uniform(std::vector<double>{1, 1, 1}).p_value, 0);
  EXPECT_EQ(test_dominates_uniform(std::vector<double>{0, 0, 0}).p_value, 0);
  EXPECT_EQ(test_uniform(std::vector<double>{0, 0, 0}).p_value, 0);
  for (const std::size_t n : {1U, 4U, 1000U, 1001U, 3000U}) {  // the smallest D there is
    std::vector<double> even(n);
    for (std::size_t i = 0; i < n; ++i) even[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    EXPECT_NEAR(test_uniform(even).statistic, 0.5 / static_cast<double>(n), 1e-15);
    EXPECT_NEAR(test_uniform(even).p_value, 1, 1e-12) << n;
  }
}

TEST(Uniformity, PValuesOfUniformNumbersAreUniform) {
  core::RandomStream random(17);
  std::vector<double> two;
  std::vector<double> one;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> values(12);
    for (double& value : values) value = random.uniform();
    two.push_back(test_uniform(values).p_value);
    one.push_back(test_dominates_uniform(values).p_value);
  }
  EXPECT_GT(test_uniform(two).p_value, 0.01);
  EXPECT_GT(test_uniform(one).p_value, 0.01);
}

TEST(Uniformity, RefusesNothingAndNumbersOutside) {
  using test::expect_error;
  expect_error(ErrorCode::invalid_argument, "at least one", [] { test_uniform({}); });
  expect_error(ErrorCode::invalid_argument, "at least one", [] { test_dominates_uniform({}); });
  for (const double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> values{0.5, bad};
    expect_error(ErrorCode::invalid_argument, "number 1", [&] { test_uniform(values); });
    expect_error(ErrorCode::invalid_argument, "number 1", [&] { test_dominates_uniform(values); });
  }
}

}  // namespace uniformity_vs_published_values_tests
}  // namespace credence::conformal
