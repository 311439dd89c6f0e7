#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The command line: commands, their options and arguments, and the help. The library that parses is known here alone.
namespace credence::cli {

/// Where the value of an option is kept; it must outlive the parsing. A function is called with the text of the value.
using Target = std::variant<std::string*, std::vector<std::string>*, int*, double*, std::uint64_t*, std::optional<int>*,
                            std::optional<double>*, std::optional<std::int64_t>*, std::optional<long long>*,
                            std::optional<std::uint64_t>*, std::function<void(const std::string&)>>;

/// One option, flag or argument of a command: a handle to be copied freely.
class Option {
 public:
  Option(CLI::Option* option) : option_(option) {}

  Option required(bool whether = true) const { return option_->required(whether); }
  /// Refuses the empty text, which would be taken for an option that was not given.
  Option not_empty() const;
  /// Takes one value each time that the option is given; with a delimiter, several in one text.
  Option one_text(char delimiter = '\0') const { return option_->delimiter(delimiter)->allow_extra_args(false); }
  /// The name alone is enough, and stands for this text.
  Option or_alone(const std::string& text) const { return option_->expected(0, 1)->default_str(text); }
  Option needs(Option other) const { return option_->needs(other.option_); }
  Option excludes(Option other) const { return option_->excludes(other.option_); }
  /// Says which words are allowed, for the completion of shells; nothing is checked.
  Option words(const std::vector<std::string>& words) const;
  /// The option is parsed, but the help does not show it.
  Option hide() const { return option_->group(""); }

 private:
  CLI::Option* option_;
};

/// A heading in the help of a command, and the options under it.
class Group {
 public:
  Group(CLI::App& app, std::string title) : app_(&app), title_(std::move(title)) {}

  /// `names`: "-o,--output". `type`: the word that stands for the value in the help.
  Option option(const std::string& names, const Target& target, const char* type, const std::string& help) const;
  Option flag(const std::string& names, bool* target, const std::string& help) const {
    return app_->add_flag(names, *target, help)->group(title_);
  }
  Option flag(const std::string& names, const std::function<void()>& given, const std::string& help) const {
    return app_->add_flag_callback(names, given, help)->group(title_);
  }
  /// An option of the command, by one of its names.
  Option find(const std::string& name) const { return app_->get_option(name); }

 private:
  CLI::App* app_;
  std::string title_;
};

/// What the help says of an option, flag or argument.
struct OptionText {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its name
  std::string value;               ///< the word that stands for the value; empty for flags and arguments
  std::string help;
  std::vector<std::string> words;  ///< allowed for the value or argument, where they are known
  bool several = false;            ///< an argument that may be given several times
};

/// A heading and the options under it.
struct GroupText {
  std::string title;
  std::vector<OptionText> options;
};

/// What the help says of a command: manual and completion are made of this.
struct CommandText {
  std::string name;
  std::string path;  ///< "credence conformal fit"
  std::string description;
  std::string footer;
  std::vector<OptionText> arguments;
  std::vector<GroupText> groups;
  std::vector<CommandText> parts;
};

/// A command or a part of one: a handle to be copied freely.
class Command {
 public:
  Command(CLI::App& app) : app_(&app) {}
  operator CLI::App&() const { return *app_; }

  /// A value that is required, and known by its place; in a vector one value or more.
  Option argument(const std::string& name, auto* target, const std::string& help) const {
    return app_->add_option(name, *target, help)->required();
  }
  Group group(const std::string& title) const { return {*app_, title}; }
  /// An option or flag that was added before, by one of its names.
  Option find(const std::string& name) const { return app_->get_option(name); }
  void footer(const std::string& text) const { app_->footer(text); }
  /// What --help prints, made after everything was parsed; --help-all then prints every option.
  void short_help(const std::function<std::string()>& text) const;

  /// `add` gives the part its options, and is called when the part is named or described.
  void part(const std::string& name, const std::string& description, const std::function<void(Command)>& add) const;
  void require_a_part() const { app_->require_subcommand(1); }
  /// Whether this part is the one that was asked for.
  bool parsed() const { return app_->parsed(); }
  /// The program that this is a part of.
  Command program() const;
  CommandText text() const;

 private:
  CLI::App* app_;
};

/// Everything that can be typed after the name of the program.
class CommandLine {
 public:
  /// `help` is that of the program; `closing` ends the help of each command.
  CommandLine(const std::string& name, const std::string& help, const std::string& closing);

  Command program() const { return {*app_}; }
  /// The help, if it was asked for. @throws Error invalid_argument that names the command whose help says more
  std::optional<std::string> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace credence::cli
