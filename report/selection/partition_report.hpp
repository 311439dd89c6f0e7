#pragma once

#include <string>

#include "credence/selection/selector.hpp"
#include "report/json.hpp"

/// What a report says of the regions of the feature space.
namespace credence::report {

/// "26 regions of the feature space of about 2000 rows, 5 folds in each".
std::string partition_basis(const selection::PartitionReport& found, const selection::Selection& selection);
/// Sizes of the regions, how many know one class, where their errors are, what they chose, and how the exact grid does
/// on the same rows.
std::string partition_lines(const selection::PartitionReport& found, const selection::Selection& selection);
/// The size that was asked for, the number of regions, the settings tried in each, how many regions hold half of the
/// errors, and every complete region: rows, classes, choice, errors.
Json partition_json(const selection::PartitionReport& found);

}  // namespace credence::report
