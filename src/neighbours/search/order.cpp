#include "neighbours/search/order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "credence/core/list.hpp"

namespace credence::neighbours {
namespace {

constexpr std::size_t part_rows = part_leaves * leaf_rows;
/// Fewer rows are compared sooner than they are ordered.
constexpr std::size_t fewest_rows = 2 * part_rows;
/// Halves of fewer rows are not worth a task.
constexpr std::size_t task_rows = 16 * part_rows;

/// A value of the column that halves the rows, with the row.
using Key = std::pair<double, std::size_t>;

class Order {
 public:
  Order(const data::DenseMatrix& rows, const core::Context* context) : rows_(rows), context_(context) {}

  void operator()(std::span<Key> keys) const {
    if (keys.size() <= leaf_rows || (context_ != nullptr && context_->monitor.should_stop())) return;
    const std::size_t column = widest_column(keys);
    for (Key& key : keys) key.first = value(key.second, column);
    const std::size_t whole = keys.size() > fewest_rows ? part_rows : leaf_rows;
    const std::size_t half = (keys.size() / 2 + whole - 1) / whole * whole;
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(half), keys.end());
    const std::array halves{keys.first(half), keys.subspan(half)};
    if (context_ != nullptr && keys.size() > task_rows)
      context_->threads.for_each(halves.size(), [&](std::size_t h) { (*this)(halves[h]); });
    else
      for (const std::span<Key> part : halves) (*this)(part);
  }

 private:
  /// Values that are no numbers are refused elsewhere, but may come here first.
  double value(std::size_t row, std::size_t column) const {
    const double value = rows_.row(row)[column];
    return std::isfinite(value) ? value : 0;
  }

  /// By the variance of some of the rows.
  std::size_t widest_column(std::span<const Key> keys) const {
    constexpr std::size_t enough = 64;
    const std::size_t step = (keys.size() + enough - 1) / enough;
    std::size_t widest = 0;
    double largest = -1;
    for (std::size_t column = 0; column < rows_.columns; ++column) {
      const double origin = value(keys[0].second, column);
      double sum = 0;
      double squares = 0;
      double count = 0;
      for (std::size_t i = 0; i < keys.size(); i += step, ++count) {
        const double x = value(keys[i].second, column) - origin;
        sum += x;
        squares += x * x;
      }
      if (const double variance = squares - sum * sum / count; variance > largest) {
        largest = variance;
        widest = column;
      }
    }
    return widest;
  }

  const data::DenseMatrix& rows_;
  const core::Context* context_;
};

}  // namespace

void order_by_place(const data::Features& rows, std::span<std::size_t> numbers, const core::Context* context) {
  if (rows.is_sparse() || rows.columns() == 0 || numbers.size() < fewest_rows) return;
  std::vector<Key> keys = core::mapped(numbers, [&](std::size_t i) { return Key(0, i); });
  Order(rows.dense(), context)(keys);
  std::ranges::transform(keys, numbers.begin(), [](const Key& key) { return key.second; });
}

}  // namespace credence::neighbours
