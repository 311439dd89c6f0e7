#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/core/context.hpp"
#include "report/json.hpp"
#include "selfcheck/check.hpp"

namespace credence::selfcheck {

/// The probability with which a run says that some proved promise is broken although none is.
inline constexpr double false_alarm = 0.001;

struct Request {
  bool quick = false;
  std::uint64_t seed = 0;
};

/// What was counted at one level.
struct LevelResult {
  double level = 0;
  double nominal = 0;
  std::size_t count = 0;  ///< values at most the level
  double share = 0;
  bounds::Interval interval;  ///< of the share, at 95 %
  double p_value = 1;         ///< of the promise; 1 where nothing is proved
  bool broken = false;        ///< by Holm's rule over the whole run
};

/// All values of a check in one setting.
struct Line {
  std::string problem;
  std::size_t n = 0;
  std::size_t trials = 0;
  std::size_t values = 0;
  std::vector<LevelResult> levels;
  /// Kolmogorov-Smirnov test of the whole curve, if the check has one; its nominal and share are 0.
  std::optional<LevelResult> curve;
  /// The sentence of the first trial that threw an Error: the line is broken, whatever it promises.
  std::string error;

  bool broken() const;
  /// The level that tables show: 0.1, or else the first.
  const LevelResult& shown() const;
  /// The smallest p-value of the line, of all levels and the curve.
  double smallest_p_value() const;
};

struct CheckResult {
  std::string name;
  std::string what;
  std::string source;
  Promise promise = Promise::conservative;
  std::vector<Line> lines;
};

struct Report {
  std::vector<CheckResult> checks;
  std::size_t tests = 0;  ///< of proved promises, over which Holm's rule goes
  std::uint64_t seed = 0;
  bool quick = false;
  int threads = 0;
  double seconds = 0;

  std::size_t lines() const;
  std::size_t broken() const;  ///< lines
};

/// Runs every check in all its settings. Results depend on the seed alone; the trials of a check do not depend on which
/// other checks run.
/// @throws Error interrupted if the monitor says stop
Report run(const std::vector<Check>& checks, const Request& request, const core::Context& context);

/// P(Bin(n, p) >= count), and for an exact promise twice the smaller tail.
double p_value_of(Promise promise, std::size_t count, std::size_t n, double nominal);
/// Marks what Holm's rule rejects at the level `false_alarm` over all results of proved promises.
void judge(Report& report);

const char* word(Promise promise);
std::string report_text(const Report& report);
report::Json report_json(const Report& report);
/// The names of the checks and what they hold against what, one a line.
std::string list_text(const std::vector<Check>& checks);
/// The checks with these names, with commas; all if the list is empty. A name may end with * and stands for all that
/// start so. @throws Error invalid_argument that names the checks there are
std::vector<Check> chosen(std::vector<Check> all, const std::string& names);

}  // namespace credence::selfcheck
