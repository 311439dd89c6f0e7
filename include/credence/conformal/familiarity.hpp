#pragma once

/// ```cpp
/// using namespace credence;
/// data::DenseMatrix known(19, 1);  // rows at 0, 1, ..., 18
/// for (std::size_t i = 0; i < known.rows; ++i) known.values[i] = static_cast<double>(i);
/// data::DenseMatrix rows(2, 1);
/// rows.values = {9, 1000};
/// const core::Threads threads(1);
/// core::Monitor monitor;
/// const core::Context context{threads, monitor};
/// const conformal::Familiarity familiarity(known, context);
/// const std::vector<double> p = familiarity.p_values(rows, context);
/// std::cout << p[0] << ' ' << p[1] << '\n';  // prints 1 0.05
/// ```

#include <cstddef>
#include <optional>
#include <vector>

#include "credence/conformal/neighbours.hpp"
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/features.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/model/predictor.hpp"

namespace credence::conformal {

/// How columns are scaled by known rows.
struct FittedScale {
  /// The scaling fitted to the known rows; `quantile` counts as `standard`; `none` scales no column.
  data::Scaling scaling = data::Scaling::none;
  /// The factor of a column that does not vary on the known rows, or on all but one of them. 0 leaves the column out.
  double constant = 0;
};

/// Tests whether a row is like the training rows, from the rows alone: neither labels nor the model are used.
///
/// The nonconformity score of a row is its mean Euclidean distance to its k nearest other rows. The p-value of a new
/// row x among m known rows is
///
///   p(x) = (1 + #{ i : alpha_i >= alpha_x }) / (m + 1),
///
/// where every nonconformity score is that among all m + 1 rows, x included. So p(x) <= eps with probability at most
/// eps, if x and the known rows are exchangeable, and all are preprocessed by a map that was not fitted to them. A row
/// that lies far from all known rows has the smallest p-value, 1 / (m + 1).
///
/// A scale that was fitted to the known rows (FittedScale) depends on each of them, but not on x. Known rows then lie
/// nearer to each other than x does to them; with more columns than rows every x would be strange. So the distances of
/// a known row to the other known rows have the scale of these others, without the row. The distances of x have the
/// scale of the known rows alone. Then p(x) <= eps with probability near eps, by simulation; nothing is proved.
///
/// Source: full conformal prediction with one class for all rows (neighbours.hpp); Vovk, Gammerman, Shafer, Algorithmic
/// Learning in a Random World (2005).
class Familiarity {
 public:
  /// k. With one neighbour, two equal strange rows would make each other familiar; with many, rows of small groups
  /// would look strange. With fewer other rows than k, the mean is that of all distances.
  static constexpr int neighbours = 5;

  /// @param known  m preprocessed rows, m >= 1, which are copied
  /// Cost: at most m^2 d / 2 SIMD steps. @throws Error invalid_data without a row; interrupted
  Familiarity(const data::Features& known, const core::Context& context);
  /// @param known  the same, in any units: columns are scaled here, by these rows
  /// Cost: m^2 d products. @throws Error as above
  Familiarity(const data::Features& known, const FittedScale& fitted, const core::Context& context);

  /// Cost: m d SIMD steps in float for each row, and distances in double for the few known rows that matter.
  /// @param rows  preprocessed as the known rows; finite numbers of any size
  /// @throws Error invalid_data for a column count that differs; interrupted
  std::vector<double> p_values(const data::Features& rows, const core::Context& context) const;

 private:
  Familiarity(std::vector<double> factors, TransductiveNeighbours machine);
  static Familiarity scaled(const data::Features& known, const FittedScale& fitted, const core::Context& context);

  std::vector<double> factors_;  ///< of the columns; empty: as they are
  TransductiveNeighbours machine_;
};

/// The familiarity of rows for a model, block by block. If the model scales columns, they are scaled anew by its known
/// rows (FittedScale).
class FamiliarityOf {
 public:
  /// @param model  which must outlive the object; there is no familiarity where the model knows no rows
  ///               (model::Predictor::known_rows)
  FamiliarityOf(const model::Predictor& model, const core::Context& context);

  /// Fills Prediction::familiarity, or leaves it empty. @param rows  raw rows, those that were predicted
  void add(const data::Dataset& rows, model::Prediction& prediction, const core::Context& context) const;

 private:
  const model::Predictor& model_;
  std::optional<Familiarity> familiarity_;
};

}  // namespace credence::conformal
