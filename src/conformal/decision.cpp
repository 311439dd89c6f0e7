#include "credence/conformal/decision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "credence/bounds/split_conformal.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::conformal {
namespace {

std::size_t place_of(const std::string& name, const std::vector<std::string>& classes) {
  return static_cast<std::size_t>(std::ranges::find(classes, name) - classes.begin());
}

void check_levels(const data::DenseMatrix& p, std::span<const double> levels) {
  if (levels.size() != p.columns)
    refuse(fmt::format("there are p-values for {} classes, but limits for {}", p.columns, levels.size()));
  std::ranges::for_each(levels, check_level);
}

/// The class that is left; `ask` if none or several are. @param left  the number of classes that are left
int decided(std::span<const double> p, std::span<const double> levels, std::size_t& left) {
  int last = ask;
  left = 0;
  for (std::size_t c = 0; c < p.size(); ++c) {
    if (!in_set(p[c], levels[c])) continue;
    last = static_cast<int>(c);
    ++left;
  }
  return left == 1 ? last : ask;
}

void check_certainty(double certainty) {
  if (!(certainty > 0 && certainty < 1)) refuse(fmt::format("a certainty must lie between 0 and 1, not {}", certainty));
}

/// Why a model cannot keep limits with a certainty; empty if it can.
std::string no_certainty(const model::Predictor& model) {
  if (const ConformalPredictor* conformal = as_conformal(model)) {
    if (!conformal->is_split()) return "this predictor compares with rows of its training";
    if (conformal->effective_rows() || conformal->is_of_new_groups())
      return "this predictor weighs the rows it compares with";
    if (conformal->by) return "this predictor compares within categories";
    return {};
  }
  if (model.calibration.p_values != model::PValues::split)
    return "the rows that this model compares with also trained it";
  return model.calibration.region_of.empty() ? "" : "this model compares within regions of the feature space";
}

double cost_of(const data::DenseMatrix& p, std::span<const int> labels, std::span<const double> levels,
               const model::DecisionCosts& costs, std::span<const double> shares) {
  std::vector<double> sums(p.columns, 0.0);
  std::vector<double> rows(p.columns, 0.0);
  double of_unknown = 0;
  std::size_t left = 0;
  for (std::size_t i = 0; i < p.rows; ++i) {
    const double cost = costs.at(labels[i], decided(p.row(i), levels, left));
    if (labels[i] < 0) {
      of_unknown += cost;
      continue;
    }
    const auto truth = static_cast<std::size_t>(labels[i]);
    sums[truth] += cost;
    rows[truth] += 1;
  }
  if (shares.empty())
    return (std::accumulate(sums.begin(), sums.end(), 0.0) + of_unknown) / static_cast<double>(p.rows);
  double mean = 0;
  for (std::size_t c = 0; c < sums.size(); ++c)
    if (rows[c] > 0) mean += shares[c] * sums[c] / rows[c];
  return mean;
}

}  // namespace

std::vector<std::optional<double>> numbers_of_classes(const std::vector<std::pair<std::string, double>>& numbers,
                                                      const std::vector<std::string>& classes, const char* what) {
  std::vector<std::optional<double>> of_class(classes.size());
  for (const auto& [name, value] : numbers) {
    const std::size_t c = place_of(name, classes);
    if (c == classes.size())
      refuse(fmt::format("'{}' is no class; the classes are {}", name, fmt::join(classes, ", ")));
    if (of_class[c]) refuse(fmt::format("class '{}' has two numbers, but one {}", name, what));
    of_class[c] = value;
  }
  return of_class;
}

namespace {

void check_limit(double limit) {
  if (limit >= 0 && limit < 1) return;
  refuse(fmt::format("a limit must lie in [0, 1), not {}{}", limit,
                     limit > 1 && limit < 100 ? fmt::format("; {} % is {}", limit, limit / 100) : ""));
}

}  // namespace

std::vector<double> limits_of_classes(const std::string& text, const std::vector<std::string>& classes,
                                      std::vector<std::string>* unnamed) {
  if (place_of("ask", classes) < classes.size())
    refuse("a class is called 'ask', which is also the decision to ask a person; give the class another name");
  std::vector<double> limits;
  if (text.find('=') == std::string::npos) {
    limits.assign(classes.size(), core::parse_number(text));
  } else {
    const auto given = numbers_of_classes(core::parse_named_numbers(text), classes, "limit");
    double smallest = 1;
    for (const auto& limit : given) {
      if (limit) check_limit(*limit);
      smallest = std::min(smallest, limit.value_or(1));
    }
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (!given[c] && unnamed != nullptr) unnamed->push_back(classes[c]);
      limits.push_back(given[c].value_or(smallest));
    }
  }
  for (const double limit : limits) check_limit(limit);
  return limits;
}

std::vector<double> levels_of_limits(const model::Predictor& model, std::span<const double> limits,
                                     std::optional<double> certainty) {
  const model::PValueSource source = model.capabilities().p_values;
  if (source == model::PValueSource::none) refuse("limits need p-values, and this model has none");
  if (source == model::PValueSource::nonconformity)
    refuse("limits need p-values of each class, and each row of a nonconformity model has a model of its own");
  if (limits.size() != model.schema.classes.size())
    refuse(fmt::format("there are {} classes, but limits for {}", model.schema.classes.size(), limits.size()));
  std::vector<double> levels(limits.begin(), limits.end());
  std::ranges::for_each(levels, check_level);
  if (!certainty) return levels;
  check_certainty(*certainty);
  if (const std::string why = no_certainty(model); !why.empty())
    refuse(
        fmt::format("a certainty needs rows set aside that count alike (p-values split, mode inductive), but {}", why));
  return levels_with_certainty(std::move(levels), compared_with(model), *certainty);
}

std::vector<double> levels_with_certainty(std::vector<double> limits, std::span<const std::size_t> compared,
                                          double certainty) {
  check_certainty(certainty);
  for (std::size_t c = 0; c < limits.size(); ++c)
    limits[c] = bounds::level_with_certainty(compared[c], limits[c], 1 - certainty);
  return limits;
}

std::vector<int> decide(const data::DenseMatrix& p_values, std::span<const double> levels) {
  check_levels(p_values, levels);
  std::vector<int> decisions(p_values.rows);
  std::size_t left = 0;
  for (std::size_t i = 0; i < p_values.rows; ++i) decisions[i] = decided(p_values.row(i), levels, left);
  return decisions;
}

DecisionCounts count_decisions(const data::DenseMatrix& p_values, std::span<const int> labels,
                               std::span<const double> levels) {
  check_levels(p_values, levels);
  if (labels.size() != p_values.rows)
    refuse(fmt::format("there are p-values for {} rows, but labels for {}", p_values.rows, labels.size()));
  DecisionCounts counts;
  counts.rows = p_values.rows;
  counts.of_class.resize(p_values.columns);
  for (std::size_t i = 0; i < p_values.rows; ++i) {
    if (labels[i] < -1 || labels[i] >= static_cast<int>(p_values.columns))
      refuse(fmt::format("row {} (numbered from 0) has class {}, which has no p-value", i, labels[i]));
    std::size_t left = 0;
    const int decision = decided(p_values.row(i), levels, left);
    const bool wrong = decision != ask && decision != labels[i];
    counts.decided += decision != ask ? 1 : 0;
    counts.wrong += wrong ? 1 : 0;
    counts.none += left == 0 ? 1 : 0;
    counts.several += left > 1 ? 1 : 0;
    if (labels[i] < 0) continue;
    const auto truth = static_cast<std::size_t>(labels[i]);
    ClassDecisions& own = counts.of_class[truth];
    ++own.rows;
    own.missed += in_set(p_values.row(i)[truth], levels[truth]) ? 0U : 1U;
    own.decided += decision != ask ? 1 : 0;
    own.wrong += wrong ? 1 : 0;
  }
  return counts;
}

std::vector<DecisionPoint> decision_points(const data::DenseMatrix& p_values, std::span<const int> labels,
                                           std::span<const double> levels, const model::DecisionCosts* costs,
                                           std::span<const double> shares) {
  if (costs != nullptr && !costs->ask) refuse("the costs have no price of asking a person; add ask=NUMBER");
  if (!shares.empty() && shares.size() != p_values.columns)
    refuse(fmt::format("there are p-values for {} classes, but shares of {}", p_values.columns, shares.size()));
  std::vector<DecisionPoint> points;
  const auto add = [&](std::vector<double> limits) {
    DecisionPoint& point = points.emplace_back(DecisionPoint{std::move(limits), {}, {}});
    point.counts = count_decisions(p_values, labels, point.limits);
    if (costs != nullptr) point.cost = cost_of(p_values, labels, point.limits, *costs, shares);
  };
  for (const double level : levels) {
    if (p_values.columns != 2) {
      add(std::vector<double>(p_values.columns, level));
      continue;
    }
    for (const double other : levels) add({level, other});
  }
  return points;
}

std::vector<std::pair<double, double>> limits_without_asking(const data::DenseMatrix& p_values) {
  if (p_values.columns != 2) refuse("limits without asking are those of two classes");
  if (p_values.rows == 0) refuse("there are no p-values");
  std::vector<std::size_t> order = core::numbers_below(p_values.rows);
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values.row(i)[0]; });
  // With the first limit at a p-value of the first class, the rows up to there keep the second class alone, and the
  // others must lose the second class.
  std::vector<double> most_after(order.size() + 1, 0.0);
  for (std::size_t at = order.size(); at-- > 0;)
    most_after[at] = std::max(most_after[at + 1], p_values.row(order[at])[1]);
  std::vector<std::pair<double, double>> pairs;
  double least_before = std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at <= order.size(); ++at) {
    if (at > 0) least_before = std::min(least_before, p_values.row(order[at - 1])[1]);
    const double first = at == 0 ? 0 : p_values.row(order[at - 1])[0];
    const bool tied = at < order.size() && !in_set(p_values.row(order[at])[0], first);
    const double second = most_after[at];
    if (tied || !in_set(least_before, second) || first >= 1 || second >= 1) continue;
    if (!pairs.empty() && !in_set(pairs.back().second, second)) continue;
    pairs.emplace_back(first, second);
  }
  return pairs;
}

}  // namespace credence::conformal
