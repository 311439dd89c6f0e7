#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "data/interner.hpp"

namespace credence::data::detail {

/// The code of a row without a (known) spelling.
inline constexpr std::uint32_t no_code = 0xFFFFFFFFU;

/// Spellings in sort_classes order with one code for each row.
struct Coded {
  std::vector<std::string> spellings;
  std::vector<int> codes;          ///< -1 where a row has none
  std::vector<std::string> notes;  ///< on spellings of labels
};

/// Renumbers the spellings that occur among `codes` in sort_classes order.
Coded sort_codes(const Interner& interner, std::span<const std::uint32_t> codes);

/// The classes of labels (data::read): equal numbers are one class, unless the labels are names.
Coded code_labels(const Interner& interner, std::span<const std::uint32_t> codes, LabelsAre labels);

/// A note on labels that are numbers with fractions, which may be numbers to predict; empty if there are only two, or
/// the labels are names.
std::string note_on_fractions(const std::vector<std::string>& classes, LabelsAre labels);

/// The position of each label in `classes`, -1 if it is not among them. Where all classes are different numbers, labels
/// are known by their value.
std::vector<int> match_classes(const std::vector<std::string>& labels, const std::vector<std::string>& classes);
/// The same for each row.
std::vector<int> match_codes(const Interner& interner, std::span<const std::uint32_t> codes,
                             const std::vector<std::string>& classes);

/// Gives the data set the labels of its rows among the classes of its schema.
void match_labels(Dataset& dataset, const Interner& interner, std::span<const std::uint32_t> codes);

/// What the label column holds: the schema says, where there is one.
Task task_of(const ReadOptions& options);

/// Whether texts differ in so many rows that new rows will hardly have one of them: of more than 20 rows in more than
/// half. It is the share from which scikit-learn warns that labels look like numbers.
bool differ_in_most_rows(std::size_t different, std::size_t rows);

}  // namespace credence::data::detail
