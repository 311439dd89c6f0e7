#pragma once

#include <string>

#include "flags.hpp"

namespace credence::cli {

// Scripts that complete the words of a command line: names of commands and options, words that an option takes, files.

std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

/// The manual page of a program and all its commands, for man(1).
/// @param exit_codes  the sentence that ends every help
std::string manual_page(const CommandText& program, const std::string& exit_codes);

/// The commands of a program that are typed: those without parts, and parts of the others.
std::vector<const CommandText*> leaves_of(const CommandText& program);

/// A help text in one line: line breaks become blanks.
std::string in_one_line(const std::string& help);

}  // namespace credence::cli
