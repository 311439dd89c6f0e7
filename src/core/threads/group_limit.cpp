#include "core/threads/group_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace credence::core {
namespace {

/// The first version of control groups writes a number of about 2^63 where there is no limit.
constexpr std::size_t no_limit = std::size_t{1} << 60U;

/// The number in a file; none where there is no file, or the word "max".
std::optional<std::size_t> number_in_file(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? std::optional<std::size_t>(number) : std::nullopt;
}

/// The least number in the files of that name, from a group's folder up to the root.
void take_least(const std::string& root, std::string group, const std::string& name,
                std::optional<std::size_t>& least) {
  while (true) {
    if (group == "/") group.clear();
    const auto limit = number_in_file(fmt::format("{}{}/{}", root, group, name));
    if (limit && *limit < no_limit) least = std::min(least.value_or(*limit), *limit);
    if (group.empty()) return;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

/// Whether "memory" is one of the words with commas between them.
bool names_memory(const std::string& controllers) {
  std::istringstream words(controllers);
  for (std::string word; std::getline(words, word, ',');)
    if (word == "memory") return true;
  return false;
}

}  // namespace

std::optional<std::size_t> group_limit(std::string_view groups, const std::string& root) {
  std::optional<std::size_t> least;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    // hierarchy:controllers:group
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      take_least(root, group, "memory.max", least);
      take_least(root + "/unified", group, "memory.max", least);
    } else if (names_memory(controllers)) {
      take_least(root + "/memory", group, "memory.limit_in_bytes", least);
    }
  }
  return least;
}

}  // namespace credence::core
