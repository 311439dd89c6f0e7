#pragma once

/// ```cpp
/// using namespace credence;
/// const core::Threads threads;
/// core::Monitor monitor;
/// const core::Context context{.threads = threads, .monitor = monitor};
/// const data::Dataset dataset = data::read("data/breast_cancer.csv");
/// selection::Options options;
/// options.method = selection::CrossValidation{.folds = 3};
/// options.rule = selection::Rule::best;
/// options.estimate = selection::Estimate::nested;
/// const distributed::OuterShards shards(dataset, options);
/// std::vector<std::string> results;  // each may be made on another computer that has the same data and options
/// for (std::size_t shard = 0; shard < shards.size(); ++shard) results.push_back(shards.run(shard, context));
/// const selection::Selection chosen = shards.merged(results, context);
/// std::cout << shards.size() << " folds, " << chosen.honest->rows << " rows\n";  // prints 3 folds, 569 rows
/// ```

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/selector.hpp"

/// Work for other computers: a list of shards that do not depend on each other, and a merge. Shards run anywhere,
/// in any order, on any number of threads; a shard that was lost is run again. The result of a shard is a string of
/// bytes with the version, a fingerprint of data and options, the number of the shard and a checksum. The merge refuses
/// bytes of other data, options or versions, and altered ones, in one sentence each. Merged results are those of one
/// computer to the last bit, except times and numbers of threads.
namespace credence::distributed {

/// The outer folds of the nested estimate of a selection. The merge makes the selection itself.
class OuterShards {
 public:
  /// @param dataset  which must outlive the object
  /// @throws Error as Selector; invalid_argument where the estimate is not nested
  OuterShards(const data::Dataset& dataset, const selection::Options& options);

  std::size_t size() const { return runs_.size(); }
  /// @throws Error as Selector::select; interrupted if the monitor stopped the shard
  std::string run(std::size_t shard, const core::Context& context) const;
  /// @param results  of all shards, in the order of their numbers  @throws Error format for results of other work
  selection::Selection merged(std::span<const std::string> results, const core::Context& context) const;

 private:
  void add_estimate(std::span<const std::string> results, const core::Context& context,
                    selection::Selection& selection) const;

  selection::RowsInUse used_;
  selection::Options options_;  ///< resolved
  std::uint32_t fingerprint_;
  selection::OuterRuns runs_;
  std::string problem_;  ///< why there are no outer folds; empty where there are some
};

}  // namespace credence::distributed
