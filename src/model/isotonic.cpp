#include "credence/model/sigmoid.hpp"

#include <algorithm>
#include <cmath>

#include "model/tallies.hpp"

namespace credence::model {
namespace {

/// Neighbouring margins that share a value.
struct Block {
  double first = 0;
  double last = 0;
  std::int64_t rows = 0;
  std::int64_t ones = 0;

  double value() const { return static_cast<double>(ones) / static_cast<double>(rows); }
  bool is_below(const Block& next) const { return ones * next.rows < next.ones * rows; }
};

std::vector<Block> pooled(const std::vector<Tally>& tallies) {
  std::vector<Block> blocks;
  for (const Tally& tally : tallies) {
    Block block{tally.margin, tally.margin, tally.rows, tally.ones};
    while (!blocks.empty() && !blocks.back().is_below(block)) {
      const Block& before = blocks.back();
      block = {before.first, block.last, before.rows + block.rows, before.ones + block.ones};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

Isotonic::Isotonic(std::span<const double> margins, std::span<const int> labels) {
  for (const Block& block : pooled(tallies_of(margins, labels))) {
    margins_.push_back(block.first);
    values_.push_back(block.value());
    if (block.last == block.first) continue;
    margins_.push_back(block.last);
    values_.push_back(block.value());
  }
}

double Isotonic::operator()(double margin) const {
  const auto after = static_cast<std::size_t>(std::ranges::lower_bound(margins_, margin) - margins_.begin());
  if (after == 0) return values_.front();
  if (after == margins_.size()) return values_.back();
  const double share = (margin - margins_[after - 1]) / (margins_[after] - margins_[after - 1]);
  return std::lerp(values_[after - 1], values_[after], share);
}

}  // namespace credence::model
