#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"

namespace credence::python {
namespace {

/// Options whose Python name is the one that users of scikit-learn know.
const std::map<std::string, std::string> other_names{
    {"seed", "random_state"}, {"score", "scoring"}, {"folds", "cv"}, {"tolerance", "tol"}};

std::string python_name(const std::string& name) {
  if (name == "fold_column") return "cv";
  const auto found = other_names.find(name);
  return found == other_names.end() ? name : found->second;
}

/// Each option that a sentence may name, by its name; what it is, and not how it is read or set.
std::map<std::string, core::Field> all_fields() {
  std::map<std::string, core::Field> all;
  const auto add = [&](const std::vector<core::Field>& fields) {
    for (const core::Field& field : fields) all.try_emplace(field.name, field);
  };
  for (const std::string& method : selection::methods()) {
    for (const auto learner : {selection::Learner::svm, selection::Learner::rvm, selection::Learner::knn}) {
      selection::Options options;
      options.method = selection::method_named(method);
      options.model = learner;
      if (!selection::chooses_from(options.method, learner)) continue;
      add(selection::fields_of(options));
      options.task = data::Task::regression;
      add(selection::fields_of(options));
    }
  }
  selection::ComparisonOptions comparison;
  add(core::fields_of(comparison));
  conformal::FitOptions fit{.mode = conformal::mode_named("inductive")};
  add(conformal::fields_of(fit));
  add({{.name = "method", .sentence = "", .kind = core::Kind::word, .words = selection::methods()}});
  add({{.name = "groups", .sentence = "", .kind = core::Kind::text}, {.name = "fold_column", .sentence = ""}});
  return all;
}

/// The text from `at` on that may belong to a name or a value: letters, digits, signs, without a point at its end.
std::string_view token_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                               std::string_view("-_.^").find(text[end]) != std::string_view::npos))
    ++end;
  while (end > at && text[end - 1] == '.') --end;
  return text.substr(at, end - at);
}

/// The option with the value that may follow it, as an argument: `region_size=1000`, `p_values="split"`, `C`,
/// `groups=visit` of a column.
/// @param value  what follows the option; becomes empty if it is no value of the option
std::string argument_of(const core::Field& field, std::string_view& value) {
  const std::string name = python_name(field.name);
  const bool is_word = std::ranges::find(field.words, value) != field.words.end();
  const bool takes_number = field.kind != core::Kind::flag && field.words.empty();
  if (!is_word && field.name != "groups" &&
      !(takes_number && !value.empty() && std::isdigit(static_cast<unsigned char>(value[0])) != 0))
    value = {};
  std::string shown(value);
  if (field.kind == core::Kind::flag) return name + "=True";
  if (value.empty() && std::holds_alternative<std::string>(field.implied.held)) shown = core::text_of(field.implied);
  if (shown.empty()) return name;
  if (field.name == "method") std::ranges::replace(shown, '-', '_');
  return field.words.empty() ? fmt::format("{}={}", name, shown) : fmt::format("{}=\"{}\"", name, shown);
}

}  // namespace

std::string in_python(std::string text) {
  if (text.find("--") == std::string::npos) return text;
  static const std::map<std::string, core::Field> fields = all_fields();
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 1)) {
    const std::string_view flag = token_at(text, at + 2);
    std::string key(flag);
    std::ranges::replace(key, '-', '_');
    const auto field = fields.find(key);
    if (field == fields.end() || (at > 0 && text[at - 1] == '-')) continue;
    const std::size_t end = at + 2 + flag.size();
    std::string_view value = end < text.size() && text[end] == ' ' ? token_at(text, end + 1) : std::string_view();
    std::string argument = argument_of(field->second, value);
    std::size_t length = 2 + flag.size() + (value.empty() ? 0 : 1 + value.size());
    // What stands behind in a column stays there.
    while (argument.size() > length && text.compare(at + length, 3, "   ") == 0) ++length;
    if (text.compare(at + length, 2, "  ") == 0) argument.resize(std::max(argument.size(), length), ' ');
    if (text.compare(at + length, 3, " --") == 0 && !token_at(text, at + length + 3).empty()) argument += ',';
    text.replace(at, length, argument);
  }
  return text;
}

void bind_naming(nb::module_& module) {
  module.def("python_names", [] { return other_names; });
  module.def("in_python", &in_python);
}

}  // namespace credence::python
