#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/helpers.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"
#include "report/page/page.hpp"
#include "support/command.hpp"

namespace credence {
namespace conformal_outside_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;
using test::line_count;
using test::number;
using test::Table;
using test::with;

const std::vector<std::string> names{"a", "b", "c"};  // in the order of the output

/// Scores of three classes, multiples of 1/8 so that many tie; the columns are in another order than the classes.
struct Scores {
  std::vector<std::vector<double>> score;  ///< by class
  std::vector<std::size_t> label;

  Scores(std::size_t rows, std::uint64_t seed) {
    core::RandomStream random(seed);
    for (std::size_t i = 0; i < rows; ++i) {
      label.push_back(i % 5 == 0 ? 2 : i % 2);
      std::vector<double> row;
      for (std::size_t c = 0; c < 3; ++c)
        row.push_back(std::round(8 * (random.normal() + (c == label[i] ? 1.5 : 0))) / 8);
      score.push_back(row);
    }
  }
  std::string csv(bool labelled) const {
    std::ostringstream text;
    text << (labelled ? "c,label,a,b\n" : "b,a,c\n");
    for (std::size_t i = 0; i < label.size(); ++i)
      if (labelled)
        text << score[i][2] << ',' << names[label[i]] << ',' << score[i][0] << ',' << score[i][1] << '\n';
      else
        text << score[i][1] << ',' << score[i][0] << ',' << score[i][2] << '\n';
    return text.str();
  }
};

/// One pass over all calibration rows, as the formula says.
double naive_p_value(const Scores& calibration, double score, std::size_t label, bool label_conditional, double tau) {
  std::size_t less = 0;
  std::size_t equal = 0;
  std::size_t of = 0;
  for (std::size_t i = 0; i < calibration.label.size(); ++i) {
    if (label_conditional && calibration.label[i] != label) continue;
    const double own = calibration.score[i][calibration.label[i]];
    ++of;
    less += own < score ? 1U : 0U;
    equal += own == score ? 1U : 0U;
  }
  return (static_cast<double>(less) + tau * static_cast<double>(equal + 1)) / static_cast<double>(of + 1);
}

class Outside : public testing::Test {
 protected:
  CommandResult run(const std::vector<std::string>& words) const { return command_.run(with({"conformal"}, words)); }
  void expect_error(const std::vector<std::string>& words, int code, const std::string& part) const {
    const CommandResult result = run(words);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("credence: ")) << result.err;
    EXPECT_EQ(line_count(result.err), 1U) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << "expected '" << part << "' in: " << result.err;
  }
  void write(const std::string& name, const std::string& text) const { command_.folder().write(name, text); }
  Command command_;
};

class OutsideScores : public Outside {
 protected:
  void SetUp() override {
    write("cal.csv", calibration_.csv(true));
    write("new.csv", test_.csv(false));
    write("test.csv", test_.csv(true));
  }
  CommandResult scores(const std::vector<std::string>& options, const std::string& file = "new.csv") const {
    return run(with({"scores", "cal.csv", file}, options));
  }
  void expect_naive(const Table& table, bool label_conditional, std::optional<std::uint64_t> seed) const {
    ASSERT_EQ(table.rows.size(), test_.label.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const auto& row = table.rows[i];
      EXPECT_EQ(number(row, "row"), static_cast<double>(i + 1));
      const double tau = seed ? conformal::smoothing_tau(*seed, data::row_key(test_.score[i])) : 1;
      std::vector<double> p;
      std::string set;
      for (std::size_t c = 0; c < 3; ++c) {
        p.push_back(naive_p_value(calibration_, test_.score[i][c], c, label_conditional, tau));
        EXPECT_EQ(number(row, "p_" + names[c]), p[c]) << i;
        if (p[c] > 0.2) set += (set.empty() ? "" : "|") + names[c];
      }
      EXPECT_EQ(row.at("set_0.8"), set) << i;
      const auto largest = std::max_element(p.begin(), p.end());
      EXPECT_EQ(row.at("label"), names[static_cast<std::size_t>(largest - p.begin())]) << i;
      EXPECT_EQ(number(row, "credibility"), *largest);
      std::sort(p.begin(), p.end());
      EXPECT_EQ(number(row, "confidence"), 1 - p[1]);
    }
  }
  Scores calibration_{60, 1};
  Scores test_{40, 2};
};

TEST_F(OutsideScores, SemicolonsAndDecimalCommasAreTheSame) {
  const CommandResult expected = scores({});
  ASSERT_EQ(expected.code, 0) << expected.err;
  for (const char* name : {"cal.csv", "new.csv"}) {
    std::string text = test::read_text(command_.folder().file(name));
    std::replace(text.begin(), text.end(), ',', ';');
    std::replace(text.begin(), text.end(), '.', ',');
    write(name, text);
  }
  EXPECT_EQ(scores({}).out, expected.out);
  EXPECT_EQ(scores({"--delimiter", ";", "--decimal", "comma"}).out, expected.out);
  EXPECT_EQ(scores({"--decimal", "point"}).code, 3);
}

TEST_F(OutsideScores, PValuesAndRegionsVsNaiveCounts) {
  const CommandResult plain = scores({"--confidence-level", "0.8"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_TRUE(plain.out.starts_with("row,label,confidence,credibility,set_0.8,p_a,p_b,p_c\n")) << plain.out;
  EXPECT_NE(plain.err.find("the rows of cal.csv"), std::string::npos) << plain.err;
  expect_naive(Table(plain.out), false, std::nullopt);
  expect_naive(Table(scores({"--confidence-level", "0.8", "--label-conditional"}).out), true, std::nullopt);
  expect_naive(Table(scores({"--confidence-level", "0.8", "--smoothed"}).out), false, 0);
  expect_naive(Table(scores({"--confidence-level", "0.8", "--smoothed", "--seed", "7", "--label-conditional"}).out),
               true, 7);
}

TEST_F(OutsideScores, DecisionsAreThoseOfALoopOverPValues) {
  const CommandResult done = scores({"--limit", "a=0.1,b=0.2,c=0.05"});
  ASSERT_EQ(done.code, 0) << done.err;
  const std::vector<double> limits{0.1, 0.2, 0.05};
  std::size_t asked = 0;
  for (const auto& row : Table(done.out).rows) {
    std::vector<std::string> left;
    for (std::size_t c = 0; c < 3; ++c)
      if (number(row, "p_" + names[c]) > limits[c]) left.push_back(names[c]);
    EXPECT_EQ(row.at("decision"), left.size() == 1 ? left.front() : "ask");
    asked += left.size() == 1 ? 0U : 1U;
  }
  EXPECT_GT(asked, 0U);
  EXPECT_LT(asked, 40U);
  EXPECT_NE(done.err.find("limit 0.05 needs 19 rows"), std::string::npos) << done.err;
  const CommandResult judged = scores({"--limit", "0.2", "--evaluate", "--json", "-"}, "test.csv");
  ASSERT_EQ(judged.code, 0) << judged.err;
  EXPECT_EQ(json::parse(judged.out)["limits"]["per_class"].size(), 3U);
  EXPECT_EQ(scores({"--limit", "a=0.1"}).out, scores({"--limit", "0.1"}).out);
  EXPECT_EQ(scores({"--certainty", "0.9"}).code, 2);
}

TEST_F(OutsideScores, LabelsOfTheTestFileChangeNoPrediction) {
  const CommandResult unlabelled = scores({"--quiet"});
  EXPECT_EQ(unlabelled.err, "");
  EXPECT_EQ(scores({"--quiet"}, "test.csv").out, unlabelled.out);
  EXPECT_EQ(scores({"--quiet", "-o", "out.csv"}).out, "");
  EXPECT_EQ(test::read_text(command_.folder().file("out.csv")), unlabelled.out);
  EXPECT_EQ(command_.run({"conformal", "scores", "cal.csv", "-", "--quiet"}, test_.csv(false)).out, unlabelled.out);
  EXPECT_EQ(scores({"--quiet", "--label", "label"}).out, unlabelled.out);
  EXPECT_EQ(scores({"--quiet", "--label", "2"}).out, unlabelled.out);
}

TEST_F(OutsideScores, EvaluationIsThatOfThePredictions) {
  const CommandResult result = scores({"--evaluate", "--json", "e.json", "-o", "out.csv"}, "test.csv");
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"errors ", "baseline ", "allowed error"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
  const std::string verbose = scores({"--evaluate", "--verbose"}, "test.csv").out;
  for (const char* part : {"criteria ", "uniformity "}) {
    EXPECT_EQ(result.out.find(part), std::string::npos) << part << " in " << result.out;
    EXPECT_NE(verbose.find(part), std::string::npos) << part << " in " << verbose;
  }
  const Table table(test::read_text(command_.folder().file("out.csv")));
  data::DenseMatrix p(table.rows.size(), 3);
  std::vector<int> labels;
  std::size_t errors = 0;
  for (std::size_t i = 0; i < p.rows; ++i) {
    for (std::size_t c = 0; c < 3; ++c) p.row(i)[c] = number(table.rows[i], "p_" + names[c]);
    labels.push_back(static_cast<int>(test_.label[i]));
    errors += table.rows[i].at("label") != names[test_.label[i]] ? 1U : 0U;
  }
  const double levels[] = {0.01, 0.05, 0.1};
  const conformal::Evaluation expected = conformal::evaluate(p, labels, levels, false);
  const json found = json::parse(test::read_text(command_.folder().file("e.json")));
  EXPECT_EQ(found["errors"], errors);
  EXPECT_EQ(found["n"], 40);
  EXPECT_EQ(found["compared_with"], (std::vector<std::size_t>{24, 24, 12}));
  ASSERT_EQ(found["prediction_sets"].size(), 3U);
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(found["prediction_sets"][e]["errors"], expected.levels[e].errors);
    EXPECT_NEAR(found["prediction_sets"][e]["N"], expected.levels[e].n, 1e-12);
  }
  EXPECT_NEAR(found["criteria"]["OF"], expected.efficiency.of, 1e-12);
  EXPECT_NEAR(found["uniformity"]["statistic"], expected.uniformity.statistic, 1e-12);
}

TEST_F(OutsideScores, WarnsOfLevelsTooSmall) {
  EXPECT_NE(scores({"--confidence-level", "0.984"}).err.find("1 / (60 + 1)"), std::string::npos);
  EXPECT_EQ(scores({"--confidence-level", "0.983"}).err.find("warning"), std::string::npos);
  EXPECT_NE(scores({"--confidence-level", "0.95", "--label-conditional"}).err.find("0.07692, 1 / (12 + 1)"),
            std::string::npos);
}

TEST_F(OutsideScores, NumbersAndCommasAsNamesOfClasses) {
  write("cal.csv", "10,-1,\"2,5\",y\n1,0,0,10\n0,1,0,-1\n0,0,1,\"2,5\"\n");
  write("new.csv", "id,-1,10,\"2,5\"\nx,2,-1,-1\n");
  EXPECT_EQ(scores({"--confidence-level", "0.75", "--quiet"}).out,
            "row,label,confidence,credibility,set_0.75,p_-1,p_10,\"p_2,5\"\n1,-1,0.75,1,-1,1,0.25,0.25\n");
}

TEST_F(OutsideScores, ColumnsWithoutANameAreNoScores) {
  write("cal.csv", "\"\",a,b,label\nfirst,1,0,a\nsecond,0,1,b\n");
  write("new.csv", "\"\",a,b,label\nx,1,0,b\n");
  EXPECT_EQ(scores({"--quiet"}).out,
            "row,label,confidence,credibility,set_0.95,p_a,p_b\n1,a,0.6666666666666667,1,a|b,1,0.3333333333333333\n");
}

/// Oracle: counts by hand. Nonconformity scores of the rows compared with are -0.75, -0.5 and -0.75.
TEST_F(OutsideScores, AClassWithoutCalibrationRowsStaysAClass) {
  write("cal.csv", "a,b,c,label\n0.75,0.25,0,a\n0.25,0.5,0.25,b\n0.25,0.75,0,b\n");
  write("new.csv", "a,b,c\n0.25,0,0.75\n0.5,0.25,0.25\n");
  const auto found = scores({"--confidence-level", "0.5"});
  EXPECT_EQ(found.out,
            "row,label,confidence,credibility,set_0.5,p_a,p_b,p_c\n1,c,0.75,1,c,0.25,0.25,1\n"
            "2,a,0.75,0.5,,0.5,0.25,0.25\n");
  EXPECT_NE(found.err.find("no row compared with is of class 'c'"), std::string::npos) << found.err;
}

TEST_F(OutsideScores, Errors) {
  const auto refuse = [&](const std::string& calibration, const std::string& test, const std::string& part,
                          const std::vector<std::string>& options = {}, int code = 3) {
    write("cal.csv", calibration);
    write("new.csv", test);
    expect_error(with({"scores", "cal.csv", "new.csv"}, options), code, part);
  };
  const std::string good = "a,b,label\n1,0,a\n0,1,b\n";
  const std::string test = "a,b\n1,0\n";
  refuse("a,b,label\n1,0,a\n0,1,c\n", test, "cal.csv, column 'label': class 'c' has no column of scores");
  refuse("0.5,0.25,a\n1,0,a\n0,1,b\n", test, "the header names '0.25', '0.5'");
  refuse(
      good, "0.5,0.25\n1,0\n",
      "new.csv: the file lacks columns 'a', 'b'; has it a header? If its first row holds values, say that there is no "
      "header (--header no)\n");
  refuse(good, "a,label\n1,a\n", "new.csv: the file lacks column 'b'\n");
  refuse("a,b,label\n1,,a\n0,1,b\n", test, "cal.csv:2, column 'b': a value is missing (1 in the column)\n");
  refuse(good, "a,b\n1,0\nnan,0\n", "new.csv:3, column 'a': a value is missing");
  refuse("a,b,label\n1,inf,a\n0,1,b\n", test, "cal.csv:2, column 'b': \"inf\" is not a finite number");
  refuse("a,b,label\n1,0,a\n0,high,b\n", test, "cal.csv:3, column 'b': the column must hold numbers, and \"high\"");
  refuse("a,b,label\n1,low,a\n0,high,b\n", test, "cal.csv:2, column 'b': the column must hold numbers, and \"low\"");
  refuse(good, "a,b\n1,high\n", "new.csv:2, column 'b': the column must hold numbers");
  refuse("a,b,label\n1,0,a\n0,1,\n", test, "cal.csv:3, column 'label': the label is missing");
  refuse("a,b,label\n", test, "cal.csv: the file has a header but no rows");
  refuse(good, "a,b\n", "new.csv: the file has a header but no rows");
  refuse("", test, "cal.csv: the file is empty");
  refuse("id,a,b,label\n1,1,0,a\n2,0,1,b\n", test, "cal.csv, column 'id': no row is of class 'id'");
  refuse(good, test, "--confidence-level: 0 is not", {"--confidence-level", "0"}, 2);
  refuse(good, test, "--json is for --evaluate", {"--json", "x"}, 2);
  refuse(good, test, "-o: with --evaluate", {"--evaluate", "-o", "-"}, 2);
  refuse(good, test, "also another file", {"-o", "cal.csv"}, 2);
  refuse(good, test, "also another file", {"-o", "new.csv"}, 2);
  refuse(good, test, "--smoothed", {"--seed", "1"}, 2);
  refuse(good, test, "the label column \"truth\"", {"--label", "truth"}, 2);
  refuse(good, test, "no column 'label' of labels", {"--evaluate"});
  refuse(good, "a,b,label\n1,0,a\n1,0,z\n", "column 'label': row 2 has no label, or one without", {"--evaluate"});
  expect_error({"scores", "cal.csv", "cal.csv"}, 2, "never strange");
  expect_error({"scores", "-", "-"}, 2, "both standard input");
  expect_error({"scores", "nowhere.csv", "new.csv"}, 4, "nowhere.csv");
}

/// Multiples of 1/4, so that ends of intervals are exact and residuals tie.
struct Regression {
  std::vector<double> target;
  std::vector<double> prediction;
  std::vector<double> difficulty;

  Regression(std::size_t rows, std::uint64_t seed) {
    core::RandomStream random(seed);
    const auto quarter = [](double value) { return std::round(4 * value) / 4; };
    for (std::size_t i = 0; i < rows; ++i) {
      difficulty.push_back(i % 3 == 0 ? 1 : 0);
      prediction.push_back(quarter(5 * random.normal()));
      target.push_back(prediction[i] + quarter(random.normal() * (1 + 3 * difficulty[i])));
    }
  }
  std::string csv(const std::string& columns) const {
    std::ostringstream text;
    text << "name";
    for (const char c : columns) text << (c == 't' ? ",target" : c == 'p' ? ",prediction" : ",difficulty");
    for (std::size_t i = 0; i < target.size(); ++i) {
      text << "\nrow " << i;
      for (const char c : columns) text << ',' << (c == 't' ? target : c == 'p' ? prediction : difficulty)[i];
    }
    return text.str() + "\n";
  }
  double nonconformity(std::size_t i, double y, double beta) const {
    return beta > 0 ? std::abs(y - prediction[i]) / (difficulty[i] + beta) : std::abs(y - prediction[i]);
  }
};

class OutsideIntervals : public Outside {
 protected:
  CommandResult intervals(const std::vector<std::string>& options, const std::string& columns,
                          const std::string& test_columns) const {
    write("cal.csv", calibration_.csv(columns));
    write("test.csv", test_.csv(test_columns));
    return run(with({"intervals", "cal.csv", "test.csv"}, options));
  }
  /// p > eps counted over all rows, at the ends and 1/1024 outside. With beta 1 the unit of length is exact too.
  void expect_naive(const Table& table, const std::string& level, double beta) const {
    const double significance = core::significance_of(std::stod(level));
    const auto accepted = [&](std::size_t i, double y) {
      std::size_t count = 1;
      for (std::size_t j = 0; j < calibration_.target.size(); ++j) {
        const double other = calibration_.nonconformity(j, calibration_.target[j], beta);
        count += other >= test_.nonconformity(i, y, beta) ? 1U : 0U;
      }
      return static_cast<double>(count) > significance * static_cast<double>(calibration_.target.size() + 1);
    };
    ASSERT_EQ(table.rows.size(), test_.target.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      EXPECT_EQ(number(table.rows[i], "prediction"), test_.prediction[i]);
      for (const auto& [end, outside] : {std::pair{"lower_" + level, -1.0 / 1024}, {"upper_" + level, 1.0 / 1024}}) {
        EXPECT_TRUE(accepted(i, number(table.rows[i], end))) << i;
        EXPECT_FALSE(accepted(i, number(table.rows[i], end) + outside)) << i;
      }
    }
  }
  /// The line of a level in the table of coverage, by intervals that were printed.
  std::string line(const Table& table, const std::string& confidence_level) const {
    std::size_t covered = 0;
    double width = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const double lower = number(table.rows[i], "lower_" + confidence_level);
      const double upper = number(table.rows[i], "upper_" + confidence_level);
      covered += lower <= test_.target[i] && test_.target[i] <= upper ? 1U : 0U;
      width += (upper - lower) / static_cast<double>(table.rows.size());
    }
    char text[100];
    std::snprintf(text, sizeof text, " %s %zu %.2f %% %.6g ", confidence_level.c_str(), covered,
                  100 * static_cast<double>(covered) / static_cast<double>(table.rows.size()), width);
    return text;
  }
  Regression calibration_{79, 3};
  Regression test_{64, 4};
};

TEST_F(OutsideIntervals, AbsoluteResidualsVsNaiveCounts) {
  const CommandResult result = intervals({"--confidence-level", "0.9,0.75"}, "tp", "pt");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("row,prediction,lower_0.9,upper_0.9,lower_0.75,upper_0.75\n1,")) << result.out;
  const Table table(result.out);
  for (const std::string level : {"0.9", "0.75"}) {
    expect_naive(table, level, 0);
    EXPECT_NE(test::flat(result.err).find(line(table, level)), std::string::npos) << line(table, level) << result.err;
  }
}

TEST_F(OutsideIntervals, NormalisedResidualsVsNaiveCounts) {
  const CommandResult result = intervals({"--confidence-level", "0.9,0.75", "--beta", "1"}, "tpd", "dpt");
  ASSERT_EQ(result.code, 0) << result.err;
  const Table table(result.out);
  for (const std::string level : {"0.9", "0.75"}) {
    expect_naive(table, level, 1);
    EXPECT_NE(test::flat(result.err).find(line(table, level)), std::string::npos) << line(table, level) << result.err;
  }
  EXPECT_NE(result.out, intervals({"--confidence-level", "0.9,0.75"}, "tpd", "dpt").out) << "beta matters";
  EXPECT_EQ(result.out, intervals({"--confidence-level", "0.9,0.75", "--beta", "1", "--quiet"}, "tpd", "pd").out);
}

TEST_F(OutsideIntervals, TargetsNotesAndOutput) {
  EXPECT_EQ(intervals({}, "tp", "p").err.find("covered"), std::string::npos);
  const std::string text = intervals({"--quiet"}, "tp", "p").out;
  EXPECT_TRUE(text.starts_with("row,prediction,lower_0.95,upper_0.95\n"));
  EXPECT_EQ(intervals({"--quiet"}, "tp", "tp").err, "");
  const CommandResult filed = intervals({"-o", "out.csv"}, "tp", "tp");
  EXPECT_NE(filed.out.find("target inside"), std::string::npos) << filed.out;
  EXPECT_EQ(test::read_text(command_.folder().file("out.csv")), text);
  const CommandResult tiny = intervals({"--confidence-level", "0.988"}, "tp", "p");
  EXPECT_EQ(number(Table(tiny.out).rows[5], "upper_0.988"), std::numeric_limits<double>::infinity());
  EXPECT_NE(tiny.err.find("1 / (79 + 1)"), std::string::npos) << tiny.err;
  EXPECT_EQ(intervals({"--confidence-level", "0.9875"}, "tp", "p").err.find("warning"), std::string::npos);
}

TEST_F(OutsideIntervals, TheDocumentVsTheIntervalsThatWereWritten) {
  const std::vector<std::string> options{
      "--confidence-level", "0.9,0.75,0.988", "--beta", "1", "-o", "out.csv", "--json", "r.json", "--quiet"};
  const CommandResult result = intervals(options, "tpd", "dpt");
  ASSERT_EQ(result.code, 0) << result.err;
  const Table table(test::read_text(command_.folder().file("out.csv")));
  const json document = json::parse(test::read_text(command_.folder().file("r.json")));
  EXPECT_EQ(document["kind"], "conformal intervals");
  EXPECT_EQ(document["n"], 64);
  EXPECT_EQ(document["compared_with"], 79);
  EXPECT_EQ(document["may_miss"].size(), 3U);
  EXPECT_NEAR(document["may_miss"][0]["limit"].get<double>(), 0.159993, 1e-6);  // scipy.stats.beta(8, 72).ppf(0.95)
  EXPECT_EQ(document["difficulty"], "difficulty");
  EXPECT_EQ(document["beta"], 1.0);
  EXPECT_EQ(document["calibration_source"], "cal.csv");
  EXPECT_EQ(document["warnings"].size(), 1U);
  json drawn;
  json missed;
  for (const report::DrawnChart& chart : report::charts(document.dump(), "r.json")) {
    const json values = json::parse(chart.specification)["datasets"]["values"];
    if (chart.id == "intervals") drawn = values;  // at the first level
    if (chart.id == "level-error") missed = values;
  }
  ASSERT_EQ(drawn.size(), 64U);
  for (std::size_t e = 0; e < 2; ++e) {
    const json& level = document["levels"][e];
    const std::string confidence_level = e == 0 ? "0.9" : "0.75";
    std::vector<double> widths;
    std::size_t covered = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const double lower = number(table.rows[i], "lower_" + confidence_level);
      const double upper = number(table.rows[i], "upper_" + confidence_level);
      widths.push_back(upper - lower);
      covered += lower <= test_.target[i] && test_.target[i] <= upper ? 1U : 0U;
      if (e == 0) EXPECT_EQ(drawn[i]["lower"], lower);
      if (e == 0) EXPECT_EQ(drawn[i]["point"], test_.target[i]);
    }
    std::sort(widths.begin(), widths.end());
    EXPECT_EQ(level["covered"], covered);
    EXPECT_EQ(level["widths"]["infinite"], 0);
    EXPECT_EQ(level["widths"]["least"], widths.front());
    EXPECT_EQ(level["widths"]["largest"], widths.back());
    EXPECT_DOUBLE_EQ(level["widths"]["median"], (widths[31] + widths[32]) / 2);  // of 64
    // The errors at the level are those of the line of all levels.
    const std::size_t at = e == 0 ? 9 : 24;
    EXPECT_DOUBLE_EQ(missed[at]["error"], 1 - static_cast<double>(covered) / 64);
  }
  EXPECT_EQ(document["levels"][2]["widths"]["infinite"], 64);
  EXPECT_TRUE(document["levels"][2]["widths"]["median"].is_null());
}

TEST_F(OutsideIntervals, TheDocumentWithoutTargets) {
  ASSERT_EQ(intervals({"-o", "out.csv", "--json", "r.json", "--quiet"}, "tp", "p").code, 0);
  const json document = json::parse(test::read_text(command_.folder().file("r.json")));
  for (const char* key : {"covered", "share", "interval"}) EXPECT_TRUE(document["levels"][0][key].is_null()) << key;
  EXPECT_GT(document["levels"][0]["widths"]["median"], 0.0);
  expect_error({"intervals", "cal.csv", "test.csv", "--json", "-"}, 2, "cannot both go to standard output");
}

TEST_F(OutsideIntervals, ColumnsByOtherNames) {
  write("cal.csv", "y,f,s,target\n1,2,0,no\n5,3,1,no\n1,1,1,no\n");
  write("new.csv", "s,f\n1,10\n");
  const std::vector<std::string> named{"intervals",    "cal.csv", "new.csv", "--quiet", "--confidence-level", "0.5",
                                       "--target",     "y",       "--beta",  "1",       "--prediction",       "f",
                                       "--difficulty", "s"};
  // Nonconformity score 1, 1, 0: two of four are at least as strange as 1, which is not more than half; three are as 0.
  EXPECT_EQ(run(named).out, "row,prediction,lower_0.5,upper_0.5\n1,10,8,12\n");
}

TEST_F(OutsideIntervals, Errors) {
  const auto refuse = [&](const std::string& calibration, const std::string& test, const std::string& part,
                          const std::vector<std::string>& options = {}, int code = 3) {
    write("cal.csv", calibration);
    write("new.csv", test);
    expect_error(with({"intervals", "cal.csv", "new.csv"}, options), code, part);
  };
  const std::string good = "target,prediction\n1,2\n2,2\n";
  const std::string hard = "target,prediction,difficulty\n1,2,1\n2,2,0\n";
  const std::string test = "prediction\n1\n";
  refuse("prediction\n1\n", test, "cal.csv: the file has no column 'target'");
  refuse("target\n1\n", test, "cal.csv: the file has no column 'prediction'");
  refuse("1,2\n2,2\n", test, "cal.csv: the file has none of the columns 'target', 'prediction', 'difficulty'");
  refuse(good, "target\n1\n", "new.csv: the file has no column 'prediction'");
  refuse("target,prediction\n1,\n", test, "cal.csv:2, column 'prediction': a value is missing");
  refuse("target,prediction\nnan,1\n", test, "cal.csv:2, column 'target': a value is missing");
  refuse("target,prediction\n1,1e999\n", test, "cal.csv:2, column 'prediction': \"1e999\" is not a finite number");
  refuse(good, "prediction\n1\nx\n", "new.csv:3, column 'prediction': the column must hold numbers");
  refuse("target,prediction\n", test, "cal.csv: the file has a header but no rows");
  refuse(hard, test, "new.csv: the file has no column 'difficulty', but that of CALIBRATION has");
  refuse(good, "prediction,difficulty\n1,1\n", "cal.csv: the file has no column 'difficulty', but that of TEST has");
  refuse(hard, "prediction,difficulty\n1,1\n2,-1\n", "new.csv, column 'difficulty': the difficulty -1 of row 2");
  refuse(good, test, "--confidence-level: an interval at 1", {"--confidence-level", "1"}, 2);
  refuse(good, test, "--confidence-level: 0 is not", {"--confidence-level", "0"}, 2);
  refuse(hard, "prediction,difficulty\n1,1\n", "--beta: 0 is not", {"--beta", "0"}, 2);
  refuse(hard, "prediction,difficulty\n1,1\n", "--beta: -1 is not", {"--beta", "-1"}, 2);
  refuse(good, test, "--beta is for difficulties", {"--beta", "1"}, 2);
  refuse(good, test, "cal.csv: the file has no column 'sigma'", {"--difficulty", "sigma"});
  refuse(good, test, "must be different columns", {"--target", "prediction"}, 2);
  refuse(good, test, "also another file", {"-o", "new.csv"}, 2);
  expect_error({"intervals", "cal.csv", "cal.csv"}, 2, "never strange");
}

TEST(OutsideHelp, HasExamplesAndFitsTheScreen) {
  const Command command;
  for (const char* name : {"scores", "intervals"}) {
    const CommandResult help = command.run({"conformal", name, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Examples"), std::string::npos) << help.out;
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

}  // namespace conformal_outside_tests
}  // namespace credence
