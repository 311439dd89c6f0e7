#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

/// What is said of a data set before anything is trained on it.
namespace credence::report {

/// One bar of a small histogram.
struct HistogramBar {
  std::string what;                 ///< "18 to 24.5", a level
  std::vector<std::size_t> counts;  ///< rows of each group of Description::colours
};

struct ColumnDescription {
  std::string name;
  const char* kind = "number";  ///< number, levels, constant, empty
  std::size_t missing = 0;
  std::size_t different = 0;  ///< values
  /// Of a column of numbers: smallest, median, largest.
  std::optional<double> least, median, largest;
  std::vector<std::pair<std::string, std::size_t>> levels;  ///< of a column of texts, the commonest first
  std::vector<HistogramBar> bars;                           ///< of the first most_drawn columns

  static constexpr std::size_t most_drawn = 60;
};

struct Description {
  static constexpr std::size_t most_described = 20'000;  ///< columns

  std::string source;
  std::size_t rows = 0;
  std::size_t features = 0;
  std::string label;  ///< as data::Schema::label_column
  std::vector<std::string> classes;
  std::vector<std::size_t> class_counts;
  std::optional<ColumnDescription> target;  ///< of a regression
  std::vector<std::string> colours;         ///< of the bars: the classes, or all rows
  std::vector<ColumnDescription> columns;   ///< the first most_described
  std::size_t copies = 0;                   ///< rows that are equal to an earlier one, with the label
  std::vector<std::string> notes;           ///< those that the reader made, and what a selection would note
  std::vector<std::string> warnings;
};

/// @param notes  those that were made when the rows were read
Description description_of(const data::Dataset& dataset, const std::string& source, std::vector<std::string> notes,
                           const core::Context& context);
Story describe_story(const Description& found);
/// Everything, for programs.
Json describe_json(const Description& found);

}  // namespace credence::report
