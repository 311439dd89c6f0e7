#pragma once

#include "credence/bounds/binomial.hpp"
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

/// Of Clopper and Pearson.
inline Json exact_interval_json(const bounds::Interval& interval, double delta) {
  return Json::object("lower"_key = interval.lower, "upper"_key = interval.upper, "confidence"_key = 1 - delta,
                      "method"_key = "Clopper-Pearson");
}

}  // namespace credence::report
