#include "conformal/watch/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "conformal/familiar_values.hpp"
#include "conformal/own_scale.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "neighbours/search/nearest.hpp"

namespace credence::conformal {
namespace {

/// The ends of the bins of columns, quantiles of the rows: columns x (bins - 1).
std::vector<double> ends_of_bins(const data::Features& rows, std::size_t columns) {
  std::vector<double> ends;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> values = core::made(rows.rows(), [&](std::size_t i) { return rows.dense().row(i)[c]; });
    std::ranges::sort(values);
    for (std::size_t b = 1; b < ColumnCounts::bins; ++b) ends.push_back(values[b * values.size() / ColumnCounts::bins]);
  }
  return ends;
}

std::size_t bin_of(const std::vector<double>& ends, std::size_t column, double value) {
  const auto own = std::span(ends).subspan(column * (ColumnCounts::bins - 1), ColumnCounts::bins - 1);
  return static_cast<std::size_t>(std::ranges::upper_bound(own, value) - own.begin());
}

}  // namespace

Distances::Distances(const data::Features& rows, std::span<const std::size_t> which, const FittedScale& fitted)
    : k_(std::min<std::size_t>(Familiarity::neighbours, which.size())) {
  const data::Features chosen = rows.select_rows(which);  // outlives the view of it
  const data::Features cut = cut_to_largest(chosen);
  if (fitted.scaling != data::Scaling::none) factors_ = ColumnScale(cut, fitted).factors();
  const data::Features compared = scaled(chosen);
  space_ = neighbours::make_space(neighbours::Metric::euclidean, compared, 1);
  for (std::size_t i = 0; i < compared.rows(); ++i) space_->add(compared, i, 0);
}

data::Features Distances::scaled(const data::Features& rows) const {
  return factors_.empty() ? cut_to_largest(rows) : multiplied(rows, factors_);
}

std::vector<double> Distances::of(const data::Features& rows, const core::Context& context) const {
  std::vector<double> means(rows.rows());
  core::Monitor part(context.monitor, 0);
  const data::Features measured = scaled(rows);
  neighbours::for_each_block(*space_, k_, measured, context.with(part),
                             [&](std::size_t first, const neighbours::Points& points, neighbours::Query& query) {
                               for (std::size_t p = 0; p < points.count(); ++p) {
                                 query.find(p);
                                 const auto near = query.own(0);
                                 means[first + p] =
                                     std::accumulate(near.begin(), near.end(), 0.0) / static_cast<double>(near.size());
                               }
                             });
  return means;
}

ColumnCounts::ColumnCounts(const data::Features& known, const std::vector<std::string>& names) {
  if (known.is_sparse()) return;
  names_.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most_columns)));
  known_.assign(names_.size() * bins, 0);
  edges_ = ends_of_bins(known, names_.size());
  for (std::size_t i = 0; i < known.rows(); ++i) add(known, i, known_);
}

void ColumnCounts::add(const data::Features& rows, std::size_t row, Counts& fresh) const {
  for (std::size_t c = 0; c < names_.size(); ++c) ++fresh[c * bins + bin_of(edges_, c, rows.dense().row(row)[c])];
}

std::vector<MovedColumn> ColumnCounts::moved(const Counts& counts) const {
  std::vector<MovedColumn> found;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    double known = 0;
    double fresh = 0;
    double wins = 0;
    double ties = 0;
    for (std::size_t b = 0; b < bins; ++b) {
      const auto one = static_cast<double>(known_[c * bins + b]);
      const auto other = static_cast<double>(counts[c * bins + b]);
      wins += other * (known + one / 2);
      ties += std::pow(one + other, 3) - (one + other);
      known += one;
      fresh += other;
    }
    if (fresh == 0) continue;
    const double all = known + fresh;
    const double variance = known * fresh / 12 * (all + 1 - ties / (all * (all - 1)));
    const double above = wins / (known * fresh);
    found.push_back({names_[c], c, above, variance > 0 ? (wins - known * fresh / 2) / std::sqrt(variance) : 0});
  }
  return found;
}

ColumnBets::ColumnBets(const data::Features& apart) {
  if (!apart.is_sparse()) edges_ = ends_of_bins(apart, std::min(apart.columns(), ColumnCounts::most_columns));
}

std::vector<ColumnBets::Bet> ColumnBets::begin(const data::Features& kept) const {
  std::vector<Bet> bets(edges_.size() / (ColumnCounts::bins - 1));
  for (std::size_t c = 0; c < bets.size(); ++c)
    for (std::size_t i = 0; i < kept.rows(); ++i) ++bets[c].counts[bin_of(edges_, c, kept.dense().row(i)[c])];
  return bets;
}

Beside ColumnBets::add(const data::Features& rows, std::size_t row, std::uint64_t seed, std::uint64_t number,
                       std::vector<Bet>& bets) const {
  constexpr std::uint64_t first_stream = 16;  // behind those of a watch
  std::vector<double> logs;
  std::size_t richest = 0;
  for (std::size_t c = 0; c < bets.size(); ++c) {
    Bet& bet = bets[c];
    const std::size_t bin = bin_of(edges_, c, rows.dense().row(row)[c]);
    Rank rank;
    rank.equal = static_cast<double>(bet.counts[bin]);
    for (std::size_t b = 0; b < bet.counts.size(); ++b) {
      rank.of += static_cast<double>(bet.counts[b]);
      if (b > bin) rank.greater += static_cast<double>(bet.counts[b]);
    }
    const double p = smoothed_p_value(rank, tau_of(seed, first_stream + c, number));
    bet.mixture.bet(p);
    ++bet.counts[bin];
    for (const std::size_t direction : {Evidence::stranger, Evidence::tamer}) {
      bet.rise[direction] += std::log1p((direction == Evidence::tamer ? 1 : -1) * (p - 0.5));
      if (bet.rise[direction] > 0) continue;
      bet.rise[direction] = 0;
      bet.start[direction] = number + 1;
    }
    logs.push_back(bet.mixture.log_capital());
    if (logs[c] > logs[richest]) richest = c;
  }
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - logs[richest]);
  const Bet& best = bets[richest];
  return {logs[richest] + std::log(sum / static_cast<double>(logs.size())),
          best.start[best.rise[1] > best.rise[0] ? 1 : 0] + 1};
}

double tau_of(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  constexpr std::uint64_t purpose = 0x5741'5443'4800'0000;
  constexpr std::uint64_t steps = std::uint64_t{1} << 53U;
  return static_cast<double>(core::random_choice(seed, purpose + stream, number, steps)) / static_cast<double>(steps);
}

}  // namespace credence::conformal
