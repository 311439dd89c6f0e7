#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "support/random_data.hpp"
#include "support/shared_data.hpp"

namespace credence::test {

/// A real data set as the reader gives it, missing values kept for imputation, with at most `limit` evenly spaced rows.
inline data::Dataset raw_real_data(const std::string& name, std::size_t limit = 1000000) {
  data::ReadOptions options;
  options.missing = data::Missing::impute;
  const data::Dataset all = data::read(shared_data(name + ".csv.gz"), options);
  const std::size_t n = std::min(limit, all.rows());
  std::vector<std::size_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = i * all.rows() / n;
  return all.select_rows(rows);
}

/// The same, imputed and standardised: the one matrix that both sides of a comparison get.
inline Clouds real_data(const std::string& name, std::size_t limit = 1000000) {
  const data::Dataset raw = raw_real_data(name, limit);
  Clouds result;
  result.x = data::Preprocessing::fit(raw, data::Scaling::standard).apply(raw).to_dense();
  for (const int label : raw.labels) result.labels.push_back(raw.schema.classes[static_cast<std::size_t>(label)]);
  result.classes = result.dataset().labels;
  return result;
}

}  // namespace credence::test
