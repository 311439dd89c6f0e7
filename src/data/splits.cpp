#include "credence/data/splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/repeats.hpp"

namespace credence::data {

namespace {

// One stream of random numbers for each kind of split. Changing a number changes everyone's folds.
enum class Purpose : std::uint64_t {
  k_fold = 0x5350'4C49'5401,
  stratified = 0x5350'4C49'5402,
  grouped = 0x5350'4C49'5403,
  hold_out = 0x5350'4C49'5404,
  bootstrap = 0x5350'4C49'5405,
  random_hold_out = 0x5350'4C49'5406,
};

core::RandomStream stream_for(std::uint64_t seed, Purpose purpose) {
  return core::RandomStream(seed, static_cast<std::uint64_t>(purpose));
}

/// For `count` rows or groups, which are fewer than the folds.
[[noreturn]] void refuse_few_rows(int k, std::string_view noun, std::size_t count) {
  const std::string remedy = count < 2 ? "" : fmt::format("; take {} folds or fewer", count);
  refuse_data(fmt::format("{} folds need at least {} {}s; the data set has {}{}", k, k, noun, count, remedy));
}

void check_fold_count(int k, std::size_t n) {
  if (k < 2) refuse(fmt::format("cross-validation needs at least 2 folds; {} were asked for", k));
  if (static_cast<std::size_t>(k) > n) refuse_few_rows(k, "row", n);
}

/// The rows of each label, labels ascending.
std::map<int, std::vector<std::size_t>> rows_by_label(std::span<const int> labels) {
  std::map<int, std::vector<std::size_t>> result;
  for (std::size_t i = 0; i < labels.size(); ++i) result[labels[i]].push_back(i);
  return result;
}

/// The distinct rows, each once.
Dataset distinct_rows(const Dataset& dataset) {
  Dataset distinct = dataset.select_rows(first_rows(dataset.copies));
  distinct.copies.clear();
  return distinct;
}

std::size_t rounded(double value) {
  return static_cast<std::size_t>(std::floor(value + 0.5));
}

/// Moves `take` towards the total by one: at the class that rounding treated worst, the first of equals.
void adjust_once(std::vector<std::size_t>& take, const std::vector<std::size_t>& counts, double fraction, bool up) {
  std::size_t best = take.size();
  double best_gain = 0;
  for (std::size_t c = 0; c < take.size(); ++c) {
    if (up ? take[c] == counts[c] : take[c] == 0) continue;
    const double lack = fraction * static_cast<double>(counts[c]) - static_cast<double>(take[c]);
    const double gain = up ? lack : -lack;
    if (best == take.size() || gain > best_gain) {
      best = c;
      best_gain = gain;
    }
  }
  take[best] += up ? std::size_t{1} : ~std::size_t{0};
}

}  // namespace

std::vector<int> k_fold(std::size_t n, int k, std::uint64_t seed) {
  check_fold_count(k, n);
  std::vector<std::size_t> order = core::numbers_below(n);
  stream_for(seed, Purpose::k_fold).shuffle(order);
  std::vector<int> folds(n);
  for (std::size_t i = 0; i < n; ++i) folds[order[i]] = static_cast<int>(i % static_cast<std::size_t>(k));
  return folds;
}

std::vector<int> stratified_k_fold(std::span<const int> labels, int k, std::uint64_t seed) {
  check_fold_count(k, labels.size());
  core::RandomStream random = stream_for(seed, Purpose::stratified);
  std::vector<int> folds(labels.size());
  int next = 0;
  auto classes = rows_by_label(labels);
  for (auto& [label, rows] : classes) {
    random.shuffle(rows);
    for (const std::size_t row : rows) {
      folds[row] = next;
      next = (next + 1) % k;
    }
  }
  return folds;
}

std::vector<int> grouped_k_fold(std::span<const int> groups, int k, std::uint64_t seed) {
  if (k < 2) refuse(fmt::format("cross-validation needs at least 2 folds; {} were asked for", k));
  const auto rows = rows_by_label(groups);
  if (static_cast<std::size_t>(k) > rows.size()) refuse_few_rows(k, "group", rows.size());
  std::vector<int> order;
  for (const auto& [group, members] : rows) order.push_back(group);
  stream_for(seed, Purpose::grouped).shuffle(order);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](int group) { return rows.at(group).size(); });
  std::vector<std::size_t> sizes(static_cast<std::size_t>(k), 0);
  std::vector<int> folds(groups.size());
  for (const int group : order) {
    const auto smallest = std::ranges::min_element(sizes);
    const std::vector<std::size_t>& members = rows.at(group);
    *smallest += members.size();
    for (const std::size_t row : members) folds[row] = static_cast<int>(smallest - sizes.begin());
  }
  return folds;
}

std::vector<bool> hold_out(std::span<const int> labels, double fraction, std::uint64_t seed) {
  const std::size_t n = labels.size();
  if (!(fraction > 0 && fraction < 1))
    refuse(fmt::format("the fraction to hold out is {}; it must lie between 0 and 1, both excluded", fraction));
  if (n < 2) refuse(fmt::format("holding rows out needs at least 2 rows; the data set has {}", n));
  auto rows = rows_by_label(labels);
  std::vector<std::size_t> counts;
  std::vector<std::size_t> take;
  for (const auto& [label, members] : rows) {
    counts.push_back(members.size());
    take.push_back(rounded(fraction * static_cast<double>(members.size())));
  }
  const std::size_t total = std::clamp<std::size_t>(rounded(fraction * static_cast<double>(n)), 1, n - 1);
  std::size_t taken = std::accumulate(take.begin(), take.end(), std::size_t{0});
  for (; taken < total; ++taken) adjust_once(take, counts, fraction, true);
  for (; taken > total; --taken) adjust_once(take, counts, fraction, false);

  core::RandomStream random = stream_for(seed, Purpose::hold_out);
  std::vector<bool> held_out(n, false);
  std::size_t c = 0;
  for (auto& [label, members] : rows) {
    random.shuffle(members);
    for (std::size_t i = 0; i < take[c]; ++i) held_out[members[i]] = true;
    ++c;
  }
  return held_out;
}

std::vector<bool> hold_out(const Dataset& dataset, double fraction, std::uint64_t seed) {
  return dataset.copies.empty() ? hold_out(dataset.labels, fraction, seed)
                                : spread(hold_out(distinct_rows(dataset).labels, fraction, seed), dataset.copies);
}

std::vector<bool> random_hold_out(std::size_t n, std::size_t count, std::span<const int> groups, std::uint64_t seed) {
  if (count < 1 || count >= n)
    refuse(fmt::format("{} rows cannot be held out of {}: at least one must be held out, and one must stay", count, n));
  if (!groups.empty() && groups.size() != n)
    refuse(fmt::format("there are {} rows, but group codes for {}", n, groups.size()));
  std::vector<std::vector<std::size_t>> units;  // what is drawn as a whole: a group, or a row of its own
  for (auto& [group, members] : rows_by_label(groups)) units.push_back(members);
  if (units.size() == 1)
    refuse("all rows belong to one group or fixed fold, so no rows can be held out while others remain for training");
  for (std::size_t i = 0; groups.empty() && i < n; ++i) units.push_back({i});
  stream_for(seed, Purpose::random_hold_out).shuffle(units);
  std::vector<bool> held_out(n, false);
  std::size_t taken = 0;
  for (const std::vector<std::size_t>& members : units) {
    if (taken > 0 && taken + members.size() > count) break;
    for (const std::size_t row : members) held_out[row] = true;
    taken += members.size();
  }
  return held_out;
}

std::vector<int> folds_of(const Dataset& dataset, int k, std::uint64_t seed, int least, std::string_view user,
                          bool by_class) {
  if (!dataset.folds.empty()) {
    const int count = *std::ranges::max_element(dataset.folds) + 1;
    if (count < least) {
      refuse_data(count < 2 ? "the fold column holds one fold only; cross-validation needs at least two"
                            : fmt::format("the fold column holds {} folds; {} needs at least {}", count, user, least),
                  {dataset.source, 0, ""});
    }
    return dataset.folds;
  }
  if (!dataset.groups.empty()) return grouped_k_fold(dataset.groups, k, seed);
  if (!dataset.copies.empty())
    return spread(folds_of(distinct_rows(dataset), k, seed, least, user, by_class), dataset.copies);
  return dataset.is_regression() || !by_class ? k_fold(dataset.rows(), k, seed)
                                              : stratified_k_fold(dataset.labels, k, seed);
}

void check_splits(const Dataset& dataset) {
  const std::size_t n = dataset.rows();
  for (std::size_t s = 0; s < dataset.splits.size(); ++s) {
    const Split& split = dataset.splits[s];
    const auto refuse_split = [&](const std::string& fault) {
      refuse_data(fmt::format("split {} {}", s + 1, fault), {dataset.source, 0, ""});
    };
    if (split.training.empty()) refuse_split("has no training rows");
    if (split.held_out.empty()) refuse_split("holds no row out");
    std::vector<bool> training(n, false);
    std::vector<bool> held_out(n, false);
    const auto check_row = [&](std::size_t row) {
      if (row >= n) refuse_split(fmt::format("names row {}, but the {} rows are numbered from 0 on", row, n));
    };
    for (const std::size_t row : split.training) {
      check_row(row);
      training[row] = true;
    }
    for (const std::size_t row : split.held_out) {
      check_row(row);
      if (training[row]) refuse_split(fmt::format("trains on row {} and holds it out", row));
      if (held_out[row]) refuse_split(fmt::format("holds row {} out twice", row));
      held_out[row] = true;
    }
  }
}

std::vector<std::uint32_t> bootstrap(std::size_t n, std::uint64_t seed) {
  core::RandomStream random = stream_for(seed, Purpose::bootstrap);
  std::vector<std::uint32_t> draws(n, 0);
  for (std::size_t i = 0; i < n; ++i) ++draws[static_cast<std::size_t>(random.below(n))];
  return draws;
}

}  // namespace credence::data
