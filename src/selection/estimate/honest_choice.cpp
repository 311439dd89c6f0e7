#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"
#include "credence/model/sigmoid.hpp"
#include "credence/selection/honest_choice.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/choose/choose.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/resample/error_weights.hpp"

namespace credence::selection {

namespace {

/// Fitted to the out-of-sample margins of a classifier of two classes, or of one region of it.
model::Sigmoid sigmoid_of(const model::Calibration& calibration) {
  const std::vector<double>& scores = calibration.nonconformity_scores;
  const auto margin = [&](std::size_t i) { return calibration.labels[i] == 1 ? -scores[i] : scores[i]; };
  return model::fit_sigmoid(core::made(scores.size(), margin), calibration.labels);
}

void check_outer_scores(const model::Prediction& prediction, const data::Dataset& test, Score score) {
  if (prediction.score.rows == test.rows()) return;
  refuse(fmt::format("the {} needs scores of the classes, which a choice among several models does not have",
                     title(score)));
}

std::vector<double> outer_log_losses(const Options& options, const model::Predictor& predictor,
                                     const model::Prediction& prediction, const data::Dataset& test) {
  const bool probabilities = options.learner() == Learner::rvm;
  if (!probabilities && predictor.calibration.empty())
    refuse("the log loss of an SVM needs scores of rows left out, and the selection keeps none");
  check_outer_scores(prediction, test, Score::log_loss);
  std::vector<model::Sigmoid> sigmoids;  // of each region, or of all rows
  if (!probabilities)
    for (const model::Calibration& own : model::by_region(predictor.calibration))
      sigmoids.push_back(sigmoid_of(own.empty() ? predictor.calibration : own));
  return core::made(test.rows(), [&](std::size_t i) {
    const auto scores = prediction.score.row(i);
    const std::size_t region = sigmoids.size() < 2 ? 0 : static_cast<std::size_t>(prediction.region_of[i]);
    return probabilities ? rvm::log_loss_of_scores(scores, test.labels[i])
                         : sigmoids[region].log_loss(scores[1], test.labels[i]);
  });
}

}  // namespace

std::vector<double> outer_losses(const Options& options, const model::Predictor& predictor,
                                 const model::Prediction& prediction, const data::Dataset& test) {
  if (options.score == Score::log_loss) return outer_log_losses(options, predictor, prediction, test);
  const model::DecisionCosts costs = label_costs(options, test.schema.classes);
  return core::made(test.rows(), [&](std::size_t i) { return costs.at(test.labels[i], prediction.label[i]); });
}

ScoreSums outer_sums(const Options& options, const model::Predictor& predictor, const model::Prediction& prediction,
                     const data::Dataset& test) {
  const Score score = options.score;
  if (is_mean_loss(score)) return sums_of_losses(outer_losses(options, predictor, prediction, test), test.weights);
  if (score == Score::roc_auc) {
    check_outer_scores(prediction, test, score);
    const auto margins = core::made(test.rows(), [&](std::size_t i) { return prediction.score.row(i)[1]; });
    return sums_of_margins(margins, test.labels, test.weights);
  }
  LabelCounts counts(test.class_count());
  for (std::size_t i = 0; i < test.rows(); ++i) {
    counts.add(static_cast<std::size_t>(test.labels[i]), static_cast<std::size_t>(prediction.label[i]),
               test.weights.empty() ? 1 : test.weights[i]);
  }
  return counts.sums();
}

namespace {

using core::nan;

void check_sizes(const LossTable& losses, const std::vector<std::string>& names, std::span<const int> groups) {
  std::vector<std::string> problems;
  if (losses.settings == 0) problems.emplace_back("there is no candidate to choose from");
  if (losses.values.size() != losses.rows * losses.settings || names.size() != losses.settings) {
    problems.push_back(fmt::format("{} losses and {} names do not fit a table of {} rows and {} candidates",
                                   losses.values.size(), names.size(), losses.rows, losses.settings));
  }
  if (!groups.empty() && groups.size() != losses.rows)
    problems.push_back(fmt::format("there are {} rows, but groups for {}", losses.rows, groups.size()));
  std::set<std::string> met;
  const auto twice = std::ranges::find_if(names, [&](const std::string& name) { return !met.insert(name).second; });
  if (twice != names.end()) problems.push_back(fmt::format("two candidates are called '{}'", *twice));
  throw_if_any(problems);
}

void check_finite(const LossTable& losses, const std::vector<std::string>& names) {
  const auto bad = std::ranges::find_if(losses.values, [](float loss) { return std::isinf(loss); });
  if (bad == losses.values.end()) return;
  const auto at = static_cast<std::size_t>(bad - losses.values.begin());
  refuse_data(fmt::format("candidate '{}', row {}: the loss is not a finite number", names[at % losses.settings],
                          at / losses.settings + 1));
}

/// Losses summed over what is drawn together: rows, or groups of them.
class Units {
 public:
  /// Numbers the groups from 0 on without gaps.
  Units(std::size_t rows, std::span<const int> groups) : unit_(rows), units_(rows) {
    if (groups.empty()) {
      std::iota(unit_.begin(), unit_.end(), std::size_t{0});
      return;
    }
    std::vector<int> codes(groups.begin(), groups.end());
    std::ranges::sort(codes);
    codes.erase(std::ranges::unique(codes).begin(), codes.end());
    units_ = codes.size();
    for (std::size_t i = 0; i < rows; ++i)
      unit_[i] = static_cast<std::size_t>(std::ranges::lower_bound(codes, groups[i]) - codes.begin());
  }

  /// For each unit with a row that counts, the sum of its values times units / rows: their mean is that of the rows.
  /// @param value  of a row; NaN: the row does not count
  template <class Value>
  std::vector<double> scaled_sums(Value value) const {
    std::vector<double> sums(units_, nan);
    std::size_t rows = 0;
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      const double one = value(i);
      if (std::isnan(one)) continue;
      double& sum = sums[unit_[i]];
      sum = std::isnan(sum) ? one : sum + one;
      ++rows;
    }
    std::erase_if(sums, [](double sum) { return std::isnan(sum); });
    if (sums.size() == rows) return sums;
    const double scale = static_cast<double>(sums.size()) / static_cast<double>(rows);
    for (double& sum : sums) sum *= scale;
    return sums;
  }

 private:
  std::vector<std::size_t> unit_;
  std::size_t units_ = 0;
};

JudgedCandidate judged(const LossTable& losses, const Units& units, std::size_t candidate, const std::string& name) {
  JudgedCandidate one{.name = name, .rows = 0, .loss = nan, .standard_error = nan, .within_one_se = false, .test = {}};
  double sum = 0;
  for (std::size_t i = 0; i < losses.rows; ++i) {
    const float loss = losses.row(i)[candidate];
    if (std::isnan(loss)) continue;
    sum += static_cast<double>(loss);
    ++one.rows;
  }
  if (one.rows == 0) return one;
  one.loss = sum / static_cast<double>(one.rows);
  // Around the mean, so that a group of many rows is no outlier for being large.
  const std::vector<double> sums =
      units.scaled_sums([&](std::size_t i) { return static_cast<double>(losses.row(i)[candidate]) - one.loss; });
  if (sums.size() > 1) one.standard_error = deviation(sums) / std::sqrt(static_cast<double>(sums.size()));
  return one;
}

/// The loss of one candidate minus that of the other, on the rows that both judged.
std::optional<PairedTest> test_of(const LossTable& losses, const Units& units, std::size_t one, std::size_t other) {
  const auto both = [&](std::size_t i, std::size_t which) {
    return std::isnan(losses.row(i)[one + other - which]) ? nan : static_cast<double>(losses.row(i)[which]);
  };
  const std::vector<double> first = units.scaled_sums([&](std::size_t i) { return both(i, one); });
  const std::vector<double> second = units.scaled_sums([&](std::size_t i) { return both(i, other); });
  if (first.size() < 2) return std::nullopt;
  return corrected_resampled_t_test(first, second, 1 / (static_cast<double>(first.size()) - 1));
}

void add_warnings(HonestChoice& found) {
  const JudgedCandidate& chosen = found.candidates[found.chosen];
  if (chosen.rows < found.rows) {
    found.warnings.push_back(fmt::format(
        "'{}' was chosen on {} of the {} rows: a candidate that judged fewer rows can win by the luck of these",
        chosen.name, chosen.rows, found.rows));
  }
  if (found.estimate.lower) {
    if (found.groups > 0 && found.zero_one && found.estimate.error == 0) {
      found.warnings.emplace_back(
          "no group has an error, so the losses do not tell how much the rows of a group depend on each other: each "
          "group counts as one trial at most in the interval");
    }
  } else if (found.stopped == core::StopReason::none) {
    found.warnings.emplace_back(found.groups > 0 ? "there is no interval: fewer than ten groups were judged, or all "
                                                   "draws agree"
                                                 : "there is no interval: all draws agree");
  }
}

}  // namespace

HonestChoice honest_choice(const LossTable& losses, const std::vector<std::string>& names, std::span<const int> groups,
                           const std::string& score, const HonestOptions& options, const core::Context& context) {
  const core::Stopwatch watch;
  HonestOptions checked = options;
  throw_if_any(core::problems_of(core::fields_of(checked)));
  check_sizes(losses, names, groups);
  check_finite(losses, names);
  HonestChoice found;
  found.score = score;
  found.options = options;
  found.version = version();
  found.zero_one =
      std::ranges::all_of(losses.values, [](float loss) { return std::isnan(loss) || loss == 0.0F || loss == 1.0F; });
  const Units units(losses.rows, groups);
  std::vector<double> means;
  for (std::size_t c = 0; c < losses.settings; ++c) {
    found.candidates.push_back(judged(losses, units, c, names[c]));
    means.push_back(found.candidates.back().loss);
  }
  const std::vector<std::size_t> order = core::numbers_below(losses.settings);
  const auto best = smallest(means, order);
  if (!best) refuse_data("no candidate has a loss on any row");
  found.chosen = *best;
  for (const std::size_t c : within_reach(means, order, [&](std::size_t setting) {
         const double spread = found.candidates[setting].standard_error;
         return std::isnan(spread) ? 0.0 : spread;
       }))
    found.candidates[c].within_one_se = true;
  for (std::size_t c = 0; c < losses.settings; ++c)
    if (c != *best) found.candidates[c].test = test_of(losses, units, c, *best);
  std::set<int> met;
  for (std::size_t i = 0; i < losses.rows; ++i) {
    const std::span<const float> row(losses.row(i), losses.settings);
    if (std::ranges::all_of(row, [](float loss) { return std::isnan(loss); })) continue;
    ++found.rows;
    if (!groups.empty()) met.insert(groups[i]);
  }
  found.groups = met.size();
  const BbcOptions bbc{.resamples = static_cast<std::size_t>(options.resamples),
                       .delta = 1 - options.confidence,
                       .seed = options.seed,
                       .bounded = found.zero_one};
  found.estimate = bbc_of_smallest_loss(losses, order, groups, bbc, context);
  found.estimate.score = score;
  found.stopped = context.monitor.stop_reason();
  add_warnings(found);
  found.seconds = watch.seconds();
  return found;
}

}  // namespace credence::selection
