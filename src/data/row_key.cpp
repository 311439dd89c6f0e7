#include "credence/data/row_key.hpp"

#include <bit>
#include <cmath>
#include <limits>

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
  if (!features.is_sparse()) return row_key(features.dense().row(row));
  Hash hash;
  const auto indices = features.sparse().row_indices(row);
  const auto values = features.sparse().row_values(row);
  for (std::size_t k = 0; k < indices.size(); ++k) hash.add(indices[k], values[k]);
  return hash.key();
}

std::vector<std::uint64_t> row_keys(const Features& features) {
  std::vector<std::uint64_t> keys(features.rows());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = row_key(features, i);
  return keys;
}

}  // namespace credence::data
