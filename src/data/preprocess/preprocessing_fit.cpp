#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "credence/core/error.hpp"
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
};

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
    if (raw.missing > 0) {
      out.fill = detail::median(raw.sample);
      raw.sample.append(out.fill, raw.missing, raw.missing_weight);
    }
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
    if (result_.scaling == Scaling::standard) {
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
    return constant;
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
  std::vector<std::size_t> rows(dataset.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return fit(dataset, rows, scaling);
}

}  // namespace credence::data
