#include "report/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "credence/data/reader.hpp"
#include "credence/model/probability.hpp"
#include "credence/selection/options.hpp"

namespace credence::report {
namespace {

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

}  // namespace

std::string default_text(const core::Field& field) {
  constexpr std::size_t few = 10;
  if (!field.get) return {};
  const core::Value value = field.get();
  if (value.is_none()) return {};
  const auto* list = std::get_if<core::Value::List>(&value.held);
  if (list == nullptr || list->size() <= few) return text_of(value);
  return fmt::format("{} values from {} to {}", list->size(), text_of(list->front()), text_of(list->back()));
}

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

}  // namespace credence::report
