#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"

/// What comes again in a table: rows that are equal, and subjects that have several rows. A row that is judged while
/// its copy trains makes an error look smaller than it is, and so does a row of a subject that the training knows.
namespace credence::data {

/// What becomes of copies, rows that are equal in all features and the label. Equal features with *other* labels make
/// no copy.
enum class Copies {
  fold,  ///< copies share a fold, or are drawn and held out together
  keep,  ///< each is a row of its own
  drop,  ///< the first of them alone is used; the weights of the others go with them
};
constexpr auto words_of(Copies) {
  return std::array{core::Word{"fold", Copies::fold}, core::Word{"keep", Copies::keep},
                    core::Word{"drop", Copies::drop}};
}

/// Which rows are equal in all features and the label (or the target). Missing values equal each other.
struct RepeatedRows {
  std::vector<int> number_of;  ///< of the distinct row that each row is, by their first rows; empty: all rows differ
  std::size_t distinct = 0;

  std::size_t copies() const { return number_of.empty() ? 0 : number_of.size() - distinct; }
};
/// None where there are no labels or no columns.
/// Cost: a hash of each row (data::row_key), and a sort of the hashes.
RepeatedRows repeated_rows(const Dataset& dataset);
/// The first row of each number. @param numbers  from 0 on without gaps
std::vector<std::size_t> first_rows(std::span<const int> numbers);
/// Whether copies may be a matter of chance: in no column do more than half of the distinct rows have values that
/// differ.
bool is_of_few_values(const Dataset& dataset, const RepeatedRows& found);

/// The columns that look as if they named subjects (patients, cases), each of which has several rows: texts or whole
/// numbers, each of which comes at most 20 times, most rows sharing theirs with another row. One of three signs must be
/// there. The name of the column says so (patient_id, case). Or the values come equally often, more so than chance
/// would have it. Or rows of one value are alike in label or other columns, and rows of neighbouring values are not,
/// which tells a subject from a measurement that was rounded.
/// Empty where the data have groups, folds or splits, or fewer than 20 rows, or are sparse.
std::vector<std::size_t> subject_columns(const Dataset& dataset);
/// What is said of such a column, with what to do.
std::string subject_note(const Dataset& dataset, std::size_t column);
/// The group of each row by a column: rows of one value are a group, and a missing value is one of its own.
std::vector<int> groups_by(const Dataset& dataset, std::size_t column);

}  // namespace credence::data
