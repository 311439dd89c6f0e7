#pragma once

#include <optional>

#include "report/json.hpp"
#include "report/story.hpp"
#include "report/text.hpp"

namespace credence::report {

/// How often each class was taken for each.
struct Confusion {
  std::vector<std::string> classes;              ///< names
  std::vector<std::vector<std::size_t>> counts;  ///< truth x prediction

  std::vector<std::size_t> row_sums() const;     ///< rows of each class
  std::vector<std::size_t> column_sums() const;  ///< rows predicted as each class
};

/// Up to 20 classes: the matrix. Of more: the 20 largest confusions.
void add_confusion(const Confusion& confusion, Section& section);
/// The matrix in colours; none of more than 20 classes.
std::optional<Chart> confusion_chart(const Confusion& confusion);

/// The fields classes, confusion (the whole matrix, whatever the number of classes) and largest_confusions (20).
Json confusion_json(const Confusion& confusion);

/// A line for each true class: its name, then how often each class was predicted. The header names these.
std::string confusion_csv(const Confusion& confusion);

}  // namespace credence::report
