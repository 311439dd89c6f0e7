#include "credence/neighbours/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "credence/core/error.hpp"
#include "neighbours/distances.hpp"

namespace credence::neighbours {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check(const NeighbourFamily& family) {
  std::vector<std::string> problems;
  if (family.rows.rows() == 0) {
    problems.emplace_back("nearest neighbours need at least one training row");
  }
  if (family.labels.size() != family.rows.rows()) {
    problems.push_back(
        fmt::format("there are {} training rows, but labels for {}", family.rows.rows(), family.labels.size()));
  }
  const auto known = [&](int label) { return label >= 0 && static_cast<std::size_t>(label) < family.class_count; };
  if (!std::all_of(family.labels.begin(), family.labels.end(), known)) {
    problems.push_back(fmt::format("labels must lie between 0 and the number of classes, {}", family.class_count));
  }
  if (family.k.empty() || family.k.front() < 1 || !std::is_sorted(family.k.begin(), family.k.end())) {
    problems.emplace_back("the numbers of neighbours, k, must be at least 1 and ascend, and there must be one");
  }
  throw_if_any(problems);
}

/// Adds nearest distances one after the other, nearest first.
class RunningSum {
 public:
  explicit RunningSum(std::span<const double> ascending) : ascending_(ascending) {}

  /// Of the k nearest; k must not fall from call to call. Of fewer, the sum over all times k over their number.
  double of(int k) {
    const auto wanted = static_cast<std::size_t>(k);
    while (count_ < std::min(wanted, ascending_.size())) {
      sum_ += ascending_[count_++];
    }
    if (count_ == 0) {
      return infinity;
    }
    return count_ == wanted ? sum_ : sum_ * static_cast<double>(wanted) / static_cast<double>(count_);
  }

 private:
  std::span<const double> ascending_;
  std::size_t count_ = 0;
  double sum_ = 0;
};

/// (b - a) / (b + a), with its limits where a or b is 0 or infinite.
double score_of(double a, double b) {
  if (a == b) {
    return 0;
  }
  if (std::isinf(a) || std::isinf(b)) {
    return std::isinf(a) ? -1 : 1;
  }
  return (b - a) / (b + a);
}

/// The classes' training rows, one class after the other.
struct ByClass {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> starts;  ///< in `rows`: of each class, and the end
};

ByClass by_class(std::span<const int> labels, std::size_t class_count) {
  ByClass result{std::vector<std::size_t>(labels.size()), std::vector<std::size_t>(class_count + 1, 0)};
  std::iota(result.rows.begin(), result.rows.end(), std::size_t{0});
  std::ranges::stable_sort(result.rows, {}, [&](std::size_t row) { return labels[row]; });
  for (const int label : labels) {
    ++result.starts[static_cast<std::size_t>(label) + 1];
  }
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  return result;
}

/// The distances to the nearest training rows of one query, in ascending order.
class Nearest {
 public:
  Nearest(const ByClass& classes, std::size_t most) : classes_(classes), most_(most), own_(class_count()) {}

  /// @param squared  squared distances to the rows in the order of `ByClass::rows`; they are moved about
  void find(double* squared) {
    for (std::size_t y = 0; y < class_count(); ++y) {
      const std::size_t size = classes_.starts[y + 1] - classes_.starts[y];
      double* const begin = squared + classes_.starts[y];
      double* const end = begin + std::min(size, most_);
      std::partial_sort(begin, end, begin + size);
      own_[y].assign(begin, end);
      std::ranges::transform(own_[y], own_[y].begin(), [](double distance) { return std::sqrt(distance); });
    }
  }
  /// At most so many as asked for, of class y.
  std::span<const double> own(std::size_t y) const { return own_[y]; }
  /// The same of all classes but y. Valid until the next call.
  std::span<const double> others(std::size_t y) {
    others_.clear();
    for (std::size_t other = 0; other < class_count(); ++other) {
      if (other != y) {
        others_.insert(others_.end(), own_[other].begin(), own_[other].end());
      }
    }
    const std::size_t count = std::min(others_.size(), most_);
    std::ranges::partial_sort(others_, others_.begin() + static_cast<std::ptrdiff_t>(count));
    return {others_.data(), count};
  }

 private:
  std::size_t class_count() const { return classes_.starts.size() - 1; }

  const ByClass& classes_;
  std::size_t most_;
  std::vector<std::vector<double>> own_;
  std::vector<double> others_;
};

void score_row(Nearest& nearest, std::span<const int> k, std::size_t row, model::Scores& block) {
  for (std::size_t y = 0; y < block.classes; ++y) {
    RunningSum a(nearest.own(y));
    RunningSum b(nearest.others(y));
    for (std::size_t model = 0; model < k.size(); ++model) {
      block.at(row, model)[y] = score_of(a.of(k[model]), b.of(k[model]));
    }
  }
}

}  // namespace

void NeighbourFamily::score(const data::Features& queries, const core::Context& context,
                            const std::function<void(std::size_t first, const model::Scores& block)>& visit) const {
  check(*this);
  if (queries.columns() != rows.columns()) {
    throw Error(ErrorCode::invalid_data, fmt::format("the nearest neighbours have {} features, but the rows have {}",
                                                     rows.columns(), queries.columns()));
  }
  const ByClass classes = by_class(labels, class_count);
  const Distances distances(rows.select_rows(classes.rows));
  const std::size_t step = distances.block_rows();
  context.threads.for_each((queries.rows() + step - 1) / step, [&](std::size_t task) {
    if (context.monitor.should_stop()) {
      throw Error(ErrorCode::interrupted, "the search for nearest neighbours was stopped");
    }
    const std::size_t first = task * step;
    model::Scores block(std::min(step, queries.rows() - first), models(), class_count);
    core::UninitializedVector<double> squared(block.rows * distances.stride());
    distances.squared(queries, first, block.rows, squared.data());
    Nearest nearest(classes, static_cast<std::size_t>(k.back()));
    for (std::size_t row = 0; row < block.rows; ++row) {
      nearest.find(squared.data() + row * distances.stride());
      score_row(nearest, k, row, block);
    }
    block.label_by_score();
    visit(first, block);
  });
}

}  // namespace credence::neighbours
