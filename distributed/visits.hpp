#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "distributed/parts.hpp"
#include "selection/grid/task_visits.hpp"

/// The members of what shards hand over, as bytes.
namespace credence::distributed {

/// What a shard knows of a region: preprocessed rows, and what the partitions before say.
struct RegionRows {
  selection::RegionTask task;
  std::map<std::string, double> class_weights;
  std::uint64_t seed = 0;                                   ///< of the partition
  std::uint32_t options = 0;                                ///< their fingerprint
  selection::Estimate estimate = selection::Estimate::bbc;  ///< of the cell's rows
};

template <class Bytes>
void visit(Bytes& bytes, RegionRows& region) {
  std::vector<std::string> names;
  std::vector<double> factors;
  for (const auto& [name, factor] : region.class_weights) {
    names.push_back(name);
    factors.push_back(factor);
  }
  selection::RegionTask& task = region.task;
  data::Dataset& rows = task.rows;
  bytes(rows.features, rows.schema.classes, rows.labels, rows.weights, rows.groups, rows.source, task.partition,
        task.region, task.fold_of, task.wanted, names, factors, region.seed, region.options, region.estimate);
  for (std::size_t c = 0; c < std::min(names.size(), factors.size()); ++c) region.class_weights[names[c]] = factors[c];
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
