#include "credence/data/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <regex>
#include <unordered_map>
#include <unordered_set>

#include "core/numbers.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"

namespace credence::data {
namespace {

/// Equal for equal numbers: 0 and -0, and all NaN.
std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(std::isnan(value) ? core::nan : value == 0 ? 0.0 : value);
}

/// Numbers keys in the order in which they come first.
std::vector<int> numbered(const std::vector<std::uint64_t>& keys) {
  std::unordered_map<std::uint64_t, int> numbers;
  return core::mapped(keys, [&](std::uint64_t key) {
    return numbers.try_emplace(key, static_cast<int>(numbers.size())).first->second;
  });
}

double truth_of(const Dataset& dataset, std::size_t row) {
  return dataset.is_regression() ? dataset.targets[row] : static_cast<double>(dataset.labels[row]);
}

}  // namespace

RepeatedRows repeated_rows(const Dataset& dataset) {
  if (!dataset.is_labelled() || dataset.features.columns() == 0) return {};
  std::vector<std::uint64_t> keys = row_keys(dataset.features);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = core::mixed(keys[i] ^ core::mixed(bits_of(truth_of(dataset, i))));
  std::vector<std::uint64_t> sorted = keys;
  std::ranges::sort(sorted);
  const auto distinct = static_cast<std::size_t>(std::ranges::unique(sorted).begin() - sorted.begin());
  return distinct == keys.size() ? RepeatedRows{} : RepeatedRows{numbered(keys), distinct};
}

std::size_t times_entered(const RepeatedRows& found) {
  std::vector<std::size_t> times(found.distinct, 0);
  for (const int number : found.number_of) ++times[static_cast<std::size_t>(number)];
  return std::accumulate(times.begin(), times.end(), std::size_t{0}, std::gcd<std::size_t, std::size_t>);
}

RepeatedRows by_entry(const RepeatedRows& found, std::size_t times) {
  RepeatedRows parted;
  std::vector<std::size_t> seen(found.distinct, 0);
  std::vector<int> current(found.distinct, 0);
  for (const int number : found.number_of) {
    const auto k = static_cast<std::size_t>(number);
    if (seen[k]++ % times == 0) current[k] = static_cast<int>(parted.distinct++);
    parted.number_of.push_back(current[k]);
  }
  return parted;
}

std::vector<std::size_t> first_rows(std::span<const int> numbers) {
  std::vector<std::size_t> first;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    first.resize(std::max(first.size(), static_cast<std::size_t>(numbers[i]) + 1));
    first[static_cast<std::size_t>(numbers[i])] = i;
  }
  return first;
}

bool is_of_few_values(const Dataset& dataset, const RepeatedRows& found) {
  std::vector<std::unordered_set<std::uint64_t>> seen(dataset.features.columns());
  bool many = false;
  for (const std::size_t row : first_rows(found.number_of)) {
    for_each_entry(dataset.features, row, [&](std::size_t column, double value) {
      many = many || (seen[column].insert(bits_of(value)).second && 2 * seen[column].size() > found.distinct);
    });
    if (many) return false;
  }
  return true;
}

namespace {

/// Rows that have a value in a column, value after value, and where each value begins in this order; the end too.
struct RowsByValue {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> starts;
};

/// @return none if a value is no whole number, or the values do not come again as those of subjects do
RowsByValue rows_by_subject(const DenseMatrix& matrix, std::size_t column) {
  constexpr std::size_t most = 20;  // rows of a subject
  const auto value = [&](std::size_t row) { return matrix.row(row)[column]; };
  RowsByValue found;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    if (value(i) != std::floor(value(i)) && !std::isnan(value(i))) return {};
    if (!std::isnan(value(i))) found.rows.push_back(i);
  }
  const std::size_t n = found.rows.size();
  if (n == 0) return {};
  const auto [least, largest] = std::ranges::minmax(found.rows, {}, value);
  const std::size_t subjects = n / most;
  if (!(value(largest) - value(least) > 0.5 * static_cast<double>(subjects))) return {};  // few values: saves the sort
  // Rows of one value in no order of the file, which may be sorted by label.
  std::ranges::sort(found.rows, {}, [&](std::size_t row) { return std::pair(value(row), core::mixed(row)); });
  std::size_t alone = 0;
  std::size_t often = 0;
  for (std::size_t a = 0, before = 0; a <= n; ++a) {
    if (a > 0 && a < n && value(found.rows[a]) == value(found.rows[a - 1])) continue;
    found.starts.push_back(a);
    alone += a - before == 1 ? 1U : 0U;
    often += a - before > most ? a - before : 0U;
    before = a;
  }
  const std::size_t values = found.starts.size() - 1;
  // A code for unknown values may come often. Fewer values than twice the rows of one are levels of a design.
  const bool again = 2 * alone < n && 20 * often <= n && values >= 10 && values * values >= 2 * n;
  return again ? found : RowsByValue{};
}

/// Whether two thirds of the values come equally often, twice or more. Chance deals rows to values by a Poisson
/// distribution, in which no number of times from 2 on has more than a third of the values.
bool come_equally_often(const std::vector<std::size_t>& starts) {
  std::unordered_map<std::size_t, std::size_t> values_of_times;
  for (std::size_t v = 1; v < starts.size(); ++v) ++values_of_times[starts[v] - starts[v - 1]];
  return starts.size() > 30 && std::ranges::any_of(values_of_times, [&](const auto& one) {
           return one.first > 1 && 3 * one.second >= 2 * (starts.size() - 1);
         });
}

/// Whether rows of one value are alike, and rows of neighbouring values are not: in the label, or on average over the
/// other columns. Squared differences of rows are taken in units of those of rows drawn at random.
bool are_alike(const Dataset& dataset, std::size_t column, const RowsByValue& subjects) {
  constexpr std::size_t most_columns = 50;
  const std::size_t n = subjects.rows.size();
  std::vector<bool> begins(n + 1, false);
  for (const std::size_t start : subjects.starts) begins[start] = true;
  double sums[2] = {0, 0};  // of one value, of neighbours
  double noise = 0;         // standard errors of their differences
  double looked_at = 0;
  const auto tell = [&] {
    return sums[0] < 0.5 * looked_at && sums[1] > std::max(0.75 * looked_at, sums[0] + 3 * noise);
  };
  const auto look_at = [&](const auto& number) {
    double moments[2] = {0, 0};
    double squares[2] = {0, 0};
    double fourths[2] = {0, 0};
    double counts[2] = {0, 0};
    for (std::size_t a = 0; a < n; ++a) {
      const double own = number(subjects.rows[a]);
      moments[0] += own / static_cast<double>(n);
      moments[1] += own * own / static_cast<double>(n);
      const double square = a > 0 ? std::pow(own - number(subjects.rows[a - 1]), 2) : 0;
      squares[begins[a]] += square;
      fourths[begins[a]] += square * square;
      counts[begins[a]] += a > 0 ? 1 : 0;
    }
    const double chance = 2 * (moments[1] - moments[0] * moments[0]);
    if (!(chance > 1e-9 * moments[1])) return;
    for (const int kind : {0, 1}) sums[kind] += squares[kind] / counts[kind] / chance;
    noise += std::sqrt(fourths[0] / (counts[0] * counts[0]) + fourths[1] / (counts[1] * counts[1])) / chance;
    looked_at += 1;
  };
  if (n < subjects.starts.size() + 100 || subjects.starts.size() < 30) return false;  // chance alone could be it
  if (dataset.is_labelled()) look_at([&](std::size_t row) { return truth_of(dataset, row); });
  if (tell()) return true;
  looked_at = noise = sums[0] = sums[1] = 0;
  for (std::size_t j = 0; j < dataset.features.columns() && looked_at < most_columns; ++j) {
    const auto number = [&](std::size_t row) { return dataset.features.dense().row(row)[j]; };
    if (j != column) look_at([&](std::size_t row) { return std::isnan(number(row)) ? 0 : number(row); });
  }
  return tell();
}

}  // namespace

std::vector<std::size_t> subject_columns(const Dataset& dataset) {
  static const std::regex named(  // once: std::regex fills tables as it compiles, which threads share
      "(^|[^a-z])(p?id|mrn|patient|subject|case|fall|proband|person|participant)([^a-z]|$)|"
      "(patient|subject|case|fall|proband|person|participant)(en)?(id|nr|nummer)",
      std::regex::icase);
  const bool told = !dataset.groups.empty() || !dataset.folds.empty() || !dataset.splits.empty();
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; !told && !dataset.features.is_sparse() && j < dataset.features.columns(); ++j) {
    const RowsByValue subjects = rows_by_subject(dataset.features.dense(), j);
    if (subjects.rows.empty()) continue;
    const Column& column = dataset.schema.columns[j];
    const auto value = [&](std::size_t row) { return dataset.features.dense().row(row)[j]; };
    const bool years = column.kind == ColumnKind::numeric && value(subjects.rows.front()) >= 1800 &&
                       value(subjects.rows.back()) <= 2100;
    if (std::regex_search(column.name, named) || (!years && come_equally_often(subjects.starts)) ||
        are_alike(dataset, j, subjects))
      columns.push_back(j);
  }
  return columns;
}

std::string subject_note(const Dataset& dataset, std::size_t column) {
  const Column& named = dataset.schema.columns[column];
  const std::string name = named.name.empty() ? fmt::to_string(column + 1) : named.name;
  const char* quote = name.find(' ') == std::string::npos ? "" : "'";
  return fmt::format(
      "column '{0}' has {1} that come again as if each named a subject, and rows of one subject depend on each other: "
      "if so, give --groups {2}{0}{2}",
      name, named.kind == ColumnKind::categorical ? "texts" : "whole numbers", quote);
}

std::vector<int> groups_by(const Dataset& dataset, std::size_t column) {
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const double value = dataset.features.dense().row(i)[column];
    keys.push_back(std::isnan(value) ? core::mixed(i) : bits_of(value));
  }
  return numbered(keys);
}

}  // namespace credence::data
