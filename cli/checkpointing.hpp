#pragma once

#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/options.hpp"

/// Checksums of what results depend on, by which a checkpoint knows its command.
namespace credence::cli {

std::string checksum_of(const data::Dataset& dataset);
/// Of the bytes of files; of one that is read once only (a pipe), of its name.
std::string checksum_of_files(const std::vector<std::string>& paths);
std::string checksum_of(const selection::Options& options);
std::string checksum_of(const std::vector<selection::Contestant>& contestants,
                        const selection::ComparisonOptions& options);

}  // namespace credence::cli
