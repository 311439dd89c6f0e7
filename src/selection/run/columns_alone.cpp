#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/numbers.hpp"
#include "credence/core/list.hpp"
#include "credence/selection/selector.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {
namespace {

/// What each row does in a resample: above 0 its weight in the training, 0 is judged, below 0 neither.
using Roles = std::vector<double>;

std::vector<Roles> roles_of(const data::Dataset& dataset, const std::vector<Resample>& resamples) {
  return core::mapped(resamples, [&](const Resample& resample) {
    Roles roles(dataset.rows(), -1);
    for (const std::size_t row : resample.held_out()) roles[row] = 0;
    for (std::size_t i = 0; i < roles.size(); ++i)
      if (resample.drawn[i] > 0) roles[i] = resample.drawn[i] * (dataset.weights.empty() ? 1 : dataset.weights[i]);
    return roles;
  });
}

/// Weights of the classes among some training rows.
class ClassWeights {
 public:
  explicit ClassWeights(std::size_t classes) : weights_(classes, 0.0) {}
  void add(std::size_t label, double weight) {
    squares_ += weight * (2 * weights_[label] + weight);
    weights_[label] += weight;
    sum_ += weight;
  }
  /// The larger, the purer: the sum of the weights less that of their Gini impurity.
  double purity() const { return squares_ / sum_; }
  double sum() const { return sum_; }
  double largest() const { return *std::ranges::max_element(weights_); }
  std::size_t commonest() const {
    return static_cast<std::size_t>(std::ranges::max_element(weights_) - weights_.begin());
  }

 private:
  std::vector<double> weights_;
  double squares_ = 0;
  double sum_ = 0;
};

/// The values of one column in their order, missing ones last, with the class and the row of each.
struct SortedColumn {
  std::vector<double> values;
  std::vector<std::size_t> labels;
  std::vector<std::size_t> rows;
  std::size_t classes;
  std::size_t known = 0;      ///< values that are not missing
  std::size_t different = 0;  ///< values among them

  SortedColumn(const data::Dataset& dataset, const data::DenseMatrix& table, std::size_t column)
      : rows(core::numbers_below(dataset.rows())), classes(dataset.class_count()) {
    const auto value = [&](std::size_t row) { return table.row(row)[column]; };
    const auto end = std::ranges::stable_partition(rows, [&](std::size_t row) { return !std::isnan(value(row)); });
    known = static_cast<std::size_t>(end.begin() - rows.begin());
    std::sort(rows.begin(), end.begin(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    values = core::mapped(rows, value);
    labels = core::mapped(rows, [&](std::size_t row) { return static_cast<std::size_t>(dataset.labels[row]); });
    for (std::size_t i = 0; i < known; ++i) different += i == 0 || values[i] != values[i - 1] ? 1U : 0U;
  }
};

/// Of the training rows of places [begin, end).
ClassWeights trained(const SortedColumn& column, const Roles& roles, std::size_t begin, std::size_t end) {
  ClassWeights weights(column.classes);
  for (std::size_t i = begin; i < end; ++i)
    if (roles[column.rows[i]] > 0) weights.add(column.labels[i], roles[column.rows[i]]);
  return weights;
}

/// Calls judge(place, class) for the judged rows of places [begin, end), which all get the commonest class of the
/// training rows there, or `otherwise` where there are none.
void give_commonest(const SortedColumn& column, const Roles& roles, std::size_t begin, std::size_t end,
                    std::size_t otherwise, const auto& judge) {
  const ClassWeights own = trained(column, roles, begin, end);
  const std::size_t said = own.sum() > 0 ? own.commonest() : otherwise;
  for (std::size_t i = begin; i < end; ++i)
    if (roles[column.rows[i]] == 0) judge(i, said);
}

/// The place of the first known value above the threshold that separates the training rows best, which lies midway
/// between two of them; the number of known values where there is none.
std::size_t split_of(const SortedColumn& column, const Roles& roles) {
  ClassWeights left(column.classes);
  ClassWeights right = trained(column, roles, 0, column.known);
  const double rounding = 1e-9 * right.sum();
  double best = -INFINITY;
  double threshold = INFINITY;
  double before = NAN;
  for (std::size_t i = 0; i < column.known; ++i) {
    const double weight = roles[column.rows[i]];
    if (!(weight > 0)) continue;
    if (column.values[i] > before && left.purity() + right.purity() > best + rounding) {
      best = left.purity() + right.purity();
      threshold = before + (column.values[i] - before) / 2;
    }
    before = column.values[i];
    left.add(column.labels[i], weight);
    right.add(column.labels[i], -weight);
  }
  const auto known = std::span(column.values).first(column.known);
  return static_cast<std::size_t>(std::ranges::upper_bound(known, threshold) - known.begin());
}

/// @param grouped  each value gets a class of its own
void judge_rows(const SortedColumn& column, const Roles& roles, bool grouped, const auto& judge) {
  const std::size_t commonest = trained(column, roles, 0, column.rows.size()).commonest();
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; grouped && i < column.known; ++i)
    if (column.values[i] != column.values[i - 1]) ends.push_back(i);
  if (!grouped) ends.push_back(split_of(column, roles));
  ends.push_back(column.known);
  ends.push_back(column.rows.size());
  for (std::size_t k = 0, begin = 0; k < ends.size(); begin = ends[k++])
    give_commonest(column, roles, begin, ends[k], commonest, judge);
}

/// The share of wrong labels, by weight, over all resamples.
double error_of_column(const data::Dataset& dataset, const SortedColumn& column, bool grouped,
                       const std::vector<Roles>& resamples) {
  double wrong = 0;
  double judged = 0;
  for (const Roles& roles : resamples) {
    judge_rows(column, roles, grouped, [&](std::size_t place, std::size_t said) {
      const double weight = dataset.weights.empty() ? 1 : dataset.weights[column.rows[place]];
      judged += weight;
      wrong += said == column.labels[place] ? 0 : weight;
    });
  }
  return wrong / judged;
}

/// The chance that a column of noise has the classes one after the other, or in the reverse order: K! n_1! ... n_K! /
/// n!, where rows that stay together count once.
double chance_of_order(const data::Dataset& dataset) {
  const std::vector<std::size_t> counts = core::counts_of(dataset.labels, dataset.class_count());
  const double share = static_cast<double>(dataset.units()) / static_cast<double>(dataset.rows());
  double sum = core::log_gamma(static_cast<double>(counts.size()) + 1);
  for (const std::size_t count : counts) sum += core::log_gamma(share * static_cast<double>(count) + 1);
  return std::exp(sum - core::log_gamma(share * static_cast<double>(dataset.rows()) + 1));
}

std::string named(const data::Dataset& dataset, std::size_t column) {
  return fmt::format("'{}'", dataset.schema.columns[column].name.empty() ? fmt::to_string(column + 1)
                                                                         : dataset.schema.columns[column].name);
}

/// How many columns of noise, as many as there are, would tell every class, at most.
constexpr double most_by_chance = 0.01;

/// The smallest of so many errors of noise lies below the baseline by this much.
double noise_of(const ColumnsAlone& found, const data::Dataset& dataset) {
  const double standard_errors = 2 + std::sqrt(2 * std::log(static_cast<double>(found.errors.size())));
  return standard_errors * std::sqrt(found.baseline * (1 - found.baseline) / static_cast<double>(dataset.units()));
}

}  // namespace

std::string ColumnsAlone::warning(const data::Dataset& dataset) const {
  constexpr double least_baseline = 0.1;
  constexpr std::size_t most_named = 3;
  if (!(baseline > least_baseline) || by_chance > most_by_chance) return {};
  const std::vector<std::size_t> found =
      core::numbers_where(errors.size(), [&](std::size_t j) { return errors[j] == 0; });
  if (found.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(found.size(), most_named); ++k) names.push_back(named(dataset, found[k]));
  const std::string more = found.size() > most_named ? fmt::format(" and {} more", found.size() - most_named) : "";
  const bool one = found.size() == 1;
  return fmt::format(
      "too good to be true? {} {}{} alone tells the class of every row left out (always naming the commonest "
      "class errs on {:.3g} %). {}",
      one ? "column" : "each of the columns", fmt::join(names, ", "), more, 100 * baseline,
      one ? "Is the column known when you predict? If not, drop the column"
          : "Are the columns known when you predict? Where one is not, drop the column");
}

std::string ColumnsAlone::doubt(const data::Dataset& dataset) const {
  constexpr double part = 0.1;
  if (errors.empty() || by_chance > most_by_chance || !warning(dataset).empty()) return {};
  const auto best = std::ranges::min_element(errors);
  const bool is_chance = *best > 0 && !(*best + noise_of(*this, dataset) < baseline);
  if (!(*best <= part * baseline) || is_chance) return {};
  return fmt::format(
      "too good to be true? column {} alone errs on {:.3g} % of the rows left out (always naming the commonest class "
      "errs on {:.3g} %). Is the column known when you predict? If not, drop the column",
      named(dataset, static_cast<std::size_t>(best - errors.begin())), 100 * *best, 100 * baseline);
}

std::string ColumnsAlone::note(const data::Dataset& dataset, double chosen) const {
  constexpr double as_good = 1.25;
  if (errors.empty()) return {};
  const auto best = std::ranges::min_element(errors);
  if (!(*best <= as_good * chosen) || !(*best + noise_of(*this, dataset) < baseline)) return {};
  return fmt::format(
      "column {} alone does nearly as well as what was chosen: it errs on {:.3g} %, what was chosen on {:.3g} %. "
      "Is the column known when you predict?",
      named(dataset, static_cast<std::size_t>(best - errors.begin())), 100 * *best, 100 * chosen);
}

ColumnsAlone columns_alone(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  constexpr std::size_t few_values = 10;
  constexpr std::size_t sparsest = 16;  // of so many cells one is stored
  constexpr std::size_t folds = 10;
  const data::Features& features = dataset.features;
  const std::size_t columns = features.columns();
  const bool wide = features.is_sparse() && dataset.rows() * columns > sparsest * features.stored().size();
  if (dataset.is_regression() || dataset.labels.empty() || columns == 0 || wide || is_precomputed(options)) return {};
  const bool one_fold = !dataset.folds.empty() && *std::ranges::max_element(dataset.folds) == 0;
  if (dataset.class_count() < 2 || dataset.units() < 2 || one_fold) return {};
  const std::size_t asked = options.traits().folds ? options.resample_count(dataset.rows()) : folds;
  const Options by_folds = options.with(CrossValidation{.folds = static_cast<int>(std::min(dataset.units(), asked))});
  const std::vector<Roles> resamples = roles_of(dataset, resamples_of_cv(dataset, by_folds));
  ColumnsAlone found;
  ClassWeights all(dataset.class_count());
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    all.add(static_cast<std::size_t>(dataset.labels[i]), dataset.weights.empty() ? 1 : dataset.weights[i]);
  found.baseline = 1 - all.largest() / all.sum();
  found.by_chance = static_cast<double>(columns) * chance_of_order(dataset);
  found.errors.assign(columns, NAN);
  const data::Features table = features.is_sparse() ? data::Features(features.to_dense()) : features.view();
  context.threads.for_each(columns, [&](std::size_t j) {
    if (context.monitor.should_stop()) return;
    const SortedColumn column(dataset, table.dense(), j);
    const bool text = dataset.schema.columns[j].kind == data::ColumnKind::categorical;
    const bool few = column.different <= few_values && 2 * column.different <= column.known;
    found.errors[j] = error_of_column(dataset, column, text || few, resamples);
  });
  if (context.monitor.should_stop()) found.errors.clear();
  return found;
}

}  // namespace credence::selection
