#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "support/command.hpp"
#include "support/sanitized.hpp"

/// The manual, the completion of shells, and what the command says of the machine.
namespace credence::test {
namespace shells_tests {

bool has(const Command& credence, const std::string& program) {
  return credence.shell("command -v " + program + " >/dev/null").code == 0;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What bash completes where the last word is being typed. The scripts ask the command by the name that is typed.
std::vector<std::string> completed_by_bash(const Command& credence, const std::vector<std::string>& words) {
  std::string line = "credence() { \"$CREDENCE\" \"$@\"; }; source complete.bash; COMP_WORDS=(";
  for (const std::string& word : words) line += "'" + word + "' ";
  line += "); COMP_CWORD=" + std::to_string(words.size() - 1) +
          "; _credence; for word in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$word\"; done";
  credence.folder().write("complete.sh", line);
  const CommandResult result = credence.shell("bash complete.sh");
  EXPECT_EQ(result.err, "");
  std::vector<std::string> found = lines_of(result.out);
  std::sort(found.begin(), found.end());
  return found;
}

using Words = std::vector<std::string>;

class Completion : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* shell : {"bash", "zsh", "fish"}) {
      const CommandResult made = credence.run({"completion", shell});
      ASSERT_EQ(made.code, 0) << made.err;
      credence.folder().write(std::string("complete.") + shell, made.out);
    }
  }
  Command credence;
};

TEST_F(Completion, OfBash) {
  if (!has(credence, "bash")) GTEST_SKIP() << "bash is not installed";
  const auto complete = [&](const Words& words) { return completed_by_bash(credence, words); };
  EXPECT_EQ(complete({"credence", "sele"}), Words{"select"});
  EXPECT_EQ(complete({"credence", "comp"}), (Words{"compare", "completion"}));
  EXPECT_EQ(complete({"credence", "select", "--decim"}), Words{"--decimal"});
  EXPECT_EQ(complete({"credence", "select", "--decimal", ""}), (Words{"auto", "comma", "point"}));
  EXPECT_EQ(complete({"credence", "select", "--decimal", "=", "c"}), Words{"comma"});
  EXPECT_EQ(complete({"credence", "select", "--decimal", "="}), (Words{"auto", "comma", "point"}));
  EXPECT_EQ(complete({"credence", "select", "--race", "--decim"}), Words{"--decimal"});
  EXPECT_EQ(complete({"credence", "conformal", "f"}), Words{"fit"});
  EXPECT_EQ(complete({"credence", "select", "data.csv", "--C", ""}), Words{});
  EXPECT_EQ(complete({"credence", "select", "--method", "kernel"}), Words{"kernel-validity"});
  EXPECT_EQ(complete({"credence", "compare", "data.csv", "--methods", "kernel"}), Words{"kernel-validity"});
  EXPECT_EQ(complete({"credence", "conformal", "fit", "data.csv", "--mode", ""}),
            (Words{"cross", "inductive", "transductive"}));
  EXPECT_EQ(complete({"credence", "conformal", "fit", "data.csv", "--measure", "nn-"}), (Words{"nn-own", "nn-ratio"}));
  EXPECT_EQ(complete({"credence", "select", "data.csv", "--class-weight", ""}), Words{"balanced"});
  EXPECT_EQ(complete({"credence", "completion", ""}), (Words{"bash", "fish", "zsh"}));
  if (!complete({"credence", "reprod"}).empty())
    EXPECT_EQ(complete({"credence", "reproduce", ""}),
              (Words{"in-sample", "kernel-validity", "nonconformity", "tcm-nn"}));
  credence.folder().write("with blank.csv", "");
  EXPECT_EQ(complete({"credence", "predict", "m.credence", "with"}), Words{"with blank.csv"});
  EXPECT_EQ(complete({"credence", "select", "data.csv", "--output", "complete.z"}), Words{"complete.zsh"});
}

/// Each option of each help is completed.
TEST_F(Completion, KnowsWhatTheHelpSays) {
  if (!has(credence, "bash")) GTEST_SKIP() << "bash is not installed";
  const std::vector<Words> commands = {
      {"select", "--help-all"},  {"predict", "--help"}, {"evaluate", "--help"},
      {"compare", "--help-all"}, {"convert", "--help"}, {"conformal", "fit", "--help-all"},
      {"train", "--help"},       {"doctor", "--help"},  {"bound", "--help"}};
  const std::regex option("^  (-[a-zA-Z],)?(--[a-zA-Z0-9-]+)(,--[a-z]+)?( \\[?[A-Za-z]+\\]?)?(  .*)?$");
  for (const Words& command : commands) {
    std::set<std::string> expected;
    for (const std::string& line : lines_of(credence.run(command).out)) {
      std::smatch match;
      if (!std::regex_search(line, match, option)) continue;
      expected.insert(match[2]);
      if (match[3].matched) expected.insert(match[3].str().substr(1));
    }
    ASSERT_GE(expected.size(), 2U) << command[0];
    const Words found =
        completed_by_bash(credence, with(with({"credence"}, Words(command.begin(), command.end() - 1)), {"--"}));
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), expected) << command[0];
  }
}

TEST_F(Completion, OfZsh) {
  if (!has(credence, "zsh")) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(credence.shell("zsh -n complete.zsh").err, "");
  // A terminal of zsh's own, in which words are typed until what is expected stands there.
  credence.folder().write("type.zsh", R"(zmodload zsh/zpty || exit 9
export TERM=dumb
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -U compinit; compinit -D -u; source ./complete.zsh; credence() { $CREDENCE "$@" }; echo READY'
zpty -r -m shell found '*READY*READY*'
zpty -w -n shell $1$'\t'
zpty -r -m shell found "*$2*"
zpty -d shell
)");
  const auto type = [&](const std::string& typed, const std::string& completed) {
    return credence.shell("timeout 20 zsh -f type.zsh '" + typed + "' '" + completed + "'").code;
  };
  const int code = type("credence select --decim", "--decimal");
  if (code == 9) GTEST_SKIP() << "zsh has no terminal of its own here";
  EXPECT_EQ(code, 0);
  EXPECT_EQ(type("credence select --decimal co", "--decimal comma"), 0);
  EXPECT_EQ(type("credence conformal f", "conformal fit"), 0);
  EXPECT_EQ(type("credence select --method kern", "--method kernel-validity"), 0);
  EXPECT_EQ(type("credence completion f", "completion fish"), 0);
  EXPECT_EQ(type("credence predict m.credence type", "type.zsh"), 0);
}

TEST_F(Completion, OfFish) {
  if (!has(credence, "fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(credence.shell("fish -n complete.fish").err, "");
  const auto complete = [&](const std::string& line) {
    const CommandResult found = credence.shell(
        "HOME=$PWD fish --no-config -c 'function credence; $CREDENCE $argv; end; source complete.fish; complete -C \"" +
        line + "\"'");
    Words words;
    for (const std::string& text : lines_of(found.out)) words.push_back(text.substr(0, text.find('\t')));
    std::sort(words.begin(), words.end());
    return words;
  };
  EXPECT_EQ(complete("credence sele"), Words{"select"});
  EXPECT_EQ(complete("credence select --decim"), Words{"--decimal"});
  EXPECT_EQ(complete("credence select --decimal "), (Words{"auto", "comma", "point"}));
  EXPECT_EQ(complete("credence select --decimal=c"), Words{"--decimal=comma"});
  EXPECT_EQ(complete("credence conformal f"), Words{"fit"});
  EXPECT_EQ(complete("credence select --method kern"), Words{"kernel-validity"});
  EXPECT_EQ(complete("credence completion "), (Words{"bash", "fish", "zsh"}));
  EXPECT_EQ(complete("credence predict m.credence complete.z"), Words{"complete.zsh"});
}

TEST_F(Completion, OfAnotherShell) {
  const CommandResult other = credence.run({"completion", "tcsh"});
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.err, "credence: SHELL: 'tcsh' is none of bash, zsh and fish\n");
}

class Manual : public testing::Test {
 protected:
  void SetUp() override {
    const CommandResult made = credence.run({"man"});
    ASSERT_EQ(made.code, 0) << made.err;
    credence.folder().write("credence.1", made.out);
  }
  Command credence;
};

TEST_F(Manual, HasEveryCommandAndOption) {
  const std::string page = read_text(credence.folder().file("credence.1"));
  for (const char* part : {"credence conformal fit", "credence doctor", "\\-\\-decimal", "\\-\\-append", "\\-\\-C\\fR"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST_F(Manual, MandocHasNoComplaint) {
  if (!has(credence, "mandoc")) GTEST_SKIP() << "mandoc is not installed";
  const CommandResult lint = credence.shell("mandoc -T lint -W warning credence.1");
  EXPECT_EQ(lint.out + lint.err, "");
}

TEST_F(Manual, GroffHasNoComplaint) {
  if (!has(credence, "groff")) GTEST_SKIP() << "groff is not installed";
  const CommandResult shown = credence.shell("groff -ww -man -Tascii credence.1");
  EXPECT_EQ(shown.err, "");
  EXPECT_GT(line_count(shown.out), 500U);
}

TEST_F(Manual, ManShowsThePage) {
  if (!has(credence, "man")) GTEST_SKIP() << "man is not installed";
  const CommandResult shown = credence.shell("MANPAGER=cat MANWIDTH=80 man -l --warnings credence.1");
  EXPECT_EQ(shown.err, "");
  EXPECT_GT(line_count(shown.out), 500U);
}

TEST(Doctor, SaysTheSameInTextAndJson) {
  const Command credence;
  const CommandResult both = credence.run({"doctor", "--json", "doctor.json"});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.err, "");
  const auto document = nlohmann::json::parse(read_text(credence.folder().file("doctor.json")));
  for (const auto& text : {document["version"], document["simd_target"], document["blas"]["core_type"],
                           document["processor"]["name"], document["system"]})
    EXPECT_NE(both.out.find(text.get<std::string>()), std::string::npos) << text;
  EXPECT_GE(document["threads"].get<int>(), 1);
  EXPECT_GT(document["memory"]["kernel_matrices"].get<std::uint64_t>(), 0U);
  for (const auto& warning : document["warnings"])
    EXPECT_NE(both.out.find("verdict     " + warning.get<std::string>()), std::string::npos);
  const CommandResult json = credence.run({"doctor", "--json", "-"});
  EXPECT_TRUE(nlohmann::json::accept(json.out));
}

TEST(Doctor, WarnsOfKernelsThatDoNotFitTheProcessor) {
  const Command credence;
  const auto usual =
      nlohmann::json::parse(credence.shell("env -u OPENBLAS_CORETYPE \"$CREDENCE\" doctor --json -").out);
  if (usual["blas"]["fitting"] == "") GTEST_SKIP() << "this processor's kernels are not known";
  EXPECT_EQ(usual["warnings"].dump().find("OpenBLAS"), std::string::npos) << usual["warnings"];
  const CommandResult slow = credence.shell("OPENBLAS_CORETYPE=Prescott \"$CREDENCE\" doctor --json -");
  EXPECT_EQ(slow.code, 0);
  const std::string warnings = nlohmann::json::parse(slow.out)["warnings"].dump();
  for (const char* part : {"Prescott", "unset OPENBLAS_CORETYPE"})
    EXPECT_NE(warnings.find(part), std::string::npos) << warnings;
}

TEST(Doctor, KnowsLimits) {
  if (sanitized) GTEST_SKIP() << sanitizers_need_addresses;
  const Command credence;
  const CommandResult limited = credence.shell("ulimit -v 4000000; \"$CREDENCE\" doctor --json -");
  ASSERT_EQ(limited.code, 0) << limited.err;
  EXPECT_EQ(nlohmann::json::parse(limited.out)["memory"]["address_limit"].get<std::uint64_t>(), 4096000000U);
  const CommandResult scarce = credence.shell("ulimit -v 150000; \"$CREDENCE\" doctor --json -");
  EXPECT_EQ(scarce.code, 0) << scarce.err;
  const auto document = nlohmann::json::parse(scarce.out);
  EXPECT_TRUE(document["blas"].is_null());
  EXPECT_NE(document["warnings"].dump().find("OpenBLAS"), std::string::npos) << document["warnings"];
}

}  // namespace shells_tests
}  // namespace credence::test
