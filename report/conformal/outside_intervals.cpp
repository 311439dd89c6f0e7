#include "report/conformal/outside_intervals.hpp"

#include <fmt/format.h>

#include "report/evaluation/warnings.hpp"

namespace credence::report {

MissLimits miss_limits_of(const OutsideIntervals& found) {
  return found.alike ? miss_limits({}, {found.compared}, {}, found.levels) : MissLimits{};
}

std::vector<std::string> warnings_of(const OutsideIntervals& found) {
  return interval_warnings(found.units, found.levels);
}

std::string outside_intervals_table(const OutsideIntervals& found) {
  return named_line(
             "rows",
             fmt::format("{}; compared with {}{}", found.p.size(), found.compared,
                         found.units == found.compared ? "" : fmt::format(" of {}", count_of(found.units, "group")))) +
         interval_table(interval_coverage(found.p, found.intervals, found.levels));
}

Json outside_intervals_json(const OutsideIntervals& found, const data::Dataset& dataset,
                            const std::vector<double>& targets, const std::vector<double>& predictions) {
  return Json::object("kind"_key = "conformal intervals", "n"_key = dataset.rows(),
                      "compared_with"_key = found.compared,
                      "smallest_p_value"_key = 1 / static_cast<double>(found.units + 1), "target"_key = found.target,
                      "prediction"_key = found.prediction, "difficulty"_key = found.difficulty, "beta"_key = found.beta,
                      "guarantee"_key = found.guarantee, "may_miss"_key = miss_limits_json(miss_limits_of(found)),
                      "levels"_key = interval_levels_json(found.p, found.intervals, found.levels),
                      "calibration"_key = found.p.empty() ? Json(nullptr) : interval_calibration_json(found.p),
                      "sample"_key = interval_sample_json(dataset, targets, predictions, found.intervals),
                      "warnings"_key = warnings_of(found));
}

}  // namespace credence::report
