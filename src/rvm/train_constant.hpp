#pragma once

#include <cstddef>
#include <vector>

#include "credence/rvm/sparse_bayes.hpp"

namespace credence::rvm {

/// Whether all targets of a machine are 0: its class, one of more than two, does not occur among the rows.
bool is_absent(const std::vector<double>& targets);

/// The machine of a class that does not occur among `rows` rows, of which there are at least two: a bias alone, where
/// automatic relevance determination ends, w = -v with
///
///   e^v = N (1 + v expit(v)),  alpha = expit(v) / (v (1 + v expit(v)))
///
/// so that the class is the less probable the more rows there were (about 1 / (N log N)), but not impossible.
Fit constant_fit(std::size_t rows, bool with_covariance);

}  // namespace credence::rvm
