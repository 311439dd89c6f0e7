#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "credence/svm/ivanov.hpp"

namespace credence::svm {
namespace {

/// Walks over the kinks of the sum of clipped hinge losses from the left and keeps the best.
class KinkWalk {
 public:
  /// @param value  loss far to the left  @param equal  values this close count as equal, because sums carry rounding
  KinkWalk(double value, double equal, double preferred) : value_(value), equal_(equal), preferred_(preferred) {}

  void pass(double where, double change_of_slope) {
    if (slope_ != 0) value_ += slope_ * (where - last_);
    const bool nearer = std::abs(where - preferred_) < std::abs(best_ - preferred_);
    if (none_ || value_ < least_ - equal_ || (value_ <= least_ + equal_ && nearer)) {
      least_ = none_ ? value_ : std::min(least_, value_);
      best_ = where;
      none_ = false;
    }
    last_ = where;
    slope_ += change_of_slope;
  }
  double best() const { return none_ ? preferred_ : best_; }

 private:
  double value_;
  double equal_;
  double preferred_;
  double slope_ = 0;
  double last_ = 0;
  double least_ = 0;
  double best_ = 0;
  bool none_ = true;
};

}  // namespace

/// As the bias grows, the loss of a row with label +1 falls from bias -1 - o to bias 1 - o with slope -1 and is
/// constant elsewhere; the loss of a row with label -1 rises there with slope 1. Far to the left the loss is 2 n+. Each
/// list of kinks is the list of negated offsets, shifted by -1 or +1, so one sort serves both.
double best_bias(std::span<const int> labels, std::span<const double> offsets, double preferred) {
  std::vector<std::pair<double, double>> rows;  // minus the offset, slope between the kinks
  rows.reserve(labels.size());
  double value = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    rows.emplace_back(-offsets[i], labels[i] > 0 ? -1.0 : 1.0);
    value += labels[i] > 0 ? 2 : 0;
  }
  std::ranges::sort(rows);
  KinkWalk walk(value, 1e-12 * static_cast<double>(labels.size() + 1), preferred);
  for (std::size_t begun = 0, ended = 0; ended < rows.size();) {
    if (begun < rows.size() && rows[begun].first - 1 <= rows[ended].first + 1) {
      walk.pass(rows[begun].first - 1, rows[begun].second);
      ++begun;
    } else {
      walk.pass(rows[ended].first + 1, -rows[ended].second);
      ++ended;
    }
  }
  return walk.best();
}

}  // namespace credence::svm
