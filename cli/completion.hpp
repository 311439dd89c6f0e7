#pragma once

#include <string>

#include "flags.hpp"

namespace credence::cli {

// Scripts that complete the words of a command line: names of commands and options, words that an option takes, files.

std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

}  // namespace credence::cli
