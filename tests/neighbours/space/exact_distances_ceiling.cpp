#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "neighbours/search/nearest.hpp"
#include "neighbours/space/space.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace credence::neighbours {
namespace exact_distances_ceiling_tests {

/// A space that counts how often it is asked for an exact distance.
class CountingSpace final : public Space {
 public:
  CountingSpace(std::unique_ptr<Space> space, const data::Features& rows, std::size_t classes)
      : Space(space->columns(), classes), space_(std::move(space)) {
    unit_ = space_->unit();
    squared_ = space_->squared();
    for (std::size_t i = 0; i < rows.rows(); ++i) add(rows, i, i % classes);
  }
  std::unique_ptr<Points> points(const data::Features& rows, std::size_t first, std::size_t count) const override {
    return space_->points(rows, first, count);
  }
  std::unique_ptr<Points> own_points(std::size_t c, std::size_t first, std::size_t count) const override {
    return space_->own_points(c, first, count);
  }
  void screen(const Points& points, std::size_t c, std::size_t first, std::size_t count, float* out,
              std::size_t stride) const override {
    space_->screen(points, c, first, count, out, stride);
  }
  double distance(const Points& points, std::size_t point, std::size_t c, std::size_t slot) const override {
    ++count_;
    return space_->distance(points, point, c, slot);
  }
  void add(const data::Features& rows, std::size_t row, std::size_t c) override {
    space_->add(rows, row, c);
    ++sizes_[c];
  }
  void remove(std::size_t c, std::size_t slot) override { space_->remove(c, slot); }
  data::Features rows(const std::vector<std::pair<std::size_t, std::size_t>>& places) const override {
    return space_->rows(places);
  }
  std::size_t count() const { return count_; }

 private:
  std::unique_ptr<Space> space_;
  mutable std::atomic<std::size_t> count_{0};
};

/// In random order the k-th smallest of n is undercut about k ln(n / k) + k times. Both ends of a pair look.
double expected_insertions(double n, double k) {
  return k * std::log(n / k) + k;
}

TEST(ExactDistances, AreFewWhereTheScreenIsSharp) {
  constexpr std::size_t n = 3000;
  constexpr std::size_t classes = 2;
  const data::Features rows = test::random_matrix(n, 30, 11);
  for (const std::size_t k : {1U, 5U}) {
    test::Surroundings one;
    const CountingSpace space(make_space(Metric::euclidean, rows, classes), rows, classes);
    nearest_lists(space, k, one.context);
    const double lists = 2 * expected_insertions(n / 2.0, static_cast<double>(k));
    const double training = static_cast<double>(space.count()) / n;
    std::printf("k %zu: %.1f exact distances an example of %zu in training", k, training, n);
    EXPECT_LE(training, 1.2 * lists);

    const std::size_t before = space.count();
    constexpr std::size_t queries = 200;
    for_each_block(space, k, test::random_matrix(queries, 30, 12), one.context,
                   [](std::size_t, const Points& points, Query& query) {
                     for (std::size_t p = 0; p < points.count(); ++p) query.find(p);
                   });
    const double query = static_cast<double>(space.count() - before) / queries;
    std::printf(", %.1f a query\n", query);
    EXPECT_LE(query, 5.0 * static_cast<double>(k));  // k of each class to find a limit, and k below it
  }
}

}  // namespace exact_distances_ceiling_tests
}  // namespace credence::neighbours
