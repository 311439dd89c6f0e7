#include "credence/data/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"

namespace credence::data {
namespace {

/// Equal for equal numbers: 0 and -0, and all NaN.
std::uint64_t bits_of(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

std::uint64_t key_of_truth(const Dataset& dataset, std::size_t row) {
  return dataset.is_regression() ? bits_of(dataset.targets[row]) : static_cast<std::uint64_t>(dataset.labels[row]);
}

/// Numbers the values in the order in which they come first.
class Numbering {
 public:
  int number(std::uint64_t key) { return numbers_.try_emplace(key, static_cast<int>(numbers_.size())).first->second; }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::uint64_t, int> numbers_;
};

}  // namespace

RepeatedRows repeated_rows(const Dataset& dataset) {
  if (!dataset.is_labelled() || dataset.features.columns() == 0) return {};
  std::vector<std::uint64_t> keys = row_keys(dataset.features);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = core::mixed(keys[i] ^ core::mixed(key_of_truth(dataset, i)));
  std::vector<std::uint64_t> sorted = keys;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return {};
  RepeatedRows found;
  Numbering numbering;
  for (const std::uint64_t key : keys) found.number_of.push_back(numbering.number(key));
  found.distinct = numbering.size();
  return found;
}

std::vector<std::size_t> first_rows(std::span<const int> numbers) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<std::size_t>(numbers[i]);
    first.resize(std::max(first.size(), number + 1), numbers.size());
    first[number] = std::min(first[number], i);
  }
  return first;
}

bool is_of_few_values(const Dataset& dataset, const RepeatedRows& found) {
  const std::vector<std::size_t> rows = first_rows(found.number_of);
  const Features& features = dataset.features;
  const auto more_than_half = [&](std::size_t values) { return 2 * values > rows.size(); };
  if (features.is_sparse()) {
    std::unordered_set<std::uint64_t> seen;
    std::vector<std::size_t> values(features.columns(), 0);
    for (const std::size_t row : rows) {
      const auto columns = features.sparse().row_indices(row);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::uint64_t cell = core::mixed(columns[k]) ^ bits_of(features.sparse().row_values(row)[k]);
        if (seen.insert(core::mixed(cell)).second && more_than_half(++values[columns[k]])) return false;
      }
    }
    return true;
  }
  for (std::size_t j = 0; j < features.columns(); ++j) {
    std::unordered_set<std::uint64_t> seen;
    for (const std::size_t row : rows)
      if (seen.insert(bits_of(features.dense().row(row)[j])).second && more_than_half(seen.size())) return false;
  }
  return true;
}

namespace {

constexpr std::size_t least_rows_of_subjects = 20;
constexpr std::size_t least_subjects = 10;
constexpr std::size_t most_rows_of_subject = 20;

/// A column whose values may name subjects.
struct SubjectValues {
  std::vector<int> place;          ///< of each row, that of its value in ascending order; -1 where it is missing
  std::vector<std::size_t> times;  ///< how often each value comes
  double least = 0;
  double largest = 0;

  double rows() const { return static_cast<double>(std::accumulate(times.begin(), times.end(), std::size_t{0})); }
  double mean_times() const { return rows() / static_cast<double>(times.size()); }
};

/// The values of a column, if they are whole numbers or texts that come again as those of subjects do; else none.
SubjectValues values_that_come_again(const DenseMatrix& matrix, std::size_t column) {
  std::unordered_map<std::uint64_t, std::size_t> seen;
  std::vector<double> numbers;
  const std::size_t few = matrix.rows / 20;  // a code for "unknown" may come often
  std::size_t often = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const double value = matrix.row(i)[column];
    if (std::isnan(value)) continue;
    if (value != std::floor(value)) return {};
    std::size_t& times = seen[bits_of(value)];
    if (++times == 1) numbers.push_back(value);
    if (times > most_rows_of_subject) often += times == most_rows_of_subject + 1 ? times : 1;
    if (often > few) return {};
  }
  std::size_t alone = 0;
  for (const auto& [bits, times] : seen) alone += times == 1 ? 1U : 0U;
  const bool again = 2 * alone < matrix.rows && seen.size() >= least_subjects;
  // Fewer values than twice the rows of one of them are levels of a design.
  if (!again || seen.size() * seen.size() < 2 * matrix.rows) return {};
  std::ranges::sort(numbers);
  SubjectValues found;
  found.least = numbers.front();
  found.largest = numbers.back();
  std::unordered_map<std::uint64_t, int> place;
  for (const double value : numbers) {
    place[bits_of(value)] = static_cast<int>(found.times.size());
    found.times.push_back(seen[bits_of(value)]);
  }
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const double value = matrix.row(i)[column];
    found.place.push_back(std::isnan(value) ? -1 : place[bits_of(value)]);
  }
  return found;
}

/// Whether a name has a word for subjects: "patient_id", "PatientID", "Fallnummer", "case".
bool names_subjects(const std::string& name) {
  static constexpr std::array words{"id",      "pid",       "mrn",    "patient",  "patientid",   "patientennummer",
                                    "subject", "subjectid", "case",   "caseid",   "fall",        "fallnummer",
                                    "fallnr",  "proband",   "person", "personid", "participant", "participantid"};
  std::string word;
  const auto is_one = [&] { return std::ranges::find(words, std::string_view(word)) != words.end(); };
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      if (is_one()) return true;
      word.clear();
    }
  }
  return is_one();
}

/// Whether the values come equally often: their times vary less than half as much as those of rows that are dealt to
/// values by chance, a Poisson distribution without 0, and chance has this once in 30,000 columns.
/// The square sum of Poisson times is that of a chi-squared variable; its cube root is nearly normal (Wilson,
/// Hilferty).
bool come_equally_often(const SubjectValues& values) {
  const double mean = values.mean_times();
  double rate = mean;  // of the Poisson distribution whose mean without 0 this is
  for (int step = 0; step < 100; ++step) rate = mean * (1 - std::exp(-rate));
  double squares = 0;
  for (const std::size_t times : values.times)
    squares += (static_cast<double>(times) - mean) * (static_cast<double>(times) - mean);
  const auto freedom = static_cast<double>(values.times.size() - 1);
  const double ratio = squares / freedom / (mean * (1 + rate - mean));
  const double unit = 2 / (9 * freedom);
  return ratio < 0.5 && (std::cbrt(ratio) - (1 - unit)) / std::sqrt(unit) < -4;
}

/// Mean squared differences of a column: of rows of one value, of rows of neighbouring values, and of all rows.
struct Differences {
  double within = 0;
  double beside = 0;
  double all = 0;
};

/// @param order  the rows, value after value  @param number  of each row in the column that is looked at
template <class Number>
Differences differences(const SubjectValues& values, const std::vector<std::size_t>& order, const Number& number) {
  Differences sums;
  double within = 0;
  double beside = 0;
  double mean = 0;
  double squares = 0;
  for (std::size_t a = 0; a < order.size(); ++a) {
    mean += number(order[a]) / static_cast<double>(order.size());
    if (a == 0) continue;
    const double difference = number(order[a]) - number(order[a - 1]);
    const bool same = values.place[order[a]] == values.place[order[a - 1]];
    (same ? sums.within : sums.beside) += difference * difference;
    (same ? within : beside) += 1;
  }
  for (const std::size_t row : order) squares += (number(row) - mean) * (number(row) - mean);
  sums.within /= within;
  sums.beside /= beside;
  sums.all = 2 * squares / static_cast<double>(order.size());
  return sums;
}

/// Whether rows of one value are alike while rows of neighbouring values are not: in the label, or in the mean over the
/// other columns. Neighbouring values of a measurement have rows as alike as those of one value.
bool are_alike(const Dataset& dataset, std::size_t column, const SubjectValues& values) {
  constexpr std::size_t most_columns = 50;
  constexpr std::size_t least_values = 30;  // of fewer the neighbours say too little
  if (values.times.size() < least_values) return false;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.place.size(); ++i)
    if (values.place[i] >= 0) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return values.place[row]; });
  const auto tells = [](const Differences& one) { return one.within < 0.5 * one.all && one.beside > 0.75 * one.all; };
  const auto truth = [&](std::size_t row) {
    return dataset.is_regression() ? dataset.targets[row] : static_cast<double>(dataset.labels[row]);
  };
  if (dataset.is_labelled() && tells(differences(values, order, truth))) return true;
  const DenseMatrix& matrix = dataset.features.dense();
  Differences mean{0, 0, 0};
  for (std::size_t j = 0, looked_at = 0; j < matrix.columns && looked_at < most_columns; ++j) {
    if (j == column) continue;
    const Differences one = differences(values, order, [&](std::size_t row) {
      const double value = matrix.row(row)[j];
      return std::isnan(value) ? 0 : value;
    });
    if (!(one.all > 0)) continue;
    mean.within += one.within / one.all;
    mean.beside += one.beside / one.all;
    mean.all += 1;
    ++looked_at;
  }
  return mean.all > 0 && tells(mean);
}

}  // namespace

std::vector<std::size_t> subject_columns(const Dataset& dataset) {
  const bool told = !dataset.clusters().empty() || !dataset.splits.empty();
  if (told || dataset.features.is_sparse() || dataset.rows() < least_rows_of_subjects) return {};
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < dataset.features.columns(); ++j) {
    const SubjectValues values = values_that_come_again(dataset.features.dense(), j);
    if (values.times.empty()) continue;
    const Column& column = dataset.schema.columns[j];
    const bool years = column.kind == ColumnKind::numeric && values.least >= 1800 && values.largest <= 2100;
    if (names_subjects(column.name) || (!years && come_equally_often(values)) || are_alike(dataset, j, values))
      columns.push_back(j);
  }
  return columns;
}

std::string subject_note(const Dataset& dataset, std::size_t column) {
  const Column& named = dataset.schema.columns[column];
  std::vector<int> groups = groups_by(dataset, column);
  const int values = *std::ranges::max_element(groups) + 1;
  const std::string name = named.name.empty() ? fmt::to_string(column + 1) : named.name;
  return fmt::format(
      "column '{0}' has {1} {2} in {3} rows, which come again as if each named a subject; rows of one subject depend "
      "on "
      "each other: if so, give --groups {0} (Python: groups=)",
      name, values, named.kind == ColumnKind::categorical ? "texts" : "whole numbers", dataset.rows());
}

std::vector<int> groups_by(const Dataset& dataset, std::size_t column) {
  Numbering numbering;
  std::vector<int> groups;
  std::uint64_t missing = core::mixed(column);
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const double value = dataset.features.dense().row(i)[column];
    groups.push_back(numbering.number(std::isnan(value) ? core::mixed(++missing) : bits_of(value)));
  }
  return groups;
}

}  // namespace credence::data
