#include "model/tallies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"

namespace credence::model {
namespace {

void check_scores_to_count(std::span<const double> margins, std::span<const int> labels) {
  if (margins.size() != labels.size())
    refuse(fmt::format("{} margins have {} labels; each margin needs one", margins.size(), labels.size()));
  if (margins.empty()) refuse("there are no margins to calibrate with");
  if (!std::ranges::all_of(margins, [](double margin) { return std::isfinite(margin); }))
    refuse("a margin to calibrate with is not finite");
  if (!std::ranges::all_of(labels, [](int label) { return label == 0 || label == 1; }))
    refuse("a label to calibrate with is neither 0 nor 1");
}

}  // namespace

std::vector<Tally> tallies_of(std::span<const double> margins, std::span<const int> labels) {
  check_scores_to_count(margins, labels);
  std::vector<Tally> rows;
  rows.reserve(margins.size());
  for (std::size_t i = 0; i < margins.size(); ++i) rows.push_back({margins[i], 1, labels[i]});
  std::ranges::sort(rows, {}, &Tally::margin);
  std::vector<Tally> tallies;
  for (const Tally& row : rows) {
    if (tallies.empty() || tallies.back().margin != row.margin) tallies.push_back({row.margin, 0, 0});
    ++tallies.back().rows;
    tallies.back().ones += row.ones;
  }
  return tallies;
}

}  // namespace credence::model
