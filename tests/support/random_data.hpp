#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/features.hpp"

namespace credence::test {

/// n x d normal deviates, times `scale`, plus `offset`.
inline data::DenseMatrix random_matrix(std::size_t n, std::size_t d, std::uint64_t seed, double scale = 1,
                                       double offset = 0) {
  core::RandomStream random(seed, 101);
  data::DenseMatrix matrix(n, d);
  for (double& value : matrix.values) value = offset + scale * random.normal();
  return matrix;
}

/// The same with about `zeros` of the entries set to zero.
inline data::DenseMatrix random_thin_matrix(std::size_t n, std::size_t d, std::uint64_t seed, double zeros = 0.6) {
  core::RandomStream random(seed, 102);
  data::DenseMatrix matrix = random_matrix(n, d, seed);
  for (double& value : matrix.values) value = random.uniform() < zeros ? 0 : value;
  return matrix;
}

/// The non-zero entries, as compressed rows.
inline data::SparseMatrix sparse_of(const data::DenseMatrix& dense) {
  data::SparseMatrix sparse;
  sparse.rows = dense.rows;
  sparse.columns = dense.columns;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::size_t j = 0; j < dense.columns; ++j) {
      if (dense.row(i)[j] == 0) continue;
      sparse.indices.push_back(static_cast<std::uint32_t>(j));
      sparse.values.push_back(dense.row(i)[j]);
    }
    sparse.offsets.push_back(sparse.values.size());
  }
  return sparse;
}

/// The given rows, in the given order.
inline data::DenseMatrix rows_of_matrix(const data::DenseMatrix& matrix, const std::vector<std::size_t>& rows) {
  data::DenseMatrix result(rows.size(), matrix.columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < matrix.columns; ++j) result.row(i)[j] = matrix.row(rows[i])[j];
  return result;
}

/// Overlapping normal clouds, one for each class; row i is of class i mod k.
struct Clouds {
  data::DenseMatrix x;
  std::vector<int> classes;
  std::vector<std::string> labels;  ///< "a" is class 0, "b" class 1, ...

  data::Dataset dataset() const { return data::make_dataset(data::Features(x), labels); }
};

inline std::string class_name(int index) {
  return std::string(1, static_cast<char>('a' + index));
}

inline Clouds random_clouds(std::size_t n, std::size_t d, int class_count, double distance, std::uint64_t seed) {
  const data::DenseMatrix centres = random_matrix(static_cast<std::size_t>(class_count), d, seed + 7919, distance);
  Clouds clouds{random_matrix(n, d, seed), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = i % static_cast<std::size_t>(class_count);
    for (std::size_t j = 0; j < d; ++j) clouds.x.row(i)[j] += centres.row(c)[j];
    clouds.classes.push_back(static_cast<int>(c));
    clouds.labels.push_back(class_name(static_cast<int>(c)));
  }
  return clouds;
}

}  // namespace credence::test
