#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "credence/core/random.hpp"
#include "helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace quantiles_see_ranks_tests {

using test::Command;
using test::CommandResult;
using test::Table;
using test::with;

/// Whole numbers from 1 to 6, each in all folds, and what `bend` makes of them, which keeps their order.
std::string numbers_csv(int rows, double (*bend)(double)) {
  core::RandomStream random(8, 1);
  std::ostringstream text;
  text.precision(17);
  text << "a,b,c,label\n";
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) {
      const double number = 1 + static_cast<double>(random.below(6));
      sum += number;
      text << bend(number) << ',';
    }
    text << (sum + random.normal() > 10.5 ? "high" : "low") << '\n';
  }
  return text.str();
}

double plain(double number) {
  return number;
}
double bent(double number) {
  return std::pow(number, 5) - 40;
}

/// The scaling is by ranks alone: columns that keep their order have the same models and predictions to the last bit.
class QuantilesSeeRanks : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(QuantilesSeeRanks, PredictionsOfBentColumnsAreThoseOfPlainOnes) {
  const Command command;
  std::vector<std::vector<std::map<std::string, std::string>>> predictions;
  for (const auto& [name, bend] : {std::pair{"plain.csv", &plain}, std::pair{"bent.csv", &bent}}) {
    command.folder().write(name, numbers_csv(120, bend));
    std::vector<std::string> arguments = GetParam();
    arguments.insert(arguments.begin() + (arguments.front() == "conformal" ? 2 : 1), name);
    const CommandResult fitted = command.run(with(arguments, {"--scale", "quantile", "-o", "m", "--quiet"}));
    ASSERT_EQ(fitted.code, 0) << fitted.err;
    const CommandResult predicted = command.run({"predict", "m", name});
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    Table table(predicted.out);
    for (auto& row : table.rows) row.erase("familiarity");  // by the standard scaling
    predictions.push_back(table.rows);
  }
  EXPECT_EQ(predictions[0].size(), 120U);
  EXPECT_EQ(predictions[0], predictions[1]);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, QuantilesSeeRanks,
    testing::Values(std::vector<std::string>{"train", "--C", "4", "--gamma", "0.1"},
                    std::vector<std::string>{"train", "--model", "rvm", "--sigma", "1"},
                    std::vector<std::string>{"select", "--C", "1,8", "--gamma", "median*0.5,scale"},
                    std::vector<std::string>{"select", "--rule", "average", "--C", "1,8", "--gamma",
                                             "median*2^-2:median*1:x2"},
                    std::vector<std::string>{"select", "--model", "knn", "--method", "max-margin"},
                    std::vector<std::string>{"select", "--model", "rvm", "--sigma", "1,2"},
                    std::vector<std::string>{"conformal", "fit", "--apart", "0.5"},
                    std::vector<std::string>{"conformal", "fit", "--measure", "margin", "--mode", "inductive"}));

TEST(Quantiles, SparseRowsAreRefusedInASentence) {
  const Command command;
  command.folder().write("rows.svm", "1 1:2\n2 2:1\n1 1:1 2:3\n2 1:4\n");
  const CommandResult result = command.run({"train", "rows.svm", "--scale", "quantile", "-o", "m"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "credence: rows.svm: sparse rows know only the scalings standard, minmax and none\n");
}

}  // namespace quantiles_see_ranks_tests
}  // namespace credence
