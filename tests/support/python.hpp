#pragma once

#include <cstdlib>
#include <string>
#include <vector>

namespace credence::test {

/// The interpreter that can import the module: the one of CREDENCE_PYTHON, else that of the project's .venv, else
/// python3, else that of the system; empty if there is none.
inline std::string python_with(const std::string& name) {
  std::vector<std::string> candidates{CREDENCE_PYTHON};
  if (candidates[0].empty())
    candidates = {std::string(CREDENCE_SOURCE_DIR) + "/.venv/bin/python", "python3", "/usr/bin/python3"};
  for (const std::string& python : candidates) {
    const std::string line = "'" + python + "' -c 'import " + name + "' >/dev/null 2>&1";
    if (std::system(line.c_str()) == 0) return python;
  }
  return "";
}

}  // namespace credence::test
