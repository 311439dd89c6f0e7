#pragma once

#include <cstddef>
#include <vector>

namespace credence::data::detail {

/// The numbers of one column on the rows that are fitted: some given, and a count of zeros that are not stored. With
/// weights, a number of weight w counts as w numbers.
struct Sample {
  std::vector<double> values;
  std::size_t zeros = 0;
  std::vector<double> weights{};  ///< of `values`; empty if all are 1
  double weight_of_zeros = 0;     ///< summed; unused without weights

  std::size_t size() const { return values.size() + zeros; }
  double weight_at(std::size_t k) const { return weights.empty() ? 1.0 : weights[k]; }
  double zero_weight() const { return weights.empty() ? static_cast<double>(zeros) : weight_of_zeros; }
  double total_weight() const;
  /// Appends `times` equal numbers, whose weights sum to `weight`.
  void append(double value, std::size_t times, double weight);
};

struct Moments {
  double mean = 0;
  double deviation = 0;  ///< population standard deviation: sqrt(sum (x - mean)^2 / n)
};

/// Middle value, the mean of the two middle ones if the size is even; 0 for an empty sample. With weights, the mean of
/// the smallest value with half of the weight at or below it and the smallest with more than half. Reorders the sample.
double median(Sample& sample);

/// Smallest and largest number; size() >= 1.
double minimum(const Sample& sample);
double maximum(const Sample& sample);

/// Two passes, safe from overflow and underflow as long as maximum - minimum is finite. size() >= 1.
Moments moments(const Sample& sample);

}  // namespace credence::data::detail
