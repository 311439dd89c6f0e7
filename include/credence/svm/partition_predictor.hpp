#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "credence/model/classifier_family.hpp"
#include "credence/model/partition.hpp"
#include "credence/model/predictor.hpp"
#include "credence/svm/model.hpp"

namespace credence::svm {

/// What answers for the rows of one part of the feature space.
struct PartMachine {
  /// The classes that the machine tells apart, ascending; with one class the part answers with it and needs no machine.
  std::vector<int> classes;
  std::shared_ptr<const SvmModel> machine;  ///< over preprocessed rows; its schema has the names of `classes` alone
};

/// A partition of the feature space with an SVM for each part: every row is answered by the part that it lies in.
///
/// The score of a class is that of the part's machine (class_scores). A part that knows one class gives this class the
/// score 1 and the others -1. A class that the machine of a part does not know gets the least score of those that the
/// machine knows, less 1.
class PartitionFamily final : public model::ClassifierFamily {
 public:
  model::Partition partition;
  std::vector<PartMachine> parts;  ///< one for each part
  std::size_t class_count = 0;

  std::size_t models() const override { return 1; }
  std::size_t classes() const override { return class_count; }
  std::size_t support_count() const;
  std::size_t parts_of_one_class() const;
  std::string shared_parts() const override;
  bool has_parts() const override { return true; }
  /// Rows are scored in large blocks, in which the rows of a part are scored together.
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

/// Scores rows of one part, with the labels that the part gives them (one model).
model::Scores scores_in_part(const PartMachine& part, std::size_t class_count, const data::Features& rows,
                             const core::Context& context);

/// The predictor of a partition.
struct PartitionPredictor final : model::Predictor {
  std::shared_ptr<const PartitionFamily> family;

  /// Gives label, scores, and the decision value for two classes (more classes differ from part to part in their
  /// machines).
  /// Cost: that of Partition::parts_of, and for each row the support vectors of its own part.
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  std::string description() const override;
  std::vector<std::string> decision_names() const override;
};

}  // namespace credence::svm
