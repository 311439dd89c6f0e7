#pragma once

#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// Each row judged by the machine of the others (Anguita et al., 2012, section III-B).
struct LeaveOneOut {
  static constexpr const char* name = "loo";
  static constexpr const char* sentence = "the cell with the smallest leave-one-out error";
  static constexpr MethodTraits traits{
      .trains_cell = true, .scales_once = true, .scores_at_once = true, .looks_at = "loss final union score cost rule"};

  std::size_t resample_count(std::size_t n) const { return n; }
  std::string words(std::size_t n) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
