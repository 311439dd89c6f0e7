#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Sums over features in ascending order, every operation rounded once; see Metric.
namespace credence::neighbours::exact {

/// sum (x_f - z_f)^2
double squared(const double* x, const double* z, std::size_t d);
/// sum |x_f - z_f|
double manhattan(const double* x, const double* z, std::size_t d);
/// sum (x_f / x_norm - z_f / z_norm)^2
double squared_of_directions(const double* x, double x_norm, const double* z, double z_norm, std::size_t d);
/// sqrt(sum x_f^2)
double norm(std::span<const double> x);

struct SparseRow {
  std::span<const std::uint32_t> indices;
  std::span<const double> values;
};
double squared(const SparseRow& x, const SparseRow& z);
double manhattan(const SparseRow& x, const SparseRow& z);
double squared_of_directions(const SparseRow& x, double x_norm, const SparseRow& z, double z_norm);

}  // namespace credence::neighbours::exact
