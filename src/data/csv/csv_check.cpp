#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "credence/core/list.hpp"
#include "data/cell.hpp"
#include "data/csv/csv.hpp"
#include "data/labels.hpp"

namespace credence::data::detail {

namespace {

/// What is wrong with a column, the line of its first wrong cell, and what to do about it.
struct Problem {
  std::size_t line = 0;
  std::string sentence;
  std::string remedy{};
};

/// Remembers the first problem of each column.
class Problems {
 public:
  explicit Problems(const Layout& layout) : layout_(layout) {}

  void add(std::size_t position, Problem problem) {
    const auto [known, is_new] = of_column_.emplace(position, problem);
    if (!is_new && problem.line < known->second.line) known->second = std::move(problem);
  }
  bool empty() const { return of_column_.empty(); }

  /// In reading order, each remedy once, at the end.
  void throw_any() const {
    if (empty()) return;
    constexpr std::size_t most_named = 10;
    std::vector<std::pair<std::size_t, Problem>> found(of_column_.begin(), of_column_.end());
    std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.second.line; });
    const Location first = layout_.where(found.front().second.line, found.front().first);
    std::vector<std::string> parts;
    std::vector<std::string> remedies;
    for (const auto& [position, problem] : found) {
      if (parts.size() < most_named)
        parts.push_back(parts.empty()
                            ? problem.sentence
                            : fmt::format("line {}, {}: {}", problem.line, layout_.phrase(position), problem.sentence));
      if (!problem.remedy.empty() && std::ranges::find(remedies, problem.remedy) == remedies.end())
        remedies.push_back(problem.remedy);
    }
    if (found.size() > most_named) parts.push_back(fmt::format("and {} more columns", found.size() - most_named));
    parts.insert(parts.end(), remedies.begin(), remedies.end());
    refuse_data(fmt::format("{}", fmt::join(parts, "; ")), first);
  }

 private:
  const Layout& layout_;
  std::map<std::size_t, Problem> of_column_;
};

/// What to do about a column of numbers and texts.
constexpr const char* usual_remedy =
    "name what means missing, correct the value, drop the column, or declare the column categorical";
constexpr const char* remedy_of_missing = "name what means missing, or correct the value";

/// What to say of a column that holds numbers and texts, and the line of the cell that is to be corrected.
Problem mixture(const TableColumn& column, bool decimal_comma) {
  const bool of_thousands = grouped(column.first_text.text, decimal_comma) != Grouped::no;
  const bool numeric = column.numbers >= column.texts || of_thousands;
  const Place& place = numeric ? column.first_text : column.first_number;
  double value = 0;
  const bool other_sign = numeric && classify_cell(place.text, value, !decimal_comma) == CellKind::number;
  return {place.line,
          fmt::format("the {} {} stands among {}", numeric ? "text" : "number", in_quotes(place.text),
                      numeric ? count_of(column.numbers, "number") : count_of(column.texts, "text")),
          of_thousands && other_sign ? "write thousands without commas or points, or give the decimal sign"
          : of_thousands             ? "write thousands without commas or points"
          : other_sign               ? "correct the value, or give the decimal sign"
                                     : usual_remedy};
}

/// Looks for problems in the rows that were parsed.
class Checker {
 public:
  Checker(const CsvFile& file, const ReadOptions& options)
      : table_(file.table), layout_(file.layout), options_(options) {}

  Problems problems() const {
    if (layout_.features.empty()) refuse_no_features();
    Problems problems(layout_);
    for (std::size_t k = 0; k < layout_.features.size(); ++k) check_feature(k, problems);
    check_weights(problems);
    if (layout_.hint) check_numbers(*layout_.hint, "hint", problems);
    for (const auto& [position, what] :
         {std::pair{layout_.hint, "hint"}, std::pair{layout_.groups, "group"}, std::pair{layout_.folds, "fold"}}) {
      if (position) check_required(*position, what, problems);
    }
    check_label(problems);
    return problems;
  }

 private:
  [[noreturn]] void refuse_no_features() const {
    if (!options_.only.empty()) {
      refuse_data(fmt::format("the file has none of the columns '{}'", fmt::join(options_.only, "', '")),
                  {.file = layout_.file});
    }
    refuse_data(fmt::format("the file has {} and none is left for features; check the delimiter",
                            count_of(layout_.names.size(), "column")),
                {.file = layout_.file});
  }

  /// Rows for a model need no label; but what stands in a column of numbers must be one.
  void check_label(Problems& problems) const {
    if (!layout_.label) return;
    if (schema_ == nullptr) check_required(*layout_.label, regression_ ? "target" : "label", problems);
    if (regression_) check_numbers(*layout_.label, "target", problems);
  }

  /// Whether more than half of the texts are numbers that are not whole.
  bool holds_fractions(const Interner& texts) const {
    const auto is_fraction = [&](std::size_t code, double value = 0) {
      const CellKind kind = classify_cell(texts.spelling(code), value, options_.decimal == Decimal::comma);
      return kind == CellKind::number && value != std::floor(value);
    };
    return 2 * core::numbers_where(texts.size(), is_fraction).size() > texts.size();
  }

  const char* advice_on_missing() const {
    if (options_.numbers) return "";
    if (schema_ != nullptr) return "this model fills no missing values; a model that is trained to impute does";
    return "missing values can be imputed, or their rows dropped";
  }

  void check_feature(std::size_t feature, Problems& problems) const {
    const std::size_t position = layout_.features[feature];
    const TableColumn& column = table_.columns[position];
    if (column.first_infinite.line > 0) add_infinite(position, problems);
    if (column.missing > 0 && options_.missing == Missing::error) {
      problems.add(position,
                   {column.first_missing.line, fmt::format("a value is missing ({} in the column)", column.missing),
                    advice_on_missing()});
    }
    if (options_.numbers && column.texts > 0) {
      const std::string& text = column.first_text.text;
      problems.add(position, {column.first_text.line,
                              fmt::format("the column must hold numbers, and {} is none", in_quotes(text)),
                              is_of_thousands(text) ? remedy_of_thousands : ""});
    } else if (schema_ != nullptr) {
      check_schema_feature(feature, problems);
    } else if (column.numbers > 0 && column.texts > 0) {
      problems.add(position, mixture(column, options_.decimal == Decimal::comma));
    }
  }

  void check_schema_feature(std::size_t feature, Problems& problems) const {
    const std::size_t position = layout_.features[feature];
    const TableColumn& column = table_.columns[position];
    if (!layout_.categorical[feature]) {
      if (column.texts == 0) return;
      const std::string& text = column.first_text.text;
      problems.add(position, {column.first_text.line,
                              fmt::format("the column is numeric in the model; {} is not a number", in_quotes(text)),
                              is_of_thousands(text) ? remedy_of_thousands : remedy_of_missing});
      return;
    }
    const std::optional<UnseenLevel> unseen = first_unseen(table_, layout_, *schema_, feature);
    const bool counts_as_missing = options_.unseen == Unseen::missing && options_.missing == Missing::error;
    if (!unseen || (options_.unseen != Unseen::error && !counts_as_missing)) return;
    problems.add(position,
                 {unseen->line, fmt::format("{} is {}", in_quotes(unseen->level), unseen->known),
                  counts_as_missing ? "it would count as missing; this model fills no missing values; a model "
                                      "that is trained to impute does"
                  : options_.missing == Missing::error ? "such values can count as no level"
                                                       : "such values can count as missing, or as no level"});
  }

  static constexpr const char* remedy_of_thousands = "write thousands without commas or points";
  bool is_of_thousands(std::string_view text) const {
    return grouped(text, options_.decimal == Decimal::comma) != Grouped::no;
  }

  void add_infinite(std::size_t position, Problems& problems) const {
    const Place& place = table_.columns[position].first_infinite;
    problems.add(position, {place.line, fmt::format("{} is not a finite number", in_quotes(place.text))});
  }

  void check_weights(Problems& problems) const {
    if (!layout_.weights) return;
    const std::size_t position = *layout_.weights;
    check_required(position, "weight", problems);
    if (!check_numbers(position, "weight", problems)) return;
    table_.for_each_row(table_.rows(), [&](std::size_t, std::size_t line, const double* cells) {
      if (cells[position] <= 0) {
        problems.add(position,
                     {line, fmt::format("the weight {} is not above 0; leave rows out instead", cells[position])});
      }
    });
  }

  /// Of a column that is no feature. False if there is text in it.
  bool check_numbers(std::size_t position, std::string_view what, Problems& problems) const {
    const TableColumn& column = table_.columns[position];
    if (column.first_infinite.line > 0) add_infinite(position, problems);
    if (column.texts == 0) return true;
    problems.add(position, {column.first_text.line,
                            fmt::format("the {} {} is not a number{}", what, in_quotes(column.first_text.text),
                                        what == "target" ? ", as a regression needs" : ""),
                            remedy_of_missing});
    return false;
  }

  /// Only dropping rows is a way to deal with a missing label, target, weight, hint, group or fold.
  void check_required(std::size_t position, std::string_view what, Problems& problems) const {
    const TableColumn& column = table_.columns[position];
    if (column.missing == 0 || options_.missing == Missing::drop) return;
    const bool is_other = what == "label" && holds_fractions(column.spellings);
    const char* doubt = is_other ? ", and the column holds fractions; perhaps choose another label" : "";
    problems.add(position, {column.first_missing.line, fmt::format("the {} is missing{}", what, doubt),
                            "correct the value or drop the rows with missing values"});
  }

  const Table& table_;
  const Layout& layout_;
  const ReadOptions& options_;
  const Schema* schema_ = options_.schema;
  const bool regression_ = task_of(options_) == Task::regression;
};

}  // namespace

std::string none_of_levels(const std::vector<std::string>& levels) {
  constexpr std::size_t most_named = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(levels.size(), most_named); ++i)
    names += (i == 0 ? "" : ", ") + in_quotes(levels[i]);
  if (levels.size() > most_named) names += ", ...";
  return fmt::format("none of the {} that the model knows ({})", count_of(levels.size(), "level"), names);
}

std::optional<UnseenLevel> first_unseen(const Table& table, const Layout& layout, const Schema& schema,
                                        std::size_t feature) {
  if (!layout.categorical[feature]) return std::nullopt;
  const Interner& spellings = table.columns[layout.features[feature]].spellings;
  const std::vector<std::string>& levels = schema.columns[feature].levels;
  const std::unordered_set<std::string_view> known(levels.begin(), levels.end());
  for (std::size_t code = 0; code < spellings.size(); ++code)
    if (!known.contains(spellings.spelling(code)))
      return UnseenLevel{spellings.spelling(code), spellings.line(code), none_of_levels(levels)};
  return std::nullopt;
}

void check_columns(const CsvFile& file, const ReadOptions& options) {
  Checker(file, options).problems().throw_any();
}

bool has_problem(const CsvFile& file, const ReadOptions& options) {
  return !Checker(file, options).problems().empty();
}

}  // namespace credence::data::detail

namespace credence::data {

std::pair<std::vector<double>, std::optional<std::vector<std::string>>> read_texts(
    const std::vector<std::string>& texts, const std::string& phrase, bool categorical) {
  detail::TableColumn column;
  column.use = categorical ? detail::TableColumn::Use::text : detail::TableColumn::Use::detect;
  std::vector<double> values;
  for (std::size_t i = 0; i < texts.size(); ++i) values.push_back(column.value_of(texts[i], i + 1));
  const detail::Place& infinite = column.first_infinite;
  detail::Problem problem;
  if (column.numbers > 0 && column.texts > 0) problem = detail::mixture(column, false);
  if (infinite.line > 0)
    problem = {infinite.line, fmt::format("{} is not a finite number", detail::in_quotes(infinite.text))};
  if (problem.line > 0) {
    refuse_data(fmt::format("row {}, counted from 0, {}: {}{}{}", problem.line - 1, phrase, problem.sentence,
                            problem.remedy.empty() ? "" : "; ", problem.remedy));
  }
  if (column.texts == 0 && !categorical) return {std::move(values), std::nullopt};
  const std::vector<std::uint32_t> codes = core::mapped(
      values, [&](double cell) { return std::isnan(cell) ? detail::no_code : static_cast<std::uint32_t>(cell); });
  detail::Coded coded = detail::sort_codes(column.spellings, codes);
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (coded.codes[i] >= 0) values[i] = coded.codes[i];
  return {std::move(values), std::move(coded.spellings)};
}

}  // namespace credence::data
