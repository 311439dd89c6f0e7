#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// For messages about a name that does not exist.
namespace credence::core {

/// Returns how many letters must be added, removed, changed or exchanged with their neighbour to make one name of the
/// other, whatever their case (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the names in the order of their distances from `name`; equal distances keep the order of the list.
std::vector<std::string> nearest_first(std::string_view name, std::vector<std::string> names);

/// Returns the nearest of the names, or nothing unless fewer than a third of the letters would change, or
/// one of three.
std::string likely_meant(std::string_view name, const std::vector<std::string>& names);

/// The end of a sentence: "; did you mean select?", or nothing if likely_meant is.
/// @param before  stands before the name: "--"
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names, std::string_view before = "");

}  // namespace credence::core
