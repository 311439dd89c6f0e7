#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace credence::core {

/// "1 row", "2 rows", "2 classes": a count with its noun.
std::string count_of(std::size_t count, std::string_view noun);

}  // namespace credence::core
