#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/neighbours.hpp"

namespace credence::distributed {

/// The fit of a transductive machine for nearest neighbours as shards that know nothing of each other, and a merge
/// whose predictor is that of conformal::fit to the last bit. A shard has a block of training rows, and some of the
/// rows as queries. Its result is, for each query and class, the k smallest distances to the block. Results are bytes
/// as those of SelectionShards: queries x classes x k numbers of eight bytes.
class NeighbourShards {
 public:
  /// Preprocesses the rows. @param dataset  which must outlive the object
  /// @param block_rows  training rows of a shard  @param query_rows  queries of a shard; both >= 1
  /// @throws Error as fit; invalid_argument for other measures or modes, and precomputed distances
  NeighbourShards(const data::Dataset& dataset, const conformal::FitOptions& options,
                  std::size_t block_rows = usual_block_rows, std::size_t query_rows = usual_query_rows);

  std::size_t size() const;
  /// @throws Error as nearest_in_block
  std::string run(std::size_t shard, const core::Context& context) const;
  /// @param results  of all shards, in the order of their numbers  @throws Error format for results of other work
  std::shared_ptr<conformal::ConformalPredictor> merged(std::span<const std::string> results,
                                                        const core::Context& context) const;
  std::size_t rows_in(std::size_t) const { return std::min(compared().rows(), block_rows_); }

  static constexpr std::size_t usual_block_rows = 100'000;
  static constexpr std::size_t usual_query_rows = 20'000;

 private:
  const data::Dataset& dataset_;
  conformal::FitOptions options_;
  conformal::NeighbourOptions nearest_;
  std::size_t block_rows_;
  std::size_t query_rows_;
  std::uint32_t fingerprint_ = 0;
  std::optional<data::Dataset> others_;  ///< the rows compared with, where scaling sets rows apart
  data::Features rows_;                  ///< the rows compared with, preprocessed

  const data::Dataset& compared() const { return others_ ? *others_ : dataset_; }
};

}  // namespace credence::distributed
