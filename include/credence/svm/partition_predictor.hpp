#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "credence/model/classifier_family.hpp"
#include "credence/model/mean_family.hpp"
#include "credence/model/partition.hpp"
#include "credence/model/predictor.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/model.hpp"

namespace credence::svm {

/// What answers for the rows of one region of the feature space.
struct RegionMachine {
  /// The classes that the machine tells apart, ascending; with one class the region answers with it and needs no
  /// machine.
  std::vector<int> classes;
  std::shared_ptr<const SvmModel> machine;  ///< over preprocessed rows; its schema has the names of `classes` alone
};

/// A partition of the feature space with an SVM for each region: every row is answered by the region that it lies in.
///
/// The score of a class is that of the region's machine (class_scores). A region that knows one class gives this class
/// the score 1 and the others -1. A class that the machine of a region does not know gets the least score of those that
/// the machine knows, less 1.
class PartitionFamily final : public model::ClassifierFamily {
 public:
  model::Partition partition;
  std::vector<RegionMachine> regions;  ///< one for each region
  std::size_t class_count = 0;

  std::size_t models() const override { return 1; }
  std::size_t classes() const override { return class_count; }
  std::size_t support_count() const;
  std::size_t regions_of_one_class() const;
  std::string shared_parts() const override;
  bool has_regions() const override { return true; }
  /// Rows are scored in large blocks, in which the rows of a region are scored together.
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

/// The machines that a region has for each fold of its rows.
struct RegionFolds {
  std::vector<int> classes;                 ///< as RegionMachine::classes
  std::shared_ptr<const SvmFamily> family;  ///< over `classes`, one model for each fold; none for one class
  /// The model of the family that left out each fold; empty: model k left out fold k, and further folds have the last.
  std::vector<std::uint32_t> model_of{};
};

/// The machines of the folds of all regions: model k of a row is the machine of its region that left out fold k.
class RegionSiblings final : public model::ClassifierFamily {
 public:
  model::Partition partition;
  std::vector<RegionFolds> regions;  ///< one for each region
  std::size_t class_count = 0;
  std::size_t folds = 0;  ///< of the region with most folds

  std::size_t models() const override { return folds; }
  std::size_t classes() const override { return class_count; }
  bool has_regions() const override { return true; }
  /// Cost: that of Partition::regions_of, and for each row the support vectors of its own region.
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

/// Scores rows of one region by the machines of its folds. @param folds  models of the result
model::Scores scores_of_folds(const RegionFolds& region, std::size_t folds, std::size_t class_count,
                              const data::Features& rows, const core::Context& context);

/// Scores rows of one region, with the labels that the region gives them (one model).
model::Scores scores_in_region(const RegionMachine& region, std::size_t class_count, const data::Features& rows,
                               const core::Context& context);

/// The predictor of a partition, or of the average of several.
struct PartitionPredictor final : model::Predictor {
  std::vector<std::shared_ptr<const PartitionFamily>> partitions;  ///< at least one

  /// The partition, or the mean of the scores of all partitions.
  std::shared_ptr<const model::ClassifierFamily> family() const;

  /// Gives label, scores, and the decision value for two classes (more classes differ from region to region in their
  /// machines).
  /// Cost: that of Partition::regions_of, and for each row the support vectors of its own region, in each partition.
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  std::string description() const override;
  std::vector<std::string> decision_names() const override;
};

}  // namespace credence::svm
