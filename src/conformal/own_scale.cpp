#include "conformal/own_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "conformal/familiar_values.hpp"
#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"

namespace credence::conformal {
namespace {

using core::infinity;

/// Distances beyond it are cut to it, so that their sums stay finite.
constexpr double largest_distance = 1e300;
/// Below this share of a sum of squares the difference of two such sums is mostly rounding.
constexpr double least_share = 1e-6;

double value_at(const data::Features& rows, std::size_t i, std::size_t j) {
  if (!rows.is_sparse()) return rows.dense().row(i)[j];
  const auto indices = rows.sparse().row_indices(i);
  const auto found = std::ranges::lower_bound(indices, j);
  return found != indices.end() && *found == j
             ? rows.sparse().row_values(i)[static_cast<std::size_t>(found - indices.begin())]
             : 0;
}

/// Calls visit(column, value) for the entries of all rows, row by row.
void for_each_entry(const data::Features& rows, const auto& visit) {
  for (std::size_t i = 0; i < rows.rows(); ++i) data::for_each_entry(rows, i, visit);
}

constexpr std::size_t rows_at_once = 8;

/// The rows in blocks of eight, column by column, so that eight sums go on side by side.
std::vector<double> in_blocks(const data::DenseMatrix& rows) {
  const std::size_t blocks = (rows.rows + rows_at_once - 1) / rows_at_once;
  std::vector<double> values(blocks * rows_at_once * rows.columns, 0.0);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double* const block = values.data() + i / rows_at_once * rows_at_once * rows.columns;
    for (std::size_t j = 0; j < rows.columns; ++j) block[j * rows_at_once + i % rows_at_once] = rows.row(i)[j];
  }
  return values;
}

/// sums[q] = sum of weights[j] (a[j] - row q of the block[j])^2 over ascending j, as the nearest neighbours add up.
void sum_squares(std::span<const double> a, std::span<const double> weights, const double* block, double* sums) {
  std::array<double, rows_at_once> own{};
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t q = 0; q < rows_at_once; ++q) {
      const double difference = a[j] - block[j * rows_at_once + q];
      own[q] += weights[j] * (difference * difference);
    }
  }
  std::ranges::copy(own, sums);
}

/// The same of two sparse rows. @param of_a  weights at the values of a  @param elsewhere  weights where a is zero
double squared_distance(const data::SparseMatrix& rows, std::size_t a, std::size_t b, std::span<const double> of_a,
                        std::span<const double> elsewhere) {
  const auto columns_a = rows.row_indices(a);
  const auto columns_b = rows.row_indices(b);
  const auto values_a = rows.row_values(a);
  const auto values_b = rows.row_values(b);
  double sum = 0;
  std::size_t q = 0;
  for (std::size_t p = 0; p < columns_a.size(); ++p) {
    for (; q < columns_b.size() && columns_b[q] < columns_a[p]; ++q)
      sum += elsewhere[columns_b[q]] * (values_b[q] * values_b[q]);
    const bool both = q < columns_b.size() && columns_b[q] == columns_a[p];
    const double difference = values_a[p] - (both ? values_b[q++] : 0);
    sum += of_a[p] * (difference * difference);
  }
  for (; q < columns_b.size(); ++q) sum += elsewhere[columns_b[q]] * (values_b[q] * values_b[q]);
  return sum;
}

}  // namespace

void ColumnScale::Column::take(double value) {
  if (value < low[0])
    low[1] = std::exchange(low[0], value);
  else
    low[1] = std::min(low[1], value);
  if (value > high[0])
    high[1] = std::exchange(high[0], value);
  else
    high[1] = std::max(high[1], value);
}

ColumnScale::ColumnScale(const data::Features& rows, const FittedScale& fitted)
    : rows_(rows), fitted_(fitted), columns_(rows.columns(), {0, 0, {infinity, infinity}, {-infinity, -infinity}}) {
  const auto m = static_cast<double>(rows.rows());
  std::vector<std::size_t> stored(rows.columns(), 0);
  for_each_entry(rows, [&](std::size_t j, double value) {
    columns_[j].mean += value / m;
    columns_[j].take(value);
    ++stored[j];
  });
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const std::size_t zeros = rows.rows() - stored[j];
    columns_[j].squares = static_cast<double>(zeros) * columns_[j].mean * columns_[j].mean;
    for (std::size_t zero = 0; zero < std::min<std::size_t>(zeros, 2); ++zero) columns_[j].take(0);
  }
  for_each_entry(rows, [&](std::size_t j, double value) {
    columns_[j].squares += (value - columns_[j].mean) * (value - columns_[j].mean);
  });
  for (const Column& column : columns_) factors_.push_back(factor_of(column));
}

double ColumnScale::factor_of(const Column& column) const {
  const double range = column.high[0] - column.low[0];
  const double width =
      fitted_.scaling == data::Scaling::minmax ? range : std::sqrt(column.squares / static_cast<double>(rows_.rows()));
  return range > 0 && std::isfinite(1 / width) ? 1 / width : fitted_.constant;
}

double ColumnScale::squares_without(std::size_t j, double value) const {
  const Column& column = columns_[j];
  const auto m = static_cast<double>(rows_.rows());
  const double rest = column.squares - m / (m - 1) * (value - column.mean) * (value - column.mean);
  if (rest > least_share * column.squares) return rest;
  std::vector<double> others = core::made(rows_.rows(), [&](std::size_t i) { return value_at(rows_, i, j); });
  others.erase(std::ranges::find(others, value));
  double mean = 0;
  double squares = 0;
  for (const double other : others) mean += other / (m - 1);
  for (const double other : others) squares += (other - mean) * (other - mean);
  return squares;
}

double ColumnScale::square_without(std::size_t j, double value) const {
  const Column& column = columns_[j];
  const double whole = column.high[0] - column.low[0];
  if (!(whole > 0)) return 1;
  const double range = (value == column.high[0] ? column.high[1] : column.high[0]) -
                       (value == column.low[0] ? column.low[1] : column.low[0]);
  const double unit = fitted_.constant / factors_[j];
  if (!(range > 0)) return unit * unit;
  const auto m = static_cast<double>(rows_.rows());
  const double square = fitted_.scaling == data::Scaling::minmax
                            ? whole / range * (whole / range)
                            : column.squares / m * ((m - 1) / squares_without(j, value));
  return std::isfinite(square) ? square : unit * unit;
}

data::Features multiplied(const data::Features& rows, const std::vector<double>& factors) {
  const auto product = [&](double value, std::size_t column) {
    const double cut = std::clamp(value, -largest_familiar, largest_familiar);
    return std::clamp(cut * factors[column], -largest_familiar, largest_familiar);
  };
  data::Features result = rows;
  result.own();
  if (result.is_sparse()) {
    data::SparseMatrix& matrix = result.sparse();
    for (std::size_t at = 0; at < matrix.values.size(); ++at)
      matrix.values[at] = product(matrix.values[at], matrix.indices[at]);
  } else {
    for (std::size_t i = 0; i < result.rows(); ++i)
      for (std::size_t j = 0; j < factors.size(); ++j) result.dense().row(i)[j] = product(result.dense().row(i)[j], j);
  }
  return result;
}

namespace {

/// How far the scale without row i is from the scale of all, for its stored values.
std::vector<double> weights_of(const ColumnScale& scale, std::size_t i) {
  std::vector<double> weights;
  const auto add = [&](std::size_t j, double value) { weights.push_back(scale.square_without(j, value)); };
  data::for_each_entry(scale.rows(), i, add);
  return weights;
}

/// Squared distances of row i to all others. @param blocks  the rows, if they are dense
std::vector<double> squares_to_others(const data::Features& scaled, std::size_t i, std::span<const double> weights,
                                      std::span<const double> of_zeros, const std::vector<double>& blocks) {
  std::vector<double> squares(scaled.rows() + rows_at_once);
  if (scaled.is_sparse())
    for (std::size_t other = 0; other < scaled.rows(); ++other)
      squares[other] = squared_distance(scaled.sparse(), i, other, weights, of_zeros);
  else
    for (std::size_t first = 0; first < scaled.rows(); first += rows_at_once)
      sum_squares(scaled.dense().row(i), weights, blocks.data() + first * scaled.columns(), squares.data() + first);
  squares.resize(scaled.rows());
  squares.erase(squares.begin() + static_cast<std::ptrdiff_t>(i));
  return squares;
}

}  // namespace

data::DenseMatrix nearest_by_own_scale(const data::Features& scaled, const ColumnScale& scale, std::size_t k,
                                       const core::Context& context) {
  const std::size_t m = scaled.rows();
  data::DenseMatrix nearest(m, k);
  for (double& none : nearest.values) none = infinity;
  std::vector<double> of_zeros;
  for (std::size_t j = 0; scaled.is_sparse() && j < scaled.columns(); ++j)
    of_zeros.push_back(scale.square_without(j, 0));
  const std::vector<double> blocks = scaled.is_sparse() ? std::vector<double>() : in_blocks(scaled.dense());
  context.threads.for_each(m, [&](std::size_t i) {
    if (context.monitor.should_stop()) throw Error(ErrorCode::interrupted, "the distances of known rows were stopped");
    std::vector<double> squares = squares_to_others(scaled, i, weights_of(scale, i), of_zeros, blocks);
    const std::size_t count = std::min(k, squares.size());
    std::partial_sort(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(count), squares.end());
    std::transform(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(count), nearest.row(i).begin(),
                   [](double square) { return std::min(std::sqrt(square), largest_distance); });
  });
  return nearest;
}

}  // namespace credence::conformal
