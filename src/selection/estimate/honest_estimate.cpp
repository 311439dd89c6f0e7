#include "credence/selection/honest_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bounds/distributions.hpp"
#include "core/numbers.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/bounds/quantile.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "selection/choose/choose.hpp"
#include "selection/judge/predictions.hpp"

namespace credence::selection {
namespace {

using core::nan;

/// Purpose of the first resample's stream; each resample has one of its own. Changing it changes everyone's estimates.
constexpr std::uint64_t first_purpose = 0x4242'4300'0000'0000;

/// Draws with replacement, as many units (groups, or rows of their own) as there are.
class Drawing {
 public:
  Drawing(std::size_t rows, std::span<const int> groups) : rows_(core::numbers_below(rows)) {
    if (!groups.empty()) std::ranges::stable_sort(rows_, {}, [&](std::size_t row) { return groups[row]; });
    for (std::size_t i = 1; i <= rows; ++i)
      if (i == rows || groups.empty() || groups[rows_[i]] != groups[rows_[i - 1]]) starts_.push_back(i);
  }

  std::size_t units() const { return starts_.size() - 1; }
  /// How often each row is drawn; at least one is not.
  std::vector<std::uint32_t> draw(std::uint64_t seed, std::size_t resample) const {
    core::RandomStream random(seed, first_purpose + resample);
    std::vector<std::uint32_t> counts(units());
    do {
      std::ranges::fill(counts, 0);
      for (std::size_t i = 0; i < units(); ++i) ++counts[static_cast<std::size_t>(random.below(units()))];
    } while (std::ranges::find(counts, 0U) == counts.end());
    std::vector<std::uint32_t> drawn(rows_.size());
    for (std::size_t unit = 0; unit < units(); ++unit)
      for (std::size_t i = starts_[unit]; i < starts_[unit + 1]; ++i) drawn[rows_[i]] = counts[unit];
    return drawn;
  }

 private:
  std::vector<std::size_t> rows_;       ///< unit after unit
  std::vector<std::size_t> starts_{0};  ///< of each unit, and the end
};

void check_options(const BbcOptions& options) {
  std::vector<std::string> problems;
  if (options.resamples < 2)
    problems.push_back(fmt::format("bootstrap bias correction needs at least 2 resamples, not {}", options.resamples));
  if (!(options.delta > 0 && options.delta < 1))
    problems.push_back(fmt::format("delta must lie between 0 and 1, both excluded; it is {}", options.delta));
  if (!(options.worth > 0 && options.worth <= 1))
    problems.push_back(fmt::format("a row is worth more than 0 trials and at most 1, not {}", options.worth));
  throw_if_any(problems);
}

void check_drawn_groups(std::size_t rows, std::span<const int> groups) {
  if (!groups.empty() && groups.size() != rows)
    refuse(fmt::format("there are {} rows, but group codes for {}", rows, groups.size()));
}

void check_units(const Drawing& drawing, bool grouped) {
  if (drawing.units() < 2) {
    refuse(fmt::format("bootstrap bias correction needs at least 2 {}, but has {}", grouped ? "groups" : "rows",
                       drawing.units()));
  }
}

/// Fewer groups have too few different draws for percentiles.
constexpr std::size_t least_units = 10;

/// What is drawn from.
struct Sample {
  std::size_t rows = 0;
  std::size_t units = 0;  ///< groups, or rows
  bool grouped = false;
};

double variance(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

/// Share of m units that a draw leaves out, given that it leaves one out.
double share_left_out(std::size_t m) {
  const auto units = static_cast<double>(m);
  const double none = std::exp(core::log_gamma(units + 1) - units * std::log(units));  // m! / m^m
  return std::pow(1 - 1 / units, units) / (1 - none);
}

/// A mean over a share q of the units, drawn without replacement, has (1 - q) / q times the variance of the mean over
/// all.
double trials_of(double error, std::span<const double> losses, const Sample& sample, const BbcOptions& options) {
  if (!sample.grouped || options.of_copies) return options.worth * static_cast<double>(sample.units);
  const double q = share_left_out(sample.units);
  return options.worth * bounds::effective_trials(std::clamp(error, 0.0, 1.0), variance(losses, error) * q / (1 - q),
                                                  sample.units, sample.rows, options.delta);
}

/// The estimate from the losses of resamples; those that are NaN were not made or say nothing.
HonestEstimate estimate_from(std::vector<double> losses, const Sample& sample, const BbcOptions& options) {
  std::erase_if(losses, [](double loss) { return std::isnan(loss); });
  // Summed in the order of resamples: the same on any number of threads. 0 / 0 is NaN.
  HonestEstimate estimate{.method = "bbc",
                          .error = core::mean_of(losses),
                          .delta = options.delta,
                          .resamples = losses.size(),
                          .rows = sample.rows};
  if (losses.size() < 2) return estimate;
  if (options.bounded) {
    const bool clustered = sample.grouped && !options.of_copies;
    add_binomial_ends(trials_of(estimate.error, losses, sample, options), clustered, estimate);
  } else if (!sample.grouped || sample.units >= least_units) {
    std::ranges::sort(losses);
    if (losses.front() == losses.back()) return estimate;
    estimate.interval = "percentile";
    estimate.lower = bounds::quantile(losses, options.delta / 2);
    estimate.upper = bounds::quantile(losses, 1 - options.delta / 2);
    estimate.error = std::clamp(estimate.error, *estimate.lower, *estimate.upper);
  }
  return estimate;
}

/// The loss table of the rows that have any loss.
LossTable judged_rows(const LossTable& losses, std::span<const int> groups, std::vector<int>& judged_groups) {
  LossTable judged(0, losses.settings);
  for (std::size_t i = 0; i < losses.rows; ++i) {
    const std::span<const float> row(losses.row(i), losses.settings);
    if (std::ranges::all_of(row, [](float loss) { return std::isnan(loss); })) continue;
    judged.values.insert(judged.values.end(), row.begin(), row.end());
    ++judged.rows;
    if (!groups.empty()) judged_groups.push_back(groups[i]);
  }
  return judged;
}

/// Chooses the setting with the smallest mean loss on the drawn rows and judges it on the others.
class SmallestLoss {
 public:
  SmallestLoss(const LossTable& losses, std::span<const std::size_t> preference)
      : losses_(losses),
        preference_(preference),
        gaps_(std::ranges::any_of(losses.values, [](float loss) { return std::isnan(loss); })) {}

  double operator()(std::span<const std::uint32_t> drawn) const {
    const std::optional<std::size_t> setting = smallest(gaps_ ? means_with_gaps(drawn) : sums(drawn), preference_);
    return setting ? loss_left_out(drawn, *setting) : nan;
  }

 private:
  /// Without gaps all settings have the same number of drawn rows: sums order them as means do.
  std::vector<double> sums(std::span<const std::uint32_t> drawn) const {
    std::vector<double> sums(losses_.settings, 0.0);
    double* const to = sums.data();
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (drawn[i] == 0) continue;
      const float* const row = losses_.row(i);
      const double times = drawn[i];
      for (std::size_t c = 0; c < sums.size(); ++c) to[c] += times * static_cast<double>(row[c]);
    }
    return sums;
  }

  /// NaN for settings without a drawn row. Equal quotients of whole numbers are equal doubles.
  std::vector<double> means_with_gaps(std::span<const std::uint32_t> drawn) const {
    std::vector<double> sums(losses_.settings, 0.0);
    std::vector<double> counts(losses_.settings, 0.0);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (drawn[i] == 0) continue;
      const float* const row = losses_.row(i);
      const double times = drawn[i];
      for (std::size_t c = 0; c < sums.size(); ++c) {
        const bool present = !std::isnan(row[c]);
        sums[c] += present ? times * static_cast<double>(row[c]) : 0.0;
        counts[c] += present ? times : 0.0;
      }
    }
    std::ranges::transform(sums, counts, sums.begin(), std::divides{});
    return sums;
  }

  double loss_left_out(std::span<const std::uint32_t> drawn, std::size_t setting) const {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const float loss = losses_.row(i)[setting];
      if (drawn[i] == 0 && !std::isnan(loss)) {
        sum += static_cast<double>(loss);
        ++count;
      }
    }
    return count == 0 ? nan : sum / static_cast<double>(count);
  }

  const LossTable& losses_;
  std::span<const std::size_t> preference_;
  bool gaps_;
};

void check_table(const LossTable& losses, std::span<const std::size_t> preference) {
  std::vector<std::string> problems;
  if (losses.values.size() != losses.rows * losses.settings) {
    problems.push_back(fmt::format("a table of {} rows and {} settings cannot hold {} losses", losses.rows,
                                   losses.settings, losses.values.size()));
  }
  if (preference.empty()) problems.emplace_back("there is no setting to choose from");
  const auto missing = std::ranges::find_if(preference, [&](std::size_t k) { return k >= losses.settings; });
  if (missing != preference.end())
    problems.push_back(fmt::format("setting {} is preferred, but there are only {}", *missing, losses.settings));
  throw_if_any(problems);
}

}  // namespace

void add_binomial_ends(double trials, bool clustered, HonestEstimate& estimate) {
  const double error = std::clamp(estimate.error, 0.0, 1.0);
  const bounds::Interval ends = bounds::binomial_interval(error * trials, trials, estimate.delta);
  estimate.interval = clustered ? "Korn-Graubard" : "binomial";
  estimate.trials = trials;
  estimate.lower = ends.lower;
  estimate.upper = ends.upper;
}

double trials_of_folds(std::span<const FoldErrors> folds, const HonestEstimate& estimate) {
  const auto excess = core::mapped(folds, [&](const FoldErrors& fold) {
    return static_cast<double>(fold.errors) - estimate.error * static_cast<double>(fold.rows);
  });
  return bounds::effective_trials(estimate.error, excess, estimate.rows, estimate.delta);
}

HonestEstimate estimate_of_folds(std::span<const FoldErrors> folds, bool whole_groups, double delta, double share) {
  HonestEstimate estimate{.method = "nested", .delta = delta, .resamples = folds.size()};
  std::size_t errors = 0;
  for (const FoldErrors& fold : folds) {
    errors += fold.errors;
    estimate.rows += fold.rows;
  }
  if (estimate.rows == 0) return estimate;
  const auto rows = static_cast<double>(estimate.rows);
  estimate.error = static_cast<double>(errors) / rows;
  if (!whole_groups)
    add_binomial_ends(worth_of_a_row_refitted * rows * share, false, estimate);
  else if (folds.size() > 1)
    add_binomial_ends(worth_of_a_row_refitted * trials_of_folds(folds, estimate), true, estimate);
  return estimate;
}

namespace {

/// Ends of Student's t from a value for each fold.
void add_student_ends(const std::vector<double>& values, HonestEstimate& estimate) {
  const double spread = deviation(values);
  if (!(spread > 0) || !std::isfinite(spread)) return;
  const auto count = static_cast<double>(values.size());
  const double error = spread / std::sqrt(count * worth_of_a_row_refitted);
  const double t = bounds::students_quantile(count - 1, estimate.delta / 2);
  estimate.interval = "Student t";
  estimate.lower = std::max(0.0, estimate.error - t * error);
  estimate.upper = estimate.error + t * error;
}

}  // namespace

HonestEstimate estimate_of_fold_means(std::span<const FoldMean> folds, double delta) {
  HonestEstimate estimate{.method = "nested", .score = "mean squared error", .delta = delta, .resamples = folds.size()};
  std::vector<double> values;
  for (const FoldMean& fold : folds) {
    estimate.rows += fold.rows;
    estimate.error += static_cast<double>(fold.rows) * fold.mean;
    values.push_back(fold.mean);
  }
  estimate.error /= static_cast<double>(estimate.rows);
  add_student_ends(values, estimate);
  return estimate;
}

HonestEstimate estimate_of_fold_scores(std::span<const FoldScore> folds, Score score, double delta) {
  HonestEstimate estimate{.method = "nested", .score = loss_title(score), .delta = delta};
  const std::vector<ScoreSums> parts = core::mapped(folds, &FoldScore::sums);
  const PooledLoss pooled = pooled_loss(score, parts);
  std::vector<double> values;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    if (std::isnan(loss_of_sums(score, parts[k]))) continue;
    ++estimate.resamples;
    estimate.rows += folds[k].rows;
    values.push_back(pooled.values[k]);
  }
  estimate.error = pooled.loss;
  add_student_ends(values, estimate);
  if (estimate.upper && !is_mean_loss(score)) estimate.upper = std::min(1.0, *estimate.upper);
  return estimate;
}

HonestEstimate bootstrap_bias_corrected(std::size_t rows, std::span<const int> groups, const ResampledRule& rule,
                                        const BbcOptions& options, const core::Context& context) {
  const core::Stopwatch stopwatch;
  check_options(options);
  check_drawn_groups(rows, groups);
  const Drawing drawing(rows, groups);
  check_units(drawing, !groups.empty());
  std::vector<double> losses(options.resamples, nan);
  context.monitor.expect(options.resamples);
  context.threads.for_each(options.resamples, [&](std::size_t resample) {
    if (context.monitor.should_stop()) return;
    losses[resample] = rule(drawing.draw(options.seed, resample));
    context.monitor.advance();
  });
  HonestEstimate estimate = estimate_from(std::move(losses), {rows, drawing.units(), !groups.empty()}, options);
  estimate.seconds = stopwatch.seconds();
  return estimate;
}

HonestEstimate bbc_of_smallest_loss(const LossTable& losses, std::span<const std::size_t> preference,
                                    std::span<const int> groups, const BbcOptions& options,
                                    const core::Context& context) {
  check_table(losses, preference);
  check_drawn_groups(losses.rows, groups);
  std::vector<int> judged_groups;
  const LossTable judged = judged_rows(losses, groups, judged_groups);
  return bootstrap_bias_corrected(judged.rows, judged_groups, SmallestLoss(judged, preference), options, context);
}

}  // namespace credence::selection
