#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "credence/model/sigmoid.hpp"
#include "support/naive_calibration.hpp"
#include "support/python.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace calibrators_vs_scikit_learn_tests {

using nlohmann::json;
using test::Labelled;

struct Problem {
  Labelled rows;
  std::vector<double> queries;
};

std::vector<Problem> problems() {
  std::vector<Problem> list;
  for (const std::size_t n : {12U, 200U, 3000U}) {
    for (const double slope : {0.3, 1.5, 6.0}) {
      Problem& problem = list.emplace_back(Problem{test::random_margins(n, n, n < 100 ? 2 : 50, slope), {}});
      for (double f = -5; f <= 5; f += 0.173) problem.queries.push_back(f);
      for (std::size_t i = 0; i < 10; ++i) problem.queries.push_back(problem.rows.margins[i]);
    }
  }
  return list;
}

TEST(CalibratorsVsScikitLearn, SigmoidAndIsotonic) {
  const std::string python = test::python_with("sklearn");
  if (python.empty()) GTEST_SKIP() << "no Python with scikit-learn";
  json document = json::array();
  const std::vector<Problem> all = problems();
  for (const Problem& problem : all) {
    document.push_back(
        {{"margins", problem.rows.margins}, {"labels", problem.rows.labels}, {"queries", problem.queries}});
  }
  const test::TemporaryFolder folder;
  const std::string path = folder.write("problem.json", document.dump());
  const std::string script = std::string(CREDENCE_SOURCE_DIR) + "/tests/model/calibrators.py";
  const std::string line = "'" + python + "' '" + script + "' '" + path + "' '" + folder.file("result.json") + "'";
  ASSERT_EQ(std::system(line.c_str()), 0);
  std::ifstream file(folder.file("result.json"));
  const json result = json::parse(file);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Labelled& rows = all[k].rows;
    const model::Sigmoid sigmoid = model::fit_sigmoid(rows.margins, rows.labels);
    const model::Isotonic isotonic(rows.margins, rows.labels);
    for (std::size_t q = 0; q < all[k].queries.size(); ++q) {
      // scikit-learn stops its search of a and b early.
      EXPECT_NEAR(sigmoid(all[k].queries[q]), result[k]["sigmoid"][q].get<double>(), 2e-3) << k;
      EXPECT_NEAR(isotonic(all[k].queries[q]), result[k]["isotonic"][q].get<double>(), 1e-12) << k;
    }
  }
}

/// The minimum of the likelihood in long double, by Newton's method from the solution on.
TEST(SigmoidVsMinimiser, ParametersAreThoseOfTheMinimum) {
  for (const Problem& problem : problems()) {
    const Labelled& rows = problem.rows;
    const model::Sigmoid found = model::fit_sigmoid(rows.margins, rows.labels);
    const long double ones = static_cast<long double>(std::ranges::count(rows.labels, 1));
    const long double zeros = static_cast<long double>(rows.labels.size()) - ones;
    long double a = static_cast<long double>(found.a);
    long double b = static_cast<long double>(found.b);
    for (int step = 0; step < 20; ++step) {
      long double ga = 0, gb = 0, haa = 0, hab = 0, hbb = 0;
      for (std::size_t i = 0; i < rows.margins.size(); ++i) {
        const long double f = static_cast<long double>(rows.margins[i]);
        const long double target = rows.labels[i] == 1 ? (ones + 1) / (ones + 2) : 1 / (zeros + 2);
        const long double p = 1 / (1 + std::exp(a * f + b));
        ga += f * (target - p);
        gb += target - p;
        haa += f * f * p * (1 - p);
        hab += f * p * (1 - p);
        hbb += p * (1 - p);
      }
      const long double determinant = haa * hbb - hab * hab;
      a -= (hbb * ga - hab * gb) / determinant;
      b -= (haa * gb - hab * ga) / determinant;
    }
    EXPECT_NEAR(found.a, static_cast<double>(a), 1e-5);
    EXPECT_NEAR(found.b, static_cast<double>(b), 1e-5);
  }
}

}  // namespace calibrators_vs_scikit_learn_tests
}  // namespace credence
