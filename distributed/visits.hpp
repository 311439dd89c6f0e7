#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "distributed/parts.hpp"
#include "distributed/region_shards.hpp"
#include "selection/grid/fitted_task.hpp"

/// The members of what shards hand over, as bytes.
namespace credence::data {

template <class Bytes>
void visit(Bytes& bytes, Preprocessing::RawColumn& column) {
  bytes(column.kind, column.fill, column.level_output, column.output);
}

template <class Bytes>
void visit(Bytes& bytes, NormalScores& known) {
  bytes(known.values, known.scores);
}

template <class Bytes>
void visit(Bytes& bytes, Preprocessing& preprocessing) {
  bytes(preprocessing.scaling, preprocessing.sparse, preprocessing.raw, preprocessing.shift, preprocessing.scale,
        preprocessing.quantiles, preprocessing.standard_shift, preprocessing.standard_scale);
}

}  // namespace credence::data

namespace credence::distributed {

/// What a shard knows of a region: preprocessed rows, and what the earlier partitions say.
struct RegionRows {
  selection::RegionTask task;
  kernel::KernelType kernel = kernel::KernelType::rbf;  ///< of the partition
  data::Scaling scale = data::Scaling::standard;
  std::map<std::string, double> class_weights;
  std::uint64_t seed = 0;                                   ///< of the partition
  std::uint32_t options = 0;                                ///< their fingerprint
  selection::Estimate estimate = selection::Estimate::bbc;  ///< of the region's rows
  std::vector<std::uint8_t> set_aside;                 ///< 1 for rows that are; empty where nothing is trained on them
  std::map<std::string, double> class_weights_of_all;  ///< for the training on all rows
};

/// What a shard found in a region.
struct RegionPart {
  selection::RegionResult judged;
  std::optional<selection::RegionResult> retrained;  ///< on the rows that are set aside too
};

template <class Bytes>
void visit(Bytes& bytes, RegionPart& part) {
  bytes(part.judged, part.retrained);
}

template <class Bytes>
void visit(Bytes& bytes, RegionRoutes& routes) {
  bytes(routes.fitted.preprocessing, routes.fitted.scaling, routes.fitted.partition.centres);
}

/// Factors of classes by their names.
template <class Bytes>
void visit_factors(Bytes& bytes, std::map<std::string, double>& weights) {
  std::vector<std::string> names;
  std::vector<double> factors;
  for (const auto& [name, factor] : weights) {
    names.push_back(name);
    factors.push_back(factor);
  }
  bytes(names, factors);
  for (std::size_t c = 0; c < std::min(names.size(), factors.size()); ++c) weights[names[c]] = factors[c];
}

template <class Bytes>
void visit(Bytes& bytes, RegionRows& region) {
  selection::RegionTask& task = region.task;
  data::Dataset& rows = task.rows;
  bytes(rows.features, rows.schema.classes, rows.labels, rows.weights, rows.groups, rows.copies, rows.copies_count_once,
        rows.source, task.partition, task.region, task.fold_of, task.wanted, task.balance, region.kernel, region.scale,
        region.seed, region.options, region.estimate, region.set_aside);
  visit_factors(bytes, region.class_weights);
  visit_factors(bytes, region.class_weights_of_all);
}

template <class Bytes>
void visit(Bytes& bytes, GridPart& part) {
  bytes(part.results, part.width, part.errors, part.soft, part.labels, part.values, part.best, part.calibration);
}

template <class Bytes>
void visit(Bytes& bytes, OuterPart& part) {
  bytes(part.fold, part.problem);
}

}  // namespace credence::distributed
