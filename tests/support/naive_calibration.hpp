#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "credence/core/random.hpp"

namespace credence::test {

/// Margins with labels 0 and 1.
struct Labelled {
  std::vector<double> margins;
  std::vector<int> labels;

  void add(double margin, int label) {
    margins.push_back(margin);
    labels.push_back(label);
  }
};

/// Larger margins are more often of the second class. @param steps  margins are multiples of 1 / steps, so that some
/// tie
inline Labelled random_margins(std::size_t n, std::uint64_t seed, double steps, double slope = 1.5) {
  core::RandomStream random(seed, 91);
  Labelled rows;
  for (std::size_t i = 0; i < n; ++i) {
    const double margin = std::round(random.normal() * steps) / steps;
    rows.add(margin, random.uniform() < 1 / (1 + std::exp(-slope * margin)) ? 1 : 0);
  }
  return rows;
}

/// The isotonic regression at one of the margins by the min-max formula: the largest, over first margins up to this
/// one, of the smallest, over last margins from this one on, of the mean label between them.
inline double isotonic_at(const Labelled& rows, double margin) {
  double largest = 0;
  for (const double first : rows.margins) {
    if (first > margin) continue;
    double smallest = 1;
    for (const double last : rows.margins) {
      if (last < margin) continue;
      double count = 0;
      double ones = 0;
      for (std::size_t i = 0; i < rows.margins.size(); ++i) {
        if (rows.margins[i] < first || rows.margins[i] > last) continue;
        count += 1;
        ones += rows.labels[i];
      }
      smallest = std::min(smallest, ones / count);
    }
    largest = std::max(largest, smallest);
  }
  return largest;
}

}  // namespace credence::test
