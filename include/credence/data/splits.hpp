#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "credence/core/list.hpp"
#include "credence/data/dataset.hpp"

namespace credence::data {

// Every split is a function of its arguments and the seed alone, the same on every platform.
// A list of folds has one fold number in [0, k) for each row.

/// Makes plain folds: rows are shuffled and dealt in turn, so that sizes differ by at most one.
/// @throws Error invalid_argument if k < 2 or k > n
std::vector<int> k_fold(std::size_t n, int k, std::uint64_t seed);

/// Makes stratified folds: each class is shuffled and dealt to the folds in turn, beginning where the class before
/// ended. So fold sizes differ by at most one, and so do the counts of each class.
/// @throws Error invalid_argument if k < 2 or k > n
std::vector<int> stratified_k_fold(std::span<const int> labels, int k, std::uint64_t seed);

/// Makes grouped folds: all rows of a group share a fold. The groups go, the largest first (ties in seeded order), to
/// the fold that is smallest at that moment.
/// @throws Error invalid_argument if k < 2 or there are fewer groups than folds
std::vector<int> grouped_k_fold(std::span<const int> groups, int k, std::uint64_t seed);

/// Draws a stratified hold-out: true for the rows held out. Each class gives round(fraction * count) rows; the counts
/// are then adjusted so that the total is round(fraction * n). At least one row in total is held out, and at least one
/// stays.
/// @throws Error invalid_argument unless 0 < fraction < 1 and n >= 2
std::vector<bool> hold_out(std::span<const int> labels, double fraction, std::uint64_t seed);

/// The same of the rows of a classifier, drawn from the distinct rows where copies share a fold (Dataset::copies).
std::vector<bool> hold_out(const Dataset& dataset, double fraction, std::uint64_t seed);

/// Draws a plain hold-out: true for `count` rows drawn at random without replacement. With groups, whole groups are
/// drawn in random order, and drawing ends at the first group that would exceed `count`; the first group is held out in
/// any case.
/// @param groups  group code of each of the n rows; empty if every row stands alone
/// @throws Error invalid_argument unless 1 <= count < n, if all rows are of one group, or for a wrong number of codes
std::vector<bool> random_hold_out(std::size_t n, std::size_t count, std::span<const int> groups, std::uint64_t seed);

/// Returns the folds of cross-validation: the data set's own folds, or whole groups, or stratified folds (plain folds
/// for a regression), drawn by the seed. Where copies share a fold, the distinct rows are dealt, and each copy takes
/// the fold of its distinct row.
/// @param by_class  false: plain folds for classes too, which do not depend on the labels
/// @param least  number of folds that `user` needs  @param user  name of the method, for messages
/// @throws Error invalid_data if the data set has fewer own folds than `least`; invalid_argument if there are too few
/// rows
std::vector<int> folds_of(const Dataset& dataset, int k, std::uint64_t seed, int least, std::string_view user,
                          bool by_class = true);

/// Returns the rows whose entry of a list (labels, folds, what is held out) is `wanted`, or passes the test `wanted`,
/// in ascending order.
template <class List, class Wanted>
std::vector<std::size_t> rows_where(const List& list, const Wanted& wanted) {
  return core::numbers_where(list.size(), [&](std::size_t i) -> bool {
    if constexpr (std::predicate<const Wanted&, typename List::value_type>)
      return wanted(list[i]);
    else
      return list[i] == wanted;
  });
}

/// Returns a value for each row: that of its distinct row (or other code).
template <class Value>
std::vector<Value> spread(const std::vector<Value>& of_codes, std::span<const int> codes) {
  return core::mapped(codes, [&](int code) -> Value { return of_codes[static_cast<std::size_t>(code)]; });
}

/// Checks the splits of a data set: every row exists, no row is in both parts or held out twice, and no part is empty.
/// @throws Error invalid_data that names the first split at fault
void check_splits(const Dataset& dataset);

/// Draws a bootstrap sample: how often each of the n rows occurs in n draws with replacement. A row with 0 is out of
/// bag.
std::vector<std::uint32_t> bootstrap(std::size_t n, std::uint64_t seed);

}  // namespace credence::data
