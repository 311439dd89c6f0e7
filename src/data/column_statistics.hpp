#pragma once

#include <cstddef>
#include <vector>

namespace credence::data::detail {

/// The numbers of one column on the rows that are fitted: some given, and a count of zeros that are not stored.
struct Sample {
  std::vector<double> values;
  std::size_t zeros = 0;

  std::size_t size() const { return values.size() + zeros; }
};

struct Moments {
  double mean = 0;
  double deviation = 0;  ///< population standard deviation: sqrt(sum (x - mean)^2 / n)
};

/// Middle value, the mean of the two middle ones if the size is even; 0 for an empty sample. Reorders the values.
double median(Sample& sample);

/// Smallest and largest number; size() >= 1.
double minimum(const Sample& sample);
double maximum(const Sample& sample);

/// Two passes, safe from overflow and underflow as long as maximum - minimum is finite. size() >= 1.
Moments moments(const Sample& sample);

}  // namespace credence::data::detail
