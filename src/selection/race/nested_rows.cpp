#include "selection/race/nested_rows.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "credence/core/random.hpp"

namespace credence::selection {
namespace {

/// Changing it changes everyone's rungs.
constexpr std::uint64_t order_purpose = 0x5241'4345;

/// The first resample that holds the row out, or one more than there are: the fold of folds.
std::size_t stratum_of(std::span<const Resample> resamples, std::size_t row) {
  std::size_t r = 0;
  while (r < resamples.size() && resamples[r].drawn[row] > 0) ++r;
  return r;
}

}  // namespace

std::size_t first_rung_size(std::size_t n) {
  constexpr std::size_t many = 16000;
  return n < many ? 1000 : 2000;
}

std::vector<std::size_t> rung_sizes(std::size_t n) {
  constexpr std::size_t factor = 4;
  std::vector<std::size_t> sizes{n};
  if (n < least_rows_to_race) return sizes;
  const std::size_t first = first_rung_size(n);
  while (sizes.back() / factor >= 2 * first) sizes.push_back(sizes.back() / factor);
  sizes.push_back(first);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

double growth_after(std::size_t rows, std::size_t n) {
  for (const std::size_t size : rung_sizes(n))
    if (size > rows) return static_cast<double>(size) / static_cast<double>(rows);
  return 1;
}

std::vector<std::size_t> stratified_order(const data::Dataset& dataset, std::span<const Resample> resamples,
                                          std::uint64_t seed) {
  std::map<std::pair<int, std::size_t>, std::vector<std::size_t>> strata;
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    strata[{dataset.is_regression() ? 0 : dataset.labels[i], stratum_of(resamples, i)}].push_back(i);
  core::RandomStream random(seed, order_purpose);
  // The a-th of m rows of a stratum has its turn at (a + u) / m, with u drawn for the stratum: strata of one row do not
  // all come last.
  std::vector<std::pair<double, std::size_t>> turns;
  turns.reserve(dataset.rows());
  for (auto& [key, rows] : strata) {
    random.shuffle(rows);
    const double shift = random.uniform();
    for (std::size_t a = 0; a < rows.size(); ++a)
      turns.emplace_back((static_cast<double>(a) + shift) / static_cast<double>(rows.size()), rows[a]);
  }
  std::sort(turns.begin(), turns.end());
  std::vector<std::size_t> order;
  order.reserve(turns.size());
  for (const auto& [turn, row] : turns) order.push_back(row);
  return order;
}

std::vector<std::size_t> first_rows(std::span<const std::size_t> order, std::size_t count) {
  std::vector<std::size_t> rows(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Resample> restricted(std::span<const Resample> resamples, std::span<const std::size_t> rows) {
  std::vector<Resample> parts;
  for (const Resample& resample : resamples) {
    Resample& part = parts.emplace_back();
    for (const std::size_t row : rows) {
      part.drawn.push_back(resample.drawn[row]);
      if (!resample.apart.empty()) part.apart.push_back(resample.apart[row]);
    }
  }
  return parts;
}

data::Dataset rung_data(const data::Dataset& dataset, std::span<const std::size_t> rows) {
  data::Dataset part = dataset.select_rows(rows);
  part.folds.clear();
  part.groups.clear();
  part.splits.clear();
  return part;
}

}  // namespace credence::selection
