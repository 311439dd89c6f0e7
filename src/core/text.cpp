#include "credence/core/text.hpp"

#include <fmt/format.h>

namespace credence::core {

std::string count_of(std::size_t count, std::string_view noun) {
  const bool es = noun.ends_with('s');
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : es ? "es" : "s");
}

std::string with_names(std::string sentence, std::span<const Advice> names) {
  for (const auto& [advice, name] : names) {
    const std::size_t at = sentence.find(advice);
    if (at != std::string::npos) sentence.insert(at + advice.size(), fmt::format(" ({})", name));
  }
  return sentence;
}

}  // namespace credence::core
