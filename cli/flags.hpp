#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The command line: commands, their options and arguments, and the help. One source file knows the library that
/// parses.
namespace credence::cli {

/// Where the value of an option is kept; it must outlive the parsing. A function is called with the text of the value.
using Target = std::variant<std::string*, std::vector<std::string>*, int*, double*, std::uint64_t*, std::optional<int>*,
                            std::optional<double>*, std::optional<std::int64_t>*, std::optional<long long>*,
                            std::optional<std::uint64_t>*, std::function<void(const std::string&)>>;

/// One option, flag or argument of a command: a handle to be copied freely.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  /// Takes back that an argument is required.
  Option optional() const;
  /// Refuses the empty text, which would be taken for an option that was not given.
  Option not_empty() const;
  /// Takes one value each time that the option is given; with a delimiter, several in one text.
  Option one_text(std::optional<char> delimiter = {}) const;
  /// The name alone is enough, and stands for this text.
  Option or_alone(const std::string& text) const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  Option describe(const std::string& help) const;
  /// Says which words are allowed, for the completion of shells; nothing is checked.
  Option words(const std::vector<std::string>& words) const;
  /// The option is parsed, but the help does not show it.
  Option hide() const;

 private:
  CLI::Option* option_;
};

/// A heading in the help of a command, and the options under it.
class Group {
 public:
  Group(CLI::App& app, std::string title) : app_(&app), title_(std::move(title)) {}

  /// `names`: "-o,--output". `type`: the word that stands for the value in the help.
  Option option(const std::string& names, const Target& target, const char* type, const std::string& help) const;
  Option flag(const std::string& names, bool* target, const std::string& help) const;
  Option flag(const std::string& names, const std::function<void()>& given, const std::string& help) const;
  /// An option of the command, by one of its names.
  Option find(const std::string& name) const;

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

  /// A value that is required, and known by its place.
  Option argument(const std::string& name, std::string* target, const std::string& help) const;
  /// One value or more, known by their place.
  Option arguments(const std::string& name, std::vector<std::string>* targets, const std::string& help) const;
  Group group(const std::string& title) const { return {*app_, title}; }
  /// An option or flag that was added before, by one of its names.
  Option find(const std::string& name) const;
  void footer(const std::string& text) const;
  /// What --help prints, made after everything was parsed; --help-all then prints every option.
  void short_help(const std::function<std::string()>& text) const;

  /// `add` gives the part its options, and is called when the part is named or described.
  void part(const std::string& name, const std::string& description, const std::function<void(Command)>& add) const;
  void require_a_part() const;
  /// Whether this part is the one that was asked for.
  bool parsed() const;
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
  ~CommandLine();

  Command program() const { return {*app_}; }
  /// The help, if it was asked for. @throws Error invalid_argument that names the command whose help says more
  std::optional<std::string> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace credence::cli
