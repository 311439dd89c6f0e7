#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/data/preprocessing.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/model/partition.hpp"
#include "credence/svm/family.hpp"

namespace credence::svm {

/// The models of one region of the feature space: one model, or one for each fold of the rows.
struct Region {
  /// The classes that its models distinguish, ascending; a region of one class predicts it, and needs no model.
  std::vector<int> classes;
  std::shared_ptr<const SvmFamily> family{};  ///< its class k is classes[k]; none for one class
  /// The model of the family that serves as model k; empty: model k, or the last one if there are fewer.
  std::vector<std::uint32_t> model_of{};

  std::size_t support_count() const { return family ? family->support_rows.size() : 0; }
  /// Scores rows of the region. A region of one class gives this class the score 1 and the others -1. A class that the
  /// region does not know gets the smallest score of the classes that it knows, minus 1.
  /// @param models, class_count  of the result
  model::Scores score(std::size_t models, std::size_t class_count, const data::Features& rows,
                      const core::Context& context) const;
};

/// A partition of the feature space by the nearest centre, and the models of each region.
struct RoutedRegions {
  std::optional<data::Preprocessing> scaling{};  ///< of rows before routing and scoring, if any
  model::Partition router;
  std::vector<Region> regions;  ///< one for each centre
};

/// Models of several partitions of the feature space: a row is predicted by the region that it lies in. The scores
/// of a model are the means over the partitions, and its label is the class with the largest mean (ties to the lowest
/// class); with one partition the label is that of the region. Scores::region_of is the region in the first partition.
class RegionFamily final : public model::ClassifierFamily {
 public:
  std::vector<RoutedRegions> partitions;  ///< at least one
  std::size_t class_count = 0;
  std::size_t model_count = 1;

  std::size_t models() const override { return model_count; }
  std::size_t classes() const override { return class_count; }
  std::string shared_parts() const override;
  std::size_t region_count() const override { return partitions.empty() ? 0 : partitions.front().regions.size(); }
  /// Rows are scored in large blocks, in which the rows of a region are scored together.
  /// Cost: that of Partition::regions_of, and for each row the support vectors of its own region, in each partition.
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

}  // namespace credence::svm
