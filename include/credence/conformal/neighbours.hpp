#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/measures/neighbour_ratio.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"

namespace credence::conformal {

/// Any measure of nearest distances (measures/nearest.hpp) with its options.
struct NeighbourOptions {
  NeighbourMeasure measure = NeighbourRatio::measure();
  int k = 1;  ///< >= 1
  neighbours::Metric metric = neighbours::Metric::euclidean;

  std::vector<std::string> validate() const;
};

template <class Measure>
Nearest<Measure>::operator NeighbourOptions() const {
  return {measure(), k, metric};
}

/// TCM-NN, the transductive confidence machine for nearest neighbours: full conformal prediction at the price of one
/// nearest-neighbour query for each row, whatever the number of labels.
///
/// For a new x and each class c the examples are extended by (x, c); the strangeness of an example t changes only if x
/// is nearer than the k-th of its nearest own-class (t of class c) or other-class neighbours (t of another class). All
/// counts equal those of recomputing every strangeness from scratch, to the last bit; see docs/conformal.md.
///
/// Memory: the rows in double and in float, and 2 m k distances; for each thread a block of query rows x m floats.
/// Source: Proedrou, Nouretdinov, Vovk, Gammerman, ECML 2002 (LNAI 2430), section 3.2.
class TransductiveNeighbours final : public Machine {
 public:
  /// What it knows: enough to make it again. Distances are +infinity where there are fewer than k.
  struct State {
    data::Features rows;      ///< m x d, preprocessed
    std::vector<int> labels;  ///< m
    data::DenseMatrix own;    ///< m x k: distances to the nearest examples of the same class, ascending
    data::DenseMatrix other;  ///< m x k: to the nearest examples of all other classes
    friend bool operator==(const State& a, const State& b);
  };

  /// Trains: m^2 d / 2 steps of SIMD.
  /// @param labels  0 .. class_count - 1
  /// @throws Error invalid_argument (options, labels), invalid_data (a value that is not finite or beyond 1e151, a row
  ///         of zeros for the cosine, a precomputed matrix that is not square, >= 0 and symmetric to 1e-6, of which the
  ///         upper half counts), memory (the lists exceed the budget), interrupted
  TransductiveNeighbours(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                         const NeighbourOptions& options, const core::Context& context);
  /// Without any example, for `add`. @throws Error invalid_argument for the precomputed metric
  TransductiveNeighbours(std::size_t columns, std::size_t class_count, const NeighbourOptions& options);
  /// As it was when `state()` was taken; no distance is computed.
  /// @throws Error invalid_argument if the parts do not fit together
  TransductiveNeighbours(State state, std::size_t class_count, const NeighbourOptions& options);
  ~TransductiveNeighbours() override;
  TransductiveNeighbours(TransductiveNeighbours&&) noexcept;
  TransductiveNeighbours& operator=(TransductiveNeighbours&&) noexcept;

  const NeighbourOptions& options() const;
  std::size_t size() const;
  std::size_t columns() const;
  std::vector<std::size_t> class_counts() const override;
  Validity validity() const override { return Validity::exact; }
  std::string description(const model::TrainingRecord& record) const override;
  /// Cost: m d a row (SIMD in float, which decides nothing), and exact distances for the few that matter.
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const override;
  /// Of one row, on this thread.
  std::vector<Rank> rank(const data::Features& rows, std::size_t row, bool label_conditional) const;
  /// The example becomes number size() - 1. Cost: one distance row, O(m).
  void add(const data::Features& rows, std::size_t row, int label);
  /// Removes example i; the last one takes its number. Undoes `add` to the last bit if i is the last.
  /// Cost: one distance row, and one for each example that had it among its k nearest.
  /// @throws Error invalid_argument unless i < size(), or for the precomputed metric
  void remove(std::size_t i);
  /// Of example i among the others.
  double strangeness(std::size_t i) const;
  State state() const;

 private:
  void check_columns(const data::Features& rows) const;
  void check_row(const data::Features& rows, std::size_t row) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::conformal
