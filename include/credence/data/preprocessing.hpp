#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"

namespace credence::data {

enum class Scaling {
  none,
  standard,  ///< (x - mean) / standard deviation (population); a constant column becomes 0
  minmax,    ///< (x - min) / (max - min); a constant column becomes 0
  quantile,  ///< normal scores of the ranks, then standard; a column of two values as standard; dense rows only
};
constexpr auto words_of(Scaling) {
  return std::array{core::Word{"standard", Scaling::standard}, core::Word{"minmax", Scaling::minmax},
                    core::Word{"quantile", Scaling::quantile}, core::Word{"none", Scaling::none}};
}

/// What apply() does with a level of a categorical column that no fitted row has.
enum class UnknownLevel { error, ignore };

/// The normal scores of a column (van der Waerden): a known value has the standard normal quantile of its rank among
/// the fitted values, (weight below + half the weight equal) / weight of all. Scores are interpolated linearly between
/// known values; beyond these, they are those of the smallest or largest value. (QuantileTransformer of scikit-learn
/// with its normal output has the ranks i / (n - 1) of n values, where these are (i + 1/2) / n.)
struct NormalScores {
  static constexpr std::size_t most_values = 1000;  ///< if there are more, those at evenly spaced ranks are kept

  std::vector<double> values;  ///< ascending; none: the column stays as it is
  std::vector<double> scores;  ///< of each value

  double of(double value) const;
  friend bool operator==(const NormalScores&, const NormalScores&) = default;
};

/// The map from raw columns to the numbers that a kernel sees. The map is fitted on training rows only. Missing values
/// are filled with the median of the column, or with its most frequent level (ties go to the first level); levels are
/// one-hot encoded; every output column is scaled. Output columns keep the order of the raw ones; a categorical column
/// has one output column for each level seen, in level order. The scaling statistics are those of the filled columns.
/// A row of sample weight w counts as w rows in every statistic: mean, deviation, median, most frequent level.
/// For sparse data the shift is left out, so that zeros stay zeros (as in scikit-learn's
/// StandardScaler(with_mean=False)); distances do not depend on the shift.
struct Preprocessing {
  struct RawColumn {
    ColumnKind kind = ColumnKind::numeric;
    double fill = 0;  ///< numeric: value for a missing value; categorical: code of the level for a missing value
    std::vector<std::int32_t> level_output;  ///< categorical: level code -> output column, -1 if not seen
    std::size_t output = 0;                  ///< numeric: its output column
    friend bool operator==(const RawColumn&, const RawColumn&) = default;
  };
  Scaling scaling = Scaling::standard;
  bool sparse = false;
  std::vector<RawColumn> raw;  ///< one for each raw column
  std::vector<double> shift;   ///< one for each output column; output = (value or its score - shift) * scale
  std::vector<double> scale;
  std::vector<NormalScores> quantiles;  ///< one for each output column if the scaling is quantile, else none
  std::vector<double> standard_shift;   ///< shift and scale of the standard scaling, if the scaling is quantile
  std::vector<double> standard_scale;
  std::vector<std::string> names;     ///< names of the output columns: "age", "colour=red"
  std::vector<std::string> constant;  ///< raw columns that are constant on the training rows, for a warning

  friend bool operator==(const Preprocessing&, const Preprocessing&) = default;
  std::size_t columns() const { return scale.size(); }
  /// Returns the standard scaling fitted on the same rows if the scaling is quantile, else the preprocessing itself.
  Preprocessing standard() const;

  /// Fits on the given rows of the data set. The fit never looks at other rows or at labels. A numeric column without
  /// any value on those rows is filled with 0.
  /// @throws Error invalid_data if there is no row, or every column is constant; invalid_argument for quantiles of
  ///               sparse rows
  static Preprocessing fit(const Dataset& dataset, std::span<const std::size_t> rows, Scaling scaling);
  /// Fits on a few rows a map for other rows. A column that does not vary has the scale 1 instead of 0, every level of
  /// the schema has an output column, and constant columns are no error.
  static Preprocessing fit_for_others(const Dataset& dataset, std::span<const std::size_t> rows, Scaling scaling);
  /// Fits on all rows.
  static Preprocessing fit(const Dataset& dataset, Scaling scaling);

  /// Transforms all rows of a data set with the same raw columns into n x columns() finite numbers. Dense and sparse
  /// rows are both accepted; the result is sparse if `sparse` is set. A level without an output column gives 0 in all
  /// output columns of its raw column.
  /// @throws Error invalid_data for an unknown level, with row and column, if `unknown` is UnknownLevel::error
  Features apply(const Dataset& dataset, UnknownLevel unknown = UnknownLevel::error) const;
  /// The same for rows of numbers.
  Features apply(const Features& rows) const;
};

/// Returns whether the scaling by quantiles differs from the standard one on these rows: whether a numeric column has
/// more than two values, the one that fills missing values included.
bool quantiles_differ(const Dataset& dataset);

}  // namespace credence::data
