#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "credence/conformal/neighbours.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/data/features.hpp"

namespace credence::test {

/// A number that is rounded here, even where the compiler may fuse a product with a sum.
inline double rounded(double value) {
  const volatile double stored = value;
  return stored;
}

/// What neighbours/metric.hpp says, term by term; for the cosine of rows that are divided by their norms already.
inline double naive_distance(std::span<const double> x, std::span<const double> z, neighbours::Metric metric) {
  double sum = 0;
  for (std::size_t f = 0; f < x.size(); ++f) {
    const double difference = x[f] - z[f];
    sum += metric == neighbours::Metric::manhattan ? std::abs(difference) : rounded(difference * difference);
  }
  if (metric == neighbours::Metric::euclidean) return std::sqrt(sum);
  return metric == neighbours::Metric::cosine ? sum / 2 : sum;
}

inline void divide_by_norm(std::span<double> row) {
  double squares = 0;
  for (const double value : row) squares += rounded(value * value);
  const double norm = std::sqrt(squares);
  for (double& value : row) value /= norm;
}

/// The rows' own distances, or those that they hold.
inline data::DenseMatrix naive_distances(data::DenseMatrix rows, neighbours::Metric metric) {
  if (metric == neighbours::Metric::precomputed) return rows;
  if (metric == neighbours::Metric::cosine)
    for (std::size_t i = 0; i < rows.rows; ++i) divide_by_norm(rows.row(i));
  data::DenseMatrix result(rows.rows, rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.rows; ++j) result.row(i)[j] = naive_distance(rows.row(i), rows.row(j), metric);
  return result;
}

inline double naive_sum(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// The rules of measures/neighbour_ratio.hpp, for the nearest distances in ascending order.
inline double naive_ratio(std::span<const double> own, std::span<const double> other) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  if (own.empty()) return endless;
  if (other.empty()) return 0;
  double numerator = naive_sum(own);
  double denominator = naive_sum(other);
  if (own.size() != other.size()) {
    numerator /= static_cast<double>(own.size());
    denominator /= static_cast<double>(other.size());
  }
  if (denominator > 0) return numerator / denominator;
  return numerator > 0 ? endless : 1;
}

/// Those of measures/own_class_distance.hpp.
inline double naive_own_class(std::span<const double> own, std::size_t k) {
  if (own.empty()) return std::numeric_limits<double>::infinity();
  const double sum = naive_sum(own);
  return own.size() == k ? sum : sum * static_cast<double>(k) / static_cast<double>(own.size());
}

/// The k smallest, ascending; all if there are fewer.
inline std::vector<double> smallest(std::vector<double> values, std::size_t k) {
  const std::size_t count = std::min(k, values.size());
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), values.end());
  values.resize(count);
  return values;
}

/// The transductive confidence machine as its definition says it: every nonconformity score of every extended set from
/// scratch. Cost: O(m^2) for each query and class.
class NaiveTcm {
 public:
  /// @param weights  of the rows in p-values; empty: each counts 1
  NaiveTcm(data::DenseMatrix rows, std::vector<int> labels, std::size_t classes, conformal::NeighbourOptions options,
           std::vector<double> weights = {})
      : rows_(std::move(rows)),
        labels_(std::move(labels)),
        classes_(classes),
        options_(options),
        weights_(std::move(weights)) {
    between_ = naive_distances(rows_, options_.metric);
  }

  double nonconformity(std::size_t i) const { return nonconformity_in(between_, labels_, i); }

  conformal::Ranks ranks(const data::DenseMatrix& queries, bool label_conditional) const {
    conformal::Ranks result(queries.rows, classes_);
    for (std::size_t q = 0; q < queries.rows; ++q) {
      const data::DenseMatrix distances = extended(queries.row(q));
      for (std::size_t c = 0; c < classes_; ++c)
        result.at(q, c) = rank_of_last(distances, static_cast<int>(c), label_conditional);
    }
    return result;
  }

  /// The k nearest of each example's own class or of all others, +infinity where there are fewer.
  data::DenseMatrix nearest(bool own) const {
    const auto k = static_cast<std::size_t>(options_.k);
    data::DenseMatrix result(rows_.rows, k);
    std::fill(result.values.begin(), result.values.end(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < rows_.rows; ++i) {
      const std::vector<double> found = smallest(distances_of(between_, labels_, i, own), k);
      std::copy(found.begin(), found.end(), result.row(i).begin());
    }
    return result;
  }

 private:
  /// Distances of all examples and of x, which is the last.
  data::DenseMatrix extended(std::span<const double> x) const {
    const std::size_t m = rows_.rows;
    data::DenseMatrix result(m + 1, m + 1);
    const std::vector<double> last = distances_to(x);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) result.row(i)[j] = between_.row(i)[j];
      result.row(i)[m] = last[i];
      result.row(m)[i] = last[i];
    }
    return result;
  }

  std::vector<double> distances_to(std::span<const double> x) const {
    if (options_.metric == neighbours::Metric::precomputed) return {x.begin(), x.end()};
    std::vector<double> result;
    for (std::size_t i = 0; i < rows_.rows; ++i) {
      std::vector<double> from(x.begin(), x.end());
      std::vector<double> to(rows_.row(i).begin(), rows_.row(i).end());
      if (options_.metric == neighbours::Metric::cosine) {
        divide_by_norm(from);
        divide_by_norm(to);
      }
      result.push_back(naive_distance(from, to, options_.metric));
    }
    return result;
  }

  static std::vector<double> distances_of(const data::DenseMatrix& distances, const std::vector<int>& labels,
                                          std::size_t i, bool own) {
    std::vector<double> result;
    for (std::size_t j = 0; j < labels.size(); ++j)
      if (j != i && (labels[j] == labels[i]) == own) result.push_back(distances.row(i)[j]);
    return result;
  }

  double nonconformity_in(const data::DenseMatrix& distances, const std::vector<int>& labels, std::size_t i) const {
    const auto k = static_cast<std::size_t>(options_.k);
    const std::vector<double> own = smallest(distances_of(distances, labels, i, true), k);
    const std::string_view name = options_.measure.name;
    if (name == "nn-own") return naive_own_class(own, k);
    if (name == "nn-ratio") return naive_ratio(own, smallest(distances_of(distances, labels, i, false), k));
    throw std::logic_error("the measure has no naive formula here");
  }

  conformal::Rank rank_of_last(const data::DenseMatrix& distances, int label, bool label_conditional) const {
    std::vector<int> labels = labels_;
    labels.push_back(label);
    const double last = nonconformity_in(distances, labels, labels_.size());
    conformal::Rank rank;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (label_conditional && labels_[i] != label) continue;
      const double alpha = nonconformity_in(distances, labels, i);
      const double weight = weights_.empty() ? 1 : weights_[i];
      rank.greater += alpha > last ? weight : 0;
      rank.equal += alpha == last ? weight : 0;
      rank.of += weight;
    }
    return rank;
  }

  data::DenseMatrix rows_;
  std::vector<int> labels_;
  std::size_t classes_ = 0;
  conformal::NeighbourOptions options_;
  std::vector<double> weights_;
  data::DenseMatrix between_;
};

}  // namespace credence::test
