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
};
constexpr auto words_of(Scaling) {
  return std::array{core::Word{"standard", Scaling::standard}, core::Word{"minmax", Scaling::minmax},
                    core::Word{"none", Scaling::none}};
}

/// What apply() does with a level of a categorical column that was not among the rows it was fitted on.
enum class UnknownLevel { error, ignore };

/// The map from raw columns to the numbers that a kernel sees, fitted on training rows only: missing cells filled
/// (median of the column, or its most frequent level; ties to the first), levels one-hot encoded, every output
/// column scaled. Output columns keep the order of the raw ones; a categorical column has one for each level seen, in
/// level order. Statistics are those of the filled columns. For sparse data the shift is left out, so that zeros stay
/// zeros (as scikit-learn's StandardScaler(with_mean=False)); distances do not depend on it.
struct Preprocessing {
  struct RawColumn {
    ColumnKind kind = ColumnKind::numeric;
    double fill = 0;                         ///< value for a missing numeric cell; code for a missing level
    std::vector<std::int32_t> level_output;  ///< categorical: level code -> output column, -1 if not seen
    std::size_t output = 0;                  ///< numeric: its output column
  };
  Scaling scaling = Scaling::standard;
  bool sparse = false;
  std::vector<RawColumn> raw;  ///< one for each raw column
  std::vector<double> shift;   ///< one for each output column; output = (value - shift) * scale
  std::vector<double> scale;
  std::vector<std::string> names;     ///< names of the output columns: "age", "colour=red"
  std::vector<std::string> constant;  ///< raw columns that are constant on the training rows, for a warning

  std::size_t columns() const { return scale.size(); }

  /// Fits on the given rows of the data set; other rows and all labels are never looked at.
  /// A numeric column with no value at all on those rows is filled with 0.
  /// @throws Error invalid_data if there is no row, or every column is constant
  static Preprocessing fit(const Dataset& dataset, std::span<const std::size_t> rows, Scaling scaling);
  /// Fits on all rows.
  static Preprocessing fit(const Dataset& dataset, Scaling scaling);

  /// Transforms all rows of a data set with the same raw columns: n x columns(), all finite. Dense or sparse rows are
  /// taken; the result is sparse if `sparse` is set. A level without an output column is zero in all of its column's.
  /// @throws Error invalid_data for an unknown level (with row and column) if asked
  Features apply(const Dataset& dataset, UnknownLevel unknown = UnknownLevel::error) const;
};

}  // namespace credence::data
