#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "comparison_rvm.hpp"
#include "credence/core/random.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"

namespace credence::bench {
namespace {

constexpr std::size_t fresh_rows = 2000;

std::vector<double> targets_of(const data::Dataset& dataset) {
  return {dataset.labels.begin(), dataset.labels.end()};
}

double sinc_of(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

/// `count` rows from -7 to 7.
data::DenseMatrix line(std::size_t count) {
  data::DenseMatrix rows(count, 1);
  for (std::size_t i = 0; i < count; ++i)
    rows.row(i)[0] = -7 + 14 * static_cast<double>(i) / static_cast<double>(count - 1);
  return rows;
}

/// Fills rows and their targets. @param make  sets one row and returns its target
template <class Make>
void fill(data::DenseMatrix& rows, std::vector<double>& targets, const Make& make) {
  for (std::size_t i = 0; i < rows.rows; ++i) targets.push_back(make(rows.row(i)));
}

}  // namespace

RvmTask synthetic_classes(std::size_t rows, std::uint64_t draw) {
  constexpr std::size_t features = 8;
  constexpr double noise = 0.5;
  RvmTask task{draw == 0 ? "synthetic" : fmt::format("synthetic, draw {}", draw + 1),
               data::Task::classification,
               3,
               data::DenseMatrix(rows, features),
               {},
               data::DenseMatrix(fresh_rows, features),
               {}};
  core::RandomStream random(draw);
  const auto make = [&](std::span<double> x) {
    for (double& value : x) value = random.normal();
    const double f = 1.5 * std::sin(1.5 * x[0]) + x[1] * x[2] + x[3];
    return f + noise * random.normal() > 0 ? 1.0 : 0.0;
  };
  fill(task.test, task.test_targets, make);  // first, so that all sizes have the same
  fill(task.training, task.targets, make);
  return task;
}

RvmTask sinc() {
  constexpr double noise = 0.1;
  RvmTask task{"sinc", data::Task::regression, 1.6, line(141), {}, line(281), {}};
  core::RandomStream random(0);
  fill(task.training, task.targets, [&](std::span<double> x) { return sinc_of(x[0]) + noise * random.normal(); });
  fill(task.test, task.test_targets, [](std::span<double> x) { return sinc_of(x[0]); });
  return task;
}

RvmTask friedman() {
  constexpr std::size_t features = 10;
  RvmTask task{"friedman", data::Task::regression,
               1,          data::DenseMatrix(500, features),
               {},         data::DenseMatrix(fresh_rows, features),
               {}};
  core::RandomStream random(0);
  const auto clean = [&](std::span<double> x) {
    for (double& value : x) value = random.uniform();
    return 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
  };
  fill(task.test, task.test_targets, clean);
  fill(task.training, task.targets, [&](std::span<double> x) { return clean(x) + random.normal(); });
  return task;
}

RvmTask task_of_file(const std::string& path, const std::string& name, double sigma) {
  const data::Dataset all = data::read(path, {.missing = data::Missing::drop});
  std::vector<std::size_t> order(all.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  core::RandomStream(0).shuffle(order);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() * 2 / 3);
  std::sort(order.begin(), middle);
  std::sort(middle, order.end());
  const data::Dataset training = all.select_rows(std::vector<std::size_t>(order.begin(), middle));
  const data::Dataset test = all.select_rows(std::vector<std::size_t>(middle, order.end()));
  const auto scaling = data::Preprocessing::fit(training, data::Scaling::minmax);
  return {name,
          data::Task::classification,
          sigma,
          scaling.apply(training).to_dense(),
          targets_of(training),
          scaling.apply(test).to_dense(),
          targets_of(test)};
}

}  // namespace credence::bench
