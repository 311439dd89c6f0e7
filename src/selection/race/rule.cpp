#include "selection/race/rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "credence/core/list.hpp"
#include "credence/core/random.hpp"

namespace credence::selection {

namespace {

/// Changing it changes everyone's rungs.
constexpr std::uint64_t order_purpose = 0x5241'4345;

/// The first resample that holds the row out, or one more than there are: the fold of folds.
std::size_t stratum_of(std::span<const Resample> resamples, std::size_t row) {
  std::size_t r = 0;
  while (r < resamples.size() && resamples[r].drawn[row] > 0) ++r;
  return r;
}

}  // namespace

std::size_t first_rung_size(std::size_t n) {
  constexpr std::size_t many = 16000;
  return n < many ? 1000 : 2000;
}

std::vector<std::size_t> rung_sizes(std::size_t n) {
  constexpr std::size_t factor = 4;
  std::vector<std::size_t> sizes{n};
  if (n < least_rows_to_race) return sizes;
  const std::size_t first = first_rung_size(n);
  while (sizes.back() / factor >= 2 * first) sizes.push_back(sizes.back() / factor);
  sizes.push_back(first);
  std::ranges::reverse(sizes);
  return sizes;
}

double growth_after(std::size_t rows, std::size_t n) {
  for (const std::size_t size : rung_sizes(n))
    if (size > rows) return static_cast<double>(size) / static_cast<double>(rows);
  return 1;
}

std::vector<std::size_t> stratified_order(const data::Dataset& dataset, std::span<const Resample> resamples,
                                          std::uint64_t seed) {
  std::map<std::pair<int, std::size_t>, std::vector<std::size_t>> strata;
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    strata[{dataset.is_regression() ? 0 : dataset.labels[i], stratum_of(resamples, i)}].push_back(i);
  core::RandomStream random(seed, order_purpose);
  // The a-th of m rows of a stratum has its turn at (a + u) / m, with u drawn for the stratum: strata of one row do not
  // all come last.
  std::vector<std::pair<double, std::size_t>> turns;
  turns.reserve(dataset.rows());
  for (auto& [key, rows] : strata) {
    random.shuffle(rows);
    const double shift = random.uniform();
    for (std::size_t a = 0; a < rows.size(); ++a)
      turns.emplace_back((static_cast<double>(a) + shift) / static_cast<double>(rows.size()), rows[a]);
  }
  std::ranges::sort(turns);
  return core::mapped(turns, [](const auto& turn) { return turn.second; });
}

std::vector<std::size_t> first_rows(std::span<const std::size_t> order, std::size_t count) {
  std::vector<std::size_t> rows(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  std::ranges::sort(rows);
  return rows;
}

std::vector<Resample> restricted(std::span<const Resample> resamples, std::span<const std::size_t> rows) {
  std::vector<Resample> parts;
  for (const Resample& resample : resamples) {
    Resample& part = parts.emplace_back();
    for (const std::size_t row : rows) {
      part.drawn.push_back(resample.drawn[row]);
      if (!resample.apart.empty()) part.apart.push_back(resample.apart[row]);
    }
  }
  return parts;
}

data::Dataset rung_data(const data::Dataset& dataset, std::span<const std::size_t> rows) {
  data::Dataset part = dataset.select_rows(rows);
  part.folds.clear();
  part.groups.clear();
  part.splits.clear();
  return part;
}

namespace {

/// Calls visit(losses of the row, how often the row counts) for every row that counts.
void for_each_row(const RungLosses& rung, std::span<const std::uint32_t> times, const auto& visit) {
  for (std::size_t i = 0; i < rung.losses.rows; ++i) {
    const float* losses = rung.losses.row(i);
    const double weight = times.empty() ? 1.0 : static_cast<double>(times[i]);
    if (weight > 0 && !std::isnan(losses[0])) visit(losses, weight);
  }
}

/// Losses of settings beside those of the best one, summed over rows.
struct Differences {
  std::size_t best;             ///< position of the setting
  std::vector<double> sums;     ///< of the losses, per position
  std::vector<double> spreads;  ///< standard error of the sum of differences from the best setting, per position
  double above_best(std::size_t k) const { return sums[k] - sums[best]; }
};

/// @param positions  among which the best is
Differences differences_from_best(const RungLosses& rung, std::span<const std::uint32_t> times,
                                  std::span<const std::size_t> positions) {
  const std::size_t settings = rung.settings.size();
  std::vector<double> sums(settings, 0.0);
  double rows = 0;
  for_each_row(rung, times, [&](const float* losses, double weight) {
    rows += weight;
    for (std::size_t k = 0; k < settings; ++k) sums[k] += weight * double{losses[k]};
  });
  const std::size_t best =
      *std::ranges::min_element(positions, [&](std::size_t a, std::size_t b) { return sums[a] < sums[b]; });
  std::vector<double> squares(settings, 0.0);
  for_each_row(rung, times, [&](const float* losses, double weight) {
    for (std::size_t k = 0; k < settings; ++k) {
      const double difference = double{losses[k]} - double{losses[best]};
      squares[k] += weight * difference * difference;
    }
  });
  for (std::size_t k = 0; k < settings; ++k) {
    const double sum = sums[k] - sums[best];
    squares[k] = std::sqrt(std::max(0.0, squares[k] - sum * sum / rows));
  }
  return {best, std::move(sums), std::move(squares)};
}

/// How many of the positions go on: the first `most`, and those after them which are as good as the last of these.
std::size_t with_ties(std::span<const std::size_t> positions, std::span<const double> sums, std::size_t most) {
  std::size_t count = std::min(most, positions.size());
  while (count > 0 && count < positions.size() && sums[positions[count]] == sums[positions[most - 1]]) ++count;
  return count;
}

bool grows_much(double growth) {
  constexpr double fourfold = 4.01;  // n / 4 is rounded down
  return growth > fourfold;
}

}  // namespace

std::vector<LastRungPart> parts_of_last_rung(std::size_t resamples, std::optional<Rule> rule) {
  const std::size_t least = rule == Rule::average ? SettingAverage::most_members : 0;
  struct Share {
    double until;
    std::size_t most;
  };
  constexpr std::array<Share, 4> shares{{{0.1, 24}, {0.2, 16}, {0.5, 8}, {1.0, 8}}};
  std::vector<LastRungPart> parts;
  for (const Share& share : shares) {
    const auto until = static_cast<std::size_t>(std::ceil(share.until * static_cast<double>(resamples)));
    if (!parts.empty() && parts.back().until == until) parts.pop_back();
    parts.push_back({until, std::max(share.most, least)});
  }
  return parts;
}

std::vector<std::size_t> survivors(const RungLosses& rung, std::span<const std::uint32_t> times,
                                   const std::vector<bool>& allowed) {
  const std::vector<std::size_t> positions = core::numbers_where(
      rung.settings.size(), [&](std::size_t k) { return allowed.empty() || allowed[rung.settings[k]]; });
  if (positions.empty()) return {};
  const Differences differences = differences_from_best(rung, times, positions);
  std::vector<std::size_t> kept;
  for (const std::size_t k : positions)
    if (!(differences.above_best(k) > standard_errors_to_drop * differences.spreads[k])) kept.push_back(k);
  const std::vector<double>& sums = differences.sums;
  std::ranges::stable_sort(kept, [&](std::size_t a, std::size_t b) { return sums[a] < sums[b]; });
  kept.resize(with_ties(kept, sums, rung.most));
  for (std::size_t& k : kept) k = rung.settings[k];
  return kept;
}

std::vector<double> sums_of_losses(const RungLosses& rung, std::size_t settings, std::span<const std::uint32_t> times,
                                   const std::vector<bool>& allowed) {
  std::vector<double> sums(settings, std::numeric_limits<double>::infinity());
  const auto counts = [&](std::size_t setting) { return allowed.empty() || allowed[setting]; };
  for (const std::size_t setting : rung.settings)
    if (counts(setting)) sums[setting] = 0;
  for_each_row(rung, times, [&](const float* losses, double weight) {
    for (std::size_t k = 0; k < rung.settings.size(); ++k) sums[rung.settings[k]] += weight * double{losses[k]};
  });
  return sums;
}

std::vector<std::size_t> best_of_gammas(std::span<const double> losses, std::size_t costs) {
  std::vector<std::size_t> best;
  for (std::size_t first = 0; first < losses.size(); first += costs) {
    const auto of_gamma = losses.subspan(first, costs);
    const auto least = std::ranges::min_element(of_gamma);
    if (std::isfinite(*least)) best.push_back(first + static_cast<std::size_t>(least - of_gamma.begin()));
  }
  return best;
}

std::vector<bool> settings_after(std::span<const std::size_t> kept, double growth, std::size_t settings,
                                 std::size_t costs, std::span<const std::size_t> of_gammas) {
  std::vector<bool> wanted(settings, false);
  for (const std::size_t setting : kept) wanted[setting] = true;
  if (growth <= 1 || kept.empty()) return wanted;
  const std::size_t larger_costs = grows_much(growth) ? 2 : 1;
  const auto before = [](std::size_t i) { return i == 0 ? 0 : i - 1; };
  const std::size_t gamma = kept.front() / costs;
  const std::size_t cost = kept.front() % costs;
  for (std::size_t g = before(gamma); g <= std::min(gamma + 1, settings / costs - 1); ++g)
    for (std::size_t c = before(cost); c <= std::min(cost + larger_costs, costs - 1); ++c) wanted[g * costs + c] = true;
  for (const std::size_t setting : of_gammas)
    if (grows_much(growth) && setting / costs > gamma)
      for (std::size_t c = setting % costs; c <= std::min(setting % costs + 1, costs - 1); ++c)
        wanted[setting - setting % costs + c] = true;
  return wanted;
}

std::vector<bool> settings_after(const RungLosses& rung, std::size_t settings, std::size_t costs,
                                 std::span<const std::uint32_t> times, const std::vector<bool>& allowed) {
  std::vector<std::size_t> of_gammas;
  if (grows_much(rung.growth)) of_gammas = best_of_gammas(sums_of_losses(rung, settings, times, allowed), costs);
  return settings_after(survivors(rung, times, allowed), rung.growth, settings, costs, of_gammas);
}

std::vector<double> steps_of(std::span<const Setting> settings) {
  return core::mapped(settings, [&](const Setting& setting) { return static_cast<double>(setting.steps); });
}

std::vector<std::size_t> gammas_by_error(std::span<const Setting> settings, std::size_t costs) {
  std::vector<double> least;
  for (std::size_t first = 0; first < settings.size(); first += costs) {
    double error = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < costs; ++c)
      if (settings[first + c].complete) error = std::min(error, settings[first + c].error);
    least.push_back(error);
  }
  std::vector<std::size_t> order = core::numbers_below(least.size());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return least[a] < least[b]; });
  return order;
}

}  // namespace credence::selection
