#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "selfcheck/check.hpp"

/// What is promised of decisions: limits of each class, lists of rows, intervals of groups.
namespace credence::selfcheck {

/// The true class of a new row is ruled out although its limit is the level, where classes that were rare among the
/// known rows are common among the new ones. n is the number of known rows of the rare class.
/// @param label_conditional  false: what is promised is then broken
std::vector<Setting> of_limits(const std::vector<std::size_t>& sizes, bool label_conditional = true);

/// Returns the level at which a class is ruled out. @param m  rows set aside
using LevelOf = std::function<double(std::size_t m, double limit, double delta)>;
/// One draw of the rows set aside misses more than its limit of new rows, whose distribution is known.
std::vector<Setting> of_certainty(const LevelOf& level_of);

/// Returns which rows belong to a list, from the p-values of the hypotheses that they do not.
using Discover = std::function<std::vector<bool>(std::span<const double> p, double q)>;
inline constexpr double discovery_rate = 0.1;
/// A row that is drawn from the list is false, which has the false discovery rate as its probability. P-values are
/// those of rows set aside (--find). n is the number of these rows; one new row in five belongs to the list.
std::vector<Setting> of_split_lists(const std::vector<std::size_t>& sizes, const Discover& discover);
/// The same by familiarity to n known rows (--unfamiliar).
std::vector<Setting> of_unfamiliar_lists(const std::vector<std::size_t>& sizes, const Discover& discover);

inline constexpr double group_delta = 0.05;  ///< report::PartsReport::delta
/// Some interval of a group misses its share of errors, of misses of a class or of prediction sets:
/// report::parts_report, with groups of two columns and crossings. n is the number of rows.
std::vector<Setting> of_group_intervals(const std::vector<std::size_t>& sizes);

}  // namespace credence::selfcheck
