#include "neighbours/search/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "neighbours/search/nearest.hpp"
#include "neighbours/space/space.hpp"

namespace credence::neighbours {
namespace {

using core::infinity;

void check_family(const NeighbourFamily& family) {
  std::vector<std::string> problems;
  if (family.rows.rows() == 0) problems.emplace_back("nearest neighbours need at least one training row");
  if (family.labels.size() != family.rows.rows()) {
    problems.push_back(
        fmt::format("there are {} training rows, but labels for {}", family.rows.rows(), family.labels.size()));
  }
  const auto known = [&](int label) { return label >= 0 && static_cast<std::size_t>(label) < family.class_count; };
  if (!std::ranges::all_of(family.labels, known))
    problems.push_back(fmt::format("labels must lie between 0 and the number of classes, {}", family.class_count));
  if (family.k.empty() || family.k.front() < 1 || !std::ranges::is_sorted(family.k))
    problems.emplace_back("the list of k must hold at least one number; its numbers must be at least 1 and ascend");
  throw_if_any(problems);
}

/// Adds nearest distances one after the other, nearest first.
class RunningSum {
 public:
  explicit RunningSum(std::span<const double> ascending) : ascending_(ascending) {}

  /// Of the k nearest; k must not fall from call to call. Of fewer, the sum over all times k over their number.
  double of(int k) {
    const auto wanted = static_cast<std::size_t>(k);
    while (count_ < std::min(wanted, ascending_.size())) sum_ += ascending_[count_++];
    if (count_ == 0) return infinity;
    return count_ == wanted ? sum_ : sum_ * static_cast<double>(wanted) / static_cast<double>(count_);
  }

 private:
  std::span<const double> ascending_;
  std::size_t count_ = 0;
  double sum_ = 0;
};

/// (b - a) / (b + a), with its limits where a or b is 0 or infinite.
double score_of(double a, double b) {
  if (a == b) return 0;
  if (std::isinf(a) || std::isinf(b)) return std::isinf(a) ? -1 : 1;
  return (b - a) / (b + a);
}

void score_row(Query& query, std::span<const int> k, std::size_t row, model::Scores& block) {
  for (std::size_t y = 0; y < block.classes; ++y) {
    RunningSum a(present(query.own(y)));
    RunningSum b(present(query.others(y)));
    for (std::size_t model = 0; model < k.size(); ++model)
      block.at(row, model)[y] = score_of(a.of(k[model]), b.of(k[model]));
  }
}

}  // namespace

void NeighbourFamily::score(const data::Features& queries, const core::Context& context,
                            const std::function<void(std::size_t first, const model::Scores& block)>& visit) const {
  check_family(*this);
  if (queries.columns() != rows.columns()) {
    refuse_data(fmt::format("the nearest neighbours have {} features, but the rows have {}", rows.columns(),
                            queries.columns()));
  }
  const std::unique_ptr<Space> space = make_space(Metric::euclidean, rows, class_count);
  for (std::size_t i = 0; i < labels.size(); ++i) space->add(rows, i, static_cast<std::size_t>(labels[i]));
  const std::size_t most = std::min(static_cast<std::size_t>(k.back()), rows.rows());
  for_each_block(*space, most, queries, context, [&](std::size_t first, const Points& points, Query& query) {
    model::Scores block(points.count(), models(), class_count);
    for (std::size_t row = 0; row < points.count(); ++row) {
      query.find(row);
      score_row(query, k, row, block);
    }
    block.label_by_score();
    visit(first, block);
  });
}

}  // namespace credence::neighbours
