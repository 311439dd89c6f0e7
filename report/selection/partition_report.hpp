#pragma once

#include <string>

#include "credence/selection/selector.hpp"
#include "report/json.hpp"

/// What a report says of the cells of the feature space.
namespace credence::report {

/// "26 cells of the feature space of about 2000 rows, 5 folds in each".
std::string partition_basis(const selection::PartitionReport& found, const selection::Selection& selection);
/// Sizes of the cells, how many know one class, where their errors are, what they chose, and how the exact grid does on
/// the same rows.
std::string partition_lines(const selection::PartitionReport& found, const selection::Selection& selection);
/// The size that was asked for, the number of cells, the settings tried in each, how many cells hold half of the
/// errors, and every complete cell: rows, classes, choice, errors.
Json partition_json(const selection::PartitionReport& found);

}  // namespace credence::report
