#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/describe.hpp"

/// All bounds of an error or a mean loss by name, with what each of them needs:
///
///     const bounds::Findings found = bounds::evaluate({{"errors", 3}, {"n", 100}, {"delta", 0.05}});
///     found.bounds[found.best].limits.upper;  // 0.0757, by Clopper and Pearson
namespace credence::bounds {

/// A number that bounds are computed from.
struct Quantity {
  std::string_view name;     ///< "n"
  std::string_view meaning;  ///< in one sentence, for a help text
  bool whole = false;
  double least = 0;  ///< allowed values; with `open`, neither end is allowed
  double most = std::numeric_limits<double>::infinity();
  bool open = false;
  std::optional<double> usual{};  ///< the value if none is given
  bool of_training = false;       ///< given only if the loss is on the rows that the classifier was chosen on

  /// What is wrong with a value: "2 does not lie between 0 and 1"; empty if nothing.
  std::string problem(double value) const;
};

/// Values of quantities by name.
using Sample = std::map<std::string, double, std::less<>>;
/// Returns a field for each quantity, which reads and sets its value in the sample. The sample must outlive the fields.
std::vector<core::Field> fields_of(Sample& sample);

struct Limits {
  std::optional<double> upper;  ///< none if there are too few rows for a limit
  std::optional<double> lower{};

  bool vacuous() const { return !upper || *upper >= 1; }
};

/// One row of the registry. Unless it needs a quantity that is `of_training`, a bound takes the loss on rows that the
/// classifier has not seen.
struct Bound {
  std::string_view name;
  std::string_view title;
  std::array<std::string_view, 6> needs;  ///< names of quantities; the rest is empty
  Limits (*limits)(const Sample& sample);
  std::string_view reason{};       ///< why it is the one to use; empty if it never is
  std::string_view better_with{};  ///< a quantity that makes a better bound applicable
  std::string_view none{};         ///< why there may be no limit

  bool needs_one(std::string_view quantity) const;
};

std::span<const Quantity> quantities();
std::span<const Bound> bounds();

struct Finding {
  const Bound* bound = nullptr;
  Limits limits;
};

struct Findings {
  Sample sample;          ///< what was given, and what follows from it: the usual values, and the loss of the errors
  bool training = false;  ///< the rows are those that the classifier was chosen on
  std::vector<Finding> bounds;
  std::size_t best = 0;  ///< the one to use
};

/// Returns every bound whose quantities are all given.
/// @param given  in the ranges of the quantities; errors at most n
/// @throws Error invalid_argument if no bound has what it needs, a name is unknown, or as the bounds' own functions
Findings evaluate(Sample given);

/// Returns the name of the quantity that must be given too before a bound uses this one; empty if nothing is missing.
std::string_view missing_for(std::string_view quantity, const Sample& given);

}  // namespace credence::bounds
