#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "credence/core/error.hpp"
#include "described.hpp"
#include "output.hpp"

namespace credence::cli {
namespace {

// The shells ask the command itself, which answers with a line for each word that can stand at the end: the word, a
// tabulator, and the start of its help. A line "/" stands for the names of files.

constexpr const char* bash_script = R"(_credence() {
  local word current=${COMP_WORDS[COMP_CWORD]}
  if [[ $current == = ]]; then current=; fi
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [[ $word == / ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    elif [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done < <("${COMP_WORDS[0]}" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _credence credence
)";

constexpr const char* zsh_script = R"(#compdef credence
_credence() {
  local line
  local -a found
  for line in "${(@f)$("$words[1]" completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == / ]]; then _files; return; fi
    if [[ -n $line ]]; then found+=("${${line//:/\\:}/$'\t'/:}"); fi
  done
  _describe credence found
}
if [[ $funcstack[1] == _credence ]]; then _credence "$@"; else compdef _credence credence; fi
)";

constexpr const char* fish_script = R"(function __credence_words
  set -l current (commandline -ct)
  set -l words (commandline -opc) "$current"
  for line in ($words[1] completion fish -- $words[2..-1] 2>/dev/null)
    string match -q '/*' -- $line; and __fish_complete_path $current; or echo $line
  end
end
complete -c credence -f -a '(__credence_words)'
)";

constexpr std::array<std::pair<std::string_view, const char*>, 3> scripts{
    {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}}};

/// The lines for the values of an option, or of an argument. @param head  stands before them in the same word
std::string lines_of_values(const OptionText& option, const std::string& head) {
  constexpr std::array<std::string_view, 4> files = {"", "FILE", "DIR", "MODEL"};
  if (option.words.empty()) return std::ranges::find(files, option.value) != files.end() ? "/\n" : "";
  std::string lines;
  for (const std::string& word : option.words) lines += head + word + "\t\n";
  return lines;
}

/// The lines for what can stand at the place of the last word of a command line.
std::string lines_of_completion(const CommandText& program, std::vector<std::string> words) {
  std::string current = words.back() == "=" ? "" : words.back();
  words.pop_back();
  std::erase(words, "=");  // bash makes three words of --decimal=comma
  std::string head;
  if (const std::size_t equals = current.find('='); current.starts_with("--") && equals != current.npos) {
    head = current.substr(0, equals + 1);
    words.push_back(current.substr(0, equals));
    current.erase(0, equals + 1);
  }
  const CommandText* command = &program;
  for (const std::string& word : words) {
    const auto part = std::ranges::find(command->parts, word, &CommandText::name);
    if (part != command->parts.end()) command = &*part;
  }
  const bool dashed = current.starts_with('-');
  std::string lines;
  const auto add = [&lines](const std::string& word, const std::string& help) {
    constexpr std::size_t width = 60;
    std::string text = help;
    std::ranges::replace(text, '\n', ' ');
    const std::vector<std::string> parts = wrapped(text, width);
    lines += fmt::format("{}\t{}{}\n", word, parts.front(), parts.size() > 1 ? " ..." : "");
  };
  for (const GroupText& group : command->groups) {
    for (const OptionText& option : group.options) {
      const bool before = !words.empty() && std::ranges::find(option.names, words.back()) != option.names.end();
      if (before && !dashed && !option.value.empty()) return lines_of_values(option, head);
      if (!dashed) continue;
      for (const std::string& name : option.names) add(name, option.help);
    }
  }
  if (dashed) return lines;
  for (const CommandText& part : command->parts) add(part.name, part.description);
  // Where the first argument is a file, so are the others.
  if (!command->arguments.empty()) lines += lines_of_values(command->arguments.front(), head);
  return lines;
}

}  // namespace

Action add_completion(Command command) {
  const auto shell = std::make_shared<std::string>();
  const auto words = std::make_shared<std::vector<std::string>>();
  command.argument("SHELL", shell.get(), "bash, zsh or fish").words({"bash", "zsh", "fish"});
  command.argument("WORDS", words.get(), "behind --: the words to be completed, which the scripts give")
      .required(false);
  command.footer(
      "The script completes commands, options, their words, and files. To have it always:\n"
      "  credence completion bash > ~/.local/share/bash-completion/completions/credence\n"
      "  credence completion zsh > ~/.zfunc/_credence    (with fpath+=~/.zfunc before compinit)\n"
      "  credence completion fish > ~/.config/fish/completions/credence.fish\n\n"
      "Example:\n  source <(credence completion bash)");
  return [command, shell, words] {
    const auto* const known = std::ranges::find(scripts, *shell, [](const auto& one) { return one.first; });
    if (known == scripts.end()) refuse(fmt::format("SHELL: '{}' is none of bash, zsh and fish", *shell));
    print(words->empty() ? known->second : lines_of_completion(command.program().text(), *words));
    return exit_code::success;
  };
}

}  // namespace credence::cli
