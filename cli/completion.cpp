#include "manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "application.hpp"
#include "commands.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "described.hpp"
#include "output.hpp"

namespace credence::cli {
namespace {

bool takes_file(const OptionText& option) {
  constexpr std::array<std::string_view, 3> words = {"FILE", "DIR", "MODEL"};
  return std::ranges::find(words, option.value) != words.end();
}

bool takes_files(const CommandText& command) {
  return std::ranges::any_of(command.arguments, [](const OptionText& argument) { return argument.words.empty(); });
}

std::vector<OptionText> listed_options(const CommandText& command) {
  std::vector<OptionText> options;
  for (const GroupText& group : command.groups)
    options.insert(options.end(), group.options.begin(), group.options.end());
  return options;
}

/// The first words of a help text, in one line.
std::string shortened(const std::string& help) {
  constexpr std::size_t width = 60;
  const std::vector<std::string> lines = wrapped(in_one_line(help), width);
  return lines.size() == 1 ? lines.front() : lines.front() + " ...";
}

/// With a backslash before each of the characters.
std::string guarded(const std::string& text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Between single quotes of a shell.
std::string quoted_for_shell(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// bash

/// The branches of one command: the values of its options, then its options and parts.
std::string bash_branches(const CommandText& command) {
  std::string text;
  std::vector<std::string> names;
  std::vector<std::string> files;
  std::vector<std::string> others;
  for (const OptionText& option : listed_options(command)) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    for (const std::string& name : option.names) {
      const std::string pattern = quoted_for_shell(command.path + ":" + name);
      if (!option.words.empty())
        text += fmt::format("    {}) words={} ;;\n", pattern, quoted_for_shell(joined(option.words)));
      else if (takes_file(option))
        files.push_back(pattern);
      else if (!option.value.empty())
        others.push_back(pattern);
    }
  }
  if (!files.empty()) text += fmt::format("    {}) files=1 ;;\n", fmt::join(files, "|"));
  if (!others.empty()) text += fmt::format("    {}) ;;\n", fmt::join(others, "|"));
  std::vector<std::string> parts = core::mapped(command.parts, &CommandText::name);
  for (const OptionText& argument : command.arguments)
    parts.insert(parts.end(), argument.words.begin(), argument.words.end());
  text += fmt::format("    {}:*) options={} words={}{} ;;\n", quoted_for_shell(command.path),
                      quoted_for_shell(joined(names)), quoted_for_shell(joined(parts)),
                      takes_files(command) ? " files=1" : "");
  return text;
}

// zsh

std::string zsh_function(const CommandText& command) {
  std::string name = "_" + command.path;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string zsh_option(const OptionText& option) {
  std::string value;
  if (!option.value.empty()) {
    value = fmt::format(":{}:", guarded(option.value, ":\\"));
    if (!option.words.empty())
      value += fmt::format("({})", fmt::join(option.words, " "));
    else if (takes_file(option))
      value += "_files";
  }
  std::string text;
  for (const std::string& name : option.names)
    text +=
        fmt::format(" \\\n    {}",
                    quoted_for_shell(fmt::format("*{}[{}]{}", name, guarded(shortened(option.help), "[]\\:"), value)));
  return text;
}

std::string zsh_of(const CommandText& command) {
  std::string options;
  for (const OptionText& option : listed_options(command)) options += zsh_option(option);
  if (command.parts.empty()) {
    for (const OptionText& argument : command.arguments)
      options += fmt::format(
          " \\\n    {}", quoted_for_shell(fmt::format(
                             "{}:{}:{}", argument.several ? "*" : "", argument.names.front(),
                             argument.words.empty() ? "_files" : fmt::format("({})", fmt::join(argument.words, " ")))));
    return fmt::format("{}() {{\n  _arguments -s{}\n}}\n\n", zsh_function(command), options);
  }
  std::string parts;
  std::string cases;
  for (const CommandText& part : command.parts) {
    parts +=
        fmt::format(" \\\n      {}", quoted_for_shell(part.name + ":" + guarded(shortened(part.description), ":\\")));
    cases += fmt::format("        {}) {} ;;\n", part.name, zsh_function(part));
  }
  return fmt::format(
      "{}() {{\n  local context state state_descr line\n  typeset -A opt_args\n"
      "  _arguments -C{} \\\n    '1: :->command' '*:: :->rest'\n"
      "  case $state in\n    command)\n      local -a commands\n      commands=({})\n"
      "      _describe command commands ;;\n    rest)\n      case $line[1] in\n{}      esac ;;\n  esac\n}}\n\n",
      zsh_function(command), options, parts, cases);
}

// fish

std::string fish_of(const CommandText& command) {
  const std::string condition = quoted_for_shell(fmt::format("__credence_at {}", quoted_for_shell(command.path)));
  std::string text;
  for (const CommandText& part : command.parts)
    text += fmt::format("complete -c credence -n {} -f -a {} -d {}\n", condition, quoted_for_shell(part.name),
                        quoted_for_shell(shortened(part.description)));
  for (const OptionText& argument : command.arguments)
    if (!argument.words.empty())
      text += fmt::format("complete -c credence -n {} -f -a {}\n", condition, quoted_for_shell(joined(argument.words)));
  for (const OptionText& option : listed_options(command)) {
    text += fmt::format("complete -c credence -n {}", condition);
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.words.empty())
      text += fmt::format(" -x -a {}", quoted_for_shell(joined(option.words)));
    else if (!option.value.empty())
      text += takes_file(option) ? " -r -F" : " -x";
    text += fmt::format(" -d {}\n", quoted_for_shell(shortened(option.help)));
  }
  return text;
}

std::string bash_completion(const CommandText& program) {
  std::vector<std::string> paths;
  std::string branches;
  for_each_command(program, [&](const CommandText& command) {
    branches += bash_branches(command);
    for (const CommandText& part : command.parts) paths.push_back(quoted_for_shell(part.path));
  });
  return fmt::format(
      "# Completion of {0} for bash; made by `{0} completion bash`.\n"
      "_{0}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path={0} i\n"
      "  local options= words= files=\n"
      "  if [[ $current == = ]]; then current=\n"
      "  elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$path ${{COMP_WORDS[i]}}\" in\n"
      "      {1}) path+=\" ${{COMP_WORDS[i]}}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$path:$before\" in\n{2}  esac\n"
      "  COMPREPLY=()\n"
      "  if [[ $current == -* ]]; then words=$options files=; fi\n"
      "  if [[ $words ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\")); fi\n"
      "  if [[ $files ]]; then\n"
      "    local name\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}}\n"
      "complete -F _{0} {0}\n",
      program.name, fmt::join(paths, "|"), branches);
}

std::string zsh_completion(const CommandText& program) {
  std::string text =
      fmt::format("#compdef {0}\n# Completion of {0} for zsh; made by `{0} completion zsh`.\n\n", program.name);
  for_each_command(program, [&](const CommandText& command) { text += zsh_of(command); });
  return text + fmt::format("if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
                            program.name);
}

std::string fish_completion(const CommandText& program) {
  std::vector<std::string> paths;
  std::string text;
  for_each_command(program, [&](const CommandText& command) {
    for (const CommandText& part : command.parts) paths.push_back(quoted_for_shell(part.path));
    text += fish_of(command);
  });
  return fmt::format(
             "# Completion of {0} for fish; made by `{0} completion fish`.\n"
             "function __{0}_at\n"
             "  set -l path {0}\n"
             "  for word in (commandline -opc)[2..-1]\n"
             "    contains -- \"$path $word\" {1}; and set path \"$path $word\"\n"
             "  end\n"
             "  test \"$path\" = \"$argv[1]\"\n"
             "end\n",
             program.name, fmt::join(paths, " ")) +
         text;
}

}  // namespace

Action add_completion(Command command) {
  const auto shell = std::make_shared<std::string>();
  command.argument("SHELL", shell.get(), "bash, zsh or fish").words({"bash", "zsh", "fish"});
  command.footer(
      "The script completes commands, options, their words, and files. To have it always:\n"
      "  credence completion bash > ~/.local/share/bash-completion/completions/credence\n"
      "  credence completion zsh > ~/.zfunc/_credence    (with fpath+=~/.zfunc before compinit)\n"
      "  credence completion fish > ~/.config/fish/completions/credence.fish\n\n"
      "Example:\n  source <(credence completion bash)");
  return [command, shell] {
    const CommandText program = command.program().text();
    if (*shell == "bash")
      print(bash_completion(program));
    else if (*shell == "zsh")
      print(zsh_completion(program));
    else if (*shell == "fish")
      print(fish_completion(program));
    else
      refuse(fmt::format("SHELL: '{}' is none of bash, zsh and fish", *shell));
    return exit_code::success;
  };
}

}  // namespace credence::cli
