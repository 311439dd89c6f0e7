#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/kernel/kernel.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/repeated_rows.hpp"

namespace gamma_and_names_tests {

using namespace credence;
using kernel::GammaRule;
using kernel::KernelType;
using test::expect_error;

double resolved(const char* text, KernelType type, const data::Features& features) {
  return kernel::resolve_gamma(kernel::parse_gamma(text), type, features);
}

TEST(Gamma, ScaleIsOneOverColumnsTimesVariance) {
  for (const auto& [n, d] : std::vector<std::pair<std::size_t, std::size_t>>{{2, 1}, {7, 3}, {40, 17}}) {
    const data::DenseMatrix x = test::random_matrix(n, d, n, 3.0, 5.0);
    double mean = 0;
    for (const double value : x.values) mean += value / static_cast<double>(x.values.size());
    double variance = 0;
    for (const double value : x.values)
      variance += (value - mean) * (value - mean) / static_cast<double>(x.values.size());
    const double expected = 1 / (static_cast<double>(d) * variance);
    EXPECT_NEAR(resolved("scale", KernelType::rbf, x) / expected, 1, 1e-10);
    EXPECT_NEAR(resolved("scale", KernelType::polynomial, test::sparse_of(x)) / expected, 1, 1e-10);
  }
}

TEST(Gamma, ScaleOfTheLaplacianIsOneOverColumnsTimesDeviation) {
  data::DenseMatrix x = test::random_matrix(40, 17, 1, 3.0, 5.0);
  const double rbf = resolved("scale", KernelType::rbf, x);
  const double laplacian = resolved("scale", KernelType::laplacian, x);
  EXPECT_NEAR(laplacian * laplacian / rbf, 1.0 / 17, 1e-12);
  for (double& value : x.values) value *= 1024;  // other units: distances grow as gamma shrinks
  EXPECT_DOUBLE_EQ(resolved("scale", KernelType::laplacian, x) * 1024, laplacian);
}

TEST(Gamma, ScaleCountsTheZerosOfSparseData) {
  const data::DenseMatrix x = test::random_thin_matrix(30, 5, 4);
  EXPECT_NEAR(resolved("scale", KernelType::rbf, test::sparse_of(x)) / resolved("scale", KernelType::rbf, x), 1, 1e-10);
}

TEST(Gamma, AutoIsOneOverColumns) {
  EXPECT_DOUBLE_EQ(resolved("auto", KernelType::rbf, test::random_matrix(4, 5, 1)), 0.2);
}

TEST(Gamma, MedianOfDistances) {
  for (const std::size_t n : {2U, 3U, 6U, 7U, 22U}) {  // an odd number of pairs: the median is one of them
    const data::DenseMatrix x = test::random_matrix(n, 4, n);
    std::vector<double> euclidean;
    std::vector<double> manhattan;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        double two = 0;
        double one = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          two += std::pow(x.row(i)[k] - x.row(j)[k], 2);
          one += std::abs(x.row(i)[k] - x.row(j)[k]);
        }
        euclidean.push_back(std::sqrt(two));
        manhattan.push_back(one);
      }
    }
    std::sort(euclidean.begin(), euclidean.end());
    std::sort(manhattan.begin(), manhattan.end());
    const std::size_t middle = euclidean.size() / 2;
    EXPECT_NEAR(resolved("median", KernelType::rbf, x) * euclidean[middle] * euclidean[middle], 1, 1e-5) << n;
    EXPECT_NEAR(resolved("median", KernelType::laplacian, x) * manhattan[middle], 1, 1e-5) << n;
    EXPECT_NEAR(resolved("median", KernelType::rbf, test::sparse_of(x)) * euclidean[middle] * euclidean[middle], 1,
                1e-5);
  }
}

TEST(Gamma, MultiplesOfTheMedianVsThePlainOne) {
  const data::DenseMatrix x = test::random_matrix(40, 3, 7);
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    const auto rules = kernel::parse_gammas("median*2^-5,0.3,median,scale,median*3,auto");
    const std::vector<double> found = kernel::resolve_gammas(rules, type, x);
    ASSERT_EQ(found.size(), rules.size());
    for (std::size_t k = 0; k < rules.size(); ++k) EXPECT_EQ(found[k], kernel::resolve_gamma(rules[k], type, x)) << k;
    EXPECT_EQ(found[0], found[2] / 32);
    EXPECT_NEAR(found[4] / found[2], 3, 1e-15);
    EXPECT_EQ(found[2], resolved("median", type, x));
  }
}

TEST(Gamma, MedianOfManyRowsIsThatOfASample) {
  // A standard normal in d dimensions has squared distances 2 chi^2_d, with median about 2 d (1 - 2/(9d))^3.
  const std::size_t d = 10;
  const data::DenseMatrix x = test::random_matrix(3500, d, 5);
  const double median = 2.0 * static_cast<double>(d) * std::pow(1 - 2.0 / 90, 3);
  EXPECT_NEAR(resolved("median", KernelType::rbf, x) * median, 1, 0.03);
}

TEST(Gamma, MedianSampleSpansAllRows) {
  // The first thousand rows are one point; evenly spaced rows see the others.
  data::DenseMatrix x = test::random_matrix(4000, 2, 5);
  for (std::size_t i = 0; i < 1000; ++i) x.row(i)[0] = x.row(i)[1] = 0;
  const double gamma = resolved("median", KernelType::rbf, x);
  EXPECT_TRUE(std::isfinite(gamma));
  EXPECT_GT(gamma, 0.1);
  EXPECT_LT(gamma, 10);
}

TEST(Gamma, ConstantDataHaveNone) {
  data::DenseMatrix x(6, 3);
  std::fill(x.values.begin(), x.values.end(), 2.5);
  expect_error(ErrorCode::invalid_data, "", [&] { resolved("scale", KernelType::rbf, x); });
  expect_error(ErrorCode::invalid_data, "", [&] { resolved("median", KernelType::rbf, x); });
  expect_error(ErrorCode::invalid_data, "", [&] { resolved("median", KernelType::laplacian, x); });
  EXPECT_DOUBLE_EQ(resolved("0.5", KernelType::rbf, x), 0.5);
}

TEST(Gamma, MedianZeroIsRefused) {
  data::DenseMatrix x(6, 1);  // ten of fifteen pairs have distance zero
  x.row(5)[0] = 1;
  expect_error(ErrorCode::invalid_data, "median", [&] { resolved("median", KernelType::rbf, x); });
}

TEST(Gamma, WeightsVsRepeatedRows) {
  for (const std::size_t n : {2U, 5U, 30U, 300U, 1200U}) {  // the last two have more than 1,000 copies
    for (const std::uint64_t most : {2U, 7U}) {
      data::Dataset dataset = data::make_dataset(test::random_matrix(n, 3, n), {});
      dataset.weights = test::random_counts(n, most, n);
      const data::Features copies = test::repeated(dataset).features;
      for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
        for (const char* text : {"scale", "auto", "median"}) {
          const GammaRule rule = kernel::parse_gamma(text);
          const double weighted = kernel::resolve_gamma(rule, type, dataset.features, dataset.weights);
          EXPECT_NEAR(weighted / kernel::resolve_gamma(rule, type, copies), 1, 1e-10) << text << n;
        }
      }
    }
  }
}

TEST(Gamma, WeightsCountTheZerosOfSparseData) {
  const data::DenseMatrix x = test::random_thin_matrix(30, 5, 4);
  const std::vector<double> weights = test::random_counts(30, 5, 4);
  const GammaRule scale = kernel::parse_gamma("scale");
  const double dense = kernel::resolve_gamma(scale, KernelType::rbf, x, weights);
  EXPECT_NEAR(kernel::resolve_gamma(scale, KernelType::rbf, test::sparse_of(x), weights) / dense, 1, 1e-10);
}

TEST(Gamma, SmallWeightsOfManyRowsTakeASampleToo) {
  const data::DenseMatrix x = test::random_matrix(3000, 4, 6);
  const GammaRule median = kernel::parse_gamma("median");
  const double plain = kernel::resolve_gamma(median, KernelType::rbf, x);
  EXPECT_NEAR(kernel::resolve_gamma(median, KernelType::rbf, x, std::vector<double>(3000, 0.125)) / plain, 1, 1e-10);
}

TEST(ParseGamma, NumbersAndWords) {
  EXPECT_EQ(kernel::parse_gamma("0.25").kind, GammaRule::Kind::value);
  EXPECT_DOUBLE_EQ(kernel::parse_gamma("0.25").value, 0.25);
  EXPECT_DOUBLE_EQ(kernel::parse_gamma("1e-3").value, 1e-3);
  EXPECT_EQ(kernel::parse_gamma("scale").kind, GammaRule::Kind::scale);
  EXPECT_EQ(kernel::parse_gamma("auto").kind, GammaRule::Kind::automatic);
  EXPECT_EQ(kernel::parse_gamma("median").kind, GammaRule::Kind::median);
}

TEST(ParseGamma, RefusesTheRest) {
  for (const char* text : {"", "0", "-1", "nan", "inf", "1x", "scales", "0.1 0.2", "--1", "median*", "median*0",
                           "median*-1", "median*x", "median2", "scale*2"})
    expect_error(ErrorCode::invalid_argument, "", [&] { kernel::parse_gamma(text); });
}

TEST(GammaList, NumbersAndWords) {
  const auto numbers = kernel::parse_gammas("0.1:10:x10");
  ASSERT_EQ(numbers.size(), 3U);
  for (const auto& rule : numbers) EXPECT_EQ(rule.kind, GammaRule::Kind::value);
  EXPECT_NEAR(numbers[2].value, 10, 1e-12);
  const auto words = kernel::parse_gammas("scale,auto,median");
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0].kind, GammaRule::Kind::scale);
  EXPECT_EQ(words[1].kind, GammaRule::Kind::automatic);
  EXPECT_EQ(words[2].kind, GammaRule::Kind::median);
  EXPECT_EQ(kernel::parse_gammas("median").front().kind, GammaRule::Kind::median);
  for (const char* text : {"", "medium", "scale,", "1:2", "median*1:8:x2", "1:median*8:x2", "scale*1:scale*8:x2"})
    expect_error(ErrorCode::invalid_argument, "", [&] { kernel::parse_gammas(text); });
}

TEST(GammaList, MultiplesOfTheMedianAndTheirRange) {
  const auto range = kernel::parse_gammas("median*2^-5:median*2^3:x4");
  ASSERT_EQ(range.size(), 5U);
  for (std::size_t k = 0; k < range.size(); ++k) {
    EXPECT_EQ(range[k].kind, GammaRule::Kind::median);
    EXPECT_EQ(range[k].value, std::pow(2, 2 * static_cast<double>(k) - 5));
  }
  const auto list = kernel::parse_gammas("0.25,median,median*0.5,median*2^1.5");
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].kind, GammaRule::Kind::value);
  EXPECT_EQ(list[1].value, 1);
  EXPECT_EQ(list[2].value, 0.5);
  EXPECT_EQ(list[3].value, std::pow(2, 1.5));
  using Rule = core::Conversion<GammaRule>;
  EXPECT_EQ(core::text_of(Rule::to(list[1])), "median");
  EXPECT_EQ(core::text_of(Rule::to(list[2])), "median*0.5");
  for (const GammaRule& rule : list) {
    EXPECT_EQ(Rule::from(Rule::to(rule)).kind, rule.kind);
    EXPECT_EQ(Rule::from(Rule::to(rule)).value, rule.value);
  }
}

TEST(KernelType, NamesRoundTrip) {
  for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::polynomial, KernelType::sigmoid,
                                KernelType::laplacian, KernelType::precomputed}) {
    EXPECT_EQ(kernel::parse_kernel_type(kernel::name(type)), type);
  }
  EXPECT_EQ(kernel::parse_kernel_type("poly"), KernelType::polynomial);
  EXPECT_EQ(kernel::name(KernelType::rbf), "rbf");
}

TEST(KernelType, UnknownNameIsToldWhatIsAllowed) {
  for (const char* text : {"", "RBF ", "gaussian", "lin"})
    expect_error(ErrorCode::invalid_argument, "laplacian", [&] { kernel::parse_kernel_type(text); });
}

TEST(Kernel, ValidateNamesAllProblems) {
  EXPECT_TRUE(kernel::Kernel{}.validate().empty());
  EXPECT_TRUE((kernel::Kernel{.type = KernelType::linear}.validate().empty()));
  EXPECT_EQ((kernel::Kernel{.type = KernelType::rbf, .gamma = 0}.validate().size()), 1U);
  EXPECT_EQ((kernel::Kernel{.type = KernelType::rbf, .gamma = std::nan("")}.validate().size()), 1U);
  const kernel::Kernel bad{.type = KernelType::polynomial, .gamma = -1, .coef0 = std::nan(""), .degree = 0};
  EXPECT_EQ(bad.validate().size(), 3U);
}

}  // namespace gamma_and_names_tests
