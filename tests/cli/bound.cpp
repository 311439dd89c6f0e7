#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/helpers.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/bounds/uniform.hpp"
#include "support/command.hpp"

namespace credence {
namespace bound_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

json document_of(std::vector<std::string> arguments) {
  Command command;
  arguments.insert(arguments.begin(), "bound");
  arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
  const CommandResult result = command.run(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return json::parse(result.out);
}

json bound(const json& document, const std::string& name) {
  for (const json& one : document.at("bounds"))
    if (one.at("name") == name) return one;
  ADD_FAILURE() << "no bound " << name;
  return {};
}

std::vector<std::string> names_of(const json& document) {
  std::vector<std::string> names;
  for (const json& one : document.at("bounds")) names.push_back(one.at("name"));
  return names;
}

/// The line of a text that starts with these words.
std::string line_of(const std::string& text, const std::string& start) {
  const std::size_t at = ("\n" + text).find("\n" + start);
  if (at == std::string::npos) return "no line " + start;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(BoundCommand, ErrorsVsLibrary) {
  const json document = document_of({"--errors", "3", "--n", "100", "--delta", "0.02"});
  EXPECT_EQ(document.at("n"), 100);
  EXPECT_EQ(document.at("errors"), 3);
  EXPECT_EQ(document.at("delta"), 0.02);
  EXPECT_EQ(document.at("sample"), "held out");
  EXPECT_EQ(document.at("use"), "clopper_pearson");
  EXPECT_EQ(names_of(document),
            (std::vector<std::string>{"clopper_pearson", "clopper_pearson_two_sided", "hoeffding",
                                      "hoeffding_deviation", "empirical_chernoff", "empirical_bernstein"}));
  EXPECT_EQ(bound(document, "clopper_pearson").at("upper"), bounds::binomial_upper_limit(3, 100, 0.02));
  EXPECT_EQ(bound(document, "clopper_pearson_two_sided").at("upper"), bounds::clopper_pearson(3, 100, 0.02).upper);
  EXPECT_EQ(bound(document, "clopper_pearson_two_sided").at("lower"), bounds::clopper_pearson(3, 100, 0.02).lower);
  EXPECT_EQ(bound(document, "hoeffding").at("upper"), bounds::hoeffding_upper_limit(0.03, 100, 0.02));
  EXPECT_EQ(bound(document, "hoeffding_deviation").at("upper"), 0.03 + bounds::hoeffding_deviation(100, 0.02));
  EXPECT_EQ(bound(document, "empirical_chernoff").at("upper"), bounds::empirical_chernoff_upper_limit(0.03, 100, 0.02));
  EXPECT_EQ(bound(document, "empirical_bernstein").at("upper"),
            bounds::empirical_bernstein_upper_limit(0.03, 100, 0.02));
  for (const json& one : document.at("bounds")) EXPECT_FALSE(one.at("vacuous").get<bool>());
}

TEST(BoundCommand, DeltaIsOneInTwentyUnlessGiven) {
  const json document = document_of({"--errors", "0", "--n", "40"});
  EXPECT_EQ(document.at("delta"), 0.05);
  EXPECT_NEAR(bound(document, "clopper_pearson").at("upper").get<double>(), 0.0721575245, 1e-9);
}

TEST(BoundCommand, SoftLossesHaveNoBinomialBound) {
  const json document = document_of({"--loss", "0.013", "--n", "147"});
  EXPECT_FALSE(document.contains("errors"));
  EXPECT_EQ(document.at("use"), "hoeffding");
  EXPECT_EQ(names_of(document), (std::vector<std::string>{"hoeffding", "hoeffding_deviation", "empirical_chernoff",
                                                          "empirical_bernstein"}));
  EXPECT_EQ(bound(document, "hoeffding").at("upper"), bounds::hoeffding_upper_limit(0.013, 147, 0.05));
}

TEST(BoundCommand, ComplexityIsAddedToTheTrainingLoss) {
  const std::vector<std::string> arguments{"--loss", "0.1", "--n", "400", "--complexity", "0.2"};
  const json exact = document_of(arguments);
  EXPECT_EQ(exact.at("sample"), "training");
  EXPECT_EQ(names_of(exact), std::vector<std::string>{"complexity"});
  EXPECT_NEAR(bound(exact, "complexity").at("upper").get<double>(), 0.3 + 0.2037152274, 1e-9);
  EXPECT_EQ(exact.at("rademacher_floor"), bounds::rademacher_floor(400));
  const json sampled = document_of(test::with(arguments, {"--trials", "100"}));
  EXPECT_EQ(sampled.at("trials"), 100);
  EXPECT_EQ(sampled.at("use"), "complexity_of_trials");
  EXPECT_NEAR(bound(sampled, "complexity_of_trials").at("upper").get<double>(), 0.3 + 0.3576985708, 1e-9);
}

TEST(BoundCommand, VacuousBoundsAreMarked) {
  Command command;
  const CommandResult result = command.run({"bound", "--errors", "0", "--n", "7", "--json", "bounds.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(test::read_text(command.folder().file("bounds.json")));
  const std::vector<std::pair<std::string, std::string>> lines{{"hoeffding", "Hoeffding, KL form"},
                                                               {"empirical_bernstein", "Bernstein, empirical"}};
  for (const auto& [name, title] : lines) {
    const bool vacuous = bound(document, name).at("upper").get<double>() >= 1;
    EXPECT_EQ(bound(document, name).at("vacuous"), vacuous);
    EXPECT_EQ(line_of(result.out, title).find("vacuous") != std::string::npos, vacuous) << result.out;
    EXPECT_EQ(vacuous, name == "empirical_bernstein");
  }
  EXPECT_NE(
      line_of(command.run({"bound", "--loss", "0.1", "--n", "10", "--complexity", "0.3"}).out, "complexity, exact")
          .find("vacuous"),
      std::string::npos);
}

TEST(BoundCommand, OneRowAndNothingButErrors) {
  const json document = document_of({"--errors", "1", "--n", "1"});
  EXPECT_TRUE(bound(document, "empirical_bernstein").at("upper").is_null());
  for (const json& one : document.at("bounds")) EXPECT_TRUE(one.at("vacuous").get<bool>()) << one;
  Command command;
  EXPECT_NE(command.run({"bound", "--errors", "1", "--n", "1"}).out.find("needs two rows"), std::string::npos);
}

TEST(BoundCommand, BadInputIsNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--errors", "1.5", "--n", "100"}, "--errors"},
      {{"--errors", "0", "--n", "0"}, "--n: 0"},
      {{"--errors", "0", "--n", "-4"}, "--n: -4"},
      {{"--errors", "3", "--loss", "0.03", "--n", "100"}, "either --errors"},
      {{"--loss", "nan", "--n", "100"}, "--loss: 'nan'"},
      {{"--errors", "3", "--n", "100", "--delta", "1"}, "--delta: 1"},
      {{"--errors", "3", "--n", "100", "--delta", "nan"}, "--delta: 'nan'"},
      {{"--loss", "0.1", "--n", "100", "--complexity", "2"}, "--complexity: 2"},
      {{"--errors", "3", "--n", "100", "--complexity", "0.1"}, "--complexity: a complexity belongs to a mean loss"},
      {{"--loss", "0.1", "--n", "100", "--complexity", "nan"}, "--complexity: 'nan'"},
      {{"--loss", "0.1", "--n", "100", "--complexity", "0.2", "--trials", "0"}, "--trials: 0"},
      {{"--loss", "0.1", "--n", "100", "--trials", "5"}, "--trials"},
      {{"--errors", "100000000000", "--n", "1000000000000000"}, "cannot be computed"},
      {{"--errors", "9", "--n", "7", "--delta", "2"}, "--delta: 2"},
      {{"3", "100"}, "3"},
  };
  Command command;
  for (const auto& [arguments, part] : cases) {
    const CommandResult result = command.run(test::with({"bound"}, arguments));
    EXPECT_EQ(result.code, 2) << part;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("credence: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << "expected '" << part << "' in: " << result.err;
  }
  EXPECT_EQ(command.run({"bound", "--errors", "0", "--n", "9", "--json", "no/such/folder/b"}).code, 4);
}

TEST(BoundCommand, JsonOnStandardOutputLeavesItToJson) {
  Command command;
  const CommandResult result = command.run({"bound", "--errors", "3", "--n", "100", "--json", "-"});
  EXPECT_EQ(json::parse(result.out).at("n"), 100);
  EXPECT_NE(result.err.find("Clopper-Pearson"), std::string::npos);
  EXPECT_EQ(command.run({"bound", "--errors", "3", "--n", "100", "--quiet"}).out, "");
}

TEST(BoundCommand, HelpHasExamplesAndFitsEightyColumns) {
  Command command;
  const CommandResult help = command.run({"bound", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Examples:"), std::string::npos);
  std::istringstream lines(help.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace bound_tests
}  // namespace credence
