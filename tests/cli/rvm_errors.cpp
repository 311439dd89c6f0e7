#include <gtest/gtest.h>

#include <algorithm>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace rvm_errors_tests {

using test::Command;
using test::CommandResult;
using test::with;

void expect_one_line_error(const CommandResult& result, int code, const std::string& part) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("credence: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << "expected '" << part << "' in: " << result.err;
}

using Case = std::pair<std::vector<std::string>, std::string>;

class BadRvmOptions : public testing::TestWithParam<Case> {};

/// DATA does not exist, so that exit code 2 shows that options are looked at first.
TEST_P(BadRvmOptions, AreFoundBeforeTheDataAreRead) {
  Command command;
  expect_one_line_error(command.run(GetParam().first), 2, GetParam().second);
}

Case selecting(std::vector<std::string> options, std::string part) {
  return {with({"select", "nowhere.csv"}, options), std::move(part)};
}
Case indexing(std::vector<std::string> options, std::string part) {
  return selecting(with({"--method", "kernel-validity"}, options), std::move(part));
}

INSTANTIATE_TEST_SUITE_P(
    Select, BadRvmOptions,
    testing::Values(
        indexing({"--sigma", "0"}, "--sigma: 0 is not a width"), indexing({"--sigma", "1,-2"}, "--sigma"),
        indexing({"--sigma", "nan"}, "--sigma"), indexing({"--sigma", "1e200"}, "--sigma"),
        indexing({"--sigma", "1e-200"}, "--sigma"), indexing({"--sigma", "wide"}, "--sigma"),
        indexing({"--sigma", "1", "--gamma", "1"}, "--gamma and --sigma exclude each other"),
        indexing({"--sigma", "1", "--kernel", "linear"}, "the linear kernel has no width"),
        indexing({"--sigma", "1", "--kernel", "laplacian"}, "the laplacian kernel has gamma"),
        indexing({"--kernel", "sigmoid"}, "sigmoid kernel has no validity index"),
        indexing({"--kernel", "linear"}, "linear kernel has no validity index"),
        indexing({"--algorithm", "greedy"}, "--algorithm"), indexing({"--starts", "4"}, "starts"),
        indexing({"--starts", "0"}, "starts"), indexing({"--starts", "two"}, "--starts"),
        indexing({"--starts", "2", "--algorithm", "sequential"}, "start"),
        indexing({"--centres", "0"}, "--centres: 0 is not at least 1"), indexing({"--centres", "-5"}, "--centres"),
        indexing({"--noise", "0.1"}, "the noise is one of regressions"),
        indexing({"--task", "regression", "--noise", "0"}, "--noise"),
        indexing({"--task", "regression", "--noise", "-1"}, "--noise"),
        indexing({"--task", "regression", "--noise", "1e-200"}, "--noise"),
        indexing({"--null-margin", "1", "--no-guard"}, "exclude each other"),
        indexing({"--null-margin", "nan"}, "--null-margin"), indexing({"--model", "knn"}, "kernel-validity"),
        indexing({"--class-weight", "balanced"}, "--class-weight: kernel-validity with rvm models does not use it"),
        indexing({"--nu", "0.2"}, "--nu: kernel-validity with rvm models does not use it; svm models do")));

INSTANTIATE_TEST_SUITE_P(
    SelectModel, BadRvmOptions,
    testing::Values(
        selecting({"--model", "rvm", "--nu", "0.2"}, "--nu: cv with rvm models does not use it; svm models do"),
        selecting({"--model", "rvm", "--k", "3"}, "--k: cv with rvm models does not use it; knn models do"),
        selecting({"--model", "rvm", "--method", "loo"}, "loo"),
        selecting({"--model", "rvm", "--method", "kfold-nested", "--final", "random"}, "random draws SVMs"),
        selecting({"--model", "rvm", "--method", "rademacher"}, "rademacher"),
        selecting({"--model", "rvm", "--method", "max-margin", "--margin", "geometric"}, "margin"),
        selecting({"--model", "forest"}, "--model"),
        selecting({"--model", "knn", "--method", "holdout", "--sigma", "1"},
                  "--sigma: holdout with knn models does not use it"),
        selecting({"--task", "regression", "--method", "nonconformity"}, "not by nonconformity"),
        selecting({"--task", "regression", "--model", "svm"}, "regressions are relevance vector machines"),
        selecting(
            {"--task", "regression", "--model", "knn"},
            "--model: nearest neighbours are chosen by nonconformity, max-margin, holdout or holdout-vote, not by cv"),
        selecting({"--sigma", ""}, "--sigma: the empty text"), selecting({"--C", ""}, "--C: the empty text"),
        selecting({"--gamma", ""}, "--gamma: the empty text"),
        selecting({"--task", "regression", "--estimate", "nested"}, "nested"),
        selecting({"--task", "ranking"}, "--task")));

Case training(std::vector<std::string> options, std::string part) {
  return {with({"train", "nowhere.csv", "-o", "m"}, options), std::move(part)};
}

INSTANTIATE_TEST_SUITE_P(
    Train, BadRvmOptions,
    testing::Values(training({"--model", "knn"}, "--model"), training({"--model", "rvm", "--C", "1"}, "--C"),
                    training({"--model", "rvm", "--nu", "0.1"}, "--nu"),
                    training({"--model", "rvm", "--class-weight", "balanced"}, "--class-weight"),
                    training({"--model", "rvm", "--sigma", "0"}, "--sigma"),
                    training({"--model", "rvm", "--sigma", "1,2"}, "--sigma: train takes one value"),
                    training({"--model", "rvm", "--sigma", "1", "--gamma", "1"}, "exclude each other"),
                    training({"--model", "rvm", "--kernel", "linear", "--sigma", "1"}, "no width"),
                    training({"--model", "rvm", "--starts", "4"}, "starts"),
                    training({"--model", "rvm", "--noise", "1"}, "the noise is one of regressions"),
                    training({"--starts", "2"}, "--starts: SVMs do not use it; rvm models do"),
                    training({"--literal"}, "--literal: SVMs do not use it; rvm models do"),
                    training({"--task", "regression", "--model", "svm"}, "--model rvm"),
                    training({"--model", "rvm", "--sigma", ""}, "--sigma: the empty text"),
                    training({"--task", "regression", "--folds", "1"}, "--folds"),
                    training({"--task", "ranking"}, "--task")));

Case comparing(std::vector<std::string> options, std::string part) {
  return {with({"compare", "nowhere.csv"}, options), std::move(part)};
}

INSTANTIATE_TEST_SUITE_P(Compare, BadRvmOptions,
                         testing::Values(comparing({"--methods", "cv+tree"}, "'+tree' does not fit"),
                                         comparing({"--methods", "cv+rvm+svm"}, "each once"),
                                         comparing({"--methods", "cv+"}, "nothing follows"),
                                         comparing({"--methods", "cv+rvm+hint"}, "take a hint"),
                                         comparing({"--methods", "rademacher+rvm"}, "about SVMs"),
                                         comparing({"--methods", "loo+rvm"}, "loo"),
                                         comparing({"--methods", "cv+rvm,cv+rvm"}, "named twice"),
                                         comparing({"--methods", "evidence", "--sigma", "0"}, "--sigma"),
                                         comparing({"--methods", "evidence", "--starts", "4"}, "starts"),
                                         comparing({"--noise", "1"}, "'--noise' is not expected"),
                                         comparing({"--task", "regression"}, "--task: compare")));

Case fitting(std::vector<std::string> options, std::string part) {
  return {with({"conformal", "fit", "nowhere.csv", "-o", "m"}, options), std::move(part)};
}

INSTANTIATE_TEST_SUITE_P(
    Conformal, BadRvmOptions,
    testing::Values(fitting({"--model", "rvm"}, "--model: nn-ratio has no models; margin has"),
                    fitting({"--measure", "margin", "--model", "rvm"}, "transductive"),
                    fitting({"--measure", "margin", "--model", "knn"}, "--model"),
                    fitting({"--measure", "margin", "--mode", "cross", "--model", "rvm", "--C", "1"},
                            "--C: margin with rvm models does not use it; margin with svm models does"),
                    fitting({"--measure", "margin", "--mode", "cross", "--starts", "2"},
                            "--starts: margin with svm models does not use it; margin with rvm models does"),
                    fitting({"--measure", "margin", "--mode", "cross", "--model", "rvm", "--sigma", "1,2"}, "--sigma"),
                    fitting({"--measure", "margin", "--mode", "cross", "--sigma", "1", "--gamma", "2"}, "same axis"),
                    fitting({"--measure", "margin", "--mode", "inductive", "--model", "rvm", "--select", "--kernel",
                             "linear"},
                            "--select: the linear kernel has no validity index"),
                    fitting({"--measure", "margin", "--mode", "cross", "--model", "rvm", "--tolerance", "0.1"},
                            "--tolerance: margin with rvm models does not use it"),
                    fitting({"--measure", "margin", "--sigma", ""}, "--sigma: the empty text"),
                    fitting({"--task", "regression"}, "conformal intervals")));

TEST(RvmOptions, HelpOffersNothingThatIsRefused) {
  Command command;
  const std::string compare = command.run({"compare", "--help-all"}).out;
  EXPECT_NE(compare.find("--sigma"), std::string::npos);
  for (const char* option : {"--task", "--noise"}) EXPECT_EQ(compare.find(option), std::string::npos) << option;
  EXPECT_EQ(command.run({"conformal", "fit", "--help-all"}).out.find("--task"), std::string::npos);
  EXPECT_EQ(command.run({"conformal", "online", "--help"}).out.find("--task"), std::string::npos);
  EXPECT_NE(command.run({"select", "--help"}).out.find("--task"), std::string::npos);
}

TEST(RvmOptions, AllMistakesAreNamedAtOnce) {
  Command command;
  const CommandResult result =
      command.run({"select", "nowhere.csv", "--method", "kernel-validity", "--sigma", "0", "--starts", "4", "--centres",
                   "0", "--algorithm", "greedy", "--null-margin", "nan", "--nu", "0.1"});
  for (const char* part : {"--sigma", "starts", "--centres", "--algorithm", "--null-margin", "--nu"})
    expect_one_line_error(result, 2, part);
}

class BadRvmData : public testing::Test {
 protected:
  CommandResult select(const std::string& content, const std::vector<std::string>& options = {}) {
    command_.folder().write("data.csv", content);
    return command_.run(with({"select", "data.csv", "--method", "kernel-validity", "--sigma", "0.5,1"}, options));
  }
  Command command_;
};

TEST_F(BadRvmData, IsRefusedInOneSentence) {
  expect_one_line_error(select("a,label\n1,x\n2,x\n3,x\n4,x\n"), 3, "class");
  expect_one_line_error(select("a,label\n1,x\n1,y\n1,x\n1,y\n"), 3, "no column varies");
  expect_one_line_error(select("a,w,label\n1,1,x\n2,2,y\n3,1,x\n4,1,y\n", {"--weights", "w"}), 3, "sample weights");
}

TEST_F(BadRvmData, TargetsOfARegressionAreNumbersThatDiffer) {
  const std::vector<std::string> regression{"--task", "regression"};
  expect_one_line_error(select("a,y\n1,2\n2,2\n3,2\n4,2\n", regression), 3, "targets that differ");
  expect_one_line_error(select("a,y\n1,2\n2,3\n3,high\n4,2\n", regression), 3, "data.csv:4");
  expect_one_line_error(select("a,y\n1,2\n2,3\n3,inf\n4,2\n", regression), 3, "data.csv:4");
}

}  // namespace rvm_errors_tests
}  // namespace credence
