#include <cmath>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/model/sigmoid.hpp"
#include "selection/choose/choose.hpp"
#include "selection/judge/predictions.hpp"

namespace credence::selection {
namespace {

using core::nan;

/// Pooled losses of settings on weighted places.
class PooledLosses {
 public:
  PooledLosses(const Predictions& predictions, std::span<const std::size_t> settings, const core::Context& context)
      : predictions_(predictions), margins_(predictions.basis == ScoreBasis::margins ? predictions.settings : 0) {
    if (predictions.basis == ScoreBasis::losses) by_place_ = losses_of(predictions);
    if (margins_.empty()) return;
    context.threads.for_each(settings.size(),
                             [&](std::size_t k) { margins_[settings[k]] = sorted(predictions, settings[k]); });
  }
  /// Of a grid of one setting, whose score is not made of losses.
  explicit PooledLosses(const Predictions& one) : predictions_(one) {
    if (one.basis == ScoreBasis::margins) margins_.push_back(sorted(one, 0));
  }

  /// Of some settings; the losses of the others have no meaning.
  std::vector<double> of_each(std::span<const std::size_t> settings, std::span<const double> weights) const {
    if (predictions_.basis == ScoreBasis::losses) return means(weights);
    std::vector<double> losses(predictions_.settings, nan);
    for (const std::size_t setting : settings) losses[setting] = of(setting, weights);
    return losses;
  }

  /// NaN where the score is undefined.
  double of(std::size_t setting, std::span<const double> weights) const {
    if (predictions_.basis == ScoreBasis::losses) return mean(setting, weights);
    if (predictions_.basis == ScoreBasis::margins) {
      const SortedMargins& margins = margins_[setting];
      const OrderedPairs pairs =
          pairs_in_order(margins.order, margins.values.data(), predictions_.truth.data(), weights.data());
      return loss_of(predictions_.score, pairs.ordered / pairs.all);
    }
    LabelCounts counts(predictions_.classes);
    const std::uint16_t* const labels = predictions_.labels.data() + predictions_.at(setting, 0);
    for (std::size_t p = 0; p < weights.size(); ++p)
      if (weights[p] > 0) counts.add(static_cast<std::size_t>(predictions_.truth[p]), labels[p], weights[p]);
    return loss_of(predictions_.score, counts.score(predictions_.score));
  }

 private:
  struct SortedMargins {
    std::vector<double> values;
    std::vector<std::uint32_t> order;
  };

  static SortedMargins sorted(const Predictions& predictions, std::size_t setting) {
    SortedMargins margins{predictions.values(setting), {}};
    margins.order = ascending(margins.values);
    return margins;
  }

  /// (place, setting), setting fastest: sums over places then run along many settings at once.
  static std::vector<double> losses_of(const Predictions& predictions) {
    std::vector<double> losses(predictions.settings * predictions.places());
    for (std::size_t setting = 0; setting < predictions.settings; ++setting)
      for (std::size_t p = 0; p < predictions.places(); ++p)
        losses[p * predictions.settings + setting] = predictions.loss(setting, p);
    return losses;
  }

  std::vector<double> means(std::span<const double> weights) const {
    std::vector<double> sums(predictions_.settings, 0.0);
    double total = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      if (weights[p] == 0) continue;
      const double* const row = by_place_.data() + p * sums.size();
      for (std::size_t setting = 0; setting < sums.size(); ++setting) sums[setting] += weights[p] * row[setting];
      total += weights[p];
    }
    for (double& sum : sums) sum = total > 0 ? sum / total : nan;
    return sums;
  }

  double mean(std::size_t setting, std::span<const double> weights) const {
    double sum = 0;
    double total = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      sum += weights[p] * by_place_[p * predictions_.settings + setting];
      total += weights[p];
    }
    return total > 0 ? sum / total : nan;
  }

  const Predictions& predictions_;
  std::vector<SortedMargins> margins_;  ///< of each setting, where the score is made of margins
  std::vector<double> by_place_;        ///< where it is made of losses
};

/// Chooses a setting, or the members of an average, on the drawn rows and judges the choice on the others.
class ResampledChoice {
 public:
  /// @param position  of each place's row among the rows that were held out
  ResampledChoice(const Predictions& predictions, std::span<const std::size_t> preference, Rule rule,
                  std::vector<std::size_t> position, std::vector<double> share, const core::Context& context)
      : predictions_(predictions),
        preference_(preference),
        rule_(rule),
        position_(std::move(position)),
        share_(std::move(share)),
        pooled_(predictions, preference, context) {}

  double operator()(std::span<const std::uint32_t> drawn) const {
    std::vector<double> chooses(predictions_.places());
    std::vector<double> judges(predictions_.places());
    for (std::size_t p = 0; p < predictions_.places(); ++p) {
      const std::uint32_t times = drawn[position_[p]];
      chooses[p] = times * share_[p];
      judges[p] = times == 0 ? share_[p] : 0;
    }
    const std::vector<double> losses = pooled_.of_each(preference_, chooses);
    const auto error_of = [&](std::size_t setting) { return standard_error(setting, chooses); };
    if (rule_ == Rule::average)
      return loss_of_average(averaged_members(losses, preference_, error_of), chooses, judges);
    const auto chosen = chosen_by(rule_, losses, preference_, error_of);
    return chosen ? pooled_.of(*chosen, judges) : nan;
  }

 private:
  double loss_of_average(std::span<const std::size_t> members, std::span<const double> chooses,
                         std::span<const double> judges) const {
    if (members.empty()) return nan;
    const bool by_sigmoid = predictions_.score == Score::log_loss;  // which is fitted to the places that choose
    Predictions average = averaged(predictions_, members, by_sigmoid ? std::span<const double>{} : judges);
    if (by_sigmoid) judge_by_one_sigmoid(chooses, average);
    if (average.basis != ScoreBasis::losses) return PooledLosses(average).of(0, judges);
    double sum = 0;  // of each resample: a table of the losses would cost more than they do
    double total = 0;
    for (std::size_t p = 0; p < average.places(); ++p) {
      if (judges[p] == 0) continue;
      sum += judges[p] * average.loss(0, p);
      total += judges[p];
    }
    return total > 0 ? sum / total : nan;
  }

  /// Makes log losses, by the sigmoid that is fitted to the places with weights.
  static void judge_by_one_sigmoid(std::span<const double> weights, Predictions& one) {
    std::vector<double> margins;
    std::vector<int> labels;
    std::vector<double> counts;
    for (std::size_t p = 0; p < one.places(); ++p) {
      if (!(weights[p] > 0)) continue;
      margins.push_back(one.margin(0, p));
      labels.push_back(one.truth[p]);
      counts.push_back(weights[p]);
    }
    const model::Sigmoid sigmoid = model::fit_sigmoid(margins, labels, counts);
    for (std::size_t p = 0; p < one.places(); ++p)
      one.log_losses.push_back(sigmoid.log_loss(one.margin(0, p), one.truth[p]));
  }

  double standard_error(std::size_t setting, std::span<const double> weights) const {
    if (predictions_.by_rows) return error_over_rows(predictions_, setting, weights);
    std::vector<double> losses;
    for (std::size_t r = 0; r < predictions_.resamples(); ++r)
      losses.push_back(loss_of_sums(predictions_.score, predictions_.sums_in(setting, r, weights)));
    Setting spread;
    set_spread(losses, spread);
    return spread.error_se;
  }

  const Predictions& predictions_;
  std::span<const std::size_t> preference_;
  Rule rule_;
  std::vector<std::size_t> position_;
  std::vector<double> share_;  ///< of its row's weight, for each place
  PooledLosses pooled_;
};

}  // namespace

HonestEstimate bbc_of_scores(const Predictions& predictions, std::size_t row_count,
                             std::span<const std::size_t> preference, Rule rule, std::span<const int> groups,
                             const BbcOptions& options, const core::Context& context) {
  if (preference.empty()) refuse("there is no setting to choose from");
  const std::vector<std::uint32_t> times = predictions.times(row_count);
  std::vector<std::size_t> position_of_row(row_count, 0);
  std::vector<int> judged_groups;
  std::size_t judged = 0;
  for (std::size_t row = 0; row < row_count; ++row) {
    position_of_row[row] = judged;
    if (times[row] == 0) continue;
    ++judged;
    if (!groups.empty()) judged_groups.push_back(groups[row]);
  }
  std::vector<std::size_t> position;
  std::vector<double> share;
  for (const std::uint32_t row : predictions.rows) {
    position.push_back(position_of_row[row]);
    share.push_back((predictions.weights.empty() ? 1.0 : predictions.weights[share.size()]) / times[row]);
  }
  const ResampledChoice choice(predictions, preference, rule, std::move(position), std::move(share), context);
  return bootstrap_bias_corrected(judged, judged_groups, choice, options, context);
}

}  // namespace credence::selection
