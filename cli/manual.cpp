#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <string_view>

#include "application.hpp"
#include "commands.hpp"
#include "credence/core/version.hpp"
#include "output.hpp"

namespace credence::cli {
namespace {

/// As text of roff: minus signs that can be copied, no control lines.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool at_start = i == 0 || text[i - 1] == '\n';
    if (at_start && (text[i] == '.' || text[i] == '\'')) result += "\\&";
    if (text[i] == '\\')
      result += "\\e";
    else if (text[i] == '-')
      result += "\\-";
    else
      result += text[i];
  }
  return result;
}

/// Text that flows, in one line.
std::string flowing(std::string help) {
  std::ranges::replace(help, '\n', ' ');
  return escaped(help);
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Lines as they stand, without blank ones at the end.
std::string as_it_stands(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text.empty() ? "" : fmt::format(".nf\n{}\n.fi\n", escaped(text));
}

std::string entry(const std::string& head, const std::string& help) {
  return fmt::format(".TP\n{}\n{}\n", head, flowing(help));
}

std::string entry(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(fmt::format("\\fB{}\\fR", escaped(name)));
  const std::string value = option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", escaped(option.value));
  return entry(fmt::format("{}{}", fmt::join(names, ", "), value), option.help);
}

std::string usage(const CommandText& command) {
  std::string text = fmt::format(".B {}\n", escaped(command.path));
  for (const OptionText& argument : command.arguments)
    text += fmt::format(".I {}{}\n", argument.names.front(), argument.several ? "..." : "");
  return text + "[\\fIOPTIONS\\fR]\n";
}

std::string section(const CommandText& command) {
  std::string text = fmt::format(".SH \"{}\"\n{}\n.PP\n{}", escaped(capitals(command.path)),
                                 flowing(command.description), usage(command));
  for (const OptionText& argument : command.arguments)
    text += entry(fmt::format("\\fI{}\\fR", escaped(argument.names.front())), argument.help);
  for (const GroupText& group : command.groups) {
    text += fmt::format(".SS \"{}\"\n", escaped(group.title));
    for (const OptionText& option : group.options) text += entry(option);
  }
  if (command.footer.empty()) return text;
  return text + ".SS \"Notes\"\n" + as_it_stands(command.footer);
}

/// Runs `add` for a command and all its parts.
void for_each_command(const CommandText& command, const auto& add) {
  add(command);
  for (const CommandText& part : command.parts) for_each_command(part, add);
}

std::string manual_page(const CommandText& program) {
  std::string text = fmt::format(".TH \"{}\" 1 \"{}\" \"{} {}\" \"User Commands\"\n", capitals(program.name),
                                 CREDENCE_BUILD_DATE, program.name, version());
  text += fmt::format(
      ".SH NAME\n{} \\- chooses kernel classifiers and says how far to trust them\n"
      ".SH SYNOPSIS\n.B {}\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH COMMANDS\n",
      program.name, program.name);
  std::string sections;
  for_each_command(program, [&](const CommandText& command) {
    if (!command.parts.empty()) return;
    text += entry("\\fB" + escaped(command.path) + "\\fR", command.description);
    sections += section(command);
  });
  text += ".SH OPTIONS\n";
  for (const GroupText& group : program.groups)
    for (const OptionText& option : group.options) text += entry(option);
  return text + sections + ".SH \"EXIT STATUS\"\n" + as_it_stands(exit_code_footer) +
         ".SH \"SEE ALSO\"\n.BR svm\\-train (1)\n";
}

}  // namespace

Action add_man(Command command) {
  command.footer("Example:\n  credence man | man -l -");
  return [command] {
    print(manual_page(command.program().text()));
    return exit_code::success;
  };
}

}  // namespace credence::cli
