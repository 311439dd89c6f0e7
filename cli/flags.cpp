#include "flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::cli {
namespace {

/// "credence conformal fit"
std::string path_of(const CLI::App* app) {
  const std::string& name = app->get_name();
  return app->get_parent() == nullptr ? name : path_of(app->get_parent()) + ' ' + name;
}

/// The subcommand that was asked for, however deep; the program itself if none was.
const CLI::App& asked_for(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : asked_for(*chosen.front());
}

/// What other programs call an option, and the options that do the same here: the first that the command has.
constexpr std::pair<std::string_view, std::string_view> called_elsewhere[] = {
    {"alpha significance coverage level", "confidence-level delta"},
    {"cv n-folds k-folds n-splits", "folds outer-folds"},
    {"scoring metric", "score distance"},
    {"n-jobs jobs", "threads"},
    {"random-state random-seed", "seed"},
    {"tol", "tolerance"},
    {"max-iter", "max-steps"},
    {"n-neighbors", "k"},
    {"n-repeats", "repeats"},
    {"target y", "label"},
    {"proba", "probability"},
    {"out", "output"},
    {"timeout", "time-limit"},
    {"html", "report"},
};

/// "; it is called --folds here", or the name that is spelled nearly so.
std::string meant_by(const std::string& name, const std::vector<std::string>& names) {
  for (const auto& [others, ours] : called_elsewhere) {
    const auto known = core::split(others, ' ');
    if (std::ranges::find(known, name) == known.end()) continue;
    for (const std::string_view own : core::split(ours, ' ')) {
      if (std::ranges::find(names, own) == names.end()) continue;
      return own == "confidence-level" ? "; the option here is --confidence-level, 0.95 where 5 % of errors are allowed"
                                       : fmt::format("; it is called --{} here", own);
    }
  }
  return core::did_you_mean(name, names, "--");
}

/// Refuses the first word of the command line that has no place, and names the word that was likely meant.
[[noreturn]] void refuse_extra(CLI::App& program, int argc, char** argv) {
  const CLI::App& app = asked_for(program);
  const std::vector<std::string> extras = program.remaining(true);
  const auto is_extra = [&](const char* word) { return std::ranges::find(extras, word) != extras.end(); };
  char** const found = std::find_if(argv + 1, argv + argc, is_extra);
  const std::string word = found != argv + argc ? *found : extras.front();
  const bool is_option = word.starts_with("--");
  std::string name = word.substr(is_option ? 2 : 0, word.find('=') - (is_option ? 2 : 0));
  if (is_option) std::ranges::replace(name, '_', '-');
  std::vector<std::string> names;
  if (is_option)
    for (const CLI::Option* option : app.get_options())
      names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  else
    for (const CLI::App* part : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(part->get_name());
  const bool is_command = !word.starts_with('-') && !names.empty();
  refuse(fmt::format("{}{} (see {} --help)",
                     is_command ? fmt::format("there is no command '{}'", word)
                                : fmt::format("the argument '{}' is not expected", word),
                     is_option ? meant_by(name, names) : core::did_you_mean(name, names), path_of(&app)));
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(std::string help, std::string closing) : help_(std::move(help)), closing_(std::move(closing)) {
    column_width(28);
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (app->get_parent() == nullptr) return help_;
    return CLI::Formatter::make_help(app, std::move(name), mode);
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string usage = "Usage: " + path_of(app);
    if (app->get_require_subcommand_min() > 0) usage += " COMMAND";
    for (const CLI::Option* option : app->get_options()) {
      if (option->nonpositional() || option->get_single_name().empty()) continue;
      usage += ' ' + option->get_single_name() + (option->get_items_expected_max() > 1 ? "..." : "");
    }
    return usage + " [OPTIONS]\n";
  }
  /// The type and nothing else: defaults are part of the descriptions, in words.
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() || option->get_positional() ? "" : ' ' + option->get_type_name();
  }
  std::string make_footer(const CLI::App* app) const override { return app->get_footer() + "\n\n" + closing_ + "\n"; }

 private:
  std::string help_;
  std::string closing_;
};

/// A number without a sign would take -1 for its largest value.
std::string below_zero(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  const bool negative = first != std::string::npos && text[first] == '-';
  return negative ? fmt::format("'{}' is below 0", text) : std::string();
}

constexpr const char* word_mark = "word ";

std::vector<std::string> words_of(const CLI::Option& option) {
  std::vector<std::string> words;
  try {
    for (int i = 0;; ++i) {
      const std::string& name = const_cast<CLI::Option&>(option).get_validator(i)->get_name();
      if (name.starts_with(word_mark)) words.push_back(name.substr(std::char_traits<char>::length(word_mark)));
    }
  } catch (const CLI::OptionNotFound&) {  // behind the last one
  }
  return words;
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  text.help = option.get_description();
  if (option.get_positional()) {
    text.names = {option.get_single_name()};
    text.several = option.get_items_expected_max() > 1;
    text.words = words_of(option);
    return text;
  }
  for (const std::string& name : option.get_snames()) text.names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) text.value = option.get_type_name();
  text.words = words_of(option);
  return text;
}

/// A part gets its options when it is named, or when all commands are described: a run needs those of one alone.
class NamedPart : public CLI::App {
 public:
  NamedPart(CLI::App* parent, const std::string& name, const std::string& description, std::function<void(Command)> add)
      : App(description, name, parent), add_(std::move(add)) {
    preparse_callback([this](std::size_t) { complete(); });
  }
  void complete() {
    if (add_) std::exchange(add_, nullptr)(Command(*this));
  }

 private:
  std::function<void(Command)> add_;
};

CommandText text_of(CLI::App& app) {
  if (auto* const part = dynamic_cast<NamedPart*>(&app)) part->complete();
  CommandText text{app.get_name(), path_of(&app), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      text.arguments.push_back(text_of(*option));
      continue;
    }
    const std::string& title = option->get_group();
    if (title.empty()) continue;
    auto group = std::ranges::find_if(text.groups, [&](const GroupText& known) { return known.title == title; });
    if (group == text.groups.end()) group = text.groups.insert(text.groups.end(), {title, {}});
    group->options.push_back(text_of(*option));
  }
  for (CLI::App* part : app.get_subcommands([](CLI::App*) { return true; }))
    if (!part->get_group().empty()) text.parts.push_back(text_of(*part));
  return text;
}

}  // namespace

Option Option::not_empty() const {
  return option_->check(CLI::Validator(
      [](const std::string& text) { return text.empty() ? std::string("the empty text is no value") : std::string(); },
      ""));
}

Option Option::words(const std::vector<std::string>& words) const {
  // The library has no place for words but the names of its checks.
  for (const std::string& word : words)
    option_->check(CLI::Validator([](const std::string&) { return std::string(); }, "", word_mark + word));
  return *this;
}

Option Group::option(const std::string& names, const Target& target, const char* type, const std::string& help) const {
  const core::Overload add{
      [&](const std::function<void(const std::string&)>& take) {
        return app_->add_option_function<std::string>(names, take, help);
      },
      [&]<class Value>(Value* value) {
        CLI::Option* added = app_->add_option(names, *value, help);
        if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, std::optional<std::uint64_t>>)
          added->check(below_zero);
        return added;
      }};
  const Option option = std::visit(add, target)->type_name(type)->group(title_);
  return std::string_view(type) == "FILE" ? option.not_empty() : option;
}

void Command::short_help(const std::function<std::string()>& text) const {
  const auto usual = app_->get_formatter();
  app_->set_help_all_flag("--help-all", "every option");
  app_->formatter_fn([usual, text](const CLI::App* app, std::string name, CLI::AppFormatMode mode) {
    return mode == CLI::AppFormatMode::All ? usual->make_help(app, std::move(name), CLI::AppFormatMode::Normal)
                                           : text();
  });
}

void Command::part(const std::string& name, const std::string& description,
                   const std::function<void(Command)>& add) const {
  app_->add_subcommand(std::make_shared<NamedPart>(app_, name, description, add));
}

Command Command::program() const {
  CLI::App* app = app_;
  while (app->get_parent() != nullptr) app = app->get_parent();
  return {*app};
}

CommandText Command::text() const {
  return text_of(*app_);
}

CommandLine::CommandLine(const std::string& name, const std::string& help, const std::string& closing)
    : app_(std::make_unique<CLI::App>()) {
  app_->name(name);
  app_->formatter(std::make_shared<HelpFormatter>(help, closing));
  app_->require_subcommand(0, 1);
}

std::optional<std::string> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return asked_for(*app_).help();
  } catch (const CLI::CallForAllHelp&) {
    return asked_for(*app_).help("", CLI::AppFormatMode::All);
  } catch (const CLI::ConversionError& error) {
    // "Could not convert: NAME = TEXT"
    std::string_view what = error.what();
    constexpr std::string_view start = "Could not convert: ";
    constexpr std::string_view equals = " = ";
    const std::size_t middle = what.find(equals);
    if (!what.starts_with(start) || middle == what.npos) refuse(error.what());
    refuse(fmt::format("{}: '{}' is not a number that this option takes",
                       what.substr(start.size(), middle - start.size()), what.substr(middle + equals.size())));
  } catch (const CLI::ExtrasError&) {
    refuse_extra(*app_, argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool lacks_part =
        dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && asked_for(*app_).get_require_subcommand_min() > 0;
    if (lacks_part && app_->remaining_size(true) > 0) refuse_extra(*app_, argc, argv);
    std::string what = error.what();
    // "NAME: At Most 1 required but received 2"
    if (const std::size_t end = what.find(": At Most 1 required"); end != what.npos)
      what = what.substr(0, end) + " is given more than once; give it once";
    refuse(fmt::format("{} (see {} --help)", what, path_of(&asked_for(*app_))));
  }
  return std::nullopt;
}

}  // namespace credence::cli
