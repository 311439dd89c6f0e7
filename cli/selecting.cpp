#include "selecting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "credence/core/error.hpp"

namespace credence::cli {
namespace {

using selection::Learner;

std::vector<core::Field> without(std::vector<core::Field> fields, const std::vector<std::string>& names) {
  std::erase_if(fields, [&](const core::Field& field) { return std::ranges::find(names, field.name) != names.end(); });
  return fields;
}

/// Options that repeat what a paper did stand under a title of their own.
void add(Command command, Described& given, const char* title, const std::vector<core::Field>& fields) {
  for (const core::Field& one : fields) given.add(command.group(one.for_papers ? "For the papers" : title), {one});
}

}  // namespace

void add_selecting_options(Command command, Described& given, const std::vector<std::string>& left_out) {
  given.add(command.group("Candidates"),
            {{.name = "model",
              .sentence = "the kind of models to choose from (by default rvm for kernel-validity, evidence and "
                          "regressions, else svm)",
              .kind = core::Kind::word,
              .words = core::word_list<Learner>()}});
  for (const std::string& name : selection::methods()) {
    selection::Options options;
    options.method = selection::method_named(name);
    for (const Learner learner : {Learner::svm, Learner::knn, Learner::rvm}) {
      if (!selection::chooses_from(options.method, learner)) continue;
      options.model = learner;
      add(command, given, "Candidates", without(selection::candidate_fields(options), left_out));
    }
    add(command, given, "Methods", selection::method_fields(options));
  }
  given.add<selection::Options>(command.group("All methods"));
  command.find("--gamma").words({"scale", "auto", "median"});
  command.find("--class-weight").words({"balanced"});
}

void check_pairs(const Described& given, bool one_width) {
  for (const auto& [first, second] : selection::exclusive_fields) {
    if (!one_width && std::string_view(second) == "sigma") continue;
    if (given.given(first) && given.given(second))
      refuse(fmt::format("{} and {} exclude each other; give one of them", given.option(first), given.option(second)));
  }
}

void apply_given(const Described& given, selection::Options& options) {
  const std::vector<core::Field> fields = selection::fields_of(options);
  given.for_each({"model"}, [&](const std::string& name) { given.set(selection::field_named(options, fields, name)); });
}

std::string method_list() {
  constexpr std::size_t width = 56;
  std::string text = "Methods:\n";
  for (const std::string& name : selection::methods()) {
    std::string left = "  " + name;
    for (const std::string& line : wrapped(selection::sentence_of_method(name), width)) {
      text += fmt::format("{:<23} {}\n", left, line);
      left.clear();
    }
  }
  return text;
}

std::string method_help(const report::Plan& plan) {
  selection::Options options = plan.options;
  std::string text;
  for (const std::string& line :
       wrapped(fmt::format("{}: {}", options.name(), selection::sentence_of_method(options.name())), 80))
    text += line + '\n';
  const std::string of_method = help_of(selection::method_fields(options));
  text += of_method.empty() ? "" : "\nMethod:\n" + of_method;
  text += fmt::format("\nCandidates ({} models):\n", core::word(options.learner())) +
          help_of(without(selection::candidate_fields(options), {"by_sigma"}));
  return text + "\nAll methods:\n" + help_of(core::fields_of(options));
}

}  // namespace credence::cli
