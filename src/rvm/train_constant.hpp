#pragma once

#include <cstddef>
#include <vector>

#include "credence/rvm/sparse_bayes.hpp"

namespace credence::rvm {

/// Whether all targets of a machine are 0: its class, one of more than two, does not occur among the rows.
bool is_absent(const std::vector<double>& targets);

/// Returns the machine of a class that does not occur among `rows` rows (at least two). The machine is a bias alone, w
/// = -v, at the end point of automatic relevance determination:
///
///   e^v = N (1 + v expit(v)),  alpha = expit(v) / (v (1 + v expit(v)))
///
/// More rows make the class less probable (about 1 / (N log N)), but never impossible.
Fit constant_fit(std::size_t rows, bool with_covariance);

}  // namespace credence::rvm
