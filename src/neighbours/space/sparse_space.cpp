#include <algorithm>
#include <cmath>
#include <limits>

#include "credence/core/error.hpp"
#include "neighbours/space/exact.hpp"
#include "neighbours/space/screen.hpp"
#include "neighbours/space/spaces.hpp"

namespace credence::neighbours {
namespace {

struct SparseRowCopy {
  std::vector<std::uint32_t> indices;
  std::vector<double> values;
  double norm = 1;   ///< cosine: of the row; else 1
  double start = 0;  ///< what the row adds to its lower bounds

  exact::SparseRow view() const { return {indices, values}; }
};

struct SparsePoints final : Points {
  using Points::Points;
  std::vector<SparseRowCopy> copies;
  std::vector<const SparseRowCopy*> rows;
};

/// Rows of which few numbers are not 0. Lower bounds come from dot products in double: |x|^2 / 2 + |z|^2 / 2 - x'z over
/// the entries of z, or |x|_1 + sum (|x_f - z_f| - |x_f|) over them. With t terms and u = 2^-53 neither sum is off by
/// more than (t + 4) u times the sum of the two norms; `error` is far above that.
class SparseSpace final : public Space {
 public:
  SparseSpace(Metric metric, const data::Features& sample, std::size_t classes)
      : Space(sample.columns(), classes), metric_(metric), classes_(classes) {
    squared_ = metric == Metric::euclidean;
    double largest = 0;
    for (const double value : sample.sparse().values) largest = std::max(largest, std::abs(value));
    if (metric != Metric::cosine && largest > 0 && largest <= largest_value)
      unit_ = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
  }

  std::unique_ptr<Points> points(const data::Features& rows, std::size_t first, std::size_t count) const override {
    auto points = std::make_unique<SparsePoints>(count);
    for (std::size_t p = 0; p < count; ++p) points->copies.push_back(copy(rows, first + p));
    for (const SparseRowCopy& row : points->copies) points->rows.push_back(&row);
    return points;
  }

  std::unique_ptr<Points> own_points(std::size_t c, std::size_t first, std::size_t count) const override {
    auto points = std::make_unique<SparsePoints>(count);
    for (std::size_t p = 0; p < count; ++p) points->rows.push_back(&classes_[c][first + p]);
    return points;
  }

  void screen(const Points& points, std::size_t c, std::size_t first, std::size_t count, float* out,
              std::size_t stride) const override {
    const auto& sparse = static_cast<const SparsePoints&>(points);
    std::vector<double> scattered(columns_, 0.0);
    for (std::size_t p = 0; p < points.count(); ++p) {
      const SparseRowCopy& x = *sparse.rows[p];
      for (std::size_t e = 0; e < x.indices.size(); ++e) scattered[x.indices[e]] = x.values[e] / x.norm * unit_;
      for (std::size_t j = 0; j < screen::padded(count); ++j)
        out[p * stride + j] = j < count ? rounded_down(lower_bound(x, scattered, classes_[c][first + j])) : infinity;
      for (const std::uint32_t index : x.indices) scattered[index] = 0;
    }
  }

  double distance(const Points& points, std::size_t point, std::size_t c, std::size_t slot) const override {
    const SparseRowCopy& x = *static_cast<const SparsePoints&>(points).rows[point];
    const SparseRowCopy& z = classes_[c][slot];
    switch (metric_) {
      case Metric::manhattan:
        return exact::manhattan(x.view(), z.view());
      case Metric::cosine:
        return exact::squared_of_directions(x.view(), x.norm, z.view(), z.norm) / 2;
      default:
        return std::sqrt(exact::squared(x.view(), z.view()));
    }
  }

  void add(const data::Features& rows, std::size_t row, std::size_t c) override {
    classes_[c].push_back(copy(rows, row));
    ++sizes_[c];
  }

  void remove(std::size_t c, std::size_t slot) override {
    std::swap(classes_[c][slot], classes_[c].back());
    classes_[c].pop_back();
    --sizes_[c];
  }

  data::Features rows(const std::vector<std::pair<std::size_t, std::size_t>>& places) const override {
    data::SparseMatrix matrix;
    matrix.rows = places.size();
    matrix.columns = columns_;
    for (const auto& [c, slot] : places) {
      const SparseRowCopy& row = classes_[c][slot];
      matrix.indices.insert(matrix.indices.end(), row.indices.begin(), row.indices.end());
      matrix.values.insert(matrix.values.end(), row.values.begin(), row.values.end());
      matrix.offsets.push_back(matrix.values.size());
    }
    return matrix;
  }

 private:
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  SparseRowCopy copy(const data::Features& rows, std::size_t row) const {
    SparseRowCopy result;
    if (rows.is_sparse()) {
      const auto indices = rows.sparse().row_indices(row);
      const auto values = rows.sparse().row_values(row);
      result.indices.assign(indices.begin(), indices.end());
      result.values.assign(values.begin(), values.end());
    } else {
      const auto values = rows.dense().row(row);
      for (std::size_t f = 0; f < values.size(); ++f) {
        if (values[f] != 0) {
          result.indices.push_back(static_cast<std::uint32_t>(f));
          result.values.push_back(values[f]);
        }
      }
    }
    check_values(result.values, row);
    if (metric_ == Metric::cosine) result.norm = norm_of_direction(result.values, row);
    for (const double value : result.values) {
      const double scaled = value / result.norm * unit_;
      result.start += metric_ == Metric::manhattan ? std::abs(scaled) : scaled * scaled / 2;
    }
    return result;
  }

  double lower_bound(const SparseRowCopy& x, const std::vector<double>& scattered, const SparseRowCopy& z) const {
    const double error = (8.0 * static_cast<double>(columns_) + 64) * 0x1p-53;
    double sum = 0;
    for (std::size_t e = 0; e < z.indices.size(); ++e) {
      const double other = scattered[z.indices[e]];
      const double own = z.values[e] / z.norm * unit_;
      sum += metric_ == Metric::manhattan ? std::abs(other - own) - std::abs(other) : -other * own;
    }
    const double slack = (x.start + z.start) * error + static_cast<double>(least_slack);
    return metric_ == Metric::manhattan ? x.start + sum - slack : x.start + z.start + sum - slack;
  }

  static float rounded_down(double value) {
    constexpr double most = static_cast<double>(std::numeric_limits<float>::max());
    if (!(std::abs(value) < most)) return -infinity;
    return std::nextafter(static_cast<float>(value), -infinity);
  }

  Metric metric_;
  std::vector<std::vector<SparseRowCopy>> classes_;
};

}  // namespace

std::unique_ptr<Space> make_sparse_space(Metric metric, const data::Features& sample, std::size_t classes) {
  return std::make_unique<SparseSpace>(metric, sample, classes);
}

}  // namespace credence::neighbours
