#pragma once

#include <cstddef>
#include <vector>

#include "credence/conformal/familiarity.hpp"
#include "credence/core/context.hpp"
#include "credence/data/features.hpp"

namespace credence::conformal {

/// The scale of each column on some rows, and on all of these rows but one. A row is as far from the others as a new
/// row would be if its own values have no say in the scale.
class ColumnScale {
 public:
  /// @param rows  m x d, which must outlive the object
  ColumnScale(const data::Features& rows, const FittedScale& fitted);

  const data::Features& rows() const { return rows_; }

  /// What each column is multiplied by, from all rows.
  const std::vector<double>& factors() const { return factors_; }
  /// (what column j is multiplied by from all rows but one that has the value there / its factor)^2; 1 to the last bit
  /// where the row has no say.
  double square_without(std::size_t j, double value) const;

 private:
  struct Column {
    double mean = 0;
    double squares = 0;  ///< sum of squared differences from the mean
    double low[2];       ///< the smallest value and the second smallest
    double high[2];

    void take(double value);
  };
  double factor_of(const Column& column) const;
  double squares_without(std::size_t j, double value) const;

  const data::Features& rows_;
  FittedScale fitted_;
  std::vector<Column> columns_;
  std::vector<double> factors_;
};

/// Returns a copy of the rows with each column multiplied by its factor, and numbers beyond largest_familiar cut to it.
data::Features multiplied(const data::Features& rows, const std::vector<double>& factors);

/// Returns m x k: the distances of each row to the k nearest other rows, ascending, by the scale without the row;
/// infinity where there are fewer than k others. Cost: m^2 d products.
/// @param scaled  the rows of the scale, multiplied by its factors  @throws Error interrupted
data::DenseMatrix nearest_by_own_scale(const data::Features& scaled, const ColumnScale& scale, std::size_t k,
                                       const core::Context& context);

}  // namespace credence::conformal
