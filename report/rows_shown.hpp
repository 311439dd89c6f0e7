#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "credence/data/dataset.hpp"

/// Which rows a document shows, and how it names them.
namespace credence::report {

/// Up to `most` of n rows, evenly.
inline std::vector<std::size_t> evenly(std::size_t n, std::size_t most) {
  std::vector<std::size_t> rows(std::min(n, most));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i * n / rows.size();
  return rows;
}

/// The number of a row in its file; from 1 on where there is no file.
inline std::size_t row_number(const data::Dataset& dataset, std::size_t row) {
  return dataset.file_rows.empty() ? row + 1 : dataset.file_rows[row];
}

}  // namespace credence::report
