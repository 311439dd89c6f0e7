#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "conformal/transductive/pair_svm.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/svm/model.hpp"

namespace credence::conformal {

/// The machines between all pairs of classes (svm::machine_layout), over rows in the order of their classes.
/// The score of an example is its smallest margin over the pairs of its class with classes that occur.
class PairSvms {
 public:
  /// @param counts  rows of each class  @param options  must outlive the object
  PairSvms(std::span<const std::size_t> counts, const TransductiveSvmOptions& options);

  std::size_t size() const { return pairs_.size(); }
  PairSvm& of(std::size_t machine) { return pairs_[machine]; }
  const std::vector<PairSvm>& all() const { return pairs_; }
  const svm::BinaryMachine& machine(std::size_t m) const { return machines_[m]; }
  const RowRange& range(int label) const { return ranges_[static_cast<std::size_t>(label)]; }

  /// To be called when all pairs have their solutions.
  void measure();
  /// The smallest margin of a row over its pairs but that of one machine; infinity if there is no other.
  double score_without(std::size_t row, std::size_t machine) const {
    return least_pair_[row] == machine ? second_[row] : least_[row];
  }

 private:
  std::vector<svm::BinaryMachine> machines_;
  std::vector<RowRange> ranges_;
  std::vector<PairSvm> pairs_;           ///< of each machine, the lower class first
  std::vector<double> least_;            ///< of each row: its smallest margin,
  std::vector<std::size_t> least_pair_;  ///< the machine that has it,
  std::vector<double> second_;           ///< and the smallest of the other machines
};

/// Ranks new examples, one after another, on one thread.
class PairRanking {
 public:
  /// All arguments must outlive it. @param weights  of the known examples in their order; empty: each counts 1
  PairRanking(const PairSvms& pairs, kernel::Rows& rows, std::span<const double> weights, const core::Monitor& monitor,
              TransductiveCost& cost);

  /// Of the example under a class, among all known examples or those of the class.
  /// @throws Error interrupted
  Rank rank(const NewExample& example, int label, bool label_conditional);

 private:
  void fight(std::size_t m, const NewExample& example, std::size_t side);
  Rank count(const RowRange& range) const;

  const PairSvms& pairs_;
  kernel::Rows& rows_;
  std::span<const double> weights_;
  const core::Monitor& monitor_;
  TransductiveCost& cost_;
  std::vector<double> scores_;    ///< of the known examples, under the extended machines
  PairSvm::Extension extension_;  ///< in the pair at hand
  double new_score_ = 0;
};

}  // namespace credence::conformal
