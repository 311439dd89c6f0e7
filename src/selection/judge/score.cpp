#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "bounds/distributions.hpp"
#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/splits.hpp"
#include "credence/model/sigmoid.hpp"
#include "credence/selection/score.hpp"
#include "selection/judge/predictions.hpp"

namespace credence::selection {

namespace {

using core::nan;

double sum_of_values(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

std::string title(Score score) {
  constexpr std::array titles{"accuracy", "balanced accuracy", "AUC", "F1", "macro F1", "log loss", "mean cost"};
  static_assert(titles.size() == words_of(Score{}).size());
  return titles[static_cast<std::size_t>(score)];
}

std::string loss_title(Score score) {
  if (score == Score::accuracy) return "error";
  return is_mean_loss(score) ? title(score) : "1 - " + title(score);
}

LabelCounts::LabelCounts(std::vector<double> sums) : classes_(sums.size() / 3), sums_(std::move(sums)) {}

void LabelCounts::add(std::size_t truth, std::size_t label, double weight) {
  if (truth == label) sums_[truth] += weight;
  sums_[classes_ + truth] += weight;
  sums_[2 * classes_ + label] += weight;
}

double LabelCounts::f1(std::size_t positive) const {
  const double all = rows()[positive] + predicted()[positive];
  return all > 0 ? 2 * hits()[positive] / all : 0;
}

double LabelCounts::score(Score score) const {
  const double all = sum_of_values(rows());
  if (!(all > 0)) return nan;
  if (score == Score::accuracy) return sum_of_values(hits()) / all;
  if (score == Score::f1) return f1(1);
  if (score != Score::balanced_accuracy && score != Score::f1_macro)
    refuse(fmt::format("labels alone do not make the {}", title(score)));
  double total = 0;
  double classes = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    const bool recall = score == Score::balanced_accuracy;
    if (!(rows()[c] > 0) && (recall || !(predicted()[c] > 0))) continue;
    total += recall ? hits()[c] / rows()[c] : f1(c);
    classes += 1;
  }
  return total / classes;
}

OrderedPairs pairs_in_order(std::span<const std::uint32_t> order, const double* margins, const int* labels,
                            const double* weights) {
  double below = 0;    // weight of the first class at smaller margins
  double ordered = 0;  // weight of pairs in the right order
  double second = 0;
  for (std::size_t i = 0; i < order.size();) {
    double here[2] = {0, 0};
    const double margin = margins[order[i]];
    for (; i < order.size() && margins[order[i]] == margin; ++i)
      here[labels[order[i]]] += weights == nullptr ? 1 : weights[order[i]];
    ordered += here[1] * (below + here[0] / 2);
    below += here[0];
    second += here[1];
  }
  return {ordered, below * second};
}

std::vector<std::uint32_t> ascending(std::span<const double> margins) {
  auto order = core::made(margins.size(), [](std::size_t i) { return static_cast<std::uint32_t>(i); });
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return margins[i]; });
  return order;
}

namespace {

void check_margins(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights) {
  if (labels.size() != margins.size() || (!weights.empty() && weights.size() != margins.size()))
    refuse(fmt::format("an AUC needs as many labels and weights as margins; there are {}, {} and {}", labels.size(),
                       weights.size(), margins.size()));
  if (std::ranges::any_of(labels, [](int label) { return label != 0 && label != 1; }))
    refuse("the AUC is one of two classes, 0 and 1");
}

/// Mean and variance of numbers that come one by one (Welford).
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value, double times) {
    count += times;
    const double step = value - mean;
    mean += step * times / count;
    squares += times * step * (value - mean);
  }
  double variance() const { return squares / (count - 1); }
};

/// Calls `visit` with the margin and the rows of each class at each different margin, ascending.
void for_each_tie(std::span<const double> margins, std::span<const int> labels, const auto& visit) {
  const std::vector<std::uint32_t> order = ascending(margins);
  for (std::size_t i = 0; i < order.size();) {
    std::array<std::size_t, 2> here{};
    const double margin = margins[order[i]];
    for (; i < order.size() && margins[order[i]] == margin; ++i) ++here[static_cast<std::size_t>(labels[order[i]])];
    visit(margin, here);
  }
}

}  // namespace

double roc_auc(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights) {
  check_margins(margins, labels, weights);
  const ScoreSums pairs = sums_of_margins(margins, labels, weights);
  return pairs[0] / pairs[1];
}

std::optional<AucEstimate> delong_auc(std::span<const double> margins, std::span<const int> labels) {
  check_margins(margins, labels, {});
  const auto second = static_cast<double>(std::ranges::count(labels, 1));
  const double first = static_cast<double>(labels.size()) - second;
  if (first < 2 || second < 2) return std::nullopt;
  // Of each row, the share of the other class that it is on the right side of: the structural components.
  Moments of_first;
  Moments of_second;
  double below_first = 0;
  double below_second = 0;
  for_each_tie(margins, labels, [&](double, const std::array<std::size_t, 2>& here) {
    const auto [a, b] = std::pair(static_cast<double>(here[0]), static_cast<double>(here[1]));
    if (a > 0) of_first.add(1 - (below_second + b / 2) / second, a);
    if (b > 0) of_second.add((below_first + a / 2) / first, b);
    below_first += a;
    below_second += b;
  });
  return AucEstimate{of_second.mean, of_first.variance() / first + of_second.variance() / second};
}

std::optional<bounds::Interval> AucEstimate::interval(double delta) const {
  if (!(variance > 0) || !(auc > 0) || !(auc < 1)) return std::nullopt;
  constexpr double normal = 1e15;  // degrees of freedom at which Student's t is the normal distribution in double
  const double z = bounds::students_quantile(normal, delta / 2);
  const double middle = std::log(auc / (1 - auc));
  const double half = z * std::sqrt(variance) / (auc * (1 - auc));
  const auto back = [](double logit) { return 1 / (1 + std::exp(-logit)); };
  return bounds::Interval{back(middle - half), back(middle + half)};
}

std::vector<RocPoint> roc_curve(std::span<const double> margins, std::span<const int> labels) {
  check_margins(margins, labels, {});
  const auto second = static_cast<std::size_t>(std::ranges::count(labels, 1));
  const std::size_t first = labels.size() - second;
  if (first == 0 || second == 0) return {};
  struct Step {
    double margin;
    std::array<std::size_t, 2> rows;
  };
  std::vector<Step> steps;
  for_each_tie(margins, labels, [&](double margin, const auto& here) { steps.push_back({margin, here}); });
  const auto rate = [](std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  std::vector<RocPoint> curve{{0, 0, std::numeric_limits<double>::infinity()}};
  std::array<std::size_t, 2> above{};
  for (std::size_t i = steps.size(); i-- > 0;) {
    const std::array<std::size_t, 2>& here = steps[i].rows;
    for (std::size_t c = 0; c < 2; ++c) above[c] += here[c];
    const bool goes_on = i > 0 && here[0] * steps[i - 1].rows[1] == here[1] * steps[i - 1].rows[0];
    if (!goes_on) curve.push_back({rate(above[0], first), rate(above[1], second), steps[i].margin});
  }
  return curve;
}

namespace {

/// Places that a sigmoid judges, and those that it is fitted to.
struct Part {
  std::vector<std::size_t> judged;
  std::vector<std::size_t> fitted;
  std::vector<int> labels;  ///< of `fitted`
};

/// The resamples themselves; nothing if one of them has no other rows to fit to.
std::vector<Part> parts_of_resamples(const Predictions& predictions) {
  std::vector<Part> parts(predictions.resamples());
  const std::size_t rows = predictions.rows.empty() ? 0 : 1 + std::size_t{*std::ranges::max_element(predictions.rows)};
  for (std::size_t r = 0; r < parts.size(); ++r) {
    std::vector<bool> own(rows, false);
    for (std::size_t p = predictions.starts[r]; p < predictions.starts[r + 1]; ++p) {
      parts[r].judged.push_back(p);
      own[predictions.rows[p]] = true;
    }
    for (std::size_t p = 0; p < predictions.places(); ++p)
      if (!own[predictions.rows[p]]) parts[r].fitted.push_back(p);
    if (parts[r].fitted.empty()) return {};
  }
  return parts;
}

/// The rows dealt to folds.
std::vector<Part> dealt_parts(const Predictions& predictions, std::uint64_t seed) {
  constexpr std::size_t most = 10;
  const std::size_t last = *std::ranges::max_element(predictions.rows);
  std::vector<int> label_of_row(last + 1, -1);
  for (std::size_t p = 0; p < predictions.places(); ++p) label_of_row[predictions.rows[p]] = predictions.truth[p];
  std::vector<std::size_t> position(last + 1, 0);
  std::vector<int> labels;
  for (std::size_t row = 0; row <= last; ++row) {
    position[row] = labels.size();
    if (label_of_row[row] >= 0) labels.push_back(label_of_row[row]);
  }
  const std::size_t count = std::min(most, labels.size());
  const std::vector<int> folds =
      count < 2 ? std::vector<int>(labels.size(), 0) : data::stratified_k_fold(labels, static_cast<int>(count), seed);
  std::vector<Part> parts(std::max<std::size_t>(1, count));
  for (std::size_t p = 0; p < predictions.places(); ++p) {
    const auto own = static_cast<std::size_t>(folds[position[predictions.rows[p]]]);
    for (std::size_t part = 0; part < parts.size(); ++part)
      (part == own ? parts[part].judged : parts[part].fitted).push_back(p);
  }
  return parts;
}

std::vector<Part> parts_of(const Predictions& predictions, std::uint64_t seed) {
  bool single = true;
  for (std::size_t r = 0; r < predictions.resamples(); ++r)
    single = single && predictions.starts[r + 1] - predictions.starts[r] < 2;
  std::vector<Part> parts;
  if (!single && predictions.resamples() > 1) parts = parts_of_resamples(predictions);
  if (parts.empty()) parts = dealt_parts(predictions, seed);
  for (Part& part : parts)
    for (const std::size_t p : part.fitted) part.labels.push_back(predictions.truth[p]);
  return parts;
}

}  // namespace

void judge_by_sigmoids(std::uint64_t seed, const core::Context& context, Predictions& predictions) {
  if (predictions.rows.empty()) return;
  const std::vector<Part> parts = parts_of(predictions, seed);
  predictions.log_losses.resize(predictions.settings * predictions.places());
  context.threads.for_each(predictions.settings, [&](std::size_t setting) {
    double* const losses = predictions.log_losses.data() + predictions.at(setting, 0);
    std::vector<double> margins;
    for (const Part& part : parts) {
      margins.clear();
      for (const std::size_t p : part.fitted) margins.push_back(predictions.margin(setting, p));
      const model::Sigmoid sigmoid = model::fit_sigmoid(margins, part.labels);
      for (const std::size_t p : part.judged)
        losses[p] = sigmoid.log_loss(predictions.margin(setting, p), predictions.truth[p]);
    }
  });
}

}  // namespace credence::selection
