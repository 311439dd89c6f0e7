#pragma once

#include <string>

#include "flags.hpp"

namespace credence::cli {

/// Runs `add` for a command and all its parts.
void for_each_command(const CommandText& command, const auto& add) {
  add(command);
  for (const CommandText& part : command.parts) for_each_command(part, add);
}

/// A help text in one line: line breaks become blanks.
std::string in_one_line(const std::string& help);

}  // namespace credence::cli
