#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "distributed/parts.hpp"
#include "selection/grid/task_visits.hpp"

/// The members of what tasks hand over, as bytes.
namespace credence::distributed {

/// What a task knows of a part of the rows: preprocessed numbers.
struct PartRows {
  data::Dataset rows;
  std::map<std::string, double> class_weights;
  std::uint32_t options = 0;                                ///< their fingerprint
  selection::Estimate estimate = selection::Estimate::bbc;  ///< of the cell's rows
};

template <class Bytes>
void visit(Bytes& bytes, PartRows& part) {
  std::vector<std::string> names;
  std::vector<double> factors;
  for (const auto& [name, factor] : part.class_weights) {
    names.push_back(name);
    factors.push_back(factor);
  }
  data::Dataset& rows = part.rows;
  bytes(rows.features, rows.schema.classes, rows.labels, rows.weights, rows.groups, rows.source, names, factors,
        part.options, part.estimate);
  for (std::size_t c = 0; c < std::min(names.size(), factors.size()); ++c) part.class_weights[names[c]] = factors[c];
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
