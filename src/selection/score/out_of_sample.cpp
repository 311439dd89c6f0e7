#include "selection/score/out_of_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "selection/choice.hpp"
#include "selection/score/area.hpp"

namespace credence::selection {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    total += weights[i];
  }
  return total > 0 ? sum / total : nan;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::vector<std::uint32_t> OutOfSample::times(std::size_t n) const {
  std::vector<std::uint32_t> count(n, 0);
  for (const std::uint32_t row : rows) ++count[row];
  return count;
}

double OutOfSample::loss_in(std::size_t cell, std::size_t resample, std::span<const double> weights) const {
  const std::size_t first = starts[resample];
  const std::size_t count = starts[resample + 1] - first;
  if (count == 0) return nan;
  const std::span<const double> own = weights.empty() ? weights : weights.subspan(first, count);
  if (kept == Kept::losses) {
    const std::span<const double> losses = values_of(cell).subspan(first, count);
    return own.empty() ? mean(losses) : weighted_mean(losses, own);
  }
  if (kept == Kept::margins)
    return loss_of(score, roc_auc(values_of(cell).subspan(first, count), std::span(truth).subspan(first, count), own));
  LabelCounts counts(classes);
  const std::span<const std::uint16_t> said = labels_of(cell).subspan(first, count);
  for (std::size_t i = 0; i < count; ++i)
    counts.add(static_cast<std::size_t>(truth[first + i]), said[i], own.empty() ? 1 : own[i]);
  return loss_of(score, counts.score(score));
}

Kept kept_of(const Options& options) {
  switch (options.score()) {
    case Score::accuracy:
      return options.rule() == Rule::one_se ? Kept::losses : Kept::nothing;
    case Score::roc_auc:
      return Kept::margins;
    case Score::log_loss:
      return Kept::losses;
    default:
      return Kept::labels;
  }
}

OutOfSample room_for(const Options& options, std::span<const std::vector<std::size_t>> held_out,
                     std::span<const int> labels, std::size_t classes, std::size_t cells) {
  OutOfSample said;
  said.kept = kept_of(options);
  if (said.empty()) return said;
  said.score = options.score();
  said.classes = classes;
  said.cells = cells;
  for (const std::vector<std::size_t>& rows : held_out) {
    said.starts.push_back(said.rows.size());
    for (const std::size_t row : rows) {
      said.rows.push_back(static_cast<std::uint32_t>(row));
      if (!labels.empty()) said.truth.push_back(labels[row]);
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

void set_spread(std::span<const double> losses, Cell& cell) {
  std::vector<double> defined;
  std::ranges::copy_if(losses, std::back_inserter(defined), [](double loss) { return !std::isnan(loss); });
  cell.error_std = deviation(defined);
  cell.error_se = defined.empty() ? 0 : cell.error_std / std::sqrt(static_cast<double>(defined.size()));
}

void set_score(const OutOfSample& said, std::size_t which, Cell& cell) {
  std::vector<double> losses;
  double sum = 0;
  double rows = 0;
  cell.split_scores.clear();
  for (std::size_t r = 0; r < said.resamples(); ++r) {
    const double loss = losses.emplace_back(said.loss_in(which, r));
    cell.split_scores.push_back(loss_of(said.score, loss));
    if (std::isnan(loss)) continue;
    const auto count = static_cast<double>(said.starts[r + 1] - said.starts[r]);
    sum += count * loss;
    rows += count;
  }
  cell.error = rows > 0 ? sum / rows : nan;
  set_spread(losses, cell);
}

std::optional<std::size_t> chosen_by(Rule rule, std::span<const double> losses, std::span<const std::size_t> preference,
                                     const std::function<double(std::size_t cell)>& standard_error) {
  const std::optional<std::size_t> best = smallest(losses, preference);
  if (!best || rule == Rule::best) return best;
  const double limit = losses[*best] + standard_error(*best);
  return *std::ranges::find_if(preference, [&](std::size_t cell) { return losses[cell] <= limit; });
}

}  // namespace credence::selection
