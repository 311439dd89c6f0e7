#include "report/rows/seen_rows.hpp"

#include <fmt/format.h>

#include "credence/data/row_key.hpp"
#include "report/text.hpp"

namespace credence::report {

std::string seen_rows_sentence(const model::TrainingRecord& record, const std::vector<std::uint64_t>& keys) {
  constexpr std::size_t fewest = 10;   // a few rows may well have equals
  constexpr std::size_t repeated = 2;  // and so may rows of which each occurs so often
  const std::size_t known = record.row_keys.size();
  if (known < fewest || keys.size() < record.rows) return {};
  if (known < data::most_smallest_keys && record.rows > repeated * known) return {};
  if (!data::holds_all(keys, record.row_keys)) return {};
  return fmt::format(
      "these rows trained the model (they hold {}), so that the figures are too good for new rows; the honest estimate "
      "of select, or rows that are kept apart, say what to expect",
      record.rows > 0 ? "its " + count_of(record.rows, "training row") : "all rows that it keeps");
}

std::string seen_rows_sentence(const model::Predictor& model, const data::Dataset& dataset) {
  return seen_rows_sentence(model.record, data::row_keys(dataset.features));
}

}  // namespace credence::report
