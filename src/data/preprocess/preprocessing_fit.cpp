#include <fmt/format.h>

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/preprocessing.hpp"
#include "data/cell.hpp"
#include "data/preprocess/column_statistics.hpp"

namespace credence::data {

namespace {

using detail::Sample;

/// The values of every column on the given rows; missing ones are counted, zeros of sparse data too.
struct RawSample {
  Sample sample;
  std::size_t missing = 0;
  double missing_weight = 0;  ///< unused without weights

  /// @param weights  of all rows of the data set; empty if all are 1
  void add(double value, std::size_t row, std::span<const double> weights) {
    if (std::isnan(value)) {
      ++missing;
      if (!weights.empty()) missing_weight += weights[row];
    } else {
      sample.values.push_back(value);
      if (!weights.empty()) sample.weights.push_back(weights[row]);
    }
  }

  /// Returns what the missing values are filled with: their median.
  double fill() {
    if (missing == 0) return 0;
    const double median = detail::median(sample);
    sample.append(median, std::exchange(missing, 0), missing_weight);
    return median;
  }
};

bool has_three_values(const Sample& sample) {
  const double first = sample.zeros > 0 ? 0 : sample.values.front();
  const auto differs = [&](double value) { return value != first; };
  const auto second = std::ranges::find_if(sample.values, differs);
  return std::any_of(second, sample.values.end(), [&](double value) { return differs(value) && value != *second; });
}

/// A value of a column, and how much weight has it, smaller and larger ones.
struct Ranked {
  double value;
  double equal = 0;
  double below = 0;
  double above = 0;

  double rank() const { return below + equal / 2; }
  /// By the smaller tail, so that no rank is rounded to 1.
  double score() const {
    const double tail = (std::min(below, above) + equal / 2) / (below + equal + above);
    const double size = boost::math::constants::root_two<double>() *
                        boost::math::erfc_inv(2 * std::max(tail, std::numeric_limits<double>::min()));
    return below < above ? -size : size;
  }
};

std::vector<Ranked> ranked(const Sample& sample) {
  std::vector<std::pair<double, double>> sorted;  // values with their weights
  for (std::size_t k = 0; k < sample.values.size(); ++k) sorted.emplace_back(sample.values[k], sample.weight_at(k));
  std::ranges::sort(sorted);
  std::vector<Ranked> values;
  for (const auto& [value, weight] : sorted) {
    if (values.empty() || values.back().value != value) values.push_back({value});
    values.back().equal += weight;
  }
  double below = 0;
  for (Ranked& value : values) value.below = std::exchange(below, below + value.equal);
  double above = 0;
  for (Ranked& value : std::views::reverse(values)) value.above = std::exchange(above, above + value.equal);
  return values;
}

NormalScores normal_scores(const Sample& sample) {
  constexpr std::size_t most = NormalScores::most_values;
  const std::vector<Ranked> all = ranked(sample);
  NormalScores known;
  for (std::size_t k = 0; k < std::min(all.size(), most); ++k) {
    const double rank = std::lerp(all.front().rank(), all.back().rank(), static_cast<double>(k) / (most - 1));
    const Ranked& one = all.size() <= most ? all[k] : *std::ranges::lower_bound(all, rank, {}, &Ranked::rank);
    if (!known.values.empty() && known.values.back() == one.value) continue;
    known.values.push_back(one.value);
    known.scores.push_back(one.score());
  }
  return known;
}

RawSample dense_sample(const DenseMatrix& matrix, std::span<const std::size_t> rows, std::span<const double> weights,
                       std::size_t column) {
  RawSample result;
  result.sample.values.reserve(rows.size());
  for (const std::size_t i : rows) result.add(matrix.values[i * matrix.columns + column], i, weights);
  return result;
}

/// All columns at once, since rows are what a sparse matrix can be walked along.
std::vector<RawSample> sparse_samples(const SparseMatrix& matrix, std::span<const std::size_t> rows,
                                      std::span<const double> weights, double total_weight) {
  std::vector<RawSample> result(matrix.columns);
  for (const std::size_t i : rows) {
    const auto indices = matrix.row_indices(i);
    const auto values = matrix.row_values(i);
    for (std::size_t k = 0; k < indices.size(); ++k) result[indices[k]].add(values[k], i, weights);
  }
  for (RawSample& column : result) {
    column.sample.zeros = rows.size() - column.sample.values.size() - column.missing;
    if (column.sample.zeros > 0)
      column.sample.weight_of_zeros = total_weight - column.sample.total_weight() - column.missing_weight;
  }
  return result;
}

class Fitter {
 public:
  /// @param for_others  whether other rows will be compared: what these rows do not show is kept as it is
  Fitter(const Dataset& dataset, std::span<const std::size_t> rows, Scaling scaling, bool for_others)
      : dataset_(dataset), rows_(rows), for_others_(for_others) {
    if (!dataset.weights.empty() && dataset.weights.size() != dataset.rows())
      refuse(fmt::format("there are {} weights for {} rows", dataset.weights.size(), dataset.rows()));
    for (const std::size_t i : rows) total_weight_ += weight_of(i);
    result_.scaling = scaling;
    result_.sparse = dataset.features.is_sparse();
  }

  Preprocessing fit() {
    if (rows_.empty()) refuse("the preprocessing needs at least one row to fit");
    if (result_.sparse && result_.scaling == Scaling::quantile) {
      throw Error(ErrorCode::invalid_argument, "sparse rows know only the scalings standard, minmax and none",
                  {.file = dataset_.source});
    }
    std::vector<RawSample> samples;
    if (result_.sparse) samples = sparse_samples(dataset_.features.sparse(), rows_, dataset_.weights, total_weight_);
    for (std::size_t j = 0; j < dataset_.features.columns(); ++j) {
      RawSample raw =
          result_.sparse ? std::move(samples[j]) : dense_sample(dataset_.features.dense(), rows_, dataset_.weights, j);
      const bool constant = dataset_.schema.columns[j].kind == ColumnKind::numeric ? add_numeric(j, std::move(raw))
                                                                                   : add_categorical(j, raw);
      if (constant) result_.constant.push_back(dataset_.schema.columns[j].name);
    }
    if (result_.constant.size() == result_.raw.size()) {
      refuse(fmt::format("no column varies on the {} for training; training needs a column that varies",
                         detail::count_of(rows_.size(), "row")));
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& sentence, const std::string& column = "") const {
    throw Error(ErrorCode::invalid_data, sentence, {dataset_.source, 0, column});
  }

  double weight_of(std::size_t row) const { return dataset_.weights.empty() ? 1.0 : dataset_.weights[row]; }

  /// Ones, whose weights sum to `weight`, among the zeros of the other rows.
  Sample indicator_of(std::size_t ones, double weight) const {
    if (dataset_.weights.empty()) return {std::vector<double>(ones, 1.0), rows_.size() - ones};
    return {{1.0}, rows_.size() - ones, {weight}, ones < rows_.size() ? total_weight_ - weight : 0.0};
  }

  bool add_numeric(std::size_t column, RawSample raw) {
    Preprocessing::RawColumn out;
    out.output = result_.scale.size();
    out.fill = raw.fill();
    result_.raw.push_back(std::move(out));
    return add_output(column, raw.sample, dataset_.schema.columns[column].name);
  }

  bool add_categorical(std::size_t column, const RawSample& raw) {
    const std::vector<std::string>& levels = dataset_.schema.columns[column].levels;
    std::vector<std::size_t> counts(levels.size(), 0);
    std::vector<double> weights(levels.size(), 0.0);
    for (std::size_t k = 0; k < raw.sample.values.size(); ++k) {
      const auto level = static_cast<std::size_t>(raw.sample.values[k]);
      ++counts[level];
      weights[level] += raw.sample.weight_at(k);
    }
    const auto most = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
    Preprocessing::RawColumn out;
    out.kind = ColumnKind::categorical;
    out.fill = most < levels.size() ? static_cast<double>(most) : 0;
    out.level_output.assign(levels.size(), -1);
    bool constant = true;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (counts[level] == 0 && !for_others_) continue;
      const std::size_t ones = counts[level] + (level == most ? raw.missing : 0);
      const double weight = weights[level] + (level == most ? raw.missing_weight : 0);
      const Sample indicator = indicator_of(ones, weight);
      out.level_output[level] = static_cast<std::int32_t>(result_.scale.size());
      const std::string name = fmt::format("{}={}", dataset_.schema.columns[column].name, levels[level]);
      constant = add_output(column, indicator, name) && constant;
    }
    result_.raw.push_back(std::move(out));
    return constant;
  }

  /// Adds an output column; returns whether it is constant.
  bool add_output(std::size_t column, const Sample& sample, const std::string& name) {
    const double low = detail::minimum(sample);
    const double range = detail::maximum(sample) - low;
    if (!std::isfinite(range)) {
      refuse(fmt::format("the numbers of {} are too far apart to be scaled", dataset_.column_label(column)),
             dataset_.schema.columns[column].name);
    }
    double shift = 0;
    double scale = 1;
    if (result_.scaling == Scaling::standard || result_.scaling == Scaling::quantile) {
      const detail::Moments moments = detail::moments(sample);
      shift = moments.mean;
      scale = 1 / moments.deviation;
    } else if (result_.scaling == Scaling::minmax) {
      shift = low;
      scale = 1 / range;
    }
    // A spread below 1e-308 has no finite inverse; it is no variation that anything could be learnt from.
    const bool unvaried = range == 0 || !std::isfinite(scale);
    const bool constant = unvaried && !for_others_;
    if (unvaried && result_.scaling != Scaling::none) scale = for_others_ ? 1 : 0;
    result_.shift.push_back(result_.sparse ? 0 : shift);
    result_.scale.push_back(scale);
    result_.names.push_back(name);
    if (result_.scaling == Scaling::quantile) add_quantiles(sample, unvaried);
    return constant;
  }

  /// Of the output column that was added last, by the standard scaling, which is kept beside.
  void add_quantiles(Sample sample, bool unvaried) {
    result_.standard_shift.push_back(result_.shift.back());
    result_.standard_scale.push_back(result_.scale.back());
    NormalScores& known = result_.quantiles.emplace_back();
    if (unvaried || !has_three_values(sample)) return;
    known = normal_scores(sample);
    for (double& value : sample.values) value = known.of(value);
    const detail::Moments moments = detail::moments(sample);
    result_.shift.back() = moments.mean;
    result_.scale.back() = 1 / moments.deviation;
  }

  const Dataset& dataset_;
  std::span<const std::size_t> rows_;
  bool for_others_;
  double total_weight_ = 0;
  Preprocessing result_;
};

}  // namespace

Preprocessing Preprocessing::fit(const Dataset& dataset, std::span<const std::size_t> rows, Scaling scaling) {
  return Fitter(dataset, rows, scaling, false).fit();
}

Preprocessing Preprocessing::fit_for_others(const Dataset& dataset, std::span<const std::size_t> rows,
                                            Scaling scaling) {
  return Fitter(dataset, rows, scaling, true).fit();
}

Preprocessing Preprocessing::fit(const Dataset& dataset, Scaling scaling) {
  return fit(dataset, core::numbers_below(dataset.rows()), scaling);
}

Preprocessing Preprocessing::standard() const {
  if (scaling != Scaling::quantile) return *this;
  return {Scaling::standard, sparse, raw, standard_shift, standard_scale, {}, {}, {}, names, constant};
}

bool quantiles_differ(const Dataset& dataset) {
  if (dataset.features.is_sparse() || dataset.rows() == 0) return false;
  const std::vector<std::size_t> rows = core::numbers_below(dataset.rows());
  for (std::size_t j = 0; j < dataset.features.columns(); ++j) {
    if (dataset.schema.columns[j].kind != ColumnKind::numeric) continue;
    RawSample raw = dense_sample(dataset.features.dense(), rows, dataset.weights, j);
    raw.fill();
    if (has_three_values(raw.sample)) return true;
  }
  return false;
}

}  // namespace credence::data
