#include "kernel/gathered_rows.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <utility>

namespace credence::kernel {
namespace {

/// Mean length of runs from which on they are copied as such.
constexpr std::size_t worth_a_run = 16;

}  // namespace

void gather(const float* source, std::span<const std::size_t> places, float* target) {
  std::size_t b = 0;
  for (; b + 4 <= places.size(); b += 4)
    for (std::size_t k = 0; k < 4; ++k) target[b + k] = source[places[b + k]];
  for (; b < places.size(); ++b) target[b] = source[places[b]];
}

std::vector<GatheredRows::Run> GatheredRows::runs_of(std::span<const std::size_t> keep) {
  std::vector<Run> runs;
  for (std::size_t b = 0; b < keep.size(); ++b) {
    if (b == 0 || keep[b] != keep[b - 1] + 1) runs.push_back({keep[b], b, 0});
    ++runs.back().length;
  }
  return runs;
}

GatheredRows::GatheredRows(Rows& rows, std::span<const std::size_t> keep, std::shared_ptr<RowMemory> memory)
    : source_(rows),
      keep_(keep.begin(), keep.end()),
      runs_(runs_of(keep)),
      in_order_(std::ranges::is_sorted(keep)),
      long_runs_(worth_a_run * runs_.size() <= keep.size()),
      stride_(padded(keep.size())),
      store_(stride_, keep.size(), std::move(memory)),
      row_(keep.size(), nullptr),
      diagonal_(stride_) {
  for (std::size_t a = 0; a < keep.size(); ++a) diagonal_[a] = rows.diagonal()[keep[a]];
}

const float* GatheredRows::gathered(const float* source) {
  float* target = store_.add();
  if (long_runs_) {
    for (const Run& run : runs_) std::copy_n(source + run.from, run.length, target + run.to);
  } else {
    // Of columns in another order no processor foresees the next one.
    for (std::size_t at = 0; !in_order_ && at < source_.size(); at += row_padding) hwy::Prefetch(source + at);
    gather(source, keep_, target);
  }
  std::fill(target + keep_.size(), target + stride_, 0.0F);
  return target;
}

}  // namespace credence::kernel
