#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "credence/data/dataset.hpp"

namespace credence::data {

// Every split is a function of its arguments and the seed alone, the same on every platform.
// Folds are given as one fold number in [0, k) for each row.

/// Plain k-fold: a shuffled deal; sizes differ by at most one.
/// @throws Error invalid_argument if k < 2 or k > n
std::vector<int> k_fold(std::size_t n, int k, std::uint64_t seed);

/// Stratified k-fold: each class is shuffled and dealt round, continuing where the last class stopped, so that fold
/// sizes and class counts both differ by at most one.
/// @throws Error invalid_argument if k < 2 or k > n
std::vector<int> stratified_k_fold(std::span<const int> labels, int k, std::uint64_t seed);

/// Grouped k-fold: all rows of a group share a fold; groups go, largest first (ties in seeded order), to the smallest
/// fold.
/// @throws Error invalid_argument if k < 2 or there are fewer groups than folds
std::vector<int> grouped_k_fold(std::span<const int> groups, int k, std::uint64_t seed);

/// Stratified hold-out: true for the rows held out; within each class round(fraction * count) rows, adjusted so that
/// the total is round(fraction * n), with at least one row left in and out in total.
/// @throws Error invalid_argument unless 0 < fraction < 1 and n >= 2
std::vector<bool> hold_out(std::span<const int> labels, double fraction, std::uint64_t seed);

/// Plain hold-out: true for `count` rows drawn at random without replacement. With groups, whole groups are drawn in
/// random order while they fit into `count`, up to the first that does not; the first one drawn is taken in any case.
/// @param groups  group code of each of the n rows; empty if each row is one of its own
/// @throws Error invalid_argument unless 1 <= count < n, if all rows are of one group, or for another number of groups
std::vector<bool> random_hold_out(std::size_t n, std::size_t count, std::span<const int> groups, std::uint64_t seed);

/// The folds of cross-validation: the data set's own, or whole groups, or stratified ones (of a regression plain ones),
/// by the seed.
/// @param least  folds that `user` needs, a name for messages
/// @throws Error invalid_data if the data set's own folds are fewer than `least`; invalid_argument if there are too few
/// rows
std::vector<int> folds_of(const Dataset& dataset, int k, std::uint64_t seed, int least, std::string_view user);

/// Bootstrap: how often each of the n rows is drawn in n draws with replacement; 0 is out of bag.
std::vector<std::uint32_t> bootstrap(std::size_t n, std::uint64_t seed);

}  // namespace credence::data
