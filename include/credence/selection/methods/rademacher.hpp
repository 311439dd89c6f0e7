#pragma once

#include "credence/selection/in_sample.hpp"
#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// The norm with the smallest bound by Rademacher complexity: see in_sample.hpp.
struct Rademacher {
  static constexpr const char* name = "rademacher";
  static constexpr const char* sentence =
      "the norm with the smallest bound by Rademacher complexity, from the training rows alone";
  static constexpr MethodTraits traits{.norms = true, .looks_at = "term"};

  std::vector<std::string> gaps(const data::Dataset& dataset, const Selection& selection) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

/// The norm with the smallest bound by maximal discrepancy: see in_sample.hpp.
struct MaximalDiscrepancy {
  static constexpr const char* name = "maximal-discrepancy";
  static constexpr const char* sentence =
      "the norm with the smallest bound by maximal discrepancy, from the training rows alone";
  static constexpr MethodTraits traits{.norms = true};

  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
