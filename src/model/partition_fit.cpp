#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"
#include "credence/model/partition.hpp"

namespace credence::model {
namespace {

/// Changing it changes everyone's partitions.
constexpr std::uint64_t splitting_purpose = 0x5041'5254'0000'0000;
constexpr std::size_t sample_rows = 512;
constexpr std::size_t sample_values = std::size_t{1} << 22U;
constexpr int most_rounds = 10;
constexpr std::size_t assigned_at_once = 8192;
/// Regions that got too many rows from the nearest centres are cut again, so many times at most.
constexpr int most_repairs = 4;

using RowSet = std::vector<std::uint32_t>;  ///< ascending
using Centre = std::vector<double>;

double dot(const data::Features& rows, std::size_t i, const Centre& with) {
  double sum = 0;
  data::for_each_entry(rows, i, [&](std::size_t j, double value) { sum += value * with[j]; });
  return sum;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

Centre mean_of(const data::Features& rows, const RowSet& some) {
  Centre mean(rows.columns(), 0.0);
  for (const std::uint32_t i : some)
    data::for_each_entry(rows, i, [&](std::size_t j, double value) { mean[j] += value; });
  for (double& value : mean) value /= static_cast<double>(some.size());
  return mean;
}

/// Rows drawn with replacement, dense; all of them where they are few.
data::DenseMatrix sample_of(const data::Features& rows, const RowSet& some, core::RandomStream& random) {
  const std::size_t wanted =
      std::min(sample_rows, std::max<std::size_t>(16, sample_values / std::max<std::size_t>(1, rows.columns())));
  std::vector<std::size_t> drawn(some.begin(), some.end());
  if (some.size() > wanted) {
    drawn.resize(wanted);
    for (std::size_t& row : drawn) row = some[static_cast<std::size_t>(random.below(some.size()))];
  }
  return rows.select_rows(drawn).to_dense();
}

/// The mean of the sample's rows on one side; false if there is none.
bool move_to_mean(const data::DenseMatrix& sample, const std::vector<bool>& side, bool which, Centre& centre) {
  Centre sum(centre.size(), 0.0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < sample.rows; ++i) {
    if (side[i] != which) continue;
    ++count;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += sample.row(i)[j];
  }
  if (count == 0) return false;
  for (double& value : sum) value /= static_cast<double>(count);
  centre = std::move(sum);
  return true;
}

/// The direction from one centre of two-means to the other; all 0 if the sample's rows are equal. The first centre is
/// any row, the second is drawn by its squared distance from the first.
Centre direction_of(const data::DenseMatrix& sample, core::RandomStream& random) {
  const auto row = [&](std::size_t i) { return Centre(sample.row(i).begin(), sample.row(i).end()); };
  Centre first = row(static_cast<std::size_t>(random.below(sample.rows)));
  std::vector<double> squared(sample.rows);
  for (std::size_t i = 0; i < sample.rows; ++i) squared[i] = squared_distance(sample.row(i), first);
  double left = random.uniform() * std::accumulate(squared.begin(), squared.end(), 0.0);
  std::size_t other = 0;
  while (other + 1 < sample.rows && (left -= squared[other]) >= 0) ++other;
  Centre second = row(other);
  std::vector<bool> side(sample.rows, false);
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<bool> nearer = core::made(sample.rows, [&](std::size_t i) {
      return squared_distance(sample.row(i), second) < squared_distance(sample.row(i), first);
    });
    if (round > 0 && nearer == side) break;
    side = std::move(nearer);
    if (!move_to_mean(sample, side, false, first) || !move_to_mean(sample, side, true, second)) break;
  }
  for (std::size_t j = 0; j < first.size(); ++j) first[j] = second[j] - first[j];
  return first;
}

struct Halves {
  RowSet low;
  RowSet high;
};

/// Cuts the projections at the median, or beside it for an odd number of `sets`, so that both sides are whole sets.
/// Equal projections stay on one side, so that one half may be empty.
Halves cut(const data::Features& rows, const RowSet& some, const Centre& direction, std::size_t sets,
           const core::Context& context) {
  std::vector<double> along(some.size());
  context.threads.for_each((some.size() + assigned_at_once - 1) / assigned_at_once, [&](std::size_t b) {
    const std::size_t last = std::min((b + 1) * assigned_at_once, some.size());
    for (std::size_t k = b * assigned_at_once; k < last; ++k) along[k] = dot(rows, some[k], direction);
  });
  std::vector<double> sorted = along;
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * (sets / 2) / sets);
  std::nth_element(sorted.begin(), place, sorted.end());
  const double bound = *place;
  // Where the bound is the smallest value, what lies above is cut off instead.
  const bool least = std::none_of(sorted.begin(), place, [&](double value) { return value < bound; });
  Halves halves;
  for (std::size_t k = 0; k < some.size(); ++k)
    (along[k] < bound || (least && along[k] == bound) ? halves.low : halves.high).push_back(some[k]);
  return halves;
}

/// A direction along which rows differ; all 0 if all rows are equal. A sample may miss the few rows that differ from
/// the others.
Centre direction_of(const data::Features& rows, const RowSet& some, core::RandomStream& random) {
  const auto is_zero = [](const Centre& point) { return std::ranges::all_of(point, [](double x) { return x == 0; }); };
  Centre direction = direction_of(sample_of(rows, some, random), random);
  if (!is_zero(direction)) return direction;
  const auto dense = [&](std::uint32_t row) { return mean_of(rows, {row}); };
  const Centre first = dense(some.front());
  for (const std::uint32_t row : some) {
    direction = dense(row);
    for (std::size_t j = 0; j < direction.size(); ++j) direction[j] -= first[j];
    if (!is_zero(direction)) break;
  }
  return direction;
}

/// Sets of at most `size` rows, and of four fifths of it where all rows are many: nearest centres make some sets
/// larger.
std::vector<RowSet> bisected(const data::Features& rows, RowSet all, std::size_t size, core::RandomStream& streams,
                             const core::Context& context) {
  const std::size_t usual = size - size / 5;
  std::vector<RowSet> done;
  std::vector<RowSet> open{std::move(all)};
  while (!open.empty()) {
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "the rows were not yet split into regions when the run was stopped");
    const std::vector<std::uint64_t> seeds =
        core::made(open.size(), [&](std::size_t) { return streams.below(std::numeric_limits<std::uint64_t>::max()); });
    std::vector<Halves> halves(open.size());
    context.threads.for_each(open.size(), [&](std::size_t k) {
      if (open[k].size() <= size) return;
      core::RandomStream random(seeds[k], splitting_purpose);
      const std::size_t sets = (open[k].size() + usual - 1) / usual;
      halves[k] = cut(rows, open[k], direction_of(rows, open[k], random), sets, context);
    });
    std::vector<RowSet> next;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (halves[k].low.empty() || halves[k].high.empty()) {
        done.push_back(std::move(open[k]));  // small enough, or of equal rows
        continue;
      }
      next.push_back(std::move(halves[k].low));
      next.push_back(std::move(halves[k].high));
    }
    open = std::move(next);
  }
  // By their first rows: the order does not depend on the level at which a set was done.
  std::ranges::sort(done, {}, [](const RowSet& set) { return set.front(); });
  return done;
}

/// Means as features of the storage of the rows.
data::Features centres_of(const std::vector<Centre>& means, bool sparse) {
  if (!sparse) {
    data::DenseMatrix matrix(means.size(), means.front().size());
    for (std::size_t p = 0; p < means.size(); ++p) std::ranges::copy(means[p], matrix.row(p).begin());
    return matrix;
  }
  data::SparseMatrix matrix;
  matrix.rows = means.size();
  matrix.columns = means.front().size();
  for (const Centre& mean : means) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      if (mean[j] == 0) continue;
      matrix.indices.push_back(static_cast<std::uint32_t>(j));
      matrix.values.push_back(mean[j]);
    }
    matrix.offsets.push_back(matrix.values.size());
  }
  return matrix;
}

std::vector<Centre> means_of(const data::Features& rows, const std::vector<RowSet>& sets,
                             const core::Context& context) {
  std::vector<Centre> means(sets.size());
  context.threads.for_each(sets.size(), [&](std::size_t p) { means[p] = mean_of(rows, sets[p]); });
  return means;
}

}  // namespace

Partition fit_partition(const data::Features& rows, std::size_t size, std::uint64_t seed,
                        const core::Context& context) {
  if (rows.rows() == 0 || size == 0) refuse("regions need rows, and room for at least one row each");
  core::RandomStream streams(seed, splitting_purpose);
  RowSet all(rows.rows());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<Centre> means = means_of(rows, bisected(rows, std::move(all), size, streams, context), context);
  for (int repair = 0;; ++repair) {
    Partition partition{centres_of(means, rows.is_sparse())};
    const auto own = rows_by_region(partition.regions_of(rows, context), partition.regions());
    std::vector<Centre> better;
    bool changed = false;
    for (std::size_t p = 0; p < own.size(); ++p) {
      const bool crowded = own[p].size() > size + size / 2 && repair < most_repairs;
      std::vector<RowSet> sets;
      if (crowded) sets = bisected(rows, RowSet(own[p].begin(), own[p].end()), size, streams, context);
      changed = changed || own[p].empty() || sets.size() > 1;
      if (sets.size() > 1)
        std::ranges::move(means_of(rows, sets, context), std::back_inserter(better));
      else if (!own[p].empty())
        better.push_back(std::move(means[p]));
    }
    if (!changed) return partition;
    means = std::move(better);
  }
}

}  // namespace credence::model
