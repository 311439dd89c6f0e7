#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/helpers.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/data/reader.hpp"
#include "credence/io/model_file.hpp"
#include "relevance_models.hpp"
#include "support/command.hpp"
#include "support/context.hpp"

/// Intervals that regressions make of residuals of rows left out, and the widths they are chosen from.
namespace credence {
namespace regression_intervals_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;
using test::number;
using test::Table;
using test::with;

/// sin(6 x1) + x2 with noise of standard deviation 0.2, on the unit square.
std::string surface_csv(int rows, std::uint64_t seed) {
  core::RandomStream random(seed);
  std::ostringstream text;
  text.precision(17);
  text << "x1,x2,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x1 = random.uniform();
    const double x2 = random.uniform();
    text << x1 << ',' << x2 << ',' << std::sin(6 * x1) + x2 + 0.2 * random.normal() << '\n';
  }
  return text.str();
}

class RegressionIntervals : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", surface_csv(60, 1));
    command_.folder().write("test.csv", surface_csv(100, 2));
  }
  CommandResult run(const std::vector<std::string>& words) const {
    const CommandResult result = command_.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  CommandResult make(const std::vector<std::string>& more, const char* name = "select") const {
    return run(with({name, "train.csv", "--task", "regression", "-o", "m"}, more));
  }
  /// The r-th smallest of mean - residual, and the r-th largest of mean + residual, for each row of test.csv; the mean
  /// is that of the machine which left the residual's row out.
  std::vector<std::pair<double, double>> ends(std::size_t r) const {
    const auto model = io::load_model(command_.folder().file("m"));
    data::ReadOptions reading;
    reading.schema = &model->schema;
    const test::Surroundings surroundings;
    const model::Prediction said = conformal::predict_with_confidence(
        *model, data::read(command_.folder().file("test.csv"), reading), {}, surroundings.context);
    const model::Calibration& kept = model->calibration;
    EXPECT_EQ(kept.fold_model_of.size(), 60U);
    std::vector<std::pair<double, double>> result;
    for (std::size_t row = 0; row < said.mean.size(); ++row) {
      std::vector<double> lower;
      std::vector<double> upper;
      for (std::size_t i = 0; i < kept.nonconformity_scores.size(); ++i) {
        const double mean = said.fold_model_mean.row(row)[static_cast<std::size_t>(kept.fold_model_of[i])];
        lower.push_back(mean - kept.nonconformity_scores[i]);
        upper.push_back(mean + kept.nonconformity_scores[i]);
      }
      std::ranges::sort(lower);
      std::ranges::sort(upper, std::ranges::greater{});
      result.emplace_back(lower[r - 1], upper[r - 1]);
    }
    return result;
  }
  Command command_;
};

TEST_F(RegressionIntervals, AreThoseOfTheMachinesOfTheFolds) {
  const std::vector<std::string> folds{"--folds", "5"};
  const std::vector<std::string> single{"--sigma", "0.3,1", "--folds", "5", "--method"};
  for (const auto& [name, options] : {std::pair{"select", with(folds, {"--sigma", "0.3,1"})},
                                      {"select", with(single, {"kernel-validity"})},
                                      {"select", with(single, {"evidence"})},
                                      {"train", with(folds, {"--sigma", "0.3"})}}) {
    make(options, name);
    const CommandResult predicted = run({"predict", "m", "test.csv", "--confidence-level", "0.95,0.8"});
    const Table table(predicted.out);
    EXPECT_EQ(table.names, (std::vector<std::string>{"row", "mean", "sd", "familiarity", "lower_0.95", "upper_0.95",
                                                     "lower_0.8", "upper_0.8"}));
    // floor(eps 61): 3.05 -> 3, 12.2 -> 12.
    for (const auto& [level, r] : {std::pair{"0.95", std::size_t{3}}, {"0.8", std::size_t{12}}}) {
      const auto expected = ends(r);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(number(table.rows[i], std::string("lower_") + level), expected[i].first);
        EXPECT_EQ(number(table.rows[i], std::string("upper_") + level), expected[i].second);
      }
    }
    EXPECT_NE(predicted.err.find("near 1 - confidence level; nothing is proved"), std::string::npos) << predicted.err;
    EXPECT_EQ(predicted.err.find("chose the model") == std::string::npos, std::string(name) == "train");
    const Table usual(run({"predict", "m", "test.csv", "--quiet"}).out);
    EXPECT_EQ(usual.names, (std::vector<std::string>{"row", "mean", "sd", "familiarity", "lower_0.95", "upper_0.95"}));
  }
}

TEST_F(RegressionIntervals, HaveThreeGrades) {
  for (const auto& [options, word, promise] :
       {std::tuple{std::vector<std::string>{}, "cross, measured", "in simulations, an interval misses"},
        {std::vector<std::string>{"--method", "kfold-nested", "--p-values", "nested"},
         "nested, proved at twice the error", "; the bound is "},
        {std::vector<std::string>{"--p-values", "split"}, "split, proved on average over calibration rows",
         "at most 1 - confidence level, on average over the rows set aside"}}) {
    const CommandResult made = make(with({"--sigma", "0.3,1", "--json", "j"}, options));
    EXPECT_NE(made.out.find(std::string("\np-values         ") + word), std::string::npos) << made.out;
    const json said = json::parse(test::read_text(command_.folder().file("j")));
    EXPECT_EQ(said["calibration"]["p_values"], std::string(word).substr(0, std::string(word).find(',')));
    const CommandResult predicted = run({"predict", "m", "test.csv", "--confidence-level", "0.8"});
    EXPECT_NE(predicted.err.find(promise), std::string::npos) << predicted.err;
    const json judged =
        json::parse(run({"evaluate", "m", "test.csv", "--confidence-level", "0.8", "--json", "-", "--quiet"}).out);
    EXPECT_GT(judged["intervals"]["levels"][0]["share"].get<double>(), 0.6) << word;
  }
  const CommandResult refused = command_.run({"select", "train.csv", "--task", "regression", "--p-values", "nested"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("kfold-nested"), std::string::npos) << refused.err;
}

TEST_F(RegressionIntervals, AreEvaluatedBesideTheStandardDeviations) {
  make({"--folds", "5", "--sigma", "0.3,1"});
  const Table predicted(run({"predict", "m", "test.csv", "--confidence-level", "0.9", "--quiet"}).out);
  const Table truth(test::read_text(command_.folder().file("test.csv")));
  std::size_t covered = 0;
  double widths = 0;
  double sds = 0;
  for (std::size_t i = 0; i < truth.rows.size(); ++i) {
    const double y = number(truth.rows[i], "y");
    const double lower = number(predicted.rows[i], "lower_0.9");
    const double upper = number(predicted.rows[i], "upper_0.9");
    covered += lower <= y && y <= upper ? 1U : 0U;
    widths += upper - lower;
    sds += number(predicted.rows[i], "sd");
  }
  ASSERT_GT(covered, 50U);
  ASSERT_LT(covered, 100U);
  const json document =
      json::parse(run({"evaluate", "m", "test.csv", "--confidence-level", "0.9", "--json", "-", "--quiet"}).out);
  EXPECT_NEAR(document["coverage"]["mean_width"].get<double>(), 2 * 1.96 * sds / 100, 1e-12);
  EXPECT_EQ(document["intervals"]["source"], "out-of-fold");
  EXPECT_EQ(document["intervals"]["residuals"], 60);
  const json& level = document["intervals"]["levels"][0];
  EXPECT_EQ(level["confidence_level"], 0.9);
  EXPECT_EQ(level["covered"], covered);
  EXPECT_EQ(level["share"].get<double>(), static_cast<double>(covered) / 100);
  EXPECT_NEAR(level["mean_width"].get<double>(), widths / 100, 1e-12);
  const bounds::Interval exact = bounds::clopper_pearson(covered, 100, 0.05);
  EXPECT_EQ(level["interval"]["lower"].get<double>(), exact.lower);
  const CommandResult table = run({"evaluate", "m", "test.csv"});
  EXPECT_NE(table.out.find("Intervals\nconfidence level"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\n             0.9  "), std::string::npos) << table.out;
  EXPECT_NE(table.err.find("near 1 - confidence level"), std::string::npos) << table.err;
}

TEST_F(RegressionIntervals, OfTooFewResidualsAreTheWholeLine) {
  make({"--folds", "5", "--sigma", "0.3,1"});
  const CommandResult result = run({"predict", "m", "test.csv", "--confidence-level", "0.99,0.8"});
  const Table table(result.out);
  for (const auto& row : table.rows) {
    EXPECT_EQ(row.at("lower_0.99"), "-inf");
    EXPECT_EQ(row.at("upper_0.99"), "inf");
    EXPECT_TRUE(std::isfinite(number(row, "upper_0.8")));
  }
  for (const char* part : {"1 / (60 + 1)", " 0.99 "})
    EXPECT_NE(result.err.find(part), std::string::npos) << part << result.err;
  const json document =
      json::parse(run({"evaluate", "m", "test.csv", "--confidence-level", "0.99", "--json", "-", "--quiet"}).out);
  EXPECT_TRUE(document["intervals"]["levels"][0]["mean_width"].is_null());
  EXPECT_EQ(document["intervals"]["levels"][0]["share"], 1.0);
}

TEST_F(RegressionIntervals, NeedResidualsAndALevelBelowOne) {
  const auto refused = [&](const std::vector<std::string>& words, const char* part) {
    const CommandResult result = command_.run(words);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(test::line_count(result.err), 1U) << result.err;
  };
  make({"--folds", "5", "--sigma", "0.3"});
  refused({"predict", "m", "test.csv", "--confidence-level", "1"}, "an interval at 1 is the whole line");
  refused({"predict", "m", "test.csv", "--smoothed"}, "--smoothed");
  make({"--method", "evidence", "--sigma", "0.3"});
  refused({"predict", "m", "test.csv", "--confidence-level", "0.9"}, "credence conformal intervals");
  EXPECT_NE(run({"evaluate", "m", "test.csv"}).err.find("conformal intervals"), std::string::npos);
}

/// A narrow kernel of many effective ones, and standard deviations that say much less than the truth.
TEST_F(RegressionIntervals, ManyEffectiveKernelsOfATrainedMachineAreWarnedOf) {
  for (const auto& [sigma, many] : {std::pair{"0.1", true}, {"1", false}}) {
    EXPECT_EQ(make({"--sigma", sigma}, "train").err.find("effective kernels") != std::string::npos, many) << sigma;
    EXPECT_EQ(run({"evaluate", "m", "test.csv"}).err.find("than 95 %") != std::string::npos, many) << sigma;
  }
}

/// A plane: the widest of the usual widths is the best.
TEST_F(RegressionIntervals, TheUsualWidthsGoOnBeyondTheirBorderAndAskedOnesDoNot) {
  std::ostringstream plane;
  core::RandomStream random(7);
  plane << "x1,x2,y\n";
  for (int i = 0; i < 60; ++i) {
    const double x1 = random.uniform();
    const double x2 = random.uniform();
    plane << x1 << ',' << x2 << ',' << 3 * x1 - x2 + 0.1 * random.normal() << '\n';
  }
  command_.folder().write("plane.csv", plane.str());
  const auto select = [&](const char* method, const std::vector<std::string>& more) {
    return json::parse(
        run(with({"select", "plane.csv", "--task", "regression", "--method", method, "--json", "-", "--quiet"}, more))
            .out);
  };
  std::size_t beyond = 0;
  for (const char* method : {"cv", "kernel-validity", "evidence"}) {
    const json usual = select(method, {});
    const json asked = select(method, {"--sigma", "0.01,0.1,0.3,1,2,3,4,5,7,10"});
    EXPECT_EQ(asked["grid"].size(), 10U);
    const std::size_t more = usual["grid"].size() - 10;
    EXPECT_EQ(more > 0, asked["best_on_border"].get<bool>()) << method;
    EXPECT_LE(more, 6U);
    beyond += more;
    if (more == 0) continue;
    EXPECT_TRUE(usual["grid"][0]["added"].get<bool>());
    EXPECT_NEAR(usual["grid"][more - 1]["sigma"].get<double>(), 100.0 / 7, 1e-9);
    EXPECT_FALSE(usual["grid"][more].contains("added"));
    const std::string table = run({"select", "plane.csv", "--task", "regression", "--method", method}).out;
    EXPECT_NE(table.find("+     14.2857 "), std::string::npos) << table;
  }
  EXPECT_GT(beyond, 0U);
}

}  // namespace regression_intervals_tests
}  // namespace credence
