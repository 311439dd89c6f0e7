#include "credence/data/row_key.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "credence/core/list.hpp"
#include "credence/core/random.hpp"

namespace credence::data {
namespace {

class Hash {
 public:
  void add(std::size_t column, double value) {
    if (value == 0) return;
    const double one_nan = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    key_ = core::mixed(core::mixed(key_ ^ column) ^ std::bit_cast<std::uint64_t>(one_nan));
  }
  std::uint64_t key() const { return key_; }

 private:
  std::uint64_t key_ = 0;
};

}  // namespace

std::uint64_t row_key(std::span<const double> row) {
  Hash hash;
  for (std::size_t j = 0; j < row.size(); ++j) hash.add(j, row[j]);
  return hash.key();
}

std::uint64_t row_key(const Features& features, std::size_t row) {
  Hash hash;
  for_each_entry(features, row, [&](std::size_t column, double value) { hash.add(column, value); });
  return hash.key();
}

std::vector<std::uint64_t> row_keys(const Features& features) {
  return core::made(features.rows(), [&](std::size_t i) { return row_key(features, i); });
}

std::vector<std::uint64_t> smallest_keys(std::vector<std::uint64_t> keys) {
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  keys.resize(std::min(keys.size(), most_smallest_keys));
  return keys;
}

bool holds_all(const std::vector<std::uint64_t>& keys, const std::vector<std::uint64_t>& sketch) {
  if (sketch.empty()) return false;
  const std::unordered_set<std::uint64_t> here(keys.begin(), keys.end());
  return std::ranges::all_of(sketch, [&](std::uint64_t key) { return here.contains(key); });
}

}  // namespace credence::data
