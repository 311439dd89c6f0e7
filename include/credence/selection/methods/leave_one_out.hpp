#pragma once

#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// Each row judged by the machine of the others (Anguita et al., 2012, section III-B).
struct LeaveOneOut {
  static constexpr const char* name = "loo";
  static constexpr const char* sentence = "the cell with the smallest leave-one-out error";
  static constexpr MethodTraits traits{
      .bounds = true, .trains_cell = true, .scales_once = true, .weighs = true, .scores_at_once = true};

  Estimation estimation{};
  Scoring scoring{};
  Rule rule = Rule::best;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field.part(&LeaveOneOut::estimation);
    field.part(&LeaveOneOut::scoring);
    field("rule", &LeaveOneOut::rule, rule_sentence);
  }
  std::size_t resample_count(std::size_t n) const { return n; }
  std::string words(std::size_t n) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
