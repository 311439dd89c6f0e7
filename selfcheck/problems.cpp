#include "selfcheck/problems.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "credence/core/error.hpp"

namespace credence::selfcheck {
namespace {

void clouds(core::RandomStream& random, int label, std::span<double> x) {
  for (double& value : x) value = random.normal() + 1.2 * label;
}

/// Whole numbers, so that most rows have equals in both classes.
void ties(core::RandomStream& random, int label, std::span<double> x) {
  for (double& value : x) value = static_cast<double>(random.below(4)) + (label == 1 ? 1 : 0);
}

void bits(core::RandomStream& random, int label, std::span<double> x) {
  for (double& value : x) value = random.uniform() < (label == 1 ? 0.7 : 0.3) ? 1 : 0;
}

void noise(core::RandomStream& random, int, std::span<double> x) {
  for (double& value : x) value = random.normal();
}

/// Cauchy: neither mean nor variance.
void heavy_tails(core::RandomStream& random, int label, std::span<double> x) {
  for (double& value : x) value = std::tan(std::numbers::pi * (random.uniform() - 0.5)) + label;
}

/// Three rows, each of which comes again and again, with contradictory labels.
void copies(core::RandomStream& random, int label, std::span<double> x) {
  const double u = random.uniform();
  const double place = label == 1 ? (u < 0.2 ? 0 : u < 0.6 ? 1 : 2) : (u < 0.6 ? 0 : u < 0.8 ? 1 : 2);
  std::ranges::fill(x, 1 + place);
}

void three_clouds(core::RandomStream& random, int label, std::span<double> x) {
  for (double& value : x) value = std::round(1.2 * random.normal() + label);
}

/// Black and white squares, one row in ten on a square of the other colour.
void chessboard(core::RandomStream& random, int label, std::span<double> x) {
  const bool black = (random.uniform() < 0.1) != (label == 1);
  x[0] = 4 * random.uniform();
  const auto odd = static_cast<double>((static_cast<int>(x[0]) % 2 == 1) != black ? 1 : 0);
  x[1] = 2 * static_cast<double>(random.below(2)) + odd + random.uniform();
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{{"clouds", {0.5, 0.5}, 2, clouds},
                                        {"ties", {0.7, 0.3}, 2, ties},
                                        {"rare 1:50", {50.0 / 51, 1.0 / 51}, 2, clouds},
                                        {"bits", {0.5, 0.5}, 3, bits},
                                        {"noise", {0.5, 0.5}, 2, noise},
                                        {"heavy tails", {0.5, 0.5}, 2, heavy_tails},
                                        {"copies", {0.6, 0.4}, 1, copies},
                                        {"three classes", {0.5, 0.3, 0.2}, 2, three_clouds},
                                        {"chessboard", {0.5, 0.5}, 2, chessboard}};
  return all;
}

/// Whether some column varies among all rows but any one.
bool varies(const data::DenseMatrix& x) {
  for (std::size_t j = 0; j < x.columns; ++j) {
    std::map<double, std::size_t> counts;
    for (std::size_t i = 0; i < x.rows; ++i) ++counts[x.row(i)[j]];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (most->second + 2 <= x.rows) return true;
  }
  return false;
}

int draw_label(const Problem& problem, core::RandomStream& random) {
  double u = random.uniform();
  std::size_t label = 0;
  while (label + 1 < problem.shares.size() && u >= problem.shares[label]) u -= problem.shares[label++];
  return static_cast<int>(label);
}

}  // namespace

const Problem& problem(const std::string& name) {
  for (const Problem& one : problems())
    if (one.name == name) return one;
  throw Error(ErrorCode::invalid_argument, "no problem has the name " + name);
}

Rows draw_rows(const Problem& problem, std::size_t n, core::RandomStream& random) {
  Rows rows{data::DenseMatrix(n, problem.columns), {}};
  for (std::size_t i = 0; i < n; ++i) {
    rows.labels.push_back(draw_label(problem, random));
    problem.draw(random, rows.labels.back(), rows.x.row(i));
  }
  return rows;
}

data::Dataset dataset_of(const Problem& problem, const Rows& rows) {
  data::Dataset dataset = data::make_dataset(data::Features(rows.x), {});
  for (std::size_t c = 0; c < problem.shares.size(); ++c)
    dataset.schema.classes.emplace_back(1, static_cast<char>('a' + c));
  dataset.labels = rows.labels;
  return dataset;
}

Example draw_example(const Problem& problem, const Drawing& drawing, core::RandomStream& random) {
  const std::size_t n = drawing.known + drawing.fresh;
  for (;;) {
    Rows rows = draw_rows(problem, n, random);
    for (std::size_t i = drawing.known; i < n && drawing.of_class; ++i) {
      rows.labels[i] = *drawing.of_class;
      problem.draw(random, rows.labels[i], rows.x.row(i));
    }
    std::vector<std::size_t> counts(problem.shares.size());
    for (const int label : rows.labels) ++counts[static_cast<std::size_t>(label)];
    if (std::ranges::min(counts) < drawing.least || (drawing.least > 0 && !varies(rows.x))) continue;
    const data::Dataset all = dataset_of(problem, rows);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::span<const std::size_t> whole(order);
    return {all.select_rows(whole.first(drawing.known)), all.select_rows(whole.subspan(drawing.known))};
  }
}

}  // namespace credence::selfcheck
