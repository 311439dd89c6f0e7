#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "report/json.hpp"

/// What a report says of the regions of the feature space.
namespace credence::report {

/// "26 regions of the feature space of about 2000 rows, 5 folds in each".
std::string partition_basis(const selection::PartitionReport& found, const selection::Selection& selection);
/// Sizes of the regions, how many know one class, where their errors are, and what partitions and regions chose.
std::string partition_lines(const selection::PartitionReport& found, const selection::Selection& selection);
/// The size that was asked for, the number of regions, the settings tried in each, how many regions hold half of the
/// errors, and every complete region: rows, classes, choice, errors. Partitions and regions count from 1.
Json partition_json(const selection::PartitionReport& found);

// Of the same as JSON, for text and page.

std::size_t one_class_count(const Json& found);
/// Errors among the rows of a region, as they count.
double errors_of(const Json& region);
/// So many regions, those with the most errors first.
std::vector<Json> worst_regions(const Json& found, std::size_t most);
/// "C from 0.5 to 512, gamma = 2".
std::string choices_text(std::span<const Json> regions);
/// How many partitions each kernel and scaling has: "3 of laplacian, quantile; 1 of rbf, standard".
std::string kernels_text(const Json& found);
/// Of each partition: "rbf, standard: 26 regions, C = 8, gamma from 0.5 to 2".
std::vector<std::string> partition_texts(const Json& found);

}  // namespace credence::report
