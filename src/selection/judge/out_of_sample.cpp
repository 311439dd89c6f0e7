#include "selection/judge/out_of_sample.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/numbers.hpp"
#include "credence/model/members.hpp"
#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/resample/error_weights.hpp"

namespace credence::selection {

ClippedScores::ClippedScores(std::size_t places, std::size_t cells, std::size_t classes)
    : cells_(cells), classes_(classes), values_(places * cells * width(), 0.0F) {}

void ClippedScores::set(std::size_t place, std::size_t cell, std::size_t c, double score) {
  if (classes_ == 2 && c == 0) return;
  const std::size_t column = classes_ == 2 ? 0 : c;
  values_[(place * width() + column) * cells_ + cell] = static_cast<float>(model::clipped(score));
}

void ClippedScores::mean(std::size_t place, std::span<const std::size_t> members, std::span<double> scores) const {
  for (std::size_t column = 0; column < width(); ++column) {
    const float* const values = values_.data() + (place * width() + column) * cells_;
    double sum = 0;
    for (const std::size_t cell : members) sum += double{values[cell]};
    scores[classes_ == 2 ? 1 : column] = sum / static_cast<double>(members.size());
  }
  if (classes_ == 2) scores[0] = -scores[1];
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

std::vector<std::uint32_t> OutOfSample::times(std::size_t n) const {
  std::vector<std::uint32_t> count(n, 0);
  for (const std::uint32_t row : rows) ++count[row];
  return count;
}

void OutOfSample::set_label(std::size_t cell, std::size_t place, std::size_t label) {
  const std::size_t at = cell * places() + place;
  if (kept == Kept::labels)
    labels[at] = static_cast<std::uint16_t>(label);
  else
    values[at] = label_costs.at(truth[place], static_cast<int>(label));
}

ScoreSums OutOfSample::sums_in(std::size_t cell, std::size_t resample, std::span<const double> other) const {
  const std::size_t first = starts[resample];
  const std::size_t count = starts[resample + 1] - first;
  std::span<const double> own = other.empty() ? weights : other;
  if (!own.empty()) own = own.subspan(first, count);
  if (kept == Kept::losses) return sums_of_losses(values_of(cell).subspan(first, count), own);
  if (kept == Kept::margins)
    return sums_of_margins(values_of(cell).subspan(first, count), std::span(truth).subspan(first, count), own);
  LabelCounts counts(classes);
  const std::span<const std::uint16_t> said = labels_of(cell).subspan(first, count);
  for (std::size_t i = 0; i < count; ++i)
    counts.add(static_cast<std::size_t>(truth[first + i]), said[i], own.empty() ? 1 : own[i]);
  return counts.sums();
}

double OutOfSample::loss_in(std::size_t cell, std::size_t resample, std::span<const double> other) const {
  return loss_of_sums(score, sums_in(cell, resample, other));
}

Kept kept_of(const Options& options) {
  switch (options.score) {
    case Score::accuracy:
      return options.rule_or_best() != Rule::best ? Kept::losses : Kept::nothing;
    case Score::roc_auc:
      return Kept::margins;
    case Score::log_loss:
    case Score::cost:
      return Kept::losses;
    default:
      return Kept::labels;
  }
}

bool compares_scores(const Options& options) {
  if (options.rule == Rule::average) return true;
  if (options.score == Score::cost) return false;
  return options.loss == Loss::soft || kept_of(options) == Kept::margins || kept_of(options) == Kept::losses;
}

OutOfSample room_for(const Options& options, std::span<const std::vector<std::size_t>> held_out,
                     std::span<const int> labels, std::span<const double> weights,
                     const std::vector<std::string>& classes, std::size_t cells) {
  OutOfSample said;
  said.kept = kept_of(options);
  if (said.empty()) return said;
  said.score = options.score;
  said.classes = classes.size();
  if (said.score == Score::cost) said.label_costs = label_costs(options, classes);
  said.cells = cells;
  said.by_rows = !options.traits().folds;
  said.soft = options.loss == Loss::soft;
  for (const std::vector<std::size_t>& rows : held_out) {
    said.starts.push_back(said.rows.size());
    for (const std::size_t row : rows) {
      said.rows.push_back(static_cast<std::uint32_t>(row));
      if (!labels.empty()) said.truth.push_back(labels[row]);
      if (!weights.empty() && said.score != Score::accuracy) said.weights.push_back(weights[row]);
    }
  }
  said.starts.push_back(said.rows.size());
  if (said.kept == Kept::labels)
    said.labels.assign(cells * said.places(), 0);
  else
    said.values.assign(cells * said.places(), 0);
  return said;
}

OutOfSample joined(const OutOfSample& first, const OutOfSample& second) {
  OutOfSample both = first;
  both.cells += second.cells;
  both.labels.insert(both.labels.end(), second.labels.begin(), second.labels.end());
  both.values.insert(both.values.end(), second.values.begin(), second.values.end());
  return both;
}

RowsLoss loss_over_rows(const OutOfSample& said, std::size_t cell, std::span<const double> weights) {
  const std::size_t last = said.rows.empty() ? 0 : *std::ranges::max_element(said.rows);
  const std::vector<std::uint32_t> times = said.times(last + 1);
  std::vector<double> weight(last + 1, 0.0);  // of each row
  std::vector<double> sum(last + 1, 0.0);
  const std::span<const double> losses = said.values_of(cell);
  for (std::size_t p = 0; p < losses.size(); ++p) {
    const std::size_t row = said.rows[p];
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

double error_over_rows(const OutOfSample& said, std::size_t cell, std::span<const double> weights) {
  if (said.kept == Kept::losses) return loss_over_rows(said, cell, weights).standard_error;
  std::vector<double> all(weights.begin(), weights.end());
  if (all.empty()) all = said.weights;
  if (all.empty()) all.assign(said.places(), 1.0);
  const std::size_t parts = std::min<std::size_t>(10, said.places());
  std::vector<double> losses;  // without one part
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double> others = all;
    for (std::size_t p = part; p < others.size(); p += parts) others[p] = 0;
    ScoreSums sums;
    for (std::size_t r = 0; r < said.resamples(); ++r) sums = together(sums, said.sums_in(cell, r, others));
    const double loss = loss_of_sums(said.score, sums);
    if (!std::isnan(loss)) losses.push_back(loss);
  }
  const auto counted = static_cast<double>(losses.size());
  return losses.size() < 2 ? 0 : deviation(losses) * (counted - 1) / std::sqrt(counted);
}

void set_spread(std::span<const double> losses, Cell& cell) {
  std::vector<double> defined;
  std::ranges::copy_if(losses, std::back_inserter(defined), [](double loss) { return !std::isnan(loss); });
  cell.error_std = deviation(defined);
  cell.error_se = defined.empty() ? 0 : cell.error_std / std::sqrt(static_cast<double>(defined.size()));
}

void set_score(const OutOfSample& said, std::size_t which, Cell& cell) {
  std::vector<double> losses;
  ScoreSums all;
  cell.split_scores.clear();
  for (std::size_t r = 0; r < said.resamples(); ++r) {
    const ScoreSums sums = said.sums_in(which, r);
    cell.split_scores.push_back(loss_of(said.score, losses.emplace_back(loss_of_sums(said.score, sums))));
    all = together(all, sums);
  }
  cell.error = loss_of_sums(said.score, all);
  set_spread(losses, cell);
}

namespace {

/// The average as a grid of one cell, with room for what is kept.
OutOfSample one_cell_of(const OutOfSample& said) {
  OutOfSample one;
  one.score = said.score;
  one.kept = said.kept;
  one.soft = said.soft;
  one.by_rows = said.by_rows;
  one.classes = said.classes;
  one.cells = 1;
  one.rows = said.rows;
  one.truth = said.truth;
  one.weights = said.weights;
  one.costs = said.costs;
  one.label_costs = said.label_costs;
  one.starts = said.starts;
  if (one.kept == Kept::labels)
    one.labels.resize(one.places());
  else
    one.values.resize(one.places());
  return one;
}

/// The largest score; ties go to the lowest class.
std::size_t label_of(std::span<const double> scores) {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

/// What an accuracy counts at a place: the error or the soft loss, times what errors on its row cost.
double loss_at(const OutOfSample& said, std::size_t place, std::span<const double> scores) {
  const auto truth = static_cast<std::size_t>(said.truth[place]);
  const double loss = said.soft ? svm::soft_loss(scores[truth]) : label_of(scores) == truth ? 0 : 1;
  return said.costs.empty() ? loss : said.costs[place] * loss;
}

}  // namespace

OutOfSample averaged_margins(const OutOfSample& said, std::span<const std::size_t> members,
                             std::span<const double> weights) {
  OutOfSample one = one_cell_of(said);
  std::vector<double> scores(said.clipped.classes());
  for (std::size_t p = 0; p < one.places(); ++p) {
    if (!weights.empty() && weights[p] == 0) continue;
    said.clipped.mean(p, members, scores);
    if (one.takes_labels())
      one.set_label(0, p, label_of(scores));
    else
      one.values[p] = one.score == Score::accuracy ? loss_at(said, p, scores) : scores[1];
  }
  return one;
}

OutOfSample averaged(const OutOfSample& said, std::span<const std::size_t> members, std::uint64_t seed,
                     const core::Context& context) {
  OutOfSample one = averaged_margins(said, members);
  if (one.score == Score::log_loss) judge_by_sigmoids(seed, context, one);
  return one;
}

std::vector<RowLosses> losses_of_average(const OutOfSample& said, std::span<const std::size_t> members) {
  std::vector<RowLosses> losses;
  std::vector<double> scores(said.clipped.classes());
  for (std::size_t p = 0; p < said.places(); ++p) {
    said.clipped.mean(p, members, scores);
    const auto truth = static_cast<std::size_t>(said.truth[p]);
    losses.push_back({label_of(scores) != truth, svm::soft_loss(scores[truth])});
  }
  return losses;
}

void add_average(const OutOfSample& said, const Options& options, const core::Context& context, Selection& selection) {
  if (options.rule != Rule::average || context.monitor.should_stop()) return;
  std::vector<std::size_t> members = averaged_members(losses_of_cells(selection), preference(selection, options, true),
                                                      [&](std::size_t cell) { return selection.grid[cell].error_se; });
  if (members.empty()) return;
  Cell average;
  const OutOfSample one = averaged(said, members, options.seed, context);
  set_score(one, 0, average);
  if (said.by_rows) {
    if (one.kept == Kept::losses) average.error = loss_over_rows(one, 0).mean;
    average.error_se = error_over_rows(one, 0);
  }
  selection.average = CellAverage{std::move(members), average.error, average.error_se};
}

}  // namespace credence::selection
