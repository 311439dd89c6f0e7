#include "io/kinds/row_table.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "credence/core/error.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"

namespace credence::io {

std::uint32_t WrittenRows::place_of(const double* row) {
  const std::size_t bytes = columns_ * sizeof(double);
  const std::size_t hash = std::hash<std::string_view>{}({reinterpret_cast<const char*>(row), bytes});
  const auto [first, last] = place_of_.equal_range(hash);
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    return std::memcmp(values_.data() + entry.second * columns_, row, bytes) == 0;
  });
  if (found != last) return found->second;
  const auto place = static_cast<std::uint32_t>(values_.size() / columns_);
  values_.insert(values_.end(), row, row + columns_);
  place_of_.emplace(hash, place);
  return place;
}

json WrittenRows::places(const data::DenseMatrix& matrix) {
  if (columns_ == 0) columns_ = matrix.columns;
  if (matrix.columns != columns_) refuse("models over rows of several widths cannot share the table of rows");
  std::vector<std::uint32_t> places(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) places[i] = place_of(matrix.row(i).data());
  return {{"places", pack<std::uint32_t>(places)}};
}

json WrittenRows::table() {
  place_of_.clear();
  const std::size_t rows = columns_ == 0 ? 0 : values_.size() / columns_;
  json document{{"rows", rows}, {"columns", columns_}, {"values", pack<double>(values_)}};
  values_ = {};
  return document;
}

ReadRows::ReadRows(const json& table) {
  read_part(table, table_);
}

data::DenseMatrix ReadRows::at(const json& features) const {
  const auto places = unpack<std::uint32_t, std::uint32_t>(features, "places");
  data::DenseMatrix matrix(places.size(), table_.columns);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= table_.rows) throw std::runtime_error("a model refers to a row that does not exist");
    std::ranges::copy(table_.row(places[i]), matrix.row(i).begin());
  }
  return matrix;
}

}  // namespace credence::io
