#include "credence/conformal/p_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"

namespace credence::conformal {
namespace {

/// Of core::random_choice.
constexpr std::uint64_t smoothing_purpose = 0x736d6f6f7468;  // "smooth"
constexpr std::uint64_t two_to_53 = std::uint64_t{1} << 53U;

/// A sum of two doubles' length, by Knuth's two-sum: `long double` has another length on each platform.
class WideSum {
 public:
  void add(double x) {
    const double sum = high_ + x;
    const double part = sum - high_;
    low_ += (high_ - (sum - part)) + (x - part);
    high_ = sum;
  }
  double value() const { return high_ + low_; }

 private:
  double high_ = 0;
  double low_ = 0;
};

void check_nonconformity(double nonconformity) {
  if (std::isnan(nonconformity)) refuse("a nonconformity score is not a number");
}

std::size_t checked_class(int label, std::size_t classes) {
  if (label < 0 || static_cast<std::size_t>(label) >= classes)
    refuse(fmt::format("class {} is not one of the {} classes, which are numbered from 0", label, classes));
  return static_cast<std::size_t>(label);
}

/// How many searches stand side by side.
constexpr std::size_t searched_at_once = 16;

/// first[q] = place of the first number not below values[q]. A search waits for memory at each step and cannot guess
/// the next one, so that several searches take their steps together, without jumps.
void find_first_not_below(std::span<const double> ascending, std::span<const double> values, std::size_t* first) {
  std::fill_n(first, values.size(), std::size_t{0});
  for (std::size_t left = ascending.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    for (std::size_t q = 0; q < values.size(); ++q)
      first[q] += half * static_cast<std::size_t>(ascending[first[q] + half - 1] < values[q]);
    left -= half;
  }
}

double largest_but(std::span<const double> p, std::size_t label) {
  double largest = 0;
  for (std::size_t c = 0; c < p.size(); ++c)
    if (c != label) largest = std::max(largest, p[c]);
  return largest;
}

}  // namespace

double p_value(const Rank& rank) {
  return smoothed_p_value(rank, 1);
}

double smoothed_p_value(const Rank& rank, double tau) {
  // Sums of weights round; whole numbers do not.
  const double ties = rank.whole ? tau * rank.equal + rank.own : tau * (rank.equal + rank.own);
  return std::min(1.0, (rank.greater + ties) / (rank.of + rank.own));
}

Rank& operator+=(Rank& sum, const Rank& part) {
  sum.greater += part.greater;
  sum.equal += part.equal;
  sum.of += part.of;
  sum.whole = sum.whole || part.whole;
  return sum;
}

void check_level(double significance) {
  if (significance >= 0 && significance < 1) return;
  refuse(fmt::format("a significance level must lie in [0, 1), not {}", significance));
}

std::vector<std::uint8_t> prediction_sets(const data::DenseMatrix& p_values, std::span<const double> levels) {
  std::ranges::for_each(levels, check_level);
  std::vector<std::uint8_t> held;
  held.reserve(p_values.values.size() * levels.size());
  for (const double p : p_values.values)
    for (const double significance : levels) held.push_back(in_set(p, significance) ? 1 : 0);
  return held;
}

double smoothing_tau(std::uint64_t seed, std::uint64_t key) {
  return static_cast<double>(core::random_choice(seed, smoothing_purpose, key, two_to_53)) /
         static_cast<double>(two_to_53);
}

data::DenseMatrix p_values(const Ranks& ranks, const PValueOptions& options, std::span<const std::uint64_t> keys) {
  if (options.smoothed && keys.size() != ranks.rows)
    refuse(fmt::format("smoothing needs a key for each of the {} rows, but there are {}", ranks.rows, keys.size()));
  data::DenseMatrix p(ranks.rows, ranks.classes);
  for (std::size_t row = 0; row < ranks.rows; ++row) {
    const double tau = options.smoothed ? smoothing_tau(options.seed, keys[row]) : 1;
    const auto p_row = p.row(row);
    for (std::size_t c = 0; c < ranks.classes; ++c)
      p_row[c] = options.smoothed ? smoothed_p_value(ranks.at(row, c), tau) : p_value(ranks.at(row, c));
  }
  return p;
}

void conclude(model::Prediction& prediction, bool keep_labels) {
  const data::DenseMatrix& p = prediction.p_value;
  if (p.rows > 0 && p.columns == 0) refuse("the p-values have no class, so they give no label");
  prediction.confidence.resize(p.rows);
  prediction.credibility.resize(p.rows);
  if (!keep_labels) prediction.label.resize(p.rows);
  for (std::size_t row = 0; row < p.rows; ++row) {
    const auto p_row = p.row(row);
    if (!keep_labels) prediction.label[row] = static_cast<int>(std::ranges::max_element(p_row) - p_row.begin());
    const auto label = static_cast<std::size_t>(prediction.label[row]);
    prediction.credibility[row] = p_row[label];
    prediction.confidence[row] = 1 - largest_but(p_row, label);
  }
}

void check_own_weights(std::span<const double> weights) {
  const auto bad = std::ranges::find_if(weights, [](double w) { return !(w > 0 && std::isfinite(w)); });
  if (bad == weights.end()) return;
  refuse(fmt::format("weight {} (numbered from 0) is {}, not a finite number above 0", bad - weights.begin(), *bad));
}

std::vector<double> group_shares(std::span<const int> groups) {
  std::map<int, double> sizes;
  for (const int group : groups) ++sizes[group];
  return core::mapped(groups, [&](int group) { return 1 / sizes[group]; });
}

NonconformityScores::NonconformityScores(std::vector<double> values, const RowWeights& weights)
    : values_(std::move(values)), of_groups_(weights.of_groups) {
  std::ranges::for_each(values_, check_nonconformity);
  if (weights.values.empty()) {
    std::ranges::sort(values_);
    return;
  }
  std::vector<std::size_t> order = core::numbers_below(values_.size());
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values_[i]; });
  std::vector<double> ascending(values_.size());
  from_.resize(values_.size());
  WideSum sum;  // of very unequal weights too
  for (std::size_t place = order.size(); place-- > 0;) {
    const double weight = weights.values[order[place]];
    ascending[place] = values_[order[place]];
    sum.add(weight);
    from_[place] = sum.value();
    squares_ += weight * weight;
  }
  values_ = std::move(ascending);
}

double NonconformityScores::from(std::size_t place) const {
  if (place == size()) return 0;
  return from_.empty() ? static_cast<double>(size() - place) : from_[place];
}

Rank NonconformityScores::rank(double nonconformity, double own) const {
  Rank rank;
  add_ranks({&nonconformity, 1}, &rank, 1);
  rank.own = own;
  return rank;
}

void NonconformityScores::add_ranks(std::span<const double> nonconformity, Rank* sums, std::size_t stride) const {
  std::ranges::for_each(nonconformity, check_nonconformity);
  std::array<std::size_t, searched_at_once> first;
  for (std::size_t at = 0; at < nonconformity.size(); at += first.size()) {
    const auto some = nonconformity.subspan(at, std::min(first.size(), nonconformity.size() - at));
    find_first_not_below(values_, some, first.data());
    for (std::size_t q = 0; q < some.size(); ++q) {
      std::size_t last = first[q];
      if (last < size() && values_[last] == some[q])
        last = static_cast<std::size_t>(std::ranges::upper_bound(values_, some[q]) - values_.begin());
      const double greater = from(last);
      sums[(at + q) * stride] += Rank{greater, from(first[q]) - greater, weight(), 1, of_groups_};
    }
  }
}

double NonconformityScores::largest_in_set(double significance, double own) const {
  const auto accepted = [&](std::size_t place) {
    return in_set(p_value({from(place), 0, weight(), own}), significance);
  };
  if (accepted(size())) return std::numeric_limits<double>::infinity();
  std::size_t held = 0;
  for (std::size_t end = size(); held < end;) {
    const std::size_t middle = held + (end - held) / 2;
    if (accepted(middle))
      held = middle + 1;
    else
      end = middle;
  }
  return held == 0 ? 0 : values_[held - 1];
}

void NonconformityScores::insert(double nonconformity) {
  check_nonconformity(nonconformity);
  if (!from_.empty()) refuse("examples with weights are not added one by one");
  values_.insert(std::ranges::upper_bound(values_, nonconformity), nonconformity);
}

bool NonconformityScores::erase(double nonconformity) {
  check_nonconformity(nonconformity);
  if (!from_.empty()) refuse("examples with weights are not removed one by one");
  const auto [first, last] = std::ranges::equal_range(values_, nonconformity);
  if (first == last) return false;
  values_.erase(last - 1);
  return true;
}

NonconformityTable::NonconformityTable(std::span<const double> nonconformity, std::span<const int> labels,
                                       std::size_t classes, const RowWeights& weights) {
  if (labels.size() != nonconformity.size())
    refuse(
        fmt::format("{} examples have a nonconformity score, but {} have labels", nonconformity.size(), labels.size()));
  if (!weights.values.empty() && weights.values.size() != nonconformity.size()) {
    refuse(fmt::format("{} examples have a nonconformity score, but {} have weights", nonconformity.size(),
                       weights.values.size()));
  }
  check_own_weights(weights.values);
  std::vector<std::vector<std::size_t>> of_class(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    check_nonconformity(nonconformity[i]);
    of_class[checked_class(labels[i], classes)].push_back(i);
  }
  all_ = NonconformityScores({nonconformity.begin(), nonconformity.end()}, weights);
  for (const std::vector<std::size_t>& examples : of_class) {
    const std::vector<double> own = core::picked(weights.values, examples);
    by_class_.emplace_back(core::picked(nonconformity, examples), RowWeights{own, weights.of_groups});
  }
}

Rank NonconformityTable::rank(double nonconformity, int label) const {
  return by_class_[checked_class(label, classes())].rank(nonconformity);
}

void NonconformityTable::insert(double nonconformity, int label) {
  NonconformityScores& own = by_class_[checked_class(label, classes())];
  all_.insert(nonconformity);  // refuses what the class would refuse
  own.insert(nonconformity);
}

void NonconformityTable::erase(double nonconformity, int label) {
  if (!by_class_[checked_class(label, classes())].erase(nonconformity))
    refuse(fmt::format("no example of class {} has the nonconformity score {}", label, nonconformity));
  all_.erase(nonconformity);
}

}  // namespace credence::conformal
