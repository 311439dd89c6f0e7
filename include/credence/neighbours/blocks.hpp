#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/neighbours/metric.hpp"

/// Nearest neighbours block by block: one block of training rows is a shard that any machine can do, and the merge of
/// their results is exact and does not depend on the order.
namespace credence::neighbours {

/// The k smallest distances of some rows to the training rows of every class, ascending; +infinity where there are
/// fewer.
struct ClassDistances {
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t k = 1;
  std::vector<double> values;  ///< rows x classes x k

  ClassDistances() = default;
  /// No neighbour is known yet.
  ClassDistances(std::size_t row_count, std::size_t class_count, std::size_t neighbours);

  std::span<double> of(std::size_t row, std::size_t c) { return {values.data() + (row * classes + c) * k, k}; }
  std::span<const double> of(std::size_t row, std::size_t c) const {
    return {values.data() + (row * classes + c) * k, k};
  }
  friend bool operator==(const ClassDistances&, const ClassDistances&) = default;
};

struct BlockOptions {
  int k = 1;                          ///< >= 1
  Metric metric = Metric::euclidean;  ///< all but precomputed
  /// If the query rows are training rows too: row j of the block is the query row j + itself, and no neighbour of
  /// itself. Numbers outside the query rows are allowed. With queries from training row q on, and a block from training
  /// row b on, itself = b - q.
  std::optional<std::ptrdiff_t> itself{};
};

/// The k smallest distances of the query rows to each class among the training rows of one block.
///
/// Distances are exact (see Metric), so they are the same numbers in whatever blocks, threads and order they come.
/// Cost: one distance in float for each pair of a query and a training row, in cache-sized tiles, but those of tiles
/// that lie too far apart.
/// Memory: the block's rows in double and in float, and the result. Progress counts query rows.
/// @param block   preprocessed training rows of the block  @param labels  of these rows, 0 .. class_count - 1
/// @throws Error invalid_argument (sizes, labels, options), invalid_data (a value that is not finite or beyond
/// largest_value, a row of zeros for the cosine), interrupted
ClassDistances nearest_in_block(const data::Features& block, std::span<const int> labels, std::size_t class_count,
                                const data::Features& queries, const BlockOptions& options,
                                const core::Context& context);

/// Takes the distances to other training rows in: `known` then holds the k smallest of both. Blocks must not share
/// training rows. The result does not depend on the order of merges.
/// @throws Error invalid_argument for another number of rows, classes or neighbours
void merge(ClassDistances& known, const ClassDistances& others);

}  // namespace credence::neighbours
