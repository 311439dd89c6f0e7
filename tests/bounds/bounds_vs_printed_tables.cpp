#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"

/// Figures that Anguita et al. (2012) print, in percent at delta = 0.05, and values computed with other software.
namespace credence::bounds {
namespace bounds_vs_printed_tables_tests {

constexpr double delta = 0.05;
constexpr double printed = 0.5001e-2;  ///< half of the last printed digit, in percent
constexpr std::array<std::size_t, 13> rows_of_tables{10, 20, 40, 60, 80, 100, 120, 150, 170, 200, 250, 300, 400};

double tenth(std::size_t n) {
  return static_cast<double>(n) / 10;
}

TEST(BoundsVsOtherSoftware, ComplexityTerms) {
  EXPECT_NEAR(complexity_deviation(28, delta), 0.7699711855, 1e-9);
  EXPECT_NEAR(complexity_deviation(280, delta), 0.2434862679, 1e-9);
  EXPECT_NEAR(complexity_deviation(40, delta), 0.6442041125, 1e-9);
  EXPECT_NEAR(complexity_deviation(400, delta), 0.2037152274, 1e-9);
  EXPECT_NEAR(complexity_deviation_of_trials(40, 100, delta), 0.8217647481, 1e-9);
  EXPECT_NEAR(complexity_deviation_of_trials(400, 100, delta), 0.3576985708, 1e-9);
  EXPECT_NEAR(complexity_deviation_of_trials(400, 1000000, delta), 0.2160499368, 1e-9);
  EXPECT_NEAR(complexity_deviation_of_trials(10, 512, delta), 1.4021266039, 1e-9);
  EXPECT_NEAR(complexity_deviation_of_trials(10, 1024, delta), 1.3587678996, 1e-9);
  EXPECT_NEAR(complexity_deviation_of_trials(40, 1, delta), 2.1094796030, 1e-9);
}

TEST(BoundsVsOtherSoftware, BinomialUpperLimits) {
  EXPECT_NEAR(binomial_upper_limit(0, 4, delta), 0.5271291955, 1e-9);
  EXPECT_NEAR(binomial_upper_limit(1, 4, delta), 0.7513953743, 1e-9);
  EXPECT_NEAR(binomial_upper_limit(6, 40, delta), 0.2747445050, 1e-9);
  EXPECT_NEAR(binomial_upper_limit(0, 40, delta), 0.0721575245, 1e-9);
  EXPECT_NEAR(binomial_upper_limit(0, 3.4867844, delta), 0.5764855416, 1e-9);
  EXPECT_NEAR(binomial_upper_limit(1, 3.4867844, delta), 0.8074719399, 1e-9);
  EXPECT_NEAR(binomial_upper_limit(2, 3.6, delta), 0.9385076032, 1e-9);
  EXPECT_NEAR(binomial_upper_limit(27, 146.967644904, delta), 0.2443300861, 1e-9);
}

TEST(BoundsVsOtherSoftware, LimitsOfAMean) {
  EXPECT_NEAR(hoeffding_upper_limit(0, 2, delta), 0.7763932023, 1e-9);
  EXPECT_NEAR(hoeffding_upper_limit(0.1, 1, delta), 0.9749523734, 1e-9);
  EXPECT_NEAR(hoeffding_upper_limit(0.05, 4, delta), 0.6217901113, 1e-9);
  EXPECT_NEAR(hoeffding_upper_limit(0.0846, 2, delta), 0.8560931107, 1e-9);
  EXPECT_NEAR(hoeffding_upper_limit(0.01, 40, delta), 0.1035482158, 1e-9);
  EXPECT_NEAR(hoeffding_upper_limit(0.2, 40, delta), 0.3791479475, 1e-9);
  EXPECT_NEAR(hoeffding_upper_limit(0.5, 10, delta), 0.8356783164, 1e-9);
  EXPECT_NEAR(hoeffding_upper_limit(0.013, 146.967645, delta), 0.0502362800, 1e-9);
  EXPECT_EQ(hoeffding_upper_limit(1, 5, delta), 1);
  EXPECT_NEAR(empirical_bernstein_upper_limit(0, 40, delta), 0.2207021896, 1e-9);
  EXPECT_NEAR(empirical_bernstein_upper_limit(0.01, 40, delta), 0.2734338562, 1e-9);
  EXPECT_NEAR(empirical_bernstein_upper_limit(0.2, 1000, delta), 0.2429735541, 1e-9);
}

TEST(BoundsVsOtherSoftware, RowsOutOfBag) {
  EXPECT_NEAR(expected_out_of_bag(10), 3.4867844010, 1e-9);
  EXPECT_NEAR(expected_out_of_bag(40), 14.5292975955, 1e-9);
  EXPECT_NEAR(expected_out_of_bag(400), 146.9676449043, 1e-9);
}

TEST(BoundsVsOtherSoftware, Floors) {
  const std::vector<std::pair<std::size_t, double>> rademacher{
      {2, 0.5},          {3, 0.5},           {4, 0.375},         {6, 0.3125},         {10, 0.24609375},
      {20, 0.176197052}, {28, 0.1494459808}, {40, 0.1253706876}, {100, 0.0795892374}, {400, 0.039869302}};
  for (const auto& [n, floor] : rademacher) EXPECT_NEAR(rademacher_floor(n), floor, 1e-9) << n;
  const std::vector<std::pair<std::size_t, double>> discrepancy{
      {4, 0.3333333333},   {6, 0.4},           {10, 0.2857142857}, {20, 0.1718591007}, {40, 0.1238144327},
      {100, 0.0791923306}, {400, 0.0398194968}};
  for (const auto& [n, floor] : discrepancy) EXPECT_NEAR(discrepancy_floor(n), floor, 1e-9) << n;
}

TEST(BoundsVsPrintedTables, SeventhKFold) {
  const std::array<double, 13> table{95.00, 77.64, 52.71, 39.30, 31.23, 25.89, 22.09,
                                     18.10, 16.16, 13.91, 11.29, 9.50,  7.22};
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_NEAR(100 * binomial_upper_limit(0, tenth(rows_of_tables[i]), delta), table[i], printed) << i;
}

TEST(BoundsVsPrintedTables, SeventhBootstrap) {
  const std::array<double, 13> table{57.65, 34.15, 18.63, 12.79, 9.74, 7.86, 6.59, 5.30, 4.69, 4.00, 3.21, 2.68, 2.02};
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_NEAR(100 * binomial_upper_limit(0, expected_out_of_bag(rows_of_tables[i]), delta), table[i], printed) << i;
}

TEST(BoundsVsPrintedTables, EighthKFold) {
  const std::array<int, 13> errors{0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6};
  const std::array<double, 13> table{95.00, 77.64, 75.14, 58.18, 59.97, 50.69, 43.81,
                                     43.98, 39.56, 34.37, 32.96, 31.90, 27.47};
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_NEAR(100 * binomial_upper_limit(errors[i], tenth(rows_of_tables[i]), delta), table[i], printed) << i;
}

TEST(BoundsVsPrintedTables, EighthBootstrap) {
  // The number of errors is the rounded product of the size and the error of Table IV.
  const std::array<double, 13> error{35.3, 29.4, 26.0, 24.4, 23.5, 23.4, 22.3, 21.5, 21.1, 20.8, 19.7, 19.0, 18.2};
  const std::array<double, 13> table{80.75, 64.80, 52.41, 42.17, 40.29, 38.98, 35.52,
                                     32.94, 31.09, 29.71, 27.68, 26.27, 24.43};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double m = expected_out_of_bag(rows_of_tables[i]);
    EXPECT_NEAR(100 * binomial_upper_limit(std::round(m * error[i] / 100), m, delta), table[i], printed) << i;
  }
}

TEST(BoundsVsPrintedTables, Thirteenth) {
  const std::array<std::size_t, 13> rows{72, 36, 36, 48, 56, 32, 56, 52, 52, 156, 80, 80, 60};
  const std::array<int, 13> errors_of_folds{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
  const std::array<double, 13> folds{34.04, 56.49, 56.49, 46.43, 41.43, 60.79, 41.43,
                                     43.79, 43.79, 17.47, 31.23, 47.07, 39.30};
  const std::array<int, 13> errors_of_bootstrap{2, 0, 3, 3, 1, 2, 1, 1, 1, 3, 0, 2, 1};
  const std::array<double, 13> bootstrap{22.05, 20.50, 49.29, 38.65, 21.21, 45.08, 21.21,
                                         22.70, 22.70, 13.00, 9.74,  20.00, 19.91};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(100 * binomial_upper_limit(errors_of_folds[i], tenth(rows[i]), delta), folds[i], printed) << i;
    EXPECT_NEAR(100 * binomial_upper_limit(errors_of_bootstrap[i], expected_out_of_bag(rows[i]), delta), bootstrap[i],
                printed)
        << i;
  }
}

TEST(BoundsVsPrintedTables, FifthWithAHintIsTheDeviationAlone) {
  // Of the 70 % of the rows that are not used for the hint. The table has one digit, rounded twice: half up to two
  // digits, then to one.
  const std::array<double, 11> table{77.0, 62.9, 54.5, 48.7, 44.5, 39.8, 37.4, 34.4, 30.8, 28.1, 24.4};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double value = 100 * complexity_deviation(rows_of_tables[i + 2] * 7 / 10, delta);
    const double twice = std::round(10 * (std::round(100 * value) / 100) + 1e-9) / 10;
    EXPECT_NEAR(twice, table[i], 1e-9) << value;
  }
  EXPECT_GT(complexity_deviation(7, delta), 1);  // "-" in the table
  EXPECT_GT(complexity_deviation(14, delta), 1);
}

}  // namespace bounds_vs_printed_tables_tests
}  // namespace credence::bounds
