#include "selection/judge/predictions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/numbers.hpp"
#include "credence/core/list.hpp"
#include "credence/model/members.hpp"
#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/resample/error_weights.hpp"

namespace credence::selection {

void ClassScores::append(const ClassScores& further) {
  if (!any() || !further.any() || first_ + further.first_ > 0) {
    *this = {};
    return;
  }
  settings_ += further.settings_;
  values_.insert(values_.end(), further.values_.begin(), further.values_.end());
}

namespace {

using core::nan;

}  // namespace

ScoreSums sums_of_losses(std::span<const double> losses, std::span<const double> weights) {
  ScoreSums sums(2, 0.0);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    sums[0] += weight * losses[i];
    sums[1] += weight;
  }
  return sums;
}

ScoreSums sums_of_margins(std::span<const double> margins, std::span<const int> labels,
                          std::span<const double> weights) {
  const OrderedPairs pairs =
      pairs_in_order(ascending(margins), margins.data(), labels.data(), weights.empty() ? nullptr : weights.data());
  return {pairs.ordered, pairs.all};
}

ScoreSums together(const ScoreSums& one, const ScoreSums& other) {
  if (one.empty()) return other;
  ScoreSums sums = one;
  for (std::size_t i = 0; i < other.size(); ++i) sums[i] += other[i];
  return sums;
}

double loss_of_sums(Score score, const ScoreSums& sums) {
  if (sums.empty()) return nan;
  if (sums.size() > 2) return loss_of(score, LabelCounts(sums).score(score));
  if (!(sums[1] > 0)) return nan;
  return score == Score::roc_auc ? 1 - sums[0] / sums[1] : sums[0] / sums[1];
}

PooledLoss pooled_loss(Score score, std::span<const ScoreSums> parts) {
  PooledLoss pooled;
  std::vector<std::size_t> counted;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!std::isnan(loss_of_sums(score, parts[k]))) counted.push_back(k);
  ScoreSums all;
  for (const std::size_t k : counted) all = together(all, parts[k]);
  pooled.loss = loss_of_sums(score, all);
  pooled.values.assign(parts.size(), nan);
  std::vector<double> without(parts.size(), nan);
  double mean = 0;
  for (const std::size_t k : counted) {
    ScoreSums others;
    for (const std::size_t j : counted)
      if (j != k) others = together(others, parts[j]);
    without[k] = loss_of_sums(score, others);
    mean += without[k] / static_cast<double>(counted.size());
  }
  const auto rest = static_cast<double>(counted.size()) - 1;
  for (const std::size_t k : counted)
    pooled.values[k] = counted.size() < 2 ? pooled.loss : pooled.loss + rest * (mean - without[k]);
  return pooled;
}

std::vector<std::uint32_t> JudgedPlaces::times(std::size_t n) const {
  std::vector<std::uint32_t> count(n, 0);
  for (const std::uint32_t row : rows) ++count[row];
  return count;
}

double Predictions::loss(std::size_t setting, std::size_t place) const {
  if (score == Score::log_loss) return log_losses[at(setting, place)];
  if (score == Score::cost) return label_costs.at(truth[place], int{labels[at(setting, place)]});
  if (truth.empty()) return scores[at(setting, place)] * scores[at(setting, place)];
  const double loss = soft ? svm::soft_loss(scores[at(setting, place)]) : error(setting, place) ? 1 : 0;
  return error_weights.empty() ? loss : error_weights[place] * loss;
}

std::vector<double> Predictions::values(std::size_t setting, std::size_t first, std::size_t count) const {
  return core::made(count, [&](std::size_t p) {
    return basis == ScoreBasis::margins ? margin(setting, first + p) : loss(setting, first + p);
  });
}

void Predictions::mean_scores(std::size_t place, std::span<const std::size_t> members, std::span<double> mean) const {
  std::ranges::fill(mean, 0);
  for (const std::size_t setting : members) {
    if (classes == 2) {
      mean[1] += double{static_cast<float>(model::clipped(margin(setting, place)))};
      continue;
    }
    const std::span<const float> own = class_scores.at(setting, place);
    for (std::size_t c = 0; c < classes; ++c) mean[c] += model::clipped(double{own[c]});
  }
  for (double& value : mean) value /= static_cast<double>(members.size());
  if (classes == 2) mean[0] = -mean[1];
}

ScoreSums Predictions::sums_in(std::size_t setting, std::size_t resample, std::span<const double> other) const {
  const std::size_t first = starts[resample];
  const std::size_t count = starts[resample + 1] - first;
  std::span<const double> own = other.empty() ? weights : other;
  if (!own.empty()) own = own.subspan(first, count);
  if (basis == ScoreBasis::losses) {
    ScoreSums sums(2, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = own.empty() ? 1 : own[i];
      sums[0] += weight * loss(setting, first + i);
      sums[1] += weight;
    }
    return sums;
  }
  if (basis == ScoreBasis::margins)
    return sums_of_margins(values(setting, first, count), std::span(truth).subspan(first, count), own);
  LabelCounts counts(classes);
  for (std::size_t i = 0; i < count; ++i)
    counts.add(static_cast<std::size_t>(truth[first + i]), labels[at(setting, first + i)], own.empty() ? 1 : own[i]);
  return counts.sums();
}

std::size_t Predictions::bytes_of(std::size_t places, std::size_t settings, std::size_t classes) {
  return places * settings * (sizeof(std::uint16_t) + sizeof(double) + (classes > 2 ? classes * sizeof(float) : 0));
}

bool compares_sums(const Options& options) {
  return options.score == Score::accuracy && options.rule_or_best() == Rule::best;
}

bool compares_scores(const Options& options) {
  if (options.rule == Rule::average) return true;
  if (options.score == Score::accuracy) return options.loss == Loss::soft || options.rule_or_best() != Rule::best;
  return options.score == Score::roc_auc || options.score == Score::log_loss;
}

namespace {

ScoreBasis basis_of(Score score) {
  if (score == Score::roc_auc) return ScoreBasis::margins;
  return score == Score::accuracy || is_mean_loss(score) ? ScoreBasis::losses : ScoreBasis::labels;
}

}  // namespace

Predictions room_for(const Options& options, std::span<const std::vector<std::size_t>> held_out,
                     std::span<const int> labels, std::span<const double> weights,
                     const std::vector<std::string>& classes, std::size_t settings, bool scored) {
  Predictions predictions{
      {options.score, basis_of(options.score), options.loss == Loss::soft, !options.traits().folds, classes.size()}};
  if (options.score == Score::cost) predictions.label_costs = label_costs(options, classes);
  for (const std::vector<std::size_t>& rows : held_out) {
    predictions.starts.push_back(predictions.places());
    for (const std::size_t row : rows) {
      predictions.rows.push_back(static_cast<std::uint32_t>(row));
      if (!labels.empty()) predictions.truth.push_back(labels[row]);
      if (!weights.empty() && options.score != Score::accuracy) predictions.weights.push_back(weights[row]);
    }
  }
  predictions.starts.push_back(predictions.places());
  predictions.settings = settings;
  predictions.labels.assign(settings * predictions.places(), 0);
  if (scored) predictions.scores.assign(settings * predictions.places(), 0);
  if (options.score == Score::log_loss) predictions.log_losses.assign(settings * predictions.places(), 0);
  return predictions;
}

void append(const Predictions& further, Predictions& predictions) {
  core::append(predictions.labels, further.labels);
  core::append(predictions.scores, further.scores);
  core::append(predictions.log_losses, further.log_losses);
  predictions.class_scores.append(further.class_scores);
  predictions.settings += further.settings;
}

RowsLoss loss_over_rows(const Predictions& predictions, std::size_t setting, std::span<const double> weights) {
  const std::size_t last = predictions.rows.empty() ? 0 : *std::ranges::max_element(predictions.rows);
  const std::vector<std::uint32_t> times = predictions.times(last + 1);
  std::vector<double> weight(last + 1, 0.0);  // of each row
  std::vector<double> sum(last + 1, 0.0);
  const std::vector<double> losses = predictions.values(setting);
  for (std::size_t p = 0; p < losses.size(); ++p) {
    const std::size_t row = predictions.rows[p];
    const double own = weights.empty() ? 1.0 / times[row] : weights[p];
    weight[row] += own;
    sum[row] += own * losses[p];
  }
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  const double mean = std::accumulate(sum.begin(), sum.end(), 0.0) / total;
  double squares = 0;
  for (std::size_t row = 0; row <= last; ++row)
    if (weight[row] > 0) squares += weight[row] * std::pow(sum[row] / weight[row] - mean, 2);
  const auto rows = static_cast<double>(std::ranges::count_if(times, [](std::uint32_t count) { return count > 0; }));
  return {mean, rows > 1 ? std::sqrt(squares / total / (rows - 1)) : 0};
}

double error_over_rows(const Predictions& predictions, std::size_t setting, std::span<const double> weights) {
  if (predictions.basis == ScoreBasis::losses) return loss_over_rows(predictions, setting, weights).standard_error;
  std::vector<double> all(weights.begin(), weights.end());
  if (all.empty()) all = predictions.weights;
  if (all.empty()) all.assign(predictions.places(), 1.0);
  const std::size_t parts = std::min<std::size_t>(10, predictions.places());
  std::vector<double> losses;  // without one part
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double> others = all;
    for (std::size_t p = part; p < others.size(); p += parts) others[p] = 0;
    ScoreSums sums;
    for (std::size_t r = 0; r < predictions.resamples(); ++r)
      sums = together(sums, predictions.sums_in(setting, r, others));
    const double loss = loss_of_sums(predictions.score, sums);
    if (!std::isnan(loss)) losses.push_back(loss);
  }
  const auto counted = static_cast<double>(losses.size());
  return losses.size() < 2 ? 0 : deviation(losses) * (counted - 1) / std::sqrt(counted);
}

void set_spread(std::span<const double> losses, Setting& setting) {
  std::vector<double> defined;
  std::ranges::copy_if(losses, std::back_inserter(defined), [](double loss) { return !std::isnan(loss); });
  setting.error_std = deviation(defined);
  setting.error_se = defined.empty() ? 0 : setting.error_std / std::sqrt(static_cast<double>(defined.size()));
}

void set_score(const Predictions& predictions, std::size_t which, Setting& setting) {
  std::vector<double> losses;
  ScoreSums all;
  setting.split_scores.clear();
  for (std::size_t r = 0; r < predictions.resamples(); ++r) {
    const ScoreSums sums = predictions.sums_in(which, r);
    setting.split_scores.push_back(
        loss_of(predictions.score, losses.emplace_back(loss_of_sums(predictions.score, sums))));
    all = together(all, sums);
  }
  setting.error = loss_of_sums(predictions.score, all);
  set_spread(losses, setting);
}

Predictions averaged(const Predictions& predictions, std::span<const std::size_t> members,
                     std::span<const double> weights) {
  Predictions one{static_cast<const JudgedPlaces&>(predictions), 1, {}, {}, {}, {}};
  one.labels.resize(one.places());
  one.scores.resize(one.places());
  std::vector<double> mean(one.classes);
  for (std::size_t p = 0; p < one.places(); ++p) {
    if (!weights.empty() && weights[p] == 0) continue;
    if (one.classes == 2) {  // the second score is minus the first
      double sum = 0;
      const double* const scores = predictions.scores.data() + p;
      for (const std::size_t setting : members)
        sum += double{static_cast<float>(model::clipped(scores[setting * one.places()]))};
      one.scores[p] = sum / static_cast<double>(members.size());
      one.labels[p] = one.margin(0, p) > 0 ? 1 : 0;
      continue;
    }
    predictions.mean_scores(p, members, mean);
    one.labels[p] = static_cast<std::uint16_t>(std::ranges::max_element(mean) - mean.begin());
    one.scores[p] = mean[static_cast<std::size_t>(one.truth[p])];
  }
  return one;
}

void add_average(const Predictions& predictions, const Options& options, const core::Context& context,
                 Selection& selection) {
  if (options.rule != Rule::average || context.monitor.should_stop()) return;
  std::vector<std::size_t> members =
      averaged_members(losses_of_settings(selection), preference(selection, options, true),
                       [&](std::size_t k) { return selection.grid[k].error_se; });
  if (members.empty()) return;
  Setting average;
  Predictions one = averaged(predictions, members);
  if (one.score == Score::log_loss) judge_by_sigmoids(options.seed, context, one);
  set_score(one, 0, average);
  if (predictions.by_rows) {
    if (one.basis == ScoreBasis::losses) average.error = loss_over_rows(one, 0).mean;
    average.error_se = error_over_rows(one, 0);
  }
  selection.average = SettingAverage{std::move(members), average.error, average.error_se};
}

}  // namespace credence::selection
