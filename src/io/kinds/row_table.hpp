#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "credence/data/features.hpp"

/// The rows that several machines of a model have in common, each once in the document.
namespace credence::io {

/// Collects rows while a document is written.
class WrittenRows {
 public:
  /// The places of dense rows in the table, to which rows that are not there yet are added.
  /// @throws Error invalid_argument for rows of another width than those before
  nlohmann::json places(const data::DenseMatrix& matrix);
  /// All rows so far, as a matrix. The object is empty afterwards.
  nlohmann::json table();

 private:
  std::uint32_t place_of(const double* row);

  std::size_t columns_ = 0;
  std::vector<double> values_;                                    ///< row after row
  std::unordered_multimap<std::size_t, std::uint32_t> place_of_;  ///< by a hash of the row's bytes
};

/// The rows of a document that is read.
class ReadRows {
 public:
  /// @throws as matrix_from
  explicit ReadRows(const nlohmann::json& table);

  /// The rows at the places of features.
  /// @throws std::runtime_error for a place that the table does not have
  data::DenseMatrix at(const nlohmann::json& features) const;

 private:
  data::DenseMatrix table_;
};

}  // namespace credence::io
