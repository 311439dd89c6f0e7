#include "credence/neighbours/metric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "neighbours/search/nearest.hpp"
#include "neighbours/space/space.hpp"

namespace credence::neighbours {
namespace {

struct Neighbour {
  double distance;
  std::size_t label;
};

/// The nearest rows of all classes, nearest first; those of lower classes first where they are equally far.
std::vector<Neighbour> nearest_of_all(const Query& query, std::size_t classes) {
  std::vector<Neighbour> all;
  for (std::size_t c = 0; c < classes; ++c)
    for (const double distance : present(query.own(c))) all.push_back({distance, c});
  std::ranges::stable_sort(all, {}, &Neighbour::distance);
  return all;
}

void check_votes(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                 const data::Features& queries, std::size_t most) {
  const auto known = [&](int label) { return label >= 0 && static_cast<std::size_t>(label) < class_count; };
  if (rows.rows() != labels.size() || !std::ranges::all_of(labels, known))
    refuse(fmt::format("nearest neighbours need a label from 0 to {} for each of {} rows", class_count, rows.rows()));
  if (most < 1 || most > rows.rows())
    refuse(fmt::format("the number of neighbours, k, is {}; it must be between 1 and {}", most, rows.rows()));
  if (rows.columns() != queries.columns()) {
    refuse_data(fmt::format("the nearest neighbours have {} features, but the rows have {}", rows.columns(),
                            queries.columns()));
  }
}

}  // namespace

std::vector<std::vector<int>> majority_labels(const data::Features& rows, std::span<const int> labels,
                                              std::size_t class_count, const data::Features& queries, std::size_t most,
                                              Metric metric, const core::Context& context) {
  check_votes(rows, labels, class_count, queries, most);
  const std::unique_ptr<Space> space = make_space(metric, rows, class_count);
  for (std::size_t i = 0; i < labels.size(); ++i) space->add(rows, i, static_cast<std::size_t>(labels[i]));
  std::vector<std::vector<int>> result(most, std::vector<int>(queries.rows()));
  for_each_block(*space, most, queries, context, [&](std::size_t first, const Points& points, Query& query) {
    std::vector<std::size_t> votes(class_count);
    for (std::size_t p = 0; p < points.count(); ++p) {
      query.find(p);
      const std::vector<Neighbour> nearest = nearest_of_all(query, class_count);
      std::ranges::fill(votes, std::size_t{0});
      for (std::size_t k = 0; k < most; ++k) {
        ++votes[nearest[k].label];
        const std::size_t highest = *std::ranges::max_element(votes);
        const auto winner =
            std::ranges::find_if(nearest, [&](const Neighbour& n) { return votes[n.label] == highest; });
        result[k][first + p] = static_cast<int>(winner->label);
      }
    }
  });
  return result;
}

}  // namespace credence::neighbours
