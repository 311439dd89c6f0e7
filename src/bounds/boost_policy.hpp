#pragma once

#include <boost/math/policies/policy.hpp>

namespace credence::bounds {

/// Infinity where a value overflows. Boost's inverses try a value of 1e-800 before main; under valgrind, whose long
/// double is a double, that value is 0, and Boost's default policy ends the program with an exception.
using BoostPolicy =
    boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

}  // namespace credence::bounds
