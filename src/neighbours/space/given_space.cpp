#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "neighbours/space/screen.hpp"
#include "neighbours/space/spaces.hpp"

namespace credence::neighbours {
namespace {

using core::float_infinity;

/// Distances given as a matrix: the rows of the space are its columns.
struct GivenPoints final : Points {
  using Points::Points;
  std::vector<std::span<const double>> rows;
  data::Values copies;
};

class GivenSpace final : public Space {
 public:
  GivenSpace(const data::Features& distances, std::size_t classes)
      : Space(distances.columns(), classes), given_(distances.to_dense()), classes_(classes) {
    given_.values.own();
  }

  std::unique_ptr<Points> points(const data::Features& rows, std::size_t first, std::size_t count) const override {
    auto points = std::make_unique<GivenPoints>(count);
    std::vector<std::size_t> numbers = core::numbers_from(first, count);
    points->copies = rows.select_rows(numbers).to_dense().values;
    for (std::size_t p = 0; p < count; ++p) {
      points->rows.emplace_back(points->copies.data() + p * columns_, columns_);
      check_values(points->rows[p], first + p);
      if (std::ranges::any_of(points->rows[p], [](double value) { return value < 0; }))
        refuse_data(fmt::format("row {} has a distance below 0", first + p + 1));
    }
    return points;
  }

  std::unique_ptr<Points> own_points(std::size_t c, std::size_t first, std::size_t count) const override {
    auto points = std::make_unique<GivenPoints>(count);
    for (std::size_t p = 0; p < count; ++p) points->rows.push_back(given_.row(classes_[c][first + p]));
    return points;
  }

  void screen(const Points& points, std::size_t c, std::size_t first, std::size_t count, float* out,
              std::size_t stride) const override {
    for (std::size_t p = 0; p < points.count(); ++p) {
      for (std::size_t j = 0; j < screen::padded(count); ++j) {
        const double value = j < count ? distance(points, p, c, first + j) : 0;
        const bool fits = value < static_cast<double>(std::numeric_limits<float>::max());
        out[p * stride + j] = j >= count ? float_infinity
                              : fits     ? std::nextafter(static_cast<float>(value), -float_infinity) - least_slack
                                         : -float_infinity;
      }
    }
  }

  double distance(const Points& points, std::size_t point, std::size_t c, std::size_t slot) const override {
    return static_cast<const GivenPoints&>(points).rows[point][classes_[c][slot]];
  }

  void add(const data::Features&, std::size_t row, std::size_t c) override {
    classes_[c].push_back(row);
    ++sizes_[c];
  }

  void remove(std::size_t, std::size_t) override { refuse("rows of a given distance matrix cannot be removed"); }

  data::Features rows(const std::vector<std::pair<std::size_t, std::size_t>>&) const override { return given_; }

 private:
  data::DenseMatrix given_;
  std::vector<std::vector<std::size_t>> classes_;  ///< columns of `given_`
};

}  // namespace

std::unique_ptr<Space> make_given_space(const data::Features& distances, std::size_t classes) {
  return std::make_unique<GivenSpace>(distances, classes);
}

}  // namespace credence::neighbours
