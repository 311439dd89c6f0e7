#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "credence/svm/train.hpp"

namespace credence::svm {

/// The rows that one binary SVM is solved on, as a problem of their own.
struct MachinePart {
  std::vector<std::size_t> rows;         ///< of the data set; those of each class ascending
  qp::Problem unit;                      ///< of these rows, boxes for C = 1
  std::unique_ptr<kernel::Rows> copied;  ///< their kernel matrix, if it is a part of the whole
  kernel::Rows* kernel = nullptr;        ///< their kernel matrix
};

/// The training rows of a data set, class by class, and the part of them for each binary SVM: an SVM of two of many
/// classes is solved without anything that has the size of all rows.
class MachineParts {
 public:
  /// @param rows  kernel matrix of all rows, training or not; must outlive the object, as the labels and factors
  /// @param factors  boxes at C = 1 (`box_factors`); 0 for rows that are held out
  /// @param machines  one-against-one
  MachineParts(kernel::Rows& rows, std::span<const int> labels, std::span<const double> factors,
               std::span<const BinaryMachine> machines, std::size_t classes);

  /// The training rows of the SVM's classes. If there are only two classes and nearly all rows are trained on, all
  /// rows, some of them held out: copying the kernel matrix would cost more than passing over these.
  MachinePart part(std::size_t machine) const;
  std::size_t machines() const { return machines_.size(); }
  const BinaryMachine& machine(std::size_t m) const { return machines_[m]; }
  std::size_t classes() const { return of_class_.size(); }
  /// Training rows of a class, ascending.
  std::span<const std::size_t> of_class(std::size_t c) const { return of_class_[c]; }
  /// Whether parts are of all rows.
  bool whole() const { return whole_; }

 private:
  kernel::Rows& rows_;
  std::span<const int> labels_;
  std::span<const double> factors_;
  std::span<const BinaryMachine> machines_;
  std::vector<std::vector<std::size_t>> of_class_;
  std::vector<std::size_t> start_;          ///< of each class in the copy
  std::unique_ptr<kernel::Rows> by_class_;  ///< kernel matrix of the training rows, class by class; none: large parts
  bool whole_ = false;
};

}  // namespace credence::svm
