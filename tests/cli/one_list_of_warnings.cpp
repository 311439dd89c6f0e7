#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "helpers.hpp"
#include "report/page/page.hpp"
#include "support/command.hpp"

/// What the terminal warns of stands in JSON and on the page, word for word; figures beside the error agree with counts
/// made here.
namespace credence::test {
namespace one_list_of_warnings_tests {

using nlohmann::json;

const std::string prefix = "credence: warning: ";

std::vector<std::string> warnings_of(const std::string& err) {
  std::vector<std::string> found;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(prefix)) found.push_back(line.substr(prefix.size()));
  return found;
}

/// Without the options that the terminal adds in brackets.
std::string without_options(std::string sentence) {
  for (std::size_t at = sentence.find(" (--"); at != std::string::npos; at = sentence.find(" (--"))
    sentence.erase(at, sentence.find(')', at) + 1 - at);
  return sentence;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// One row in `every` is of the rare class, near the others.
std::string rare_csv(int rows, int every, double apart) {
  core::RandomStream random(4);
  std::string text = "x,y,label\n";
  for (int i = 0; i < rows; ++i) {
    const bool rare = i % every == 0;
    text += std::to_string(random.normal() + (rare ? apart : 0)) + ',' + std::to_string(random.normal()) +
            (rare ? ",fraud\n" : ",fine\n");
  }
  return text;
}

class WarningList : public testing::Test {
 protected:
  /// Runs with JSON (and a page, where these are built in); the page without markup of apostrophes.
  void run(std::vector<std::string> arguments, int code = 0) {
    arguments.insert(arguments.end(), {"--json", "r.json"});
    if (report::pages_are_built_in()) arguments.insert(arguments.end(), {"--report", "p.html"});
    result_ = command_.run(arguments);
    ASSERT_EQ(result_.code, code) << result_.err;
    document_ = json::parse(read_text(command_.folder().file("r.json")));
    if (!report::pages_are_built_in()) return;
    page_ = read_text(command_.folder().file("p.html"));
    for (std::size_t at = page_.find("&#39;"); at != std::string::npos; at = page_.find("&#39;"))
      page_.replace(at, 5, "'");
  }
  void expect_one_list() const {
    const std::vector<std::string> shown = warnings_of(result_.err);
    const json listed = document_.value("warnings", json::array());
    ASSERT_EQ(listed.size(), shown.size()) << result_.err << listed;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string sentence = listed[i];
      EXPECT_EQ(without_options(shown[i]), sentence);
      if (!page_.empty()) EXPECT_TRUE(holds(page_, sentence)) << sentence;
    }
  }

  /// Of every command's document; the list is not empty and has such a sentence.
  void expect_one_list_with(const std::string& part) const {
    expect_one_list();
    EXPECT_TRUE(holds(document_["warnings"].dump(), part)) << document_["warnings"] << result_.err;
  }

  Command command_;
  CommandResult result_;
  json document_;
  std::string page_;
};

/// Rows of four numbers whose labels are coins.
std::string coins_csv(int rows, std::uint64_t seed) {
  core::RandomStream random(seed);
  std::string text = "a,b,c,d,label\n";
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < 4; ++j) text += std::to_string(random.uniform()) + ",";
    text += random.below(2) == 0 ? "heads\n" : "tails\n";
  }
  return text;
}

TEST_F(WarningList, OfRowsThatTrainedTheModel) {
  command_.folder().write("train.csv", clouds_csv(150, 2, 1));
  ASSERT_EQ(command_.run({"train", "train.csv", "--C", "1", "--folds", "5", "-o", "m", "--quiet"}).code, 0);
  run({"evaluate", "m", "train.csv"});
  expect_one_list();
  EXPECT_EQ(document_["trained_on"], true);
  EXPECT_TRUE(holds(document_["warnings"].dump(), "these rows trained the model"));
  EXPECT_FALSE(holds(result_.out, "interval")) << "an interval for new rows: " << result_.out;
  if (page_.empty()) return;
  EXPECT_TRUE(holds(page_, "Rows that trained the model are among these"));
  EXPECT_FALSE(holds(page_, "For new rows of the same kind"));
}

TEST_F(WarningList, OfRowsSomeOfWhichTrainedTheModel) {
  const std::string rows = clouds_csv(90, 2, 1);
  command_.folder().write("train.csv", rows);
  const std::string others = clouds_csv(60, 2, 2);
  command_.folder().write("mixed.csv", rows + others.substr(others.find('\n') + 1));
  ASSERT_EQ(command_.run({"train", "train.csv", "--C", "1", "-o", "m", "--quiet"}).code, 0);
  run({"evaluate", "m", "mixed.csv"});
  expect_one_list_with("the 90 training rows of the model are among these 150 rows");
}

/// Oracle: the rows of each class that are judged, and what an error on each costs.
TEST_F(WarningList, OfRowsSetAsideVsTheRowsThatAreJudged) {
  command_.folder().write("train.csv", rare_csv(200, 4, 3));  // 150 rows of the class fine, 50 of fraud
  for (const bool balanced : {false, true}) {
    std::vector<std::string> words{"select", "train.csv", "--p-values", "split", "--C", "1,10", "--gamma", "scale"};
    words.insert(words.end(), {"-o", "m"});
    if (balanced) words.insert(words.end(), {"--class-weight", "balanced"});
    run(words);
    const json& recall = document_["recall"];
    const std::vector<double> judged{recall[0]["n"], recall[1]["n"]};
    EXPECT_EQ(judged[0] + judged[1], 60);
    EXPECT_TRUE(holds(result_.err, fmt::format("class 'fraud' has at most {:g} rows to compare with", judged[1])));
    const double fine = judged[0] / (balanced ? 150 - judged[0] : 1);
    const double fraud = judged[1] / (balanced ? 50 - judged[1] : 1);
    EXPECT_NEAR(document_["baseline"]["error"], std::min(fine, fraud) / (fine + fraud), 1e-12);
  }
}

/// Names one class always, by the rows that chose, whatever share the rows set aside have of it.
TEST_F(WarningList, OfNoiseWithRowsSetAsideNamesNoBorder) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    core::RandomStream random(seed);
    std::string text = "a,b,y\n";
    for (int i = 0; i < 200; ++i)
      text += fmt::format("{},{},{}\n", random.normal(), random.normal(), random.below(10) < 3 ? "no" : "yes");
    command_.folder().write("noise.csv", text);
    run({"select", "noise.csv", "--p-values", "split", "--C", "0.001", "--gamma", "4,16", "--rule", "best"});
    EXPECT_FALSE(holds(result_.err, "border of the grid")) << seed << result_.err;
  }
}

TEST_F(WarningList, OfARegressionOnRowsThatTrainedIt) {
  std::string text = "x,y\n";
  core::RandomStream random(2);
  for (int i = 0; i < 200; ++i) {
    const double x = random.normal();
    text += std::to_string(x) + ',' + std::to_string(x * x + 0.1 * random.normal()) + '\n';
  }
  command_.folder().write("train.csv", text);
  ASSERT_EQ(command_.run({"train", "train.csv", "--task", "regression", "--sigma", "0.3", "-o", "m", "--quiet"}).code,
            0);
  run({"evaluate", "m", "train.csv"});
  expect_one_list();
  EXPECT_EQ(document_["trained_on"], true);
  if (!page_.empty()) EXPECT_TRUE(holds(page_, "Rows that trained the model are among these"));
}

/// Squared errors of few rows: the honest estimate may come out on either side of the score that chose.
TEST_F(WarningList, OfARegressionWhoseHonestEstimateIsTheSmallerOneVsBothNumbers) {
  int below = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::string text = "a,b,y\n";
    core::RandomStream random(seed);
    for (int i = 0; i < 40; ++i) {
      const double a = random.normal();
      const double noise = random.normal();
      text += fmt::format("{:.3f},{:.3f},{:.3f}\n", a, random.normal(), 3 * a + noise * noise * noise);
    }
    command_.folder().write("train.csv", text);
    run({"select", "train.csv", "--task", "regression"});
    expect_one_list();
    const bool is_below = document_["honest"]["error"].get<double>() < document_["best"]["error"].get<double>();
    below += is_below ? 1 : 0;
    EXPECT_EQ(holds(document_["warnings"].dump(), "better than the optimistic score: that is chance"), is_below);
  }
  EXPECT_GT(below, 0);
  EXPECT_LT(below, 6);
}

TEST_F(WarningList, OfAChoiceThatShowsNothing) {
  command_.folder().write("rare.csv", rare_csv(400, 20, 0.3));
  run({"select", "rare.csv", "--C", "1", "--gamma", "0.1,1"});
  expect_one_list();
  EXPECT_EQ(document_["baseline"]["class"], "fine");
  EXPECT_DOUBLE_EQ(document_["baseline"]["error"], 20.0 / 400);
  EXPECT_TRUE(holds(result_.out, "baseline error")) << result_.out;
  EXPECT_TRUE(holds(result_.out, "5.00 % (always naming the commonest class, 'fine')")) << result_.out;
  EXPECT_TRUE(holds(result_.err, "do not show that the model has learnt anything")) << result_.err;
  EXPECT_TRUE(holds(result_.err, "a rare class is mostly missed: 'fraud'")) << result_.err;
  EXPECT_TRUE(holds(result_.err, "(--class-weight balanced), and choose by balanced accuracy (--score")) << result_.err;
}

TEST_F(WarningList, OfAnEvaluationThatShowsNothing) {
  command_.folder().write("rare.csv", rare_csv(400, 20, 0.3));
  command_.folder().write("test.csv", rare_csv(200, 20, 0.3));
  ASSERT_EQ(command_.run({"train", "rare.csv", "--C", "1", "-o", "m", "--quiet"}).code, 0);
  run({"evaluate", "m", "test.csv"});
  expect_one_list();
  EXPECT_TRUE(holds(result_.out, "baseline")) << result_.out;
  EXPECT_TRUE(
      holds(result_.err, "no smaller than that of always naming the commonest class, 'fine', 5.00 %: its interval"))
      << result_.err;
  EXPECT_FALSE(holds(result_.err, "learnt")) << "the score that chose is not known: " << result_.err;
}

/// The baseline is that of the score that chose: its formula for the best constant answer, with a share p of the rare
/// class, which is the second one.
TEST_F(WarningList, BaselineOfEachScoreVsItsFormula) {
  const double p = 1.0 / 8;
  command_.folder().write("coins.csv", rare_csv(160, 8, 0));  // the classes are alike
  command_.folder().write("apart.csv", rare_csv(160, 8, 4));
  struct Case {
    std::vector<std::string> score;
    double loss;
  };
  for (const Case& one : {Case{{"--score", "accuracy"}, p}, Case{{"--score", "balanced_accuracy"}, 0.5},
                          Case{{"--score", "roc_auc"}, 0.5}, Case{{"--score", "f1"}, 1 - 2 * p / (1 + p)},
                          Case{{"--score", "f1_macro"}, 1 - (1 - p) / (2 - p)},
                          Case{{"--score", "log_loss"}, -p * std::log(p) - (1 - p) * std::log(1 - p)},
                          Case{{"--score", "cost", "--cost", "fraud:fine=3,fine:fraud=1"}, 3 * p},
                          Case{{"--score", "cost", "--cost", "fraud:fine=20,fine:fraud=1"}, 1 - p},
                          Case{{"--class-weight", "fraud:3,fine:1"}, 3 * p / (3 * p + 1 - p)}}) {
    const std::vector<std::string> grid = with({"--C", "1,8", "--gamma", "0.1,1"}, one.score);
    run(with({"select", "apart.csv"}, grid));
    EXPECT_NEAR(document_["baseline"]["error"].get<double>(), one.loss, 1e-12) << one.score.back();
    EXPECT_EQ(document_["baseline"]["score_kind"], document_["honest"]["score_kind"]) << one.score.back();
    EXPECT_TRUE(holds(result_.out, "\nbaseline")) << result_.out;
    EXPECT_FALSE(holds(result_.err, "learnt")) << one.score.back() << result_.err;
    run(with({"select", "coins.csv"}, grid));
    expect_one_list();
    EXPECT_TRUE(holds(result_.err, "do not show that the model has learnt anything"))
        << one.score.back() << result_.err;
  }
}

/// One row in fifty is rare, and weights find it at the cost of an error above that of naming nobody.
TEST_F(WarningList, OfARareClassThatIsFoundSaysNothingFalse) {
  command_.folder().write("train.csv", rare_csv(1000, 50, 2.5));
  command_.folder().write("test.csv", rare_csv(600, 50, 2.5));
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--class-weight", "balanced", "--score", "balanced_accuracy"},
        {"--class-weight", "balanced"}}) {
    run(with({"select", "train.csv", "--C", "1", "--gamma", "0.1,0.3", "-o", "m"}, how));
    EXPECT_FALSE(holds(result_.err, "learnt")) << result_.err;
    run({"evaluate", "m", "test.csv"});
    expect_one_list_with("no smaller than that of always naming the commonest class, 'fine'");
    EXPECT_TRUE(holds(result_.err, "look at the recall of each class")) << result_.err;
    EXPECT_FALSE(holds(result_.err, "learnt")) << result_.err;
  }
}

/// A column far from 0, whose kernel values single precision cannot hold apart; the same column scaled, or near 0.
TEST_F(WarningList, OfKernelValuesBeyondSinglePrecision) {
  const auto rows = [](double offset) {
    core::RandomStream random(6);
    std::string text = "a,b,label\n";
    for (int i = 0; i < 80; ++i)
      text +=
          fmt::format("{:.6f},{:.6f},{}\n", offset + random.normal(), random.normal() + i % 2, i % 2 == 0 ? "u" : "v");
    return text;
  };
  const std::string warning = "C times the largest kernel value is ";
  command_.folder().write("far.csv", rows(2e5));
  command_.folder().write("near.csv", rows(5));
  const std::vector<std::string> linear{"--kernel", "linear", "--scale", "none"};
  for (const auto& [file, C, options, expected] :
       {std::tuple("far.csv", "1", linear, true), std::tuple("far.csv", "1e-4", linear, false),
        std::tuple("far.csv", "1", with({"--kernel", "polynomial", "--gamma", "1"}, {"--scale", "none"}), true),
        std::tuple("far.csv", "1", std::vector<std::string>{"--kernel", "linear"}, false),
        std::tuple("near.csv", "1", linear, false),
        std::tuple("near.csv", "32768", std::vector<std::string>{"--gamma", "8"}, false),
        std::tuple("near.csv", "1e9", std::vector<std::string>{"--gamma", "0.5"}, true)}) {
    const std::vector<std::string> rest = with({file, "--C", C, "-o", "m", "--time-limit", "20"}, options);
    const CommandResult trained = command_.run(with({"train"}, rest));
    EXPECT_EQ(holds(trained.err, warning), expected) << file << C << trained.err;
    const bool by_scaling = expected && std::string(file) == "far.csv";
    EXPECT_EQ(holds(trained.err, "scale the columns (--scale standard), or take a smaller C (--C)"), by_scaling)
        << trained.err;
    const CommandResult selected = command_.run(with({"select", "--folds", "3"}, rest));
    EXPECT_EQ(holds(selected.err, warning), expected) << file << C << selected.err;
  }
}

TEST_F(WarningList, IsEmptyWhereAModelHasLearnt) {
  command_.folder().write("data.csv", clouds_csv(300, 2, 1));
  run({"select", "data.csv", "--C", "4", "--gamma", "0.3"});
  expect_one_list();
  EXPECT_EQ(document_["warnings"].size(), 0U) << document_["warnings"];
}

TEST_F(WarningList, OfAMachineThatRemembersItsRows) {
  command_.folder().write("coins.csv", coins_csv(317, 1));
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"-o", "m"}}) {
    run(with({"select", "coins.csv", "--method", "bootstrap", "--C", "0.5", "--gamma", "8"}, more));
    expect_one_list_with("the model remembers its rows one by one");
  }
}

/// A gamma takes milliseconds, and there are thousands: the limit falls after the first of them and before the last.
TEST_F(WarningList, OfASearchThatATimeLimitEndsVsTheSettingsThatWereJudged) {
  command_.folder().write("rows.csv", clouds_csv(150, 2, 1));
  run({"select", "rows.csv", "--C", "1,10", "--gamma", "2^-9:2^3:x1.001", "--folds", "30", "--estimate", "none",
       "--scale", "standard", "--rule", "best", "--time-limit", "3", "-o", "m"},
      5);
  expect_one_list_with("TIME LIMIT: partial result, ");
  EXPECT_TRUE(
      holds(document_["warnings"].dump(), "the model is its best setting, trained on all rows, without p-values"));
  EXPECT_EQ(document_["status"], "time limit");
  const json& reached = document_["reached"];
  std::size_t judged = 0;
  for (const json& setting : document_["grid"]) judged += setting["error"].is_null() ? 0U : 1U;
  EXPECT_EQ(reached["settings"], judged);
  EXPECT_EQ(reached["of_settings"], document_["grid"].size());
  EXPECT_EQ(reached["rows"], 150);
  EXPECT_EQ(reached["of_rows"], 150);
  EXPECT_EQ(command_.run({"predict", "m", "rows.csv"}).code, 0);
  if (page_.empty()) return;
  EXPECT_TRUE(holds(page_, "judged on all 150 rows; the grid has " + std::to_string(document_["grid"].size())));
  EXPECT_TRUE(holds(page_, "a run that is stopped ends elsewhere each time"));
  EXPECT_FALSE(holds(page_, "to the last bit on the same data"));
}

TEST_F(WarningList, OfAComparison) {
  std::string text = "x,same,label\n";
  core::RandomStream random(5);
  for (int i = 0; i < 60; ++i) text += std::to_string(random.normal() + i % 2) + ",7," + (i % 2 == 0 ? "a\n" : "b\n");
  command_.folder().write("data.csv", text);
  run({"compare", "data.csv", "--methods", "cv,holdout", "--outer-folds", "3", "--C", "1", "--gamma", "0.1,1"});
  expect_one_list_with("constant on all rows, hence without effect: same");
}

TEST_F(WarningList, OfAConformalFit) {
  command_.folder().write("few.csv", clouds_csv(15, 3, 1));
  run({"conformal", "fit", "few.csv", "-o", "m"});
  expect_one_list_with("no p-value can be below");
  run({"conformal", "fit", "few.csv", "-o", "m", "--label-conditional"});
  expect_one_list_with("no p-value of class 'class 0' can be below");
}

TEST_F(WarningList, OfScoresAndResidualsOfOthers) {
  command_.folder().write("cal.csv", "a,b,label\n1,0,a\n0,1,b\n0.6,0.4,a\n0.3,0.7,b\n");
  command_.folder().write("test.csv", "a,b,label\n0.9,0.1,a\n0.2,0.8,b\n");
  run({"conformal", "scores", "cal.csv", "test.csv", "--evaluate"});
  expect_one_list_with("no p-value can be below 0.2");
  command_.folder().write("before.csv", "target,prediction\n1,1.1\n2,1.9\n3,3.3\n");
  command_.folder().write("after.csv", "target,prediction\n1,1.2\n2,2.9\n");
  run({"conformal", "intervals", "before.csv", "after.csv", "-o", "out.csv"});
  expect_one_list_with("0.95");
}

TEST_F(WarningList, OfAnOnlinePredictionIsEmpty) {
  command_.folder().write("data.csv", clouds_csv(60, 2, 1));
  run({"conformal", "online", "data.csv", "--shuffle"});
  expect_one_list();
}

/// Recall by class of out-of-fold scores weighs up to the error of the same folds.
TEST_F(WarningList, RecallByClassVsTheErrorOfTheFolds) {
  for (const int classes : {2, 3}) {
    command_.folder().write("data.csv", clouds_csv(300, classes, 1));
    run({"select", "data.csv", "--C", "1,4", "--gamma", "0.1,0.3", "--rule", "best"});
    double found = 0;
    double rows = 0;
    for (const json& one : document_["recall"]) {
      found += one["found"].get<double>();
      rows += one["n"].get<double>();
      EXPECT_DOUBLE_EQ(one["recall"], one["found"].get<double>() / one["n"].get<double>());
    }
    EXPECT_EQ(rows, 300);
    if (classes == 2) EXPECT_NEAR(1 - found / rows, document_["best"]["error"].get<double>(), 1e-12);
    EXPECT_TRUE(holds(result_.out, "recall by class")) << result_.out;
    if (!page_.empty()) EXPECT_TRUE(holds(page_, "Recall by class"));
  }
}

/// The same number in the same direction on the terminal and on the page.
TEST_F(WarningList, AScoreHasOneDirection) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  command_.folder().write("data.csv", rare_csv(300, 5, 2));
  for (const char* score : {"balanced_accuracy", "f1_macro", "roc_auc", "log_loss"}) {
    run({"select", "data.csv", "--C", "1,4", "--gamma", "0.1,0.3", "--score", score});
    const std::size_t at = result_.out.find("honest estimate");
    const std::size_t begin = result_.out.find_first_not_of(' ', at + std::string("honest estimate").size());
    const std::string shown = result_.out.substr(begin, result_.out.find(',', begin) - begin);
    EXPECT_TRUE(holds(page_, ">" + shown + ", ")) << score << ' ' << shown;
    EXPECT_FALSE(holds(page_, "1 - balanced")) << score;
    EXPECT_FALSE(holds(page_, ">1 - ")) << score;
  }
}

/// Many classes with few rows: one sentence, not one for each.
TEST_F(WarningList, EqualWarningsAreOneSentence) {
  std::string text = clouds_csv(300, 2, 1);
  core::RandomStream random(3);
  for (int i = 0; i < 60; ++i)
    text += std::to_string(random.normal()) + ",9," + std::to_string(random.normal()) + ",few " +
            std::to_string(i % 20) + '\n';
  command_.folder().write("data.csv", text);
  run({"select", "data.csv", "--C", "1", "--gamma", "0.1,0.3"});
  expect_one_list();
  EXPECT_FALSE(holds(result_.err, "for 10 folds")) << result_.err;
  EXPECT_TRUE(holds(result_.err, "20 classes have fewer rows than there are folds")) << result_.err;
}

}  // namespace one_list_of_warnings_tests
}  // namespace credence::test
