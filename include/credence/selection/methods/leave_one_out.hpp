#pragma once

#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// Each row judged by the machine of the others (Anguita et al., 2012, section III-B).
struct LeaveOneOut {
  static constexpr const char* name = "loo";
  static constexpr const char* sentence = "the cell with the smallest leave-one-out error";
  static constexpr MethodTraits traits{.bounds = true};

  Estimation estimation{};
  Scoring scoring{};

  template <class Visitor>
  static void describe(Visitor&& field) {
    field.part(&LeaveOneOut::estimation);
    field.part(&LeaveOneOut::scoring);
  }
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
