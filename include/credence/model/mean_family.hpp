#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "credence/model/classifier_family.hpp"

namespace credence::model {

/// The average of several families: the scores of model k are the means of the scores that model k of each family
/// gives, and its label is the class with the largest mean (ties to the lowest class). The families have the same
/// classes and equally many models. The region of a row is the one that the first family names.
class MeanFamily final : public ClassifierFamily {
 public:
  std::vector<std::shared_ptr<const ClassifierFamily>> families;  ///< at least one

  std::size_t models() const override { return families.front()->models(); }
  std::size_t classes() const override { return families.front()->classes(); }
  bool has_regions() const override { return families.front()->has_regions(); }
  /// What the families share, one after the other.
  std::string shared_parts() const override;
  /// Cost: that of all families. Memory: the scores of some ten thousand rows, twice.
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const Scores& block)>& visit) const override;
};

}  // namespace credence::model
