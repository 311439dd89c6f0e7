#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "cli/helpers.hpp"
#include "credence/data/reader.hpp"
#include "credence/model/probability.hpp"
#include "credence/selection/options.hpp"
#include "report/plan.hpp"

namespace credence {
namespace options_page_tests {

using report::default_text;
using selection::Learner;

std::string allowed_values(const core::Field& field) {
  if (!field.words.empty()) return fmt::format("{}", fmt::join(field.words, ", "));
  switch (field.kind) {
    case core::Kind::flag:
      return "true, false";
    case core::Kind::integer:
      return "whole number " + field.limits.text();
    case core::Kind::number:
      return "number " + field.limits.text();
    case core::Kind::numbers:
      return "list of numbers " + field.limits.text();
    default:
      return "text";
  }
}

/// What may stand behind the name, and what the name alone says.
std::string allowed_text(const core::Field& field) {
  const std::string text = allowed_values(field);
  return field.implied.is_none() ? text : fmt::format("{}; the name alone says {}", text, core::text_of(field.implied));
}

std::string table(const std::vector<core::Field>& fields) {
  std::string text = "| option | allowed | default | what it is |\n| --- | --- | --- | --- |\n";
  for (const core::Field& field : fields)
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", field.name, allowed_text(field), default_text(field), field.sentence);
  return text + '\n';
}

std::string candidates_table(const char* title, const char* method, Learner learner) {
  selection::Options options{.method = selection::method_named(method), .model = learner};
  return fmt::format("## {}\n\n", title) + table(selection::candidate_fields(options));
}

/// A table of the options of every method, of every kind of candidates, and of what is common to all.
std::string options_page() {
  std::string text =
      "# Options of a selection\n\n"
      "This page is made of the descriptions in the headers. An option `all_rhos` is the flag `--all-rhos` of the\n"
      "command, and the key `all_rhos` in the block `options` of a result, which `credence select DATA --plan FILE`\n"
      "takes back. A flag that is true by default is switched off by `--no-NAME`. Lists are written as `1,10,100`,\n"
      "`2^-5:2^15:x4` or `0.1:1:+0.1`. An empty default depends on the other options.\n\n"
      "# Methods\n\n";
  for (const std::string& name : selection::methods()) {
    selection::Options options{.method = selection::method_named(name)};
    text += fmt::format("## {}\n\n{}.\n\n", name, selection::sentence_of_method(name));
    const std::vector<core::Field> fields = selection::method_fields(options);
    text += fields.empty() ? "" : table(fields);
  }
  text += "# Candidates\n\n";
  text += candidates_table("svm", "cv", Learner::svm);
  text += candidates_table("svm, with rademacher and maximal-discrepancy", "rademacher", Learner::svm);
  text += candidates_table("svm, with kernel-validity and evidence", "evidence", Learner::svm);
  text += candidates_table("rvm", "cv", Learner::rvm);
  text += candidates_table("knn", "holdout", Learner::knn);
  selection::Options options;
  data::ReadOptions reading;
  text += "# All methods\n\n" + table(core::fields_of(options));
  text += "# Reading\n\n" + table(core::fields_of(reading));
  model::ProbabilityOptions probability;
  text += "# Probabilities of predictions\n\n" + table(core::fields_of(probability));
  text.pop_back();
  return text;
}

/// docs/options.md is what the descriptions say; CREDENCE_UPDATE_DOCS=1 writes it.
TEST(OptionsPage, IsMadeOfTheDescriptions) {
  const std::string path = std::string(CREDENCE_SOURCE_DIR) + "/docs/options.md";
  const std::string page = options_page();
  if (const char* update = std::getenv("CREDENCE_UPDATE_DOCS"); update != nullptr && *update != '\0')
    std::ofstream(path) << page;
  EXPECT_EQ(test::read_text(path), page) << "run test_cli with CREDENCE_UPDATE_DOCS=1";
}

}  // namespace options_page_tests
}  // namespace credence
