#include "credence/neighbours/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "credence/core/error.hpp"
#include "neighbours/search/class_search.hpp"
#include "neighbours/search/nearest.hpp"
#include "neighbours/search/order.hpp"

namespace credence::neighbours {
namespace {

void check_block(const data::Features& block, std::span<const int> labels, std::size_t class_count,
                 const data::Features& queries, const BlockOptions& options) {
  std::vector<std::string> problems;
  if (options.k < 1)
    problems.push_back(fmt::format("the number of neighbours, k, is {}; it must be at least 1", options.k));
  if (options.metric == Metric::precomputed)
    problems.emplace_back("precomputed distances are all known, so they need no blocks");
  if (labels.size() != block.rows())
    problems.push_back(fmt::format("the block has {} rows, but {} labels", block.rows(), labels.size()));
  const auto known = [&](int label) { return label >= 0 && static_cast<std::size_t>(label) < class_count; };
  if (!std::ranges::all_of(labels, known))
    problems.push_back(fmt::format("labels must lie between 0 and the number of classes, {}", class_count));
  if (block.columns() != queries.columns()) {
    problems.push_back(
        fmt::format("the block has {} features, but the query rows have {}", block.columns(), queries.columns()));
  }
  throw_if_any(problems);
}

/// Rows of a block by class and slot.
struct BlockRows {
  std::unique_ptr<Space> space;
  std::vector<std::vector<std::size_t>> numbers;  ///< class, slot: the row
};

BlockRows block_rows(const data::Features& block, std::span<const int> labels, std::size_t class_count, Metric metric,
                     const core::Context& context) {
  BlockRows result{make_space(metric, block, class_count), std::vector<std::vector<std::size_t>>(class_count)};
  for (std::size_t i = 0; i < labels.size(); ++i) result.numbers[static_cast<std::size_t>(labels[i])].push_back(i);
  for (std::size_t c = 0; c < class_count; ++c) {
    order_by_place(block, result.numbers[c], &context);
    result.space->reserve(c, result.numbers[c].size());
    for (const std::size_t i : result.numbers[c]) result.space->add(block, i, c);
  }
  return result;
}

/// Query rows that one task looks at.
std::size_t rows_of_tasks(std::size_t rows, std::size_t columns, std::size_t threads) {
  constexpr std::size_t tasks_of_a_thread = 8;
  const std::size_t even = rows / (tasks_of_a_thread * threads) / leaf_rows * leaf_rows;
  return std::clamp(even, leaf_rows, rows_of_parts(columns));
}

}  // namespace

ClassDistances::ClassDistances(std::size_t row_count, std::size_t class_count, std::size_t neighbours)
    : rows(row_count),
      classes(class_count),
      k(neighbours),
      values(row_count * class_count * neighbours, std::numeric_limits<double>::infinity()) {}

ClassDistances nearest_in_block(const data::Features& block, std::span<const int> labels, std::size_t class_count,
                                const data::Features& queries, const BlockOptions& options,
                                const core::Context& context) {
  check_block(block, labels, class_count, queries, options);
  const auto k = static_cast<std::size_t>(options.k);
  const BlockRows known = block_rows(block, labels, class_count, options.metric, context);
  const ClassSearch search(*known.space, k, context);
  std::vector<std::size_t> numbers(queries.rows());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  order_by_place(queries, numbers, &context);

  ClassDistances result(queries.rows(), class_count, k);
  const std::size_t width = class_count * k;
  const std::size_t task =
      rows_of_tasks(numbers.size(), queries.columns(), static_cast<std::size_t>(context.threads.count()));
  context.monitor.expect(numbers.size());
  context.threads.for_each((numbers.size() + task - 1) / task, [&](std::size_t t) {
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "the search for nearest neighbours was stopped");
    const auto own = std::span(numbers).subspan(t * task, std::min(task, numbers.size() - t * task));
    std::vector<std::unique_ptr<Points>> leaves;
    const data::Features rows = queries.select_rows(own);
    for (std::size_t first = 0; first < own.size(); first += leaf_rows)
      leaves.push_back(known.space->points(rows, first, std::min(leaf_rows, own.size() - first)));
    std::vector<double> lists(own.size() * width, std::numeric_limits<double>::infinity());
    search.find(leaves, lists, [&](std::size_t point, std::size_t c, std::size_t slot) {
      return options.itself && static_cast<std::ptrdiff_t>(known.numbers[c][slot]) + *options.itself ==
                                   static_cast<std::ptrdiff_t>(own[point]);
    });
    for (std::size_t p = 0; p < own.size(); ++p)
      std::copy_n(lists.begin() + static_cast<std::ptrdiff_t>(p * width), width,
                  result.values.begin() + static_cast<std::ptrdiff_t>(own[p] * width));
    context.monitor.advance(own.size());
  });
  return result;
}

void merge(ClassDistances& known, const ClassDistances& others) {
  if (known.rows != others.rows || known.classes != others.classes || known.k != others.k) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("distances of {} rows to {} classes with k = {} cannot be merged with those of {} rows to "
                            "{} classes with k = {}",
                            known.rows, known.classes, known.k, others.rows, others.classes, others.k));
  }
  for (std::size_t row = 0; row < known.rows; ++row) {
    for (std::size_t c = 0; c < known.classes; ++c) {
      Smallest list(known.of(row, c));
      for (const double distance : others.of(row, c))
        if (!list.insert(distance)) break;
    }
  }
}

}  // namespace credence::neighbours
