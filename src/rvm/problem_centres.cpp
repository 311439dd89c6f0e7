#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/rvm/train.hpp"

namespace credence::rvm {
namespace {

// A change of these numbers changes the centres of every earlier result.
constexpr std::uint64_t class_purpose = 0x5256'4D43'4C41'5353;
constexpr std::uint64_t order_purpose = 0x5256'4D4F'5244'4552;

constexpr std::size_t all_rows_up_to = 2000;
constexpr std::size_t centres_of_more_rows = 1000;

/// Returns the numbers that identify a row; for a sparse row each number that is not 0, after its column.
std::vector<double> key_of(const data::Features& rows, std::size_t i) {
  std::vector<double> key;
  if (!rows.is_sparse()) {
    for (const double value : rows.dense().row(i)) key.push_back(value + 0.0);  // -0 becomes 0
    return key;
  }
  const auto indices = rows.sparse().row_indices(i);
  const auto values = rows.sparse().row_values(i);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (values[k] == 0) continue;
    key.push_back(static_cast<double>(indices[k]));
    key.push_back(values[k]);
  }
  return key;
}

/// FNV-1a, eight bytes at a time.
std::uint64_t hash_of(const std::vector<double>& key) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const double value : key) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3ULL;
    hash ^= hash >> 32;  // else high bits of a value would never reach low ones
  }
  return hash;
}

/// Returns the rows that repeat no earlier row, ascending.
std::vector<std::size_t> distinct_rows(const data::Features& rows) {
  const std::vector<std::uint64_t> hashes =
      core::made(rows.rows(), [&](std::size_t i) { return hash_of(key_of(rows, i)); });
  std::vector<std::size_t> order = core::numbers_below(rows.rows());
  // A stable sort keeps file order among equal hashes, so the first of equal rows is the candidate.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return hashes[i]; });
  std::vector<std::size_t> distinct;
  for (std::size_t first = 0; first < order.size();) {
    std::vector<std::vector<double>> seen;  // keys of the rows with one hash; nearly always a single key
    const std::uint64_t hash = hashes[order[first]];
    for (; first < order.size() && hashes[order[first]] == hash; ++first) {
      std::vector<double> key = key_of(rows, order[first]);
      if (std::ranges::find(seen, key) != seen.end()) continue;
      distinct.push_back(order[first]);
      seen.push_back(std::move(key));
    }
  }
  std::ranges::sort(distinct);
  return distinct;
}

/// Draws `count` rows, with the share of each class kept.
std::vector<std::size_t> draw_by_class(const std::vector<std::size_t>& rows, std::span<const int> labels,
                                       std::size_t count, std::uint64_t seed) {
  const std::vector<int> own = core::mapped(rows, [&](std::size_t i) { return labels.empty() ? 0 : labels[i]; });
  const double fraction = static_cast<double>(count) / static_cast<double>(rows.size());
  const std::vector<bool> drawn =
      data::hold_out(own, fraction, core::random_choice(seed, class_purpose, 0, ~std::uint64_t{0}));
  return core::picked(rows, core::numbers_where(rows.size(), [&](std::size_t a) { return drawn[a]; }));
}

/// Cuts the rows, in the order of their targets, into `count` parts of nearly equal size, and draws one row from each.
std::vector<std::size_t> draw_by_order(std::vector<std::size_t> rows, std::span<const double> targets,
                                       std::size_t count, std::uint64_t seed) {
  std::ranges::stable_sort(rows, {}, [&](std::size_t i) { return targets[i]; });
  core::RandomStream random(seed, order_purpose);
  std::vector<std::size_t> result;
  for (std::size_t part = 0; part < count; ++part) {
    const std::size_t first = part * rows.size() / count;
    const std::size_t last = (part + 1) * rows.size() / count;
    result.push_back(rows[first + static_cast<std::size_t>(random.below(last - first))]);
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

std::size_t default_centres(std::size_t rows) {
  return rows <= all_rows_up_to ? rows : centres_of_more_rows;
}

std::vector<std::size_t> candidate_centres(const data::Features& rows, const data::Dataset& dataset, std::size_t count,
                                           std::uint64_t seed) {
  if (count == 0) refuse("the number of candidate centres must be at least 1");
  const std::size_t given = dataset.is_regression() ? dataset.targets.size() : dataset.labels.size();
  if (rows.rows() != dataset.rows() || (given != 0 && given != dataset.rows()))
    refuse("the candidate rows for centres are not the rows of the data set");
  std::vector<std::size_t> distinct = distinct_rows(rows);
  if (count >= distinct.size()) return distinct;
  return dataset.is_regression() && given != 0 ? draw_by_order(distinct, dataset.targets, count, seed)
                                               : draw_by_class(distinct, dataset.labels, count, seed);
}

}  // namespace credence::rvm
