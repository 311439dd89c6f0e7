#include "described.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "credence/core/error.hpp"
#include "report/plan.hpp"

namespace credence::cli {
namespace {

constexpr std::size_t left_width = 28;
constexpr std::size_t right_width = 52;

std::string dashed(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

bool is_on(const core::Field& field) {
  return field.get && field.get() == core::Value{true};
}

const char* type_of(const core::Field& field) {
  // in the order of core::Kind
  constexpr std::array types{"", "INT", "NUMBER", "WORD", "TEXT", "LIST", "COL", "WORDS"};
  if (!field.stands.empty()) return field.stands.c_str();
  return field.kind == core::Kind::text && field.optional ? "COL" : types.at(static_cast<std::size_t>(field.kind));
}

/// As the help shows it: "INT", or "[INT]" where the name alone is enough.
std::string shown_type_of(const core::Field& field) {
  const std::string type = type_of(field);
  return field.implied.is_none() ? type : '[' + type + ']';
}

std::string default_of(const core::Field& field) {
  return field.kind == core::Kind::flag ? "" : report::default_text(field);
}

std::string words_of_field(const core::Field& field) {
  std::vector<std::string> words;
  for (const std::string& word : field.words) words.push_back(word == default_of(field) ? word + " (default)" : word);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> lines_of(const core::Field& field) {
  std::string text = is_on(field) ? "do not " + field.sentence.substr(0, field.sentence.find(';')) : field.sentence;
  if (!field.words.empty())
    text += ": " + words_of_field(field);
  else if (const std::string value = default_of(field); !value.empty())
    text += fmt::format(" (default: {})", value);
  if (!field.implied.is_none()) text += fmt::format(" (without a value: {})", core::text_of(field.implied));
  return wrapped(text, right_width);
}

/// "--all-rhos"; of a field that is true by default "--no-bias".
std::string flag_of(const core::Field& field) {
  return (is_on(field) ? "--no-" : "--") + dashed(field.name);
}

/// The sentence of a field with its words and its default, as lines of a help.
std::string help_of(const core::Field& field) {
  return fmt::format("{}", fmt::join(lines_of(field), "\n"));
}

/// Adds the option of a field. @param take  what is done with the text that is given
Option add_field(const Group& group, const core::Field& field, const std::function<void(const std::string&)>& take) {
  if (field.kind == core::Kind::flag)
    return group.flag(flag_of(field), [take, value = is_on(field) ? "false" : "true"] { take(value); }, help_of(field));
  return group.option(flag_of(field), take, shown_type_of(field).c_str(), help_of(field))
      .not_empty()
      .words(field.words);
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
  }
  return lines;
}

std::string help_of(const std::vector<core::Field>& fields) {
  std::string help;
  for (const core::Field& field : fields) {
    std::string left = fmt::format("  {} {}", flag_of(field), shown_type_of(field));
    if (left.size() >= left_width) {
      help += left + '\n';
      left.clear();
    }
    for (const std::string& line : lines_of(field)) {
      help += fmt::format("{:<{}}{}\n", left, left_width, line);
      left.clear();
    }
  }
  return help;
}

void add_fields(const Group& group, const std::vector<core::Field>& fields) {
  for (const core::Field& field : fields)
    add_field(group, field, [field, option = flag_of(field)](const std::string& text) {
      under_name(option, [&] { field.set_text(text); });
    });
}

void Described::add(const Group& group, const std::vector<core::Field>& fields) {
  for (const core::Field& field : fields) {
    const auto [entry, is_new] = given_.try_emplace(field.name, Given{flag_of(field), {}});
    if (!is_new) continue;
    Given& given = entry->second;
    if (field.kind == core::Kind::texts) {
      group.option(given.option, &given.texts, type_of(field), help_of(field)).one_text().not_empty();
      continue;
    }
    const Option option = add_field(group, field, [&given](const std::string& text) { given.texts = {text}; });
    if (!field.implied.is_none()) option.or_alone(core::text_of(field.implied));
  }
}

void Described::add_with_opposites(const Group& group, const std::vector<core::Field>& fields) {
  add(group, fields);
  for (const core::Field& field : fields) {
    if (field.kind != core::Kind::flag) continue;
    Given& given = given_.at(field.name);
    group
        .flag(
            "--no-" + dashed(field.name), [&given] { given.texts = {"false"}; },
            "not --" + dashed(field.name) + ", whatever the model\nwas fitted with")
        .excludes(group.find(given.option));
  }
}

bool Described::any() const {
  return std::ranges::any_of(given_, [](const auto& entry) { return !entry.second.texts.empty(); });
}

bool Described::given(const std::string& name) const {
  const auto found = given_.find(name);
  return found != given_.end() && !found->second.texts.empty();
}

std::string Described::text(const std::string& name, const std::string& otherwise) const {
  return given(name) ? given_.at(name).texts.front() : otherwise;
}

void Described::set(const core::Field& field) const {
  const std::vector<std::string>& texts = given_.at(field.name).texts;
  if (field.kind != core::Kind::texts) return field.set_text(texts.front());
  core::Value::List list;
  for (const std::string& text : texts) list.push_back({text});
  field.set({std::move(list)});
}

void Described::set_all(const std::vector<core::Field>& fields) const {
  for_each({}, [&](const std::string& name) {
    if (const core::Field* field = core::find_field(fields, name)) set(*field);
  });
}

void Described::for_each(const std::vector<std::string>& except,
                         const std::function<void(const std::string&)>& set) const {
  std::vector<std::string> problems;
  for (const auto& [name, given] : given_) {
    if (given.texts.empty() || std::ranges::find(except, name) != except.end()) continue;
    try {
      under_name(given.option, [&, &which = name] { set(which); });
    } catch (const Error& error) {
      problems.push_back(error.sentence());
    }
  }
  throw_if_any(problems);
}

}  // namespace credence::cli
