#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/measure.hpp"
#include "credence/conformal/online.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/data/dataset.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/json.hpp"
#include "report/rows/familiarity_report.hpp"

/// On-line prediction: errors and prediction sets beside the line that errors follow.
namespace credence::report {

/// Prediction sets at one level, counted over the steps so far.
struct RunningCounts {
  std::size_t errors = 0;
  std::size_t empty = 0;
  std::size_t multiple = 0;
  std::size_t classes = 0;  ///< in all prediction sets

  void add(const conformal::OnlineStep& step, double significance) {
    const auto size = static_cast<std::size_t>(
        std::ranges::count_if(step.p_value, [&](double p) { return conformal::in_set(p, significance); }));
    errors += is_error(step, significance) ? 1U : 0U;
    empty += size == 0 ? 1U : 0U;
    multiple += size > 1 ? 1U : 0U;
    classes += size;
  }
  static bool is_error(const conformal::OnlineStep& step, double significance) {
    return !conformal::in_set(step.p_value[static_cast<std::size_t>(step.truth)], significance);
  }
};

/// Where the counts of all levels stood after t steps.
struct OnlineMark {
  std::size_t t = 0;
  std::vector<RunningCounts> levels;
};

/// What on-line prediction came to.
struct OnlineCourse {
  std::vector<OnlineMark> checkpoints;  ///< ten, the last after all rows
  std::size_t label_errors = 0;
  std::optional<FamiliarityTally> familiarity{};  ///< of the rows before each; none where steps have none
  data::DenseMatrix p_values;                     ///< of each row; empty without limits
  std::string csv;
};

/// What was asked for.
struct OnlineRun {
  std::string source;
  conformal::NeighbourOptions neighbours;
  conformal::PValueOptions p_values;
  bool shuffled = false;
  std::vector<double> levels;
  LimitsAsked limits{};
  Cost cost{};
};

/// Counts the steps of on-line prediction, and writes each as a line of CSV if that is wanted.
class OnlineRecorder {
 public:
  /// The data set, in the order in which it is learnt, and the run must outlive the recorder.
  OnlineRecorder(const data::Dataset& dataset, const OnlineRun& run, bool with_csv);
  void add(const conformal::OnlineStep& step);
  const OnlineCourse& course() const { return course_; }

 private:
  void append_csv(const conformal::OnlineStep& step);

  const data::Dataset& dataset_;
  const OnlineRun& run_;
  bool with_csv_;
  std::size_t t_ = 0;
  std::vector<RunningCounts> counts_;
  std::vector<std::string> spellings_;
  OnlineCourse course_;
};

/// What limits hold rows against: at the end, all rows but one.
ComparedRows online_compared(const data::Dataset& dataset);
Story online_story(const OnlineCourse& course, const data::Dataset& dataset, const OnlineRun& run);
Json online_json(const OnlineCourse& course, const data::Dataset& dataset, const OnlineRun& run);

}  // namespace credence::report
