#include "neighbours/space/exact.hpp"

#include <cmath>

namespace credence::neighbours::exact {
namespace {

/// Calls term(x_f, z_f) for each f where one of the two is kept, ascending, and adds up. Which row has the next index
/// cannot be predicted, so both are looked at and neither is branched on.
double merge(const SparseRow& x, const SparseRow& z, const auto& term) {
  std::size_t a = 0;
  std::size_t b = 0;
  double sum = 0;
  while (a < x.indices.size() && b < z.indices.size()) {
    const double from_x[] = {0.0, x.values[a]};
    const double from_z[] = {0.0, z.values[b]};
    const bool x_has = x.indices[a] <= z.indices[b];
    const bool z_has = z.indices[b] <= x.indices[a];
    sum += term(from_x[x_has], from_z[z_has]);
    a += x_has;
    b += z_has;
  }
  for (; a < x.indices.size(); ++a) sum += term(x.values[a], 0.0);
  for (; b < z.indices.size(); ++b) sum += term(0.0, z.values[b]);
  return sum;
}

double square(double value) {
  return value * value;
}

}  // namespace

double squared(const double* x, const double* z, std::size_t d) {
  double sum = 0;
  for (std::size_t f = 0; f < d; ++f) sum += square(x[f] - z[f]);
  return sum;
}

double manhattan(const double* x, const double* z, std::size_t d) {
  double sum = 0;
  for (std::size_t f = 0; f < d; ++f) sum += std::abs(x[f] - z[f]);
  return sum;
}

double squared_of_directions(const double* x, double x_norm, const double* z, double z_norm, std::size_t d) {
  double sum = 0;
  for (std::size_t f = 0; f < d; ++f) sum += square(x[f] / x_norm - z[f] / z_norm);
  return sum;
}

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += square(value);
  return std::sqrt(sum);
}

double squared(const SparseRow& x, const SparseRow& z) {
  return merge(x, z, [](double a, double b) { return square(a - b); });
}

double manhattan(const SparseRow& x, const SparseRow& z) {
  return merge(x, z, [](double a, double b) { return std::abs(a - b); });
}

double squared_of_directions(const SparseRow& x, double x_norm, const SparseRow& z, double z_norm) {
  return merge(x, z, [&](double a, double b) { return square(a / x_norm - b / z_norm); });
}

}  // namespace credence::neighbours::exact
