#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "report/json.hpp"

namespace credence::report {

/// What the regions of one split conformal predictor may miss (bounds::split_miss_limit), at each level.
struct MissLimits {
  static constexpr double delta = 0.05;
  struct Rows {
    std::string name;            ///< of the class; empty for all classes together
    std::size_t compared = 0;    ///< rows kept apart
    std::vector<double> shares;  ///< the limit at each level
  };
  std::vector<double> levels;
  std::vector<Rows> rows;
};

/// @param counts  of each class, the rows kept apart
MissLimits miss_limits(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                       const conformal::PValueOptions& options, const std::vector<double>& levels);
/// Those of a predictor that compares with rows kept apart from its training; no rows for another.
MissLimits miss_limits(const conformal::ConformalPredictor& predictor, const std::vector<double>& levels);
/// One line of text for all classes together, or for each class: "up to 8.92 % of new rows at 0.05, 15.10 % at 0.1 (114
/// rows, 95 % limit)".
std::vector<std::string> miss_limit_lines(const MissLimits& limits);
/// What the lines say, in one sentence; empty without rows.
/// @param claim  what misses: "regions"
std::string miss_limit_note(const MissLimits& limits, const std::string& claim);
/// An entry for each level and class; null without rows.
Json miss_limits_json(const MissLimits& limits);

}  // namespace credence::report
