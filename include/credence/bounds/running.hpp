#pragma once

#include "credence/bounds/binomial.hpp"

namespace credence::bounds {

/// Limits of an error rate that hold at all times at once: whatever the moment at which somebody looks, they hold the
/// rate with probability at least 1 - delta over the whole stream, if errors are independent with one rate. With a
/// uniform prior over rates the mixture M(q) = B(1 + s, 1 + n - s) / (q^s (1 - q)^(n - s)) is a martingale under rate q
/// (Ville; Robbins, 1970); the limits are the ends of M(q) < 1 / delta.
/// Cost: two bisections.
/// @param errors  0 to n  @param n  rows so far; 0 gives [0, 1]  @param delta  in (0, 1)
/// @throws Error invalid_argument
Interval running_interval(double errors, double n, double delta);

}  // namespace credence::bounds
