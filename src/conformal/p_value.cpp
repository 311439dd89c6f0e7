#include "credence/conformal/p_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "credence/core/random.hpp"

namespace credence::conformal {
namespace {

/// Of core::random_choice.
constexpr std::uint64_t smoothing_purpose = 0x736d6f6f7468;  // "smooth"
constexpr std::uint64_t two_to_53 = std::uint64_t{1} << 53U;

void check_strangeness(double strangeness) {
  if (std::isnan(strangeness)) throw Error(ErrorCode::invalid_argument, "a strangeness is not a number");
}

std::size_t checked_class(int label, std::size_t classes) {
  if (label < 0 || static_cast<std::size_t>(label) >= classes) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("class {} is not one of the {} classes, which are numbered from 0", label, classes));
  }
  return static_cast<std::size_t>(label);
}

Rank rank_among(const std::vector<double>& ascending, double strangeness) {
  check_strangeness(strangeness);
  const auto [first, last] = std::equal_range(ascending.begin(), ascending.end(), strangeness);
  return {static_cast<std::size_t>(ascending.end() - last), static_cast<std::size_t>(last - first), ascending.size()};
}

void insert_into(std::vector<double>& ascending, double strangeness) {
  ascending.insert(std::upper_bound(ascending.begin(), ascending.end(), strangeness), strangeness);
}

/// @return whether there was one
bool erase_from(std::vector<double>& ascending, double strangeness) {
  const auto [first, last] = std::equal_range(ascending.begin(), ascending.end(), strangeness);
  if (first == last) return false;
  ascending.erase(last - 1);
  return true;
}

double largest_but(std::span<const double> p, std::size_t label) {
  double largest = 0;
  for (std::size_t c = 0; c < p.size(); ++c)
    if (c != label) largest = std::max(largest, p[c]);
  return largest;
}

}  // namespace

double p_value(const Rank& rank) {
  return static_cast<double>(rank.greater + rank.equal + 1) / static_cast<double>(rank.of + 1);
}

double smoothed_p_value(const Rank& rank, double tau) {
  return (static_cast<double>(rank.greater) + tau * static_cast<double>(rank.equal + 1)) /
         static_cast<double>(rank.of + 1);
}

Rank& operator+=(Rank& sum, const Rank& part) {
  sum.greater += part.greater;
  sum.equal += part.equal;
  sum.of += part.of;
  return sum;
}

void check_level(double eps) {
  if (eps >= 0 && eps < 1) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("a significance level must lie in [0, 1), not {}", eps));
}

std::vector<std::uint8_t> regions(const data::DenseMatrix& p_values, std::span<const double> levels) {
  std::for_each(levels.begin(), levels.end(), check_level);
  std::vector<std::uint8_t> held;
  held.reserve(p_values.values.size() * levels.size());
  for (const double p : p_values.values)
    for (const double eps : levels) held.push_back(in_region(p, eps) ? 1 : 0);
  return held;
}

double smoothing_tau(std::uint64_t seed, std::uint64_t key) {
  return static_cast<double>(core::random_choice(seed, smoothing_purpose, key, two_to_53)) /
         static_cast<double>(two_to_53);
}

data::DenseMatrix p_values(const Ranks& ranks, const PValueOptions& options, std::span<const std::uint64_t> keys) {
  if (options.smoothed && keys.size() != ranks.rows) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("smoothing needs a key for each of the {} rows, but there are {}", ranks.rows, keys.size()));
  }
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
  if (p.rows > 0 && p.columns == 0)
    throw Error(ErrorCode::invalid_argument, "the p-values have no class, so they give no label");
  prediction.confidence.resize(p.rows);
  prediction.credibility.resize(p.rows);
  if (!keep_labels) prediction.label.resize(p.rows);
  for (std::size_t row = 0; row < p.rows; ++row) {
    const auto p_row = p.row(row);
    if (!keep_labels)
      prediction.label[row] = static_cast<int>(std::max_element(p_row.begin(), p_row.end()) - p_row.begin());
    const auto label = static_cast<std::size_t>(prediction.label[row]);
    prediction.credibility[row] = p_row[label];
    prediction.confidence[row] = 1 - largest_but(p_row, label);
  }
}

StrangenessTable::StrangenessTable(std::span<const double> strangeness, std::span<const int> labels,
                                   std::size_t classes)
    : all_(strangeness.begin(), strangeness.end()), by_class_(classes) {
  if (labels.size() != strangeness.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} examples have a strangeness, but {} have labels", strangeness.size(), labels.size()));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    check_strangeness(strangeness[i]);
    by_class_[checked_class(labels[i], classes)].push_back(strangeness[i]);
  }
  std::sort(all_.begin(), all_.end());
  for (auto& values : by_class_) std::sort(values.begin(), values.end());
}

Rank StrangenessTable::rank(double strangeness) const {
  return rank_among(all_, strangeness);
}

Rank StrangenessTable::rank(double strangeness, int label) const {
  return rank_among(by_class_[checked_class(label, classes())], strangeness);
}

void StrangenessTable::insert(double strangeness, int label) {
  check_strangeness(strangeness);
  std::vector<double>& own = by_class_[checked_class(label, classes())];
  insert_into(all_, strangeness);
  insert_into(own, strangeness);
}

void StrangenessTable::erase(double strangeness, int label) {
  check_strangeness(strangeness);
  if (!erase_from(by_class_[checked_class(label, classes())], strangeness))
    throw Error(ErrorCode::invalid_argument,
                fmt::format("no example of class {} has the strangeness {}", label, strangeness));
  erase_from(all_, strangeness);
}

}  // namespace credence::conformal
