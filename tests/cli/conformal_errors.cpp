#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/conformal_command.hpp"

namespace credence {
namespace conformal_errors_tests {

using test::CommandResult;
using test::line_count;
using test::with;

class BadConformal : public test::ConformalCommand {
 protected:
  void expect_error(const std::vector<std::string>& arguments, int code, const std::string& part) const {
    const CommandResult result = command_.run(with({"conformal"}, arguments));
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("credence: ")) << result.err;
    EXPECT_EQ(line_count(result.err), 1U) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << "expected '" << part << "' in: " << result.err;
  }
  void expect_fit_error(const std::vector<std::string>& options, int code, const std::string& part) const {
    expect_error(with({"fit", "data.csv", "-o", "m"}, options), code, part);
    EXPECT_EQ(test::read_text(command_.folder().file("m")), "");
  }
  void expect_online_error(const std::vector<std::string>& options, int code, const std::string& part) const {
    expect_error(with({"online", "data.csv"}, options), code, part);
  }
};

TEST_F(BadConformal, Options) {
  expect_error({}, 2, "conformal --help");
  expect_error({"fir"}, 2, "conformal --help");
  expect_error({"fit"}, 2, "conformal fit --help");
  expect_error({"fit", "data.csv"}, 2, "output");
  expect_fit_error({"--k", "0"}, 2, "--k: 0 is not at least 1");
  expect_fit_error({"--k", "-3"}, 2, "--k: -3 is not at least 1");
  expect_fit_error({"--k", "151"}, 2, "only 150 rows");
  expect_fit_error({"--k", "1000000000"}, 2, "only 150 rows");
  expect_fit_error({"--k", "two"}, 2, "--k");
  expect_fit_error({"--measure", "distance"}, 2, "--measure: 'distance' is not one of nn-ratio, nn-own, margin");
  expect_fit_error({"--metric", "chebyshev"}, 2, "--metric");
  expect_fit_error({"--mode", "split"}, 2, "--mode");
  expect_fit_error({"--mode", "inductive", "--metric", "cosine"}, 2, "transductive mode");
  expect_fit_error({"--mode", "inductive", "--calibration", "1"}, 2, "between 0 and 1");
  expect_fit_error({"--mode", "cross", "--folds", "1"}, 2, "at least 2");
  expect_fit_error({"--confidence-level", "0"}, 2, "--confidence-level");
  expect_fit_error({"--confidence-level", "-0.1"}, 2, "--confidence-level");
  expect_fit_error({"--measure", "margin", "--C", "0"}, 2, "--C: 0 is not above 0");
  expect_fit_error({"--measure", "margin", "--C", "1,2"}, 2, "--select");
  expect_fit_error({"--measure", "margin", "--gamma", "-1"}, 2, "gamma");
  expect_fit_error({"--measure", "margin", "--kernel", "precomputed"}, 2, "precomputed");
  expect_fit_error({"--measure", "margin", "--class-weight", "balanced"}, 2, "class weights");
}

TEST_F(BadConformal, OptionsWithoutEffect) {
  expect_fit_error({"--C", "1"}, 2, "--C: nn-ratio does not use it; margin with svm models does");
  expect_fit_error({"--kernel", "rbf"}, 2, "--kernel: nn-ratio does not use it; margin does");
  expect_fit_error({"--measure", "margin", "--k", "1"}, 2,
                   "--k: margin with svm models does not use it; nn-ratio and nn-own do");
  expect_fit_error({"--tolerance", "0.1"}, 2, "--tolerance: nn-ratio does not use it");
  expect_fit_error({"--folds", "3"}, 2, "--folds: the mode transductive does not use it; cross does");
  expect_fit_error({"--mode", "cross", "--calibration", "0.3"}, 2,
                   "--calibration: the mode cross does not use it; inductive does");
  expect_fit_error({"--folds", "3", "--C", "2"}, 2, "--folds: the mode");
  expect_fit_error({"--folds", "3", "--C", "2"}, 2, "--C: nn-ratio");
  expect_fit_error({"--mode", "inductive", "--select"}, 2, "--select is for the measure margin");
  expect_fit_error({"--select", "--measure", "margin"}, 2, "--select is for");
}

TEST_F(BadConformal, Data) {
  expect_error({"fit", "nowhere.csv", "-o", "m"}, 4, "nowhere.csv");
  expect_error({"online", "nowhere.csv"}, 4, "nowhere.csv");
  expect_error({"fit", "data.csv", "-o", "data.csv"}, 2, "output");
  const auto refuse = [&](const std::string& content, const std::vector<std::string>& options, int code,
                          const std::string& part) {
    command_.folder().write("data.csv", content);
    expect_fit_error(options, code, part);
  };
  refuse("a,label\n1,x\n2,x\n3,x\n", {}, 3, "at least two classes");
  refuse("a,label\n1,x\nnan,y\n3,x\n", {}, 3, "data.csv:3");
  refuse("", {}, 3, "data.csv");
  refuse("a,label\n1,x\n2,y\n", {"--mode", "cross"}, 3, "fold");
  refuse("a,label\n1,x\n2,y\n", {"--measure", "margin", "--mode", "inductive"}, 3, "class");
  refuse("a,w,label\n1,1,x\n2,1,y\n4,1,y\n", {"--weights", "w"}, 2, "weights");
  refuse("a,colour,label\n0,red,x\n1,blue,y\n", {"--metric", "precomputed"}, 3, "names");
  refuse("a,b,c,label\n0,1,2,x\n1,0,2,y\n", {"--metric", "precomputed"}, 3, "");
  refuse("a,b,label\n0,1,x\n2,0,y\n", {"--metric", "precomputed"}, 3, "");
  refuse("a,b,label\n0,1,x\n1,0,y\n", {"--metric", "precomputed", "--scale", "standard"}, 2, "scaled");
  refuse("a,b,label\n0,0,x\n1,0,y\n", {"--metric", "cosine"}, 3, "");
}

TEST_F(BadConformal, OnlineOptionsAndData) {
  expect_online_error({"--k", "0"}, 2, "--k: 0 is not at least 1");
  for (const char* option : {"--groups", "--weight-column", "--scale"})  // docs/conformal.md says why there are none
    expect_online_error({option, "x"}, 2, "the argument '" + std::string(option) + "' is not expected");
  expect_online_error({"--k", "200"}, 2, "150 rows");
  expect_online_error({"--measure", "margin"}, 2, "--measure");
  expect_online_error({"--metric", "precomputed"}, 2, "precomputed");
  expect_online_error({"--missing", "impute"}, 2, "rows that come later");
  expect_online_error({"--confidence-level", "-0.5"}, 2, "--confidence-level");
  expect_online_error({"--confidence-level", ""}, 2, "--confidence-level");
  expect_online_error({"-o", "-", "--json", "-"}, 2, "both");
  command_.folder().write("data.csv", "a,label\n1,x\n2,x\n");
  expect_online_error({}, 3, "at least two classes");
}

TEST_F(BadConformal, OfLoadedModels) {
  ASSERT_EQ(fit({}).code, 0);
  command_.folder().write("other.csv", "x,y,z,label\n1,2,3,class 9\n");
  const CommandResult unknown = command_.run({"evaluate", "m", "other.csv"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_TRUE(unknown.err.starts_with("credence: other.csv:2: row 1 ")) << unknown.err;
  std::string bytes = test::read_text(command_.folder().file("m"));
  command_.folder().write("cut", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(command_.run({"predict", "cut", "test.csv"}).code, 4);
  bytes[bytes.size() / 2] ^= 1;
  command_.folder().write("altered", bytes);
  EXPECT_EQ(command_.run({"evaluate", "altered", "test.csv"}).code, 4);
}

}  // namespace conformal_errors_tests
}  // namespace credence
