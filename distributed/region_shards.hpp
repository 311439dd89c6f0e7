#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"

namespace credence::distributed {

/// What is here of rows whose features are elsewhere.
struct RowsElsewhere {
  std::vector<std::size_t> numbers;          ///< selection::rows_needed
  data::Dataset rows;                        ///< those rows, with features
  std::vector<std::uint64_t> training_keys;  ///< data::smallest_keys of the rows that are not set aside
  std::vector<std::uint64_t> keys;           ///< the same of all rows
};

/// For whoever has the rows: prepares rows for a partition, and says in which region each row lies.
struct RegionRoutes {
  selection::FittedPartition fitted;  ///< without region_of and options

  /// @throws Error format for altered bytes
  static RegionRoutes from_bytes(std::string_view bytes);
  /// @param rows  raw  @throws Error as Preprocessing::apply
  std::vector<std::uint32_t> regions_of(const data::Dataset& rows, const core::Context& context) const;
};

/// The regions of the feature space (Regions). The rows travel as bytes too, each region with its own rows alone, so
/// that a worker needs neither the data nor the partition. Rows that are set aside travel along: a shard judges its
/// choice without them, and then trains this choice on all rows of the region.
///
/// Where the features of the rows are elsewhere, each partition goes in four steps: `routes` says how rows are split,
/// `route` takes the regions of all rows, whoever has the rows of a region runs `task_of` with them, and `add` and
/// `take` take what came back.
class RegionShards {
 public:
  /// Splits the rows. @param dataset  which must outlive the object  @throws Error as Selector and fit_partition
  RegionShards(const data::Dataset& dataset, const selection::Options& options, const core::Context& context);
  /// The same for rows whose features are elsewhere. @param labels  of all rows: labels, weights, groups
  RegionShards(const data::Dataset& labels, RowsElsewhere elsewhere, const selection::Options& options,
               const core::Context& context);
  RegionShards(const RegionShards&) = delete;
  RegionShards& operator=(const RegionShards&) = delete;

  /// RegionRoutes of the partition whose turn it is.
  std::string routes() const;
  /// Takes the region of each row, those that are set aside too. @throws Error as RegionCourse::route
  void route(const std::vector<std::uint32_t>& region_of);

  /// How many regions the partition whose turn it is has. A partition needs the results of the partitions before it.
  std::size_t size() const { return course_->regions(); }
  /// The preprocessed rows of a region. @throws Error invalid_argument where features are elsewhere
  std::string rows_of(std::size_t shard) const;
  /// The same without features: labels, weights, groups and folds.
  std::string task_of(std::size_t shard) const;
  /// Chooses and trains in the region with these rows. @param options  the same as of the shards
  /// @param raw  the rows of a task without features, ascending by their numbers, with the routes that prepare them
  /// @throws Error as run_region; format for altered bytes, or other rows than those of the task; interrupted if the
  /// monitor stopped the shard
  static std::string run(std::string_view rows, const selection::Options& options, const core::Context& context,
                         const RegionRoutes* routes = nullptr, const data::Dataset* raw = nullptr);
  /// Adds the result of a region, in any order, so that not all bytes need be here at the same time.
  /// @throws Error format for results of other work; invalid_argument for a region that is not there
  void add(std::size_t shard, std::string_view result);
  /// Ends the partition, all of whose results were added. @throws Error invalid_argument if one is missing
  void take(const core::Context& context);
  bool done() const { return course_->done(); }
  /// To be called once, when all partitions are done.
  selection::Selection merged(const core::Context& context);
  std::size_t rows_in(std::size_t shard) const { return all_rows_[shard].size(); }

 private:
  void begin(const core::Context& context);
  std::string bytes_of_task(std::size_t shard, data::Dataset rows) const;
  void route_if_here(const core::Context& context);
  selection::RowSource source_of_all() const;
  selection::RowSource source_of_training() const;

  std::vector<std::vector<selection::RegionResult>> kept_trained(const selection::Selection& selection);
  selection::Selection merged_regions_of_all(const core::Context& context);

  selection::RowsInUse used_;
  const data::Dataset* dataset_ = nullptr;  ///< none where features are elsewhere
  data::Dataset labels_;                    ///< all rows, without features
  RowsElsewhere elsewhere_;
  selection::Options options_;  ///< resolved
  selection::Options filled_;   ///< for the rows
  std::uint32_t fingerprint_;
  std::vector<std::size_t> training_numbers_;       ///< of the rows that are not set aside, with Estimate::holdout
  std::optional<data::Dataset> training_;           ///< those rows, without features
  std::vector<std::vector<std::size_t>> all_rows_;  ///< of each region, those that are set aside too
  svm::ClassWeights weights_of_all_;                ///< as factors, balanced on all rows
  std::optional<selection::RegionCourse> course_;
  std::vector<selection::RegionResult> added_;                   ///< of the partition whose turn it is, in any order
  std::vector<std::vector<selection::RegionResult>> retrained_;  ///< of each partition, on all rows
};

}  // namespace credence::distributed
