#include "credence/core/text.hpp"

#include <fmt/format.h>

namespace credence::core {

std::string count_of(std::size_t count, std::string_view noun) {
  const bool es = noun.ends_with('s');
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : es ? "es" : "s");
}

}  // namespace credence::core
