#pragma once

#include <optional>
#include <string_view>

namespace credence::report {

/// The bytes of a file that the build put into the program: "page.css", "page.js", "chart_config.json",
/// "charts/heat_map.json", and "drawing.js" where pages are built in (cmake/pages.cmake). None for any other name.
std::optional<std::string_view> embedded(std::string_view name);

}  // namespace credence::report
