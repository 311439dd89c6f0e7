#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/numbers.hpp"
#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "neighbours/space/exact.hpp"
#include "neighbours/space/screen.hpp"
#include "neighbours/space/spaces.hpp"

namespace credence::neighbours {

void check_values(std::span<const double> values, std::size_t row) {
  const auto fits = [](double value) { return std::abs(value) <= largest_value; };
  const auto found = std::ranges::find_if_not(values, fits);
  if (found != values.end()) {
    refuse_data(fmt::format("row {} has the value {}; distances need finite numbers of at most {:g}", row + 1, *found,
                            largest_value));
  }
}

double norm_of_direction(std::span<const double> values, std::size_t row) {
  const double norm = exact::norm(values);
  if (!(norm > 0 && std::isfinite(norm))) {
    refuse_data(fmt::format(
        "row {} has no direction (its values, or their squares, are 0 or infinite), so it has no cosine", row + 1));
  }
  return norm;
}

namespace {

using core::float_infinity;

struct DensePoints final : Points {
  using Points::Points;
  std::vector<const double*> rows;    ///< exact values
  std::vector<double> copies;         ///< of rows that were sparse
  std::vector<double> norms;          ///< cosine only
  core::AlignedVector<float> values;  ///< count x d, scaled
  core::AlignedVector<float> starts;  ///< count
};

/// The rows of one class.
struct ClassRows {
  std::vector<double> exact;          ///< size x d
  std::vector<double> norms;          ///< cosine only
  core::AlignedVector<float> blocks;  ///< see screen.hpp
  core::AlignedVector<float> starts;  ///< padded; +infinity where there is no row
};

/// Rows of numbers. Lower bounds come from float copies, moved by the medians of a sample and scaled by a power of two
/// so that its largest number is about 1 (cosine: the directions themselves).
///
/// With v a row moved and scaled, z its float copy, u = 2^-24, n = |v|^2: the copies' error changes |v_i - v_j|^2 / 2
/// by at most 4 u (n_i + n_j) / 2 (1 + O(u)), and the sum of d + 2 terms n_i/2 + n_j/2 - z_i'z_j rounds by at most 2 (d
/// + 2) u (n_i + n_j) / 2. So with `error` = (2 d + 16) u, n_i/2 (1 - error) + n_j/2 (1 - error) - z_i'z_j is a lower
/// bound. For the Manhattan distance the same with norms |v|_1 and half the terms.
class DenseSpace final : public Space {
 public:
  DenseSpace(Metric metric, const data::Features& sample, std::size_t classes)
      : Space(sample.columns(), classes),
        metric_(metric),
        error_((2.0 * static_cast<double>(columns_) + 16) * 0x1p-24),
        centre_(columns_, 0.0),
        classes_(classes) {
    squared_ = metric == Metric::euclidean;
    if (metric != Metric::cosine) place(sample);
    unit_ = scale_;
  }

  std::unique_ptr<Points> points(const data::Features& rows, std::size_t first, std::size_t count) const override {
    auto points = std::make_unique<DensePoints>(count);
    if (rows.is_sparse()) {
      points->copies.assign(count * columns_, 0.0);
      for (std::size_t p = 0; p < count; ++p) {
        const auto indices = rows.sparse().row_indices(first + p);
        const auto values = rows.sparse().row_values(first + p);
        for (std::size_t e = 0; e < indices.size(); ++e) points->copies[p * columns_ + indices[e]] = values[e];
      }
    }
    for (std::size_t p = 0; p < count; ++p) {
      const double* const row =
          rows.is_sparse() ? points->copies.data() + p * columns_ : rows.dense().row(first + p).data();
      check_values({row, columns_}, first + p);
      points->rows.push_back(row);
      if (metric_ == Metric::cosine) points->norms.push_back(norm_of_direction({row, columns_}, first + p));
    }
    scale(*points);
    return points;
  }

  std::unique_ptr<Points> own_points(std::size_t c, std::size_t first, std::size_t count) const override {
    auto points = std::make_unique<DensePoints>(count);
    for (std::size_t p = 0; p < count; ++p) {
      points->rows.push_back(classes_[c].exact.data() + (first + p) * columns_);
      if (metric_ == Metric::cosine) points->norms.push_back(classes_[c].norms[first + p]);
    }
    scale(*points);
    return points;
  }

  void screen(const Points& points, std::size_t c, std::size_t first, std::size_t count, float* out,
              std::size_t stride) const override {
    screen::lower_bounds(tile(points, c, first, count), out, stride);
  }

  void find_near(const Points& points, std::size_t c, std::size_t first, std::size_t count, const float* point_limits,
                 const float* slot_limits, NearPairs& near) const override {
    near.pairs.resize(points.count() * screen::padded(count));
    near.count = screen::near_pairs(tile(points, c, first, count), point_limits, slot_limits, near.pairs.data());
  }

  Box box(const Points& points) const override {
    const auto& dense = static_cast<const DensePoints&>(points);
    Box box;
    const bool bounded = std::ranges::none_of(dense.starts, [](float s) { return s == -float_infinity; });
    if (points.count() == 0 || !bounded) return box;
    box.lowest.assign(dense.values.begin(), dense.values.begin() + offset(1));
    box.highest = box.lowest;
    for (std::size_t p = 1; p < points.count(); ++p) {
      const float* const values = dense.values.data() + p * columns_;
      for (std::size_t f = 0; f < columns_; ++f) {
        box.lowest[f] = std::min(box.lowest[f], values[f]);
        box.highest[f] = std::max(box.highest[f], values[f]);
      }
    }
    for (std::size_t f = 0; f < columns_; ++f) {  // the float copies are off by 2^-24 of a number
      box.lowest[f] -= std::abs(box.lowest[f]) * 0x1p-22F;
      box.highest[f] += std::abs(box.highest[f]) * 0x1p-22F;
    }
    return box;
  }

  /// The gaps between the boxes, column by column; their sum rounds by less than `error_`.
  float between(const Box& a, const Box& b) const override {
    if (!a.is_bounded() || !b.is_bounded()) return -float_infinity;
    const float* const a_low = a.lowest.data();
    const float* const a_high = a.highest.data();
    const float* const b_low = b.lowest.data();
    const float* const b_high = b.highest.data();
    float sum = 0;
    for (std::size_t f = 0; f < columns_; ++f) {
      const float gap = std::max(std::max(a_low[f] - b_high[f], b_low[f] - a_high[f]), 0.0F);
      sum += metric_ == Metric::manhattan ? gap : gap * gap / 2;
    }
    return static_cast<float>(static_cast<double>(sum) * (1 - error_)) * (1 - 0x1p-22F) - least_slack;
  }

  double distance(const Points& points, std::size_t point, std::size_t c, std::size_t slot) const override {
    const auto& dense = static_cast<const DensePoints&>(points);
    const double* const x = dense.rows[point];
    const double* const z = classes_[c].exact.data() + slot * columns_;
    switch (metric_) {
      case Metric::manhattan:
        return exact::manhattan(x, z, columns_);
      case Metric::cosine:
        return exact::squared_of_directions(x, dense.norms[point], z, classes_[c].norms[slot], columns_) / 2;
      default:
        return std::sqrt(exact::squared(x, z, columns_));
    }
  }

  void reserve(std::size_t c, std::size_t count) override {
    classes_[c].exact.reserve(count * columns_);
    classes_[c].blocks.reserve(screen::padded(count) * columns_);
    classes_[c].starts.reserve(screen::padded(count));
    if (metric_ == Metric::cosine) classes_[c].norms.reserve(count);
  }

  void add(const data::Features& rows, std::size_t row, std::size_t c) override {
    const auto point = points(rows, row, 1);
    const auto& dense = static_cast<const DensePoints&>(*point);
    ClassRows& members = classes_[c];
    members.exact.insert(members.exact.end(), dense.rows[0], dense.rows[0] + columns_);
    members.norms.insert(members.norms.end(), dense.norms.begin(), dense.norms.end());
    if (sizes_[c] % screen::block == 0) {
      members.blocks.resize(members.blocks.size() + columns_ * screen::block, 0.0F);
      members.starts.resize(members.starts.size() + screen::block, float_infinity);
    }
    put(members, sizes_[c]++, dense.values.data(), dense.starts[0]);
  }

  void remove(std::size_t c, std::size_t slot) override {
    ClassRows& members = classes_[c];
    const std::size_t last = --sizes_[c];
    if (slot != last) {
      std::copy_n(members.exact.begin() + offset(last), columns_, members.exact.begin() + offset(slot));
      std::vector<float> values(columns_);
      for (std::size_t f = 0; f < columns_; ++f) values[f] = members.blocks[position(last, f)];
      put(members, slot, values.data(), members.starts[last]);
      if (metric_ == Metric::cosine) members.norms[slot] = members.norms[last];
    }
    members.exact.resize(last * columns_);
    if (metric_ == Metric::cosine) members.norms.pop_back();
    put(members, last, std::vector<float>(columns_, 0.0F).data(), float_infinity);
    members.blocks.resize(screen::padded(last) * columns_);
    members.starts.resize(screen::padded(last));
  }

  data::Features rows(const std::vector<std::pair<std::size_t, std::size_t>>& places) const override {
    data::DenseMatrix matrix(places.size(), columns_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto [c, slot] = places[i];
      std::copy_n(classes_[c].exact.begin() + offset(slot), columns_, matrix.row(i).begin());
    }
    return matrix;
  }

 private:
  std::ptrdiff_t offset(std::size_t slot) const { return static_cast<std::ptrdiff_t>(slot * columns_); }
  std::size_t position(std::size_t slot, std::size_t f) const {
    return (slot / screen::block * columns_ + f) * screen::block + slot % screen::block;
  }

  screen::Tile tile(const Points& points, std::size_t c, std::size_t first, std::size_t count) const {
    const auto& dense = static_cast<const DensePoints&>(points);
    const auto pairing = metric_ == Metric::manhattan ? screen::Pairing::manhattan : screen::Pairing::half_square;
    return {pairing,
            columns_,
            dense.values.data(),
            dense.starts.data(),
            classes_[c].blocks.data() + first * columns_,
            classes_[c].starts.data() + first,
            dense.count(),
            screen::padded(count) / screen::block};
  }

  void put(ClassRows& members, std::size_t slot, const float* values, float start) const {
    for (std::size_t f = 0; f < columns_; ++f) members.blocks[position(slot, f)] = values[f];
    members.starts[slot] = start;
  }

  /// The middle of the sample and the largest number from there. Medians, as outliers would move means to where no row
  /// is.
  void place(const data::Features& sample) {
    constexpr std::size_t enough = 1000;
    const std::size_t step = sample.rows() / enough + 1;
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < sample.rows(); i += step) some.push_back(i);
    const data::DenseMatrix rows = sample.select_rows(some).to_dense();
    std::vector<double> column(rows.rows);
    for (std::size_t f = 0; f < columns_ && rows.rows > 0; ++f) {
      for (std::size_t i = 0; i < rows.rows; ++i) column[i] = std::clamp(rows.row(i)[f], -largest_value, largest_value);
      const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
      std::nth_element(column.begin(), middle, column.end());
      centre_[f] = *middle;
    }
    double largest = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t f = 0; f < columns_; ++f) {
        const double value = rows.rows == 1 ? centre_[f] : rows.row(i)[f] - centre_[f];
        largest = std::max(largest, std::abs(value));
      }
    }
    if (largest > 0 && largest <= 2 * largest_value)
      scale_ = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
  }

  void scale(DensePoints& points) const {
    points.values.resize(points.count() * columns_);
    points.starts.resize(points.count());
    for (std::size_t p = 0; p < points.count(); ++p) {
      points.starts[p] =
          scale(points.rows[p], metric_ == Metric::cosine ? points.norms[p] : 1, points.values.data() + p * columns_);
    }
  }

  /// Fills `values` and returns the start of its lower bounds. A row that is out of float's reach is never left out.
  float scale(const double* row, double norm, float* values) const {
    constexpr double most = 1e30;
    double sum = 0;
    for (std::size_t f = 0; f < columns_; ++f) {
      const double direct = metric_ == Metric::cosine ? row[f] / norm : row[f];
      const double value = (direct - centre_[f]) * scale_;
      sum += metric_ == Metric::manhattan ? std::abs(value) : value * value / 2;
      values[f] = static_cast<float>(value);
    }
    if (!(sum < most)) {
      std::fill_n(values, columns_, 0.0F);
      return -float_infinity;
    }
    const double start = metric_ == Metric::manhattan ? -sum * error_ : sum * (1 - error_);
    return std::nextafter(static_cast<float>(start), -float_infinity) - least_slack;
  }

  Metric metric_;
  double error_;
  std::vector<double> centre_;
  double scale_ = 1;
  std::vector<ClassRows> classes_;
};

}  // namespace

std::unique_ptr<Space> make_dense_space(Metric metric, const data::Features& sample, std::size_t classes) {
  return std::make_unique<DenseSpace>(metric, sample, classes);
}

}  // namespace credence::neighbours
