#pragma once

/// ```cpp
/// using namespace credence;
/// const core::Threads threads;
/// core::Monitor monitor;
/// const core::Context context{.threads = threads, .monitor = monitor};
/// const data::Dataset dataset = data::read("data/breast_cancer.csv");
/// const selection::Options options{.method = selection::CrossValidation{.folds = 5}, .rule = selection::Rule::best};
/// const distributed::SelectionShards shards(dataset, options);
/// std::vector<std::string> results;  // each may be made on another machine that has the same data and options
/// for (std::size_t shard = 0; shard < shards.size(); ++shard) results.push_back(shards.run(shard, context));
/// const selection::Selection chosen = shards.merged(results, context);
/// std::cout << shards.size() << " gammas, " << chosen.grid.size() << " cells\n";  // prints 24 gammas, 144 cells
/// ```

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/selector.hpp"

/// Work for other machines: a list of shards that know nothing of each other, and a merge. Shards run on any machine,
/// in any order, on any number of threads; a shard that was lost is run again. The result of a shard is a string of
/// bytes with the version, a fingerprint of data and options, the number of the shard and a checksum. The merge refuses
/// bytes of other data, options or versions, and altered ones, in one sentence each. Merged results are those of one
/// machine to the last bit, except times and numbers of threads.
namespace credence::distributed {

/// The gammas of one exact grid of the method `cv` (except with the rule average), and with Estimate::nested the outer
/// folds of the estimate. With other methods the merge makes the selection itself, so the shards are the outer folds of
/// a nested estimate alone.
///
/// The result of one gamma holds:
/// (1) for each cell and resample the counts;
/// (2) for each row and cell one bit, 1 if the row was misclassified (soft loss: 8 bytes; another score: 2 at most);
/// (3) the calibration of the gamma's best cell. Where the rule chooses another cell than the best of a gamma
/// (Rule::one_se), the merge judges the chosen cell once more.
class SelectionShards {
 public:
  /// @param dataset  which must outlive the object
  /// @throws Error as Selector; invalid_argument where there are no shards
  SelectionShards(const data::Dataset& dataset, const selection::Options& options);

  std::size_t size() const { return gammas_ + outer_.value_or(selection::OuterRuns{}).size(); }
  /// @throws Error as Selector::select; interrupted if the monitor stopped the shard
  std::string run(std::size_t shard, const core::Context& context) const;
  /// @param results  of all shards, in the order of their numbers  @throws Error format for results of other work
  selection::Selection merged(std::span<const std::string> results, const core::Context& context) const;
  /// The rows of the data that a shard works on.
  std::size_t rows_in(std::size_t) const { return dataset_.rows(); }

 private:
  selection::Selection selected(std::span<const std::string> results, const selection::Options& options,
                                const core::Context& context) const;
  void add_nested_of(std::span<const std::string> results, const core::Context& context,
                     selection::Selection& selection) const;

  selection::RowsInUse used_;
  const data::Dataset& dataset_;
  selection::Options options_;  ///< resolved
  std::uint32_t fingerprint_;
  std::size_t gammas_ = 0;
  std::optional<selection::OuterRuns> outer_;
  std::string no_nested_;  ///< why there are no outer folds, where a nested estimate was asked for
};

/// The runs of a comparison: each contestant on each outer fold.
class ComparisonShards {
 public:
  /// @param dataset  which must outlive the object  @throws Error as compare
  ComparisonShards(const data::Dataset& dataset, const std::vector<selection::Contestant>& contestants,
                   const selection::ComparisonOptions& options);

  std::size_t size() const { return runs_.size(); }
  std::string run(std::size_t shard, const core::Context& context) const;
  selection::Comparison merged(std::span<const std::string> results, const core::Context& context) const;
  std::size_t rows_in(std::size_t) const { return rows_; }

 private:
  std::size_t rows_;
  std::uint32_t fingerprint_;
  selection::OuterRuns runs_;
};

/// Groups of consecutive shards, for shards that are too small to be sent one by one. The shards of a group have at
/// least `least_rows` rows together; a shard of more rows stays alone.
template <class Shards>
std::vector<std::vector<std::size_t>> grouped(const Shards& shards, std::size_t least_rows) {
  std::vector<std::vector<std::size_t>> groups;
  std::size_t rows = least_rows;
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    if (rows >= least_rows) {
      groups.emplace_back();
      rows = 0;
    }
    groups.back().push_back(shard);
    rows += shards.rows_in(shard);
  }
  return groups;
}

}  // namespace credence::distributed
