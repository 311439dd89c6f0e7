#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace commands_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::line_count;
using test::number;
using test::Table;
using test::with;
using test::without;

const std::vector<std::string> quick{"--C", "0.5,2,8", "--gamma",  "0.05,0.2,0.8", "--folds",
                                     "4",   "--scale", "standard", "--rule",       "best"};

TEST(Help, FitsAScreenAndNamesTheExitCodes) {
  Command command;
  const CommandResult result = command.run({"--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_LE(line_count(result.out), 24U);
  EXPECT_NE(result.out.find("Exit codes"), std::string::npos);
  for (const char* name : {"select", "train", "predict", "evaluate", "bound", "convert", "demo"}) {
    const CommandResult help = command.run({name, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Example"), std::string::npos) << name;
    std::istringstream lines(result.out + help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Version, NamesTheSimdTargetIfAsked) {
  Command command;
  EXPECT_EQ(command.run({"--version"}).out, "credence 0.1.0\n");
  const CommandResult verbose = command.run({"--version", "--verbose"});
  EXPECT_EQ(verbose.code, 0);
  EXPECT_NE(verbose.out.find("SIMD target"), std::string::npos);
}

class Select : public testing::Test {
 protected:
  void SetUp() override { command_.folder().write("data.csv", clouds_csv(120, 2, 1)); }
  json select(const std::vector<std::string>& options) {
    const CommandResult result = command_.run(with(with({"select", "data.csv", "--json", "-"}, quick), options));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Command command_;
};

TEST_F(Select, JsonHasEveryPromisedField) {
  const json document = select({});
  EXPECT_EQ(document["method"], "cv");
  EXPECT_EQ(document["status"], "complete");
  EXPECT_EQ(document["n"], 120);
  EXPECT_EQ(document["features"], 3);
  EXPECT_EQ(document["classes"], (json{"class 0", "class 1"}));
  EXPECT_EQ(document["seed"], 0);
  EXPECT_EQ(document["version"], "0.1.0");
  EXPECT_GE(document["threads"], 1);
  EXPECT_GT(document["seconds"], 0);
  ASSERT_EQ(document["grid"].size(), 9U);
  double least = 1;
  for (const json& setting : document["grid"]) {
    for (const char* field : {"C", "gamma", "error", "error_std", "n_sv", "steps"})
      EXPECT_TRUE(setting[field].is_number()) << field;
    least = std::min(least, setting["error"].get<double>());
  }
  EXPECT_EQ(document["best"]["error"], least);
  EXPECT_TRUE(document["best"]["C"].is_number() && document["best"]["gamma"].is_number());
}

TEST_F(Select, JsonIsTheSameAgainButForSeconds) {
  EXPECT_EQ(without(select({}), {"seconds"}), without(select({}), {"seconds"}));
}

TEST_F(Select, JsonDoesNotDependOnTheNumberOfThreads) {
  EXPECT_EQ(without(select({"--threads", "1"}), {"seconds", "threads"}),
            without(select({"--threads", "2"}), {"seconds", "threads"}));
}

TEST_F(Select, TheTableGoesWhereTheJsonDoesNot) {
  const CommandResult result = command_.run(with({"select", "data.csv", "--json", "-"}, quick));
  EXPECT_NE(result.err.find("CV error"), std::string::npos);
  const CommandResult file = command_.run(with({"select", "data.csv", "--json", "r.json"}, quick));
  EXPECT_NE(file.out.find("CV error"), std::string::npos);
  EXPECT_EQ(file.err.find("CV error"), std::string::npos);
  EXPECT_EQ(json::parse(test::read_text(command_.folder().file("r.json")))["n"], 120);
  const CommandResult quiet = command_.run(with({"select", "data.csv", "--quiet", "-o", "m"}, quick));
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_EQ(quiet.code, 0);
}

TEST_F(Select, WarnsAboutTheBorderOfTheGrid) {
  // Fields of a chess board, which a wide kernel does not see.
  core::RandomStream random(1);
  std::string fields = "x,y,label\n";
  for (int i = 0; i < 200; ++i) {
    const double x = 4 * random.uniform();
    const double y = 4 * random.uniform();
    fields += std::to_string(x) + ',' + std::to_string(y) +
              (static_cast<int>(x) % 2 == static_cast<int>(y) % 2 ? ",a\n" : ",b\n");
  }
  command_.folder().write("fields.csv", fields);
  const CommandResult result = command_.run(
      {"select", "fields.csv", "--C", "1", "--gamma", "1e-3,0.03,1", "--rule", "best", "--scale", "standard"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find("try a larger gamma\n"), std::string::npos) << result.err << result.out;
  EXPECT_EQ(result.out.find("border"), std::string::npos) << result.out;
}

/// Nothing beyond the border can be seen to help, for three reasons.
TEST_F(Select, SaysNothingOfABorderThatCannotMatter) {
  const auto warned_of_border = [&](const std::string& csv, const std::vector<std::string>& grid, const char* error) {
    command_.folder().write("grid.csv", csv);
    const CommandResult result = command_.run(with({"select", "grid.csv", "--json", "grid.json"}, grid));
    EXPECT_EQ(result.code, 0) << result.err;
    const json document = json::parse(test::read_text(command_.folder().file("grid.json")));
    EXPECT_TRUE(document["best_on_border"].get<bool>()) << "a test of borders needs one";
    EXPECT_NE(result.out.find(error), std::string::npos) << result.out;
    return result.err.find("border of the grid") != std::string::npos || result.out.find("border") != std::string::npos;
  };
  std::string apart = "x,label\n";
  std::string alike = "x,label\n";
  for (int i = 0; i < 60; ++i) {
    const bool second = i % 3 == 0;
    apart += std::to_string(i % 7 + (second ? 100 : 0)) + (second ? ",b\n" : ",a\n");
    alike += std::to_string(i % 5) + (second ? ",b\n" : ",a\n");
  }
  EXPECT_FALSE(warned_of_border(apart, {"--C", "1,2,4", "--gamma", "1"}, "0.00 %")) << "no error is left";
  EXPECT_FALSE(warned_of_border(alike, {"--C", "0.01,0.02", "--gamma", "0.1,0.2"}, "33.33 %")) << "that of a constant";
  EXPECT_FALSE(warned_of_border(clouds_csv(120, 2, 1), {"--C", "1e-8,1e-7,1e-6", "--gamma", "0.2"}, " %"))
      << "where every row is at the bound, a smaller C is the same machine";
}

TEST_F(Select, KernelsWithoutGammaSayNull) {
  const json document = select({"--kernel", "linear"});
  EXPECT_EQ(document["grid"].size(), 3U);
  EXPECT_TRUE(document["best"]["gamma"].is_null());
}

TEST_F(Select, StandardInput) {
  const CommandResult result = command_.run(with({"select", "-", "--json", "-"}, quick), clouds_csv(120, 2, 1));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(without(json::parse(result.out), {"seconds", "source", "checksum", "report"}),
            without(select({}), {"seconds", "source", "checksum", "report"}));
}

TEST_F(Select, WordsForGammaAndClassWeights) {
  const CommandResult result =
      command_.run({"select", "data.csv", "--C", "1", "--gamma", "scale,auto,median", "--class-weight",
                    "class 0:2,class 1:0.5", "--scale", "standard", "--json", "-"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["grid"].size(), 3U);
}

TEST_F(Select, TimeLimitGivesAMarkedPartialResult) {
  command_.folder().write("large.csv", clouds_csv(3000, 4, 2));
  const CommandResult result =
      command_.run({"select", "large.csv", "--time-limit", "0.2", "-o", "m.credence", "--json", "-"});
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_NE(result.err.find("partial result"), std::string::npos);
  const json document = json::parse(result.out);
  EXPECT_EQ(document["status"], "time limit");
  EXPECT_EQ(document["grid"].size(), 144U);
  // There is a model where the time that is kept for its training was enough, and a sentence says which of the two it
  // is.
  const bool none = result.err.find("there is no model") != std::string::npos;
  EXPECT_NE(none, result.err.find("the model is its best setting") != std::string::npos) << result.err;
  EXPECT_EQ(none, test::read_text(command_.folder().file("m.credence")).empty()) << result.err;
}

TEST_F(Select, InterruptEndsWithinASecondWithAMarkedPartialResult) {
  command_.folder().write("large.csv", clouds_csv(4000, 4, 2));
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = command_.start({"select", "large.csv", "-o", "m.credence", "--threads", "1"});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(::kill(child, signal), 0);
    const CommandResult result = command_.finish(child);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1.0);
    EXPECT_EQ(result.code, 130) << result.err;
    EXPECT_TRUE(result.out.starts_with("INTERRUPTED: partial result, ")) << result.out;
    EXPECT_NE(result.out.find("of 144 settings"), std::string::npos);
    EXPECT_EQ(test::read_text(command_.folder().file("m.credence")), "");
  }
}

class Models : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(150, GetParam(), 3));
    command_.folder().write("test.csv", clouds_csv(90, GetParam(), 4));
    const CommandResult result =
        command_.run({"train", "train.csv", "--C", "2", "--gamma", "2^-2", "-o", "m.credence", "--verbose"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("converged"), std::string::npos);
  }
  std::string predictions(const std::string& model, const std::string& data) {
    const CommandResult result = command_.run({"predict", model, data});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  Command command_;
};

TEST_P(Models, PredictWritesOneLineARow) {
  const std::string text = predictions("m.credence", "test.csv");
  EXPECT_EQ(line_count(text), 91U);
  EXPECT_TRUE(text.starts_with(GetParam() == 2
                                   ? "row,label,decision_value,familiarity\n1,class "
                                   : "row,label,decision_value_class 0_vs_class 1,decision_value_class 0_vs_class 2,"
                                     "decision_value_class 1_vs_class 2,familiarity\n1,class "))
      << text.substr(0, 200);
  const CommandResult file = command_.run({"predict", "m.credence", "test.csv", "-o", "p.csv"});
  EXPECT_EQ(file.code, 0);
  EXPECT_EQ(file.out, "");
  EXPECT_EQ(test::read_text(command_.folder().file("p.csv")), text);
}

TEST_P(Models, PredictDoesNotLookAtLabelsOrExtraColumns) {
  const std::string labelled = clouds_csv(90, GetParam(), 4);
  std::istringstream lines(labelled);
  std::string unlabelled;
  std::string extra;
  for (std::string line; std::getline(lines, line);) {
    const std::string settings = line.substr(0, line.rfind(','));
    unlabelled += settings + "\n";
    extra += (extra.empty() ? "note," : "some text,") + settings + "\n";
  }
  command_.folder().write("unlabelled.csv", unlabelled);
  command_.folder().write("extra.csv", extra);
  const std::string text = predictions("m.credence", "test.csv");
  EXPECT_EQ(predictions("m.credence", "unlabelled.csv"), text);
  EXPECT_EQ(predictions("m.credence", "extra.csv"), text);
}

TEST_P(Models, EvaluateCountsWhatPredictPredicts) {
  const CommandResult result = command_.run({"evaluate", "m.credence", "test.csv", "--json", "-"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(result.out);
  std::istringstream truth(clouds_csv(90, GetParam(), 4));
  std::istringstream predicted(predictions("m.credence", "test.csv"));
  std::string truth_line;
  std::string predicted_line;
  std::getline(truth, truth_line);
  std::getline(predicted, predicted_line);
  int errors = 0;
  while (std::getline(truth, truth_line) && std::getline(predicted, predicted_line)) {
    const std::string label = truth_line.substr(truth_line.rfind(',') + 1);
    if (predicted_line.find("," + label + ",") == std::string::npos) ++errors;
  }
  EXPECT_EQ(document["n"], 90);
  EXPECT_EQ(document["errors"], errors);
  EXPECT_DOUBLE_EQ(document["error"].get<double>(), errors / 90.0);
  EXPECT_LT(document["interval"]["lower"], document["error"]);
  EXPECT_GT(document["interval"]["upper"], document["error"]);
  std::size_t total = 0;
  for (const json& row : document["confusion"])
    for (const json& count : row) total += count.get<std::size_t>();
  EXPECT_EQ(total, 90U);
  EXPECT_NE(command_.run({"evaluate", "m.credence", "test.csv"}).out.find("true class as"), std::string::npos);
}

/// What the ending says is what the file is; no other ending is taken for one of these.
TEST_P(Models, TheEndingDecidesWhatAConvertedModelIs) {
  for (const std::string out : {"m.c", "m.h"}) {
    ASSERT_EQ(command_.run({"convert", "m.credence", out}).code, 0);
    EXPECT_NE(test::read_text(command_.folder().file(out)).find("credence_predict("), std::string::npos) << out;
  }
  EXPECT_EQ(test::read_text(command_.folder().file("m.c")), test::read_text(command_.folder().file("m.h")));
  for (const std::string out : {"m.model", "m.libsvm", "m.txt"}) {
    ASSERT_EQ(command_.run({"convert", "m.credence", out}).code, 0);
    EXPECT_TRUE(test::read_text(command_.folder().file(out)).starts_with("svm_type c_svc")) << out;
  }
  for (const std::string out :
       {"m.onnx", "m.pmml", "m.json", "m.csv", "m.cpp", "m.C", "m", "m.credence.gz", "m.model.gz"}) {
    for (const std::string in : {"m.credence", "m.libsvm"}) {
      const CommandResult refused = command_.run({"convert", in, out});
      EXPECT_EQ(refused.code, 2) << out;
      const std::vector<const char*> endings =
          in == "m.credence" ? std::vector{"a C file that predicts", ".c", ".h", ".model", ".libsvm", ".txt"}
                             : std::vector{".credence"};
      for (const char* ending : endings) EXPECT_NE(refused.err.find(ending), std::string::npos) << refused.err;
      EXPECT_FALSE(std::filesystem::exists(command_.folder().file(out))) << out;
    }
  }
}

/// The whole way through LIBSVM: the model, the preprocessed rows, svm-predict, and the model back.
TEST_P(Models, ConvertedForSvmPredictTheyPredictTheSame) {
  const CommandResult exported = command_.run({"convert", "m.credence", "m.model"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_NE(exported.err.find("0 = 'class 0'"), std::string::npos) << exported.err;
  EXPECT_NE(exported.err.find("preprocess"), std::string::npos) << exported.err;
  ASSERT_EQ(command_.run({"convert", "test.csv", "test.svm", "--preprocess", "m.credence"}).code, 0);
  ASSERT_EQ(command_.run({"convert", "m.model", "back.credence"}).code, 0);
  const auto labels = [](const std::string& csv) {
    std::istringstream lines(csv);
    std::string result;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      const std::size_t start = line.find(',') + 1;
      const std::string label = line.substr(start, line.find(',', start) - start);
      result += (label.starts_with("class ") ? label.substr(6) : label) + "\n";
    }
    return result;
  };
  const std::string expected = labels(predictions("m.credence", "test.csv"));
  EXPECT_EQ(labels(predictions("m.model", "test.svm")), expected);
  EXPECT_EQ(labels(predictions("back.credence", "test.svm")), expected);
  EXPECT_EQ(command_.run({"evaluate", "m.model", "test.svm", "--json", "-"}).code, 0);
  const CommandResult tool =
      command_.shell("command -v svm-predict >/dev/null || exit 99; svm-predict test.svm m.model out");
  if (tool.code == 99) GTEST_SKIP() << "needs svm-predict of libsvm-tools";
  ASSERT_EQ(tool.code, 0) << tool.err;
  EXPECT_EQ(test::read_text(command_.folder().file("out")), expected);
}

INSTANTIATE_TEST_SUITE_P(Classes, Models, testing::Values(2, 3));

/// What the file says of itself, beside the result of the selection and the table.
TEST(Info, SaysWhatTheSelectionAndTheTableSay) {
  const Command command;
  command.folder().write("rows.csv", clouds_csv(90, 3, 5));
  ASSERT_EQ(
      command.run({"select", "rows.csv", "--C", "1,4", "--gamma", "0.1", "--quiet", "-o", "m", "--json", "s.json"})
          .code,
      0);
  const CommandResult told = command.run({"info", "m", "--json", "i.json"});
  ASSERT_EQ(told.code, 0) << told.err;
  const json selected = json::parse(test::read_text(command.folder().file("s.json")));
  const json info = json::parse(test::read_text(command.folder().file("i.json")));
  for (const char* key : {"method", "score", "score_kind", "error", "lower", "upper", "interval", "delta", "rows"})
    EXPECT_EQ(info["honest"][key], selected["honest"][key]) << key;
  for (const char* key : {"classes", "class_counts", "seed", "version"}) EXPECT_EQ(info[key], selected[key]) << key;
  EXPECT_EQ(info["p_values"], "cross");
  EXPECT_EQ(info["data"], "rows.csv");
  const Table rows(test::read_text(command.folder().file("rows.csv")));
  for (const json& column : info["columns"]) {
    std::vector<double> values;
    for (const auto& row : rows.rows) values.push_back(number(row, column["name"]));
    EXPECT_EQ(column["least"], std::ranges::min(values));
    EXPECT_EQ(column["largest"], std::ranges::max(values));
  }
  for (const char* part : {"data             rows.csv", "'label' (the last column)", "3 classes: 'class 0' (30)",
                           "the figure to quote", "largest"})
    EXPECT_NE(told.out.find(part), std::string::npos) << part << told.out;
}

TEST(Info, ListsTheCodesOfMissingValues) {
  const Command command;
  std::string rows = "x,y,label\n";
  for (int i = 0; i < 30; ++i) rows += std::to_string(i % 9 == 0 ? -99 : i) + (i % 2 == 0 ? ",1,a\n" : ",3,b\n");
  command.folder().write("rows.csv", rows);
  const auto train = [&](const std::vector<std::string>& more) {
    ASSERT_EQ(command.run(with({"train", "rows.csv", "--quiet", "-o", "m"}, more)).code, 0);
  };
  train({"--missing", "impute", "--na", ".,x=-99"});
  const CommandResult told = command.run({"info", "m", "--json", "i.json"});
  EXPECT_NE(told.out.find("filled; missing too: '.', '-99' in column 'x'"), std::string::npos) << told.out;
  const json codes = json::parse(test::read_text(command.folder().file("i.json")))["missing_codes"];
  EXPECT_EQ(codes, (json{{{"text", "."}, {"column", nullptr}}, {{"text", "-99"}, {"column", 0}}}));
  train({});
  EXPECT_NE(command.run({"info", "m"}).out.find("missing     "), std::string::npos);
}

TEST(Info, SaysWhatAnOlderFileDoesNotHold) {
  const Command command;
  const std::string models = CREDENCE_SOURCE_DIR "/tests/data/compat/0.1/models/";
  for (const char* name :
       {"cv", "average", "family", "regions", "regression", "rvm", "knn", "transductive", "random"}) {
    const CommandResult told = command.run({"info", models + name + ".credence"});
    EXPECT_EQ(told.code, 0) << told.err;
    EXPECT_NE(told.out.find("not recorded in this file"), std::string::npos) << told.out;
  }
}

TEST(Convert, DataThereAndBack) {
  Command command;
  command.folder().write("a.csv", "x,y,label\n1.5,0,1\n0,-2e-300,2\n3,0.1,1\n");
  ASSERT_EQ(command.run({"convert", "a.csv", "a.svm"}).code, 0);
  EXPECT_EQ(test::read_text(command.folder().file("a.svm")), "1 1:1.5\n2 2:-2e-300\n1 1:3 2:0.1\n");
  ASSERT_EQ(command.run({"convert", "a.svm", "b.csv"}).code, 0);
  ASSERT_EQ(command.run({"convert", "b.csv", "b.svm"}).code, 0);
  EXPECT_EQ(test::read_text(command.folder().file("a.svm")), test::read_text(command.folder().file("b.svm")));
}

TEST(Convert, PackedData) {
  Command command;
  command.folder().write("a.csv", "x,y,label\n1.5,0,1\n0,-2,2\n3,0.1,1\n");
  ASSERT_EQ(command.run({"convert", "a.csv", "a.svm.gz"}).code, 0);
  EXPECT_TRUE(test::read_text(command.folder().file("a.svm.gz")).starts_with("\x1f\x8b"));
  ASSERT_EQ(command.run({"convert", "a.svm.gz", "b.svm"}).code, 0);
  EXPECT_EQ(test::read_text(command.folder().file("b.svm")), "1 1:1.5\n2 2:-2\n1 1:3 2:0.1\n");
}

TEST(Convert, TextNeedsAModelAndNamedClassesAreNumbered) {
  Command command;
  command.folder().write("a.csv", "x,colour,label\n1,red,1\n2,blue,2\n");
  const CommandResult text = command.run({"convert", "a.csv", "a.svm"});
  EXPECT_EQ(text.code, 3);
  EXPECT_NE(text.err.find("colour"), std::string::npos) << text.err;
  command.folder().write("b.csv", "x,label\n1,red\n2,blue\n");
  const CommandResult numbered = command.run({"convert", "b.csv", "b.svm"});
  EXPECT_EQ(numbered.code, 0);
  EXPECT_NE(numbered.err.find("0 = 'blue', 1 = 'red'"), std::string::npos) << numbered.err;
  EXPECT_EQ(test::read_text(command.folder().file("b.svm")), "1 1:1\n0 1:2\n");
}

TEST(Pipes, AReaderThatLeavesEarlyIsNoError) {
  Command command;
  command.folder().write("train.csv", clouds_csv(80, 2, 3));
  command.folder().write("many.csv", clouds_csv(40000, 2, 4));
  ASSERT_EQ(command.run({"train", "train.csv", "--gamma", "0.2", "-o", "m"}).code, 0);
  const CommandResult result =
      command.shell("{ \"$CREDENCE\" predict m many.csv --quiet; echo \"code $?\" >&2; } | head -1");
  EXPECT_EQ(result.out, "row,label,decision_value,familiarity\n");
  EXPECT_EQ(result.err, "code 0\n");
  const CommandResult full = command.shell("\"$CREDENCE\" predict m many.csv > /dev/full");
  EXPECT_EQ(full.code, 4);
  EXPECT_TRUE(full.err.starts_with("credence: ")) << full.err;
}

TEST(Missing, PredictTreatsSettingsAsTrainingDid) {
  Command command;
  std::string text = "x,y,label\n";
  for (int i = 0; i < 60; ++i) {
    text += (i % 9 == 0 ? "NA" : std::to_string(i % 2 + i % 5)) + "," + std::to_string(i % 7) + "," +
            std::to_string(i % 2) + "\n";
  }
  command.folder().write("data.csv", text);
  command.folder().write("new.csv", "x,y\n1,2\n,3\n2,5\n");
  EXPECT_EQ(command.run({"train", "data.csv", "-o", "m"}).code, 3);
  ASSERT_EQ(command.run({"train", "data.csv", "--missing", "impute", "-o", "imputing"}).code, 0);
  EXPECT_EQ(line_count(command.run({"predict", "imputing", "new.csv"}).out), 4U);
  ASSERT_EQ(command.run({"train", "data.csv", "--missing", "drop", "-o", "dropping"}).code, 0);
  const CommandResult dropped = command.run({"predict", "dropping", "new.csv"});
  EXPECT_EQ(line_count(dropped.out), 3U);
  EXPECT_NE(dropped.out.find("\n3,"), std::string::npos) << "rows keep their number in the file: " << dropped.out;
  EXPECT_NE(dropped.err.find("1 row "), std::string::npos) << dropped.err;
}

TEST(Demo, RunsInTheGivenFolder) {
  Command command;
  const CommandResult result = command.run({"demo", "--output", "demo"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"\n$ credence evaluate", "\nrow,label,"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << result.out;
  EXPECT_EQ(command.run({"evaluate", "demo/model.credence", "demo/test.csv"}).code, 0);
}

}  // namespace commands_tests
}  // namespace credence
