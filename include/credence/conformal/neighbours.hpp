#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/measures.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/neighbours/metric.hpp"

namespace credence::conformal {

/// Any measure of nearest distances (measures.hpp) with its options.
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
/// For a new x and each class c the examples are extended by (x, c). The nonconformity score of an example t of class c
/// changes only if x is nearer than the k-th nearest neighbour of t in its own class; that of an example t of another
/// class changes only if x is nearer than the k-th nearest neighbour of t in the other classes. All counts equal the
/// counts after recomputing every nonconformity score, to the last bit; see docs/conformal.md.
///
/// Memory: the rows in double and in float, and 2 m k distances; for each thread a block of query rows x m floats.
/// Source: Proedrou, Nouretdinov, Vovk, Gammerman, ECML 2002 (LNAI 2430), section 3.2.
class TransductiveNeighbours final : public Machine {
 public:
  /// The data from which the predictor is restored. Distances are +infinity where there are fewer than k neighbours.
  struct State {
    data::Features rows;            ///< m x d, preprocessed
    std::vector<int> labels;        ///< m labels
    data::DenseMatrix own;          ///< m x k: distances to the nearest examples of the same class, ascending
    data::DenseMatrix other;        ///< m x k: distances to the nearest examples of all other classes, ascending
    std::vector<double> weights{};  ///< known weights of the examples in p-values; empty: each counts 1
    friend bool operator==(const State& a, const State& b);
  };

  /// Trains. Cost: at most m^2 d / 2 SIMD steps; blocks of rows that lie too far apart are left out.
  /// @param labels  0 .. class_count - 1
  /// @param weights  known weights of the examples in p-values (RowWeights): sums of weights replace counts, and
  /// nonconformity scores stay the same. No example is added or removed then. Empty: each counts 1
  /// @throws Error invalid_argument (options, labels, weights), invalid_data (a value that is not finite or beyond
  /// 1e151, a row of zeros for the cosine, a precomputed matrix that is not square, >= 0 and symmetric to 1e-6), memory
  /// (rows and lists exceed the budget), interrupted. Of a precomputed matrix the upper half is used.
  TransductiveNeighbours(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                         const NeighbourOptions& options, const core::Context& context,
                         std::span<const double> weights = {});
  /// Starts without examples, for `add`. @throws Error invalid_argument for the precomputed metric
  TransductiveNeighbours(std::size_t columns, std::size_t class_count, const NeighbourOptions& options);
  /// Restores the predictor from which `state()` was taken, without computing a distance.
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
  std::optional<double> effective_rows() const override;
  std::string description(const model::TrainingRecord& record) const override;
  /// Cost: m d SIMD steps in float for each row, as a screen, and exact distances for the few examples that matter.
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const override;
  /// Ranks one row under every class, on this thread.
  std::vector<Rank> rank(const data::Features& rows, std::size_t row, bool label_conditional) const;
  /// Adds an example, which gets the index size() - 1. Cost: one distance row, O(m).
  void add(const data::Features& rows, std::size_t row, int label);
  /// Removes example i; the last example takes the index i. Removing the last example undoes `add` to the last bit.
  /// Cost: one distance row, and one more for each example that had example i among its k nearest.
  /// @throws Error invalid_argument unless i < size(), or for the precomputed metric
  void remove(std::size_t i);
  /// Returns the nonconformity score of example i among the others.
  double nonconformity(std::size_t i) const;
  State state() const;

 private:
  void check_columns(const data::Features& rows) const;
  void check_row(const data::Features& rows, std::size_t row) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::conformal
