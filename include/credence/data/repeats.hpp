#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"

/// Repeats in a table: equal rows, and subjects with several rows. An error looks smaller than it is where a row is
/// judged by a model that was trained on its copy, or on another row of its subject.
namespace credence::data {

/// What becomes of copies, rows that are equal in all features *and* the label.
enum class Copies {
  fold,  ///< they share a fold, or are drawn and held out together
  keep,  ///< each is a row of its own
  drop,  ///< only the first of them is used; the others are left out with their weights
};
constexpr auto words_of(Copies) {
  return std::array{core::Word{"fold", Copies::fold}, core::Word{"keep", Copies::keep},
                    core::Word{"drop", Copies::drop}};
}

/// Rows that are equal in all features and the label or target. Missing values equal each other.
struct RepeatedRows {
  std::vector<int> number_of;  ///< index of the distinct row that each equals, by first occurrence; empty: all differ
  std::size_t distinct = 0;

  std::size_t copies() const { return number_of.size() - distinct; }
};
/// Finds none without labels or columns. Cost: a hash of each row (data::row_key), and a sort of the hashes.
RepeatedRows repeated_rows(const Dataset& dataset);
/// How many times the table was entered as a whole: the greatest common divisor of the counts of the distinct rows.
std::size_t times_entered(const RepeatedRows& found);
/// Splits the copies of each distinct row, in their order, into parts of `times` rows. If a table was entered `times`
/// times, a part is one row of the table as it was.  @param times  divides the count of each distinct row
RepeatedRows by_entry(const RepeatedRows& found, std::size_t times);
/// Returns for each of the numbers the first row that has it; they go from 0 on without gaps.
std::vector<std::size_t> first_rows(std::span<const int> numbers);
/// Whether copies may be chance: no column has more different values than half the number of distinct rows.
bool is_of_few_values(const Dataset& dataset, const RepeatedRows& found);

/// Returns the columns that seem to name subjects (patients, cases) with several rows. They hold texts or whole
/// numbers, nearly all of which occur at most 20 times, and most rows share their value with another row. One of three
/// signs must be there: the name says so (patient_id, case); or two thirds of the values occur equally often; or rows
/// of one value are alike in the label or the other columns, and rows of neighbouring values are not (as they are for a
/// rounded measurement). Empty where there are groups, folds or splits, and for sparse data.
std::vector<std::size_t> subject_columns(const Dataset& dataset);
/// A sentence about such a column.
std::string subject_note(const Dataset& dataset, std::size_t column);
/// The group of each row by a column; a missing value is a group of its own.
std::vector<int> groups_by(const Dataset& dataset, std::size_t column);

}  // namespace credence::data
