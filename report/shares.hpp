#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/json.hpp"
#include "report/text.hpp"

/// Shares of counts, which may be shares of nothing.
namespace credence::report {

/// A share of nothing is not a number.
inline std::optional<double> share(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// "22.14 %", or a dash.
inline std::string shown(const std::optional<double>& value) {
  return value ? percent(*value) : std::string("-");
}

}  // namespace credence::report
