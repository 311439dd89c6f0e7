#pragma once

#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "credence/data/reader.hpp"
#include "fuzz.hpp"

/// What a data set that was read must keep.
namespace credence::fuzz {

inline bool same_number(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

inline void check_dataset(const data::Dataset& dataset, const data::ReadOptions& options) {
  const std::size_t rows = dataset.rows();
  require(rows > 0, "a data set has rows");
  require(dataset.schema.columns.size() == dataset.features.columns(), "every feature has a column in the schema");
  require(dataset.file_rows.size() == rows, "every row has its number in the file");
  for (std::size_t i = 1; i < rows; ++i)
    require(dataset.file_rows[i - 1] < dataset.file_rows[i], "the rows keep the order of the file");
  require(dataset.labels.empty() || dataset.labels.size() == rows, "labels: one a row, or none");
  const auto classes = static_cast<int>(dataset.class_count());
  for (const int label : dataset.labels)
    require(label < classes && label >= (options.schema != nullptr ? -1 : 0), "a label is a class");
  require(dataset.targets.empty() || dataset.targets.size() == rows, "targets: one a row, or none");
  for (const double target : dataset.targets)
    require(std::isfinite(target) || (options.schema != nullptr && std::isnan(target)), "a target is a finite number");
  require(dataset.weights.empty() || dataset.weights.size() == rows, "weights: one a row, or none");
  for (const double weight : dataset.weights) require(weight > 0 && std::isfinite(weight), "a weight is above 0");
  require(dataset.groups.empty() || dataset.groups.size() == rows, "groups: one a row, or none");
  for (const double value : dataset.features.stored())
    require(std::isfinite(value) || (std::isnan(value) && options.missing == data::Missing::impute),
            "a feature is finite, or missing where missing values are kept");
  if (dataset.features.is_sparse()) {
    const data::SparseMatrix& sparse = dataset.features.sparse();
    require(sparse.offsets.size() == rows + 1 && sparse.offsets.back() == sparse.indices.size() &&
                sparse.values.size() == sparse.indices.size(),
            "the parts of a sparse table fit together");
    for (std::size_t i = 0; i < rows; ++i) {
      const auto indices = sparse.row_indices(i);
      for (std::size_t k = 0; k < indices.size(); ++k)
        require(indices[k] < sparse.columns && (k == 0 || indices[k - 1] < indices[k]), "indices ascend");
    }
    return;
  }
  const data::DenseMatrix& dense = dataset.features.dense();
  for (std::size_t j = 0; j < dense.columns; ++j) {
    const data::Column& column = dataset.schema.columns[j];
    if (column.kind == data::ColumnKind::numeric) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      const double value = dense.row(i)[j];
      require(std::isnan(value) || (value >= 0 && value < static_cast<double>(column.levels.size())),
              "a cell of a categorical column is one of its levels");
    }
  }
}

/// Two data sets are equal in all numbers.
inline void require_same(const data::Dataset& a, const data::Dataset& b, const std::string& what) {
  require(a.rows() == b.rows() && a.features.columns() == b.features.columns(), what + ": the same size");
  require(a.labels == b.labels, what + ": the same labels");
  require(a.schema.classes == b.schema.classes, what + ": the same classes");
  require(a.targets.size() == b.targets.size(), what + ": as many targets");
  for (std::size_t i = 0; i < a.targets.size(); ++i)
    require(same_number(a.targets[i], b.targets[i]), what + ": the same targets");
  const auto left = a.features.stored();
  const auto right = b.features.stored();
  require(left.size() == right.size(), what + ": as many numbers");
  for (std::size_t i = 0; i < left.size(); ++i) require(same_number(left[i], right[i]), what + ": the same numbers");
}

/// The rows for a model, block by block, are the rows at once: the same data set, or the same refusal.
inline void check_blocks(const std::string& path, const data::ReadOptions& options, std::size_t block) {
  std::optional<data::Dataset> whole;
  const auto refused = refusal([&] { whole = data::read(path, options); });
  std::size_t rows = 0;
  const auto refused_in_blocks = refusal([&] {
    data::RowReader reader(path, options);
    while (const std::optional<data::Dataset> next = reader.next(block)) {
      if (whole) {
        for (std::size_t i = 0; i < next->rows(); ++i) {
          require(rows + i < whole->rows(), "blocks hold no more rows than the file");
          require(next->file_rows[i] == whole->file_rows[rows + i], "rows of blocks have the file's numbers");
          if (whole->features.is_sparse()) continue;
          for (std::size_t j = 0; j < whole->features.columns(); ++j)
            require(same_number(next->features.dense().row(i)[j], whole->features.dense().row(rows + i)[j]),
                    "rows of blocks are the file's rows");
        }
      }
      rows += next->rows();
    }
  });
  require(refused == refused_in_blocks, "blocks are refused as the whole file is");
  if (whole) require(rows == whole->rows(), "blocks hold as many rows as the file");
}

}  // namespace credence::fuzz
