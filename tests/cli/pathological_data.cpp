#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/helpers.hpp"
#include "support/command.hpp"

// Data that break numbers: each command ends with what is right, or with one sentence and its exit code; nothing that
// is written holds a number that is not finite.
namespace credence {
namespace pathological_data_tests {

using test::Command;
using test::CommandResult;
using test::read_text;

/// n rows of two columns and a label, each written by `row`.
std::string csv(int n, const std::function<std::string(int, core::RandomStream&)>& row) {
  core::RandomStream random(31);
  std::string text = "x,y,label\n";
  for (int i = 0; i < n; ++i) text += row(i, random) + "\n";
  return text;
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

std::string turn(int i) {
  return i % 2 == 0 ? "a" : "b";
}

std::string scaled(double first, double second) {
  return csv(40, [=](int i, core::RandomStream& random) {
    return number(first * random.normal()) + "," + number(second * random.normal()) + "," + turn(i);
  });
}

/// A square matrix of `diagonal` and `other`, 25 rows of a and 15 of b.
std::string matrix_csv(const std::string& diagonal, const std::string& other) {
  std::string text;
  for (int j = 0; j < 40; ++j) text += "k" + std::to_string(j) + ",";
  text += "label\n";
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) text += (i == j ? diagonal : other) + ",";
    text += i < 25 ? "a\n" : "b\n";
  }
  return text;
}

void write_data(const Command& command) {
  const auto write = [&](const char* name, const std::string& text) { command.folder().write(name, text); };
  write("equal.csv", csv(40, [](int i, auto&) { return "1,2," + std::string(i < 25 ? "a" : "b"); }));
  write("huge.csv", scaled(1e300, 1e300));
  write("mixed.csv", scaled(1e300, 1e-300));
  write("far.csv", csv(40, [](int i, auto&) { return std::string(i % 3 == 0 ? "-" : "") + "1.7e308,0," + turn(i); }));
  write("tiny.csv", scaled(1e-300, 1e-300));
  write("subnormal.csv", scaled(1e-310, 5e-324));
  write("zeros.csv", csv(40, [](int i, auto&) { return std::string(i % 3 == 0 ? "-0.0,0" : "0,-0") + "," + turn(i); }));
  write("copies.csv", csv(4200, [](int i, auto&) {
          return std::to_string(i / 2 % 3) + "," + std::to_string(i / 2 % 2) + "," + turn(i);
        }));
  write("noise.csv", scaled(1, 1));
  write("apart.csv", csv(40, [](int i, core::RandomStream& random) {
          return number(random.normal() + (i % 2 == 0 ? 20 : -20)) + "," + number(random.normal()) + "," + turn(i);
        }));
  write("alone.csv", csv(3000, [](int i, core::RandomStream& random) {
          return number(random.normal()) + "," + number(random.normal()) + "," + (i == 7 ? "b" : "a");
        }));
  write("each.csv", csv(12, [](int i, core::RandomStream& random) {
          return number(random.normal()) + "," + number(random.normal()) + ",c" + std::to_string(i);
        }));
  write("two.csv", "x,y,label\n0,1,a\n1,0,b\n");
  write("one_class.csv", "x,y,label\n0,1,a\n1,0,a\n");
  write("ones.csv", matrix_csv("1", "1"));
  write("identity.csv", matrix_csv("1", "0"));
  write("beyond.csv", matrix_csv("1e300", "0"));
  write("constant_target.csv", csv(20, [](int i, auto&) { return std::to_string(i) + ",1,3"; }));
  write("huge_target.csv", csv(20, [](int i, core::RandomStream& random) {
          return std::to_string(i) + ",1," + number(1e300 * random.normal());
        }));
  write("line.csv", csv(20, [](int i, auto&) { return std::to_string(i) + ",1," + std::to_string(2 * i); }));
}

/// A cell or number of a text that is no finite number.
bool holds_no_finite_number(const std::string& text) {
  std::string word;
  for (const char character : text + " ") {
    if (std::isalpha(static_cast<unsigned char>(character)) != 0 || character == '_') {
      word += character;
      continue;
    }
    if (word == "nan" || word == "NaN" || word == "inf" || word == "Infinity") return true;
    word.clear();
  }
  return false;
}

/// "" where the command is to succeed and its model to predict every row; else words of its one sentence, for exit 3.
struct Case {
  std::string line;
  std::string words = "";
  std::set<std::string> labels = {};  ///< the only labels that are predicted; empty: any
};

void expect_outcome(const Command& command, const Case& one) {
  SCOPED_TRACE(one.line);
  const bool writes_json = !one.line.starts_with("train");
  const CommandResult result = command.shell("rm -f m j p; timeout 120 $CREDENCE " + one.line + " -o m --quiet" +
                                             (writes_json ? " --json j" : ""));
  if (!one.words.empty()) {
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_NE(result.err.find(one.words), std::string::npos) << result.err;
    EXPECT_EQ(test::line_count(result.err), 1U) << result.err;
    return;
  }
  ASSERT_EQ(result.code, 0) << result.err;
  if (writes_json) EXPECT_FALSE(holds_no_finite_number(read_text(command.folder().file("j"))));
  const std::size_t start = one.line.rfind(' ', one.line.find(".csv")) + 1;
  const std::string rows = one.line.substr(start, one.line.find(".csv") + 4 - start);
  const CommandResult predicted = command.shell("$CREDENCE predict m " + rows + " --quiet -o p");
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const std::string text = read_text(command.folder().file("p"));
  EXPECT_FALSE(holds_no_finite_number(text)) << text.substr(0, 300);
  if (one.labels.empty()) return;
  for (const auto& row : test::Table(text).rows) EXPECT_TRUE(one.labels.contains(row.at("label"))) << row.at("label");
}

TEST(PathologicalData, EndInTheRightAnswerOrOneSentence) {
  const Command command;
  write_data(command);
  const std::string nothing_varies = "no column varies";
  const std::string too_large = "too large to compute with";
  const std::string grid = " --C 1e-12,1,1e6 --gamma 1e-3,1,1e3 --folds 3";
  const std::vector<Case> cases{
      {"train equal.csv", nothing_varies},
      {"select equal.csv" + grid, nothing_varies},
      {"conformal fit equal.csv", nothing_varies},
      {"train zeros.csv", nothing_varies},
      {"train subnormal.csv", nothing_varies},
      {"train far.csv", "too far apart to be scaled"},
      {"select huge.csv" + grid},
      {"select mixed.csv" + grid},
      {"select tiny.csv" + grid},
      {"select huge.csv --method loo --C 1e-12,1e12 --gamma 1"},
      {"select huge.csv --model rvm --sigma 0.5 --method kernel-validity"},
      {"train huge.csv --kernel linear --scale none", too_large},
      {"train huge.csv --kernel polynomial --gamma 1 --scale none", too_large},
      {"train huge.csv --model rvm --kernel linear --scale none", "scale the features"},
      {"conformal fit huge.csv --scale none", "distances need finite numbers"},
      {"conformal fit huge.csv"},
      {"conformal fit tiny.csv"},
      {"train noise.csv --C 1e-12 --gamma 1"},
      {"train alone.csv --C 1e-12 --gamma 1", "", {"a"}},
      {"train alone.csv --C 1e12 --gamma 1 --tolerance 1e-3"},
      {"select alone.csv --C 1 --gamma 0.5 --folds 3", "", {"a", "b"}},
      {"conformal fit alone.csv --label-conditional"},
      {"train copies.csv --C 1e12 --gamma 1"},
      {"select copies.csv" + grid + " --estimate none"},
      {"select copies.csv" + grid + " --estimate none --race yes"},
      {"select copies.csv --C 1e-6,1e6 --gamma 1 --folds 3 --region-size 500 --estimate none"},
      {"select copies.csv --method nonconformity --model knn --k 1,3"},
      {"train noise.csv --C 1e12 --kernel polynomial --gamma 1 --scale none --tolerance 1e-3"},
      {"train noise.csv --C 1e6 --kernel polynomial --gamma 1 --scale none"},
      {"train apart.csv --model rvm --sigma 1 --folds 3"},
      {"train apart.csv --model rvm --sigma 1 --algorithm sequential"},
      {"select apart.csv --method evidence --model rvm --sigma 0.1,1,10"},
      {"train apart.csv --C 1e12 --kernel linear"},
      {"train each.csv --C 1 --gamma 1"},
      {"select each.csv --method loo --C 1e-12,1,1e12 --gamma 1"},
      {"conformal fit each.csv"},
      {"train two.csv --C 1 --gamma 1", "", {"a", "b"}},
      {"select two.csv --method loo --C 1e-12,1,1e12 --gamma 1"},
      {"select two.csv --method rademacher --gamma 1 --rho 1"},
      {"conformal fit two.csv"},
      {"train one_class.csv", "at least two classes"},
      {"train one_class.csv --region-size 20", "at least two classes"},
      {"train identity.csv --kernel precomputed --C 1e12"},
      {"select identity.csv --kernel precomputed --C 1e-12,1,1e12 --folds 3"},
      {"train ones.csv --kernel precomputed --C 1", nothing_varies},
      {"train beyond.csv --kernel precomputed", too_large},
      {"train constant_target.csv --task regression", "have the target 3"},
      {"train huge_target.csv --task regression", "targets of the regression"},
      {"train line.csv --task regression --folds 4"},
  };
  for (const Case& one : cases) expect_outcome(command, one);
}

TEST(PathologicalData, RowsBeyondAllNumbersHaveFinitePredictionsOrOneSentence) {
  const Command command;
  write_data(command);
  command.folder().write("beyond_rows.csv", "x,y,label\n1e300,-1.7e308,a\n1.7e308,1.7e308,b\n-1.7e308,-1.7e308,b\n");
  for (const char* line : {"train noise.csv --kernel linear --scale none -o m", "train noise.csv --model rvm -o m",
                           "train noise.csv --kernel polynomial --scale none -o m", "conformal fit noise.csv -o m"}) {
    ASSERT_EQ(command.shell("$CREDENCE " + std::string(line) + " --quiet").code, 0) << line;
    const CommandResult result = command.shell("$CREDENCE predict m beyond_rows.csv --quiet");
    EXPECT_TRUE(result.code == 0 || result.code == 3) << line << ": " << result.code;
    const bool unlike = result.err.starts_with("credence: warning: 3 of these 3 rows are unlike the training rows");
    EXPECT_EQ(test::line_count(result.err), result.code == 0 && !unlike ? 0U : 1U) << line << ": " << result.err;
    EXPECT_FALSE(holds_no_finite_number(result.out)) << line << ": " << result.out;
  }
}

TEST(PathologicalData, CostsOfAllDecadesTakeABoundedNumberOfSteps) {
  const Command command;
  write_data(command);
  for (const char* kernel : {"--gamma 1", "--kernel linear", "--kernel polynomial --gamma 1 --scale none"}) {
    const CommandResult result =
        command.shell("$CREDENCE select noise.csv --C 1e-12:1e12:x10 --folds 3 --estimate none --quiet --json - " +
                      std::string(kernel));
    ASSERT_EQ(result.code, 0) << kernel << ": " << result.err;
    const auto document = nlohmann::json::parse(result.out);
    for (const auto& setting : document.at("grid")) {
      EXPECT_LE(setting.at("steps").get<double>(), 2e6) << kernel << ": " << setting.dump();
      EXPECT_TRUE(setting.at("error").is_number()) << kernel << ": " << setting.dump();
    }
  }
}

}  // namespace pathological_data_tests
}  // namespace credence
