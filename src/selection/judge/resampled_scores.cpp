#include <cmath>
#include <numeric>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/model/sigmoid.hpp"
#include "selection/choose/choose.hpp"
#include "selection/judge/out_of_sample.hpp"

namespace credence::selection {
namespace {

using core::nan;

/// Pooled losses of cells on weighted places.
class PooledLosses {
 public:
  PooledLosses(const OutOfSample& said, std::span<const std::size_t> cells, const core::Context& context)
      : said_(said), orders_(said.kept == Kept::margins ? said.cells : 0) {
    if (said.kept == Kept::losses) by_place_ = turned(said);
    if (orders_.empty()) return;
    context.threads.for_each(cells.size(),
                             [&](std::size_t c) { orders_[cells[c]] = ascending(said.values_of(cells[c])); });
  }
  /// Of a grid of one cell.
  explicit PooledLosses(const OutOfSample& one) : said_(one) {
    if (one.kept == Kept::margins) orders_.push_back(ascending(one.values_of(0)));
  }

  /// Of some cells; the losses of the others have no meaning.
  std::vector<double> of_each(std::span<const std::size_t> cells, std::span<const double> weights) const {
    if (said_.kept == Kept::losses) return means(weights);
    std::vector<double> losses(said_.cells, nan);
    for (const std::size_t cell : cells) losses[cell] = of(cell, weights);
    return losses;
  }

  /// NaN where the score is undefined.
  double of(std::size_t cell, std::span<const double> weights) const {
    if (said_.kept == Kept::losses) return mean(said_.values_of(cell), weights);
    if (said_.kept == Kept::margins) {
      return loss_of(
          said_.score,
          pairs_in_order(orders_[cell], said_.values_of(cell).data(), said_.truth.data(), weights.data()).area());
    }
    LabelCounts counts(said_.classes);
    const std::span<const std::uint16_t> labels = said_.labels_of(cell);
    for (std::size_t p = 0; p < weights.size(); ++p)
      if (weights[p] > 0) counts.add(static_cast<std::size_t>(said_.truth[p]), labels[p], weights[p]);
    return loss_of(said_.score, counts.score(said_.score));
  }

 private:
  /// The losses as (place, cell), cell fastest: sums over places then run along many cells at once.
  static std::vector<double> turned(const OutOfSample& said) {
    std::vector<double> values(said.values.size());
    for (std::size_t cell = 0; cell < said.cells; ++cell)
      for (std::size_t p = 0; p < said.places(); ++p)
        values[p * said.cells + cell] = said.values[cell * said.places() + p];
    return values;
  }

  std::vector<double> means(std::span<const double> weights) const {
    std::vector<double> sums(said_.cells, 0.0);
    double total = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      if (weights[p] == 0) continue;
      const double* const row = by_place_.data() + p * sums.size();
      for (std::size_t cell = 0; cell < sums.size(); ++cell) sums[cell] += weights[p] * row[cell];
      total += weights[p];
    }
    for (double& sum : sums) sum = total > 0 ? sum / total : nan;
    return sums;
  }

  static double mean(std::span<const double> losses, std::span<const double> weights) {
    double sum = 0;
    double total = 0;
    for (std::size_t p = 0; p < losses.size(); ++p) {
      sum += weights[p] * losses[p];
      total += weights[p];
    }
    return total > 0 ? sum / total : nan;
  }

  const OutOfSample& said_;
  std::vector<std::vector<std::uint32_t>> orders_;  ///< of each cell, where margins are kept
  std::vector<double> by_place_;                    ///< (place, cell), where losses are kept
};

/// Chooses a cell, or the members of an average, on the drawn rows and judges the choice on the others.
class ResampledChoice {
 public:
  /// @param position  of each place's row among the rows that were held out
  ResampledChoice(const OutOfSample& said, std::span<const std::size_t> preference, Rule rule,
                  std::vector<std::size_t> position, std::vector<double> share, const core::Context& context)
      : said_(said),
        preference_(preference),
        rule_(rule),
        position_(std::move(position)),
        share_(std::move(share)),
        pooled_(said, preference, context) {}

  double operator()(std::span<const std::uint32_t> drawn) const {
    std::vector<double> chooses(said_.places());
    std::vector<double> judges(said_.places());
    for (std::size_t p = 0; p < said_.places(); ++p) {
      const std::uint32_t times = drawn[position_[p]];
      chooses[p] = times * share_[p];
      judges[p] = times == 0 ? share_[p] : 0;
    }
    const std::vector<double> losses = pooled_.of_each(preference_, chooses);
    const auto error_of = [&](std::size_t cell) { return standard_error(cell, chooses); };
    if (rule_ == Rule::average)
      return loss_of_average(averaged_members(losses, preference_, error_of), chooses, judges);
    const auto chosen = chosen_by(rule_, losses, preference_, error_of);
    return chosen ? pooled_.of(*chosen, judges) : nan;
  }

 private:
  double loss_of_average(std::span<const std::size_t> members, std::span<const double> chooses,
                         std::span<const double> judges) const {
    if (members.empty()) return nan;
    if (said_.score == Score::log_loss) {
      OutOfSample average = averaged_margins(said_, members);
      judge_by_one_sigmoid(chooses, average);
      return PooledLosses(average).of(0, judges);
    }
    const OutOfSample average = averaged_margins(said_, members, judges);
    return PooledLosses(average).of(0, judges);
  }

  /// Margins become log losses, by the sigmoid that is fitted to the places with weights.
  static void judge_by_one_sigmoid(std::span<const double> weights, OutOfSample& one) {
    std::vector<double> margins;
    std::vector<int> labels;
    std::vector<double> counts;
    for (std::size_t p = 0; p < one.places(); ++p) {
      if (!(weights[p] > 0)) continue;
      margins.push_back(one.values[p]);
      labels.push_back(one.truth[p]);
      counts.push_back(weights[p]);
    }
    const model::Sigmoid sigmoid = model::fit_sigmoid(margins, labels, counts);
    for (std::size_t p = 0; p < one.places(); ++p) one.values[p] = sigmoid.log_loss(one.values[p], one.truth[p]);
  }

  double standard_error(std::size_t cell, std::span<const double> weights) const {
    if (said_.by_rows) return error_over_rows(said_, cell, weights);
    std::vector<double> losses;
    for (std::size_t r = 0; r < said_.resamples(); ++r) losses.push_back(said_.loss_in(cell, r, weights));
    Cell spread;
    set_spread(losses, spread);
    return spread.error_se;
  }

  const OutOfSample& said_;
  std::span<const std::size_t> preference_;
  Rule rule_;
  std::vector<std::size_t> position_;
  std::vector<double> share_;  ///< of its row's weight, for each place
  PooledLosses pooled_;
};

}  // namespace

HonestEstimate bbc_of_scores(const OutOfSample& said, std::size_t row_count, std::span<const std::size_t> preference,
                             Rule rule, std::span<const int> groups, const BbcOptions& options,
                             const core::Context& context) {
  if (preference.empty()) throw Error(ErrorCode::invalid_argument, "there is no cell to choose from");
  const std::vector<std::uint32_t> times = said.times(row_count);
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
  for (const std::uint32_t row : said.rows) {
    position.push_back(position_of_row[row]);
    share.push_back((said.weights.empty() ? 1.0 : said.weights[share.size()]) / times[row]);
  }
  const ResampledChoice choice(said, preference, rule, std::move(position), std::move(share), context);
  return bootstrap_bias_corrected(judged, judged_groups, choice, options, context);
}

}  // namespace credence::selection
