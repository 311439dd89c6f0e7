#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "report/page/page.hpp"
#include "support/command.hpp"

/// What the terminal warns of stands in JSON and on the page, word for word; figures beside the error agree with counts
/// made here.
namespace credence::test {
namespace {

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
  void run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "r.json"});
    if (report::pages_are_built_in()) arguments.insert(arguments.end(), {"--report", "p.html"});
    result_ = command_.run(arguments);
    ASSERT_EQ(result_.code, 0) << result_.err;
    document_ = json::parse(read_text(command_.folder().file("r.json")));
    if (!report::pages_are_built_in()) return;
    page_ = read_text(command_.folder().file("p.html"));
    for (std::size_t at = page_.find("&#39;"); at != std::string::npos; at = page_.find("&#39;"))
      page_.replace(at, 5, "'");
  }
  void expect_one_list() const {
    const std::vector<std::string> shown = warnings_of(result_.err);
    ASSERT_EQ(document_["warnings"].size(), shown.size()) << result_.err << document_["warnings"];
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string sentence = document_["warnings"][i];
      EXPECT_EQ(without_options(shown[i]), sentence);
      if (!page_.empty()) EXPECT_TRUE(holds(page_, sentence)) << sentence;
    }
  }

  Command command_;
  CommandResult result_;
  json document_;
  std::string page_;
};

TEST_F(WarningList, OfRowsThatTrainedTheModel) {
  command_.folder().write("train.csv", clouds_csv(150, 2, 1));
  ASSERT_EQ(command_.run({"train", "train.csv", "--C", "1", "--folds", "5", "-o", "m", "--quiet"}).code, 0);
  run({"evaluate", "m", "train.csv"});
  expect_one_list();
  EXPECT_EQ(document_["trained_on"], true);
  EXPECT_TRUE(holds(document_["warnings"].dump(), "these rows trained the model"));
  EXPECT_FALSE(holds(result_.out, "interval")) << "an interval for new rows: " << result_.out;
  if (page_.empty()) return;
  EXPECT_TRUE(holds(page_, "These rows trained the model"));
  EXPECT_FALSE(holds(page_, "For new rows of the same kind"));
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
  if (!page_.empty()) EXPECT_TRUE(holds(page_, "These rows trained the model"));
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
  EXPECT_TRUE(holds(result_.err, "(--class-weight balanced), or choose by balanced accuracy (--score")) << result_.err;
}

TEST_F(WarningList, OfAnEvaluationThatShowsNothing) {
  command_.folder().write("rare.csv", rare_csv(400, 20, 0.3));
  command_.folder().write("test.csv", rare_csv(200, 20, 0.3));
  ASSERT_EQ(command_.run({"train", "rare.csv", "--C", "1", "-o", "m", "--quiet"}).code, 0);
  run({"evaluate", "m", "test.csv"});
  expect_one_list();
  EXPECT_TRUE(holds(result_.out, "baseline")) << result_.out;
  EXPECT_TRUE(holds(result_.err, "do not show that the model has learnt anything")) << result_.err;
}

TEST_F(WarningList, IsEmptyWhereAModelHasLearnt) {
  command_.folder().write("data.csv", clouds_csv(300, 2, 1));
  run({"select", "data.csv", "--C", "1,4", "--gamma", "0.1,0.3"});
  expect_one_list();
  EXPECT_EQ(document_["warnings"].size(), 0U) << document_["warnings"];
}

/// Recall by class of out-of-fold scores weighs up to the error of the same folds.
TEST_F(WarningList, RecallByClassVsTheErrorOfTheFolds) {
  for (const int classes : {2, 3}) {
    command_.folder().write("data.csv", clouds_csv(300, classes, 1));
    run({"select", "data.csv", "--C", "1,4", "--gamma", "0.1,0.3"});
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
    EXPECT_TRUE(holds(page_, shown + " by ")) << score << ' ' << shown;
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

}  // namespace
}  // namespace credence::test
