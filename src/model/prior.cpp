#include "credence/model/prior.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::model {
namespace {

void reweigh_rows(data::DenseMatrix& probability, std::span<const double> from, std::span<const double> to) {
  for (std::size_t row = 0; row < probability.rows; ++row) reweigh(probability.row(row), from, to);
}

/// Each end is a probability of its class against the other one.
void reweigh_ends(data::DenseMatrix& ends, std::span<const double> from, std::span<const double> to) {
  for (std::size_t row = 0; row < ends.rows; ++row) {
    for (std::size_t c = 0; c < 2; ++c) {
      double& end = ends.row(row)[c];
      const double own = end * to[c] / from[c];
      const double other = (1 - end) * to[1 - c] / from[1 - c];
      if (own + other > 0) end = own / (own + other);
    }
  }
}

}  // namespace

std::vector<double> kept_shares(const Predictor& model) {
  const std::vector<int>& labels = model.calibration.labels;
  std::vector<double> shares(model.schema.classes.size(), 0.0);
  for (const int label : labels) shares[static_cast<std::size_t>(label)] += 1 / static_cast<double>(labels.size());
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (shares[c] > 0) continue;
    refuse(labels.empty()
               ? std::string("the model keeps no rows left out, and so does not know the class shares of its training")
               : fmt::format("the model keeps no row of class '{}'", model.schema.classes[c]));
  }
  return shares;
}

std::vector<double> whole_shares(std::span<const std::optional<double>> given, std::span<const double> kept) {
  double sum = 0;
  double others = 0;
  for (std::size_t c = 0; c < kept.size(); ++c) {
    if (given[c] && !(*given[c] > 0 && *given[c] < 1))
      refuse(fmt::format("a class share must lie between 0 and 1, not {}", *given[c]));
    (given[c] ? sum : others) += given[c].value_or(kept[c]);
  }
  constexpr double rounding = 1e-6;
  if (others > 0 ? sum >= 1 : std::abs(sum - 1) > rounding)
    refuse(fmt::format("the class shares add up to {}, not {}", sum,
                       others > 0 ? "to less than 1, so that the other classes have a share" : "to 1"));
  return core::made(kept.size(), [&](std::size_t c) {
    return given[c] ? (others > 0 ? *given[c] : *given[c] / sum) : (1 - sum) * kept[c] / others;
  });
}

void reweigh(std::span<double> probability, std::span<const double> from, std::span<const double> to) {
  double sum = 0;
  for (std::size_t c = 0; c < probability.size(); ++c) sum += probability[c] * to[c] / from[c];
  if (sum <= 0) return;
  for (std::size_t c = 0; c < probability.size(); ++c) probability[c] = probability[c] * to[c] / from[c] / sum;
}

void reweigh(Prediction& prediction, std::span<const double> from, std::span<const double> to) {
  if (prediction.probability.columns == 0) refuse("class shares change probabilities, and there are none");
  const bool intervals = prediction.probability_lower.columns > 0;
  if (intervals && prediction.probability.columns > 2)
    refuse("intervals of probabilities of more than two classes are not known at other class shares");
  reweigh_rows(prediction.probability, from, to);
  reweigh_rows(prediction.moderated, from, to);
  if (!intervals) return;
  reweigh_ends(prediction.probability_lower, from, to);
  reweigh_ends(prediction.probability_upper, from, to);
}

std::vector<double> estimate_shares(const data::DenseMatrix& probability, std::span<const double> from) {
  if (probability.rows == 0) refuse("class shares cannot be estimated without rows");
  constexpr int most_passes = 1000;
  constexpr double settled = 1e-9;
  std::vector<double> shares(from.begin(), from.end());
  std::vector<double> row(shares.size());
  for (int pass = 0; pass < most_passes; ++pass) {
    std::vector<double> next(shares.size(), 0.0);
    for (std::size_t i = 0; i < probability.rows; ++i) {
      row.assign(probability.row(i).begin(), probability.row(i).end());
      reweigh(row, from, shares);
      for (std::size_t c = 0; c < next.size(); ++c) next[c] += row[c] / static_cast<double>(probability.rows);
    }
    double change = 0;
    for (std::size_t c = 0; c < next.size(); ++c) change = std::max(change, std::abs(next[c] - shares[c]));
    shares = std::move(next);
    if (change < settled) break;
  }
  return shares;
}

}  // namespace credence::model
