#include "data/csv/csv_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "credence/core/list.hpp"
#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

constexpr std::array<std::string_view, 4> label_words = {"label", "target", "class", "y"};
constexpr std::string_view unnamed = "column ";

std::optional<std::size_t> position_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> column_names(const std::vector<std::string>& first_row, bool has_header) {
  return core::made(first_row.size(), [&](std::size_t j) {
    const std::string_view name = has_header ? trimmed(first_row[j]) : std::string_view{};
    return name.empty() ? fmt::format("{}{}", unnamed, j + 1) : std::string(name);
  });
}

/// Gives columns whose name stood before names of their own. In a table of scores, where each name says whose scores
/// they are, such a column is an error.
void part_duplicates(Layout& layout, bool allowed) {
  std::unordered_set<std::string> taken(layout.names.begin(), layout.names.end());
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t j = 0; j < layout.names.size(); ++j) {
    const std::string name = layout.names[j];
    const auto [first, is_new] = seen.emplace(name, j);
    if (is_new) continue;
    const std::string where = fmt::format("the header has the name {} twice, in columns {} and {}", in_quotes(name),
                                          first->second + 1, j + 1);
    if (!allowed) refuse_data(where, {layout.file, 0, name});
    std::size_t count = 1;
    while (!taken.insert(fmt::format("{}.{}", name, count)).second) ++count;
    layout.names[j] = fmt::format("{}.{}", name, count);
    layout.notes.push_back(fmt::format("{}; column {} is called {}", where, j + 1, in_quotes(layout.names[j])));
  }
}

/// In the order of the file all names, or of many the nearest, and then the name that was likely meant.
std::string list_of_names(std::string_view asked, const std::vector<std::string>& all) {
  constexpr std::size_t most_named = 5;
  constexpr std::size_t most_compared = 10000;
  const std::vector<std::string> names(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most_compared)));
  const std::vector<std::string> nearest = core::nearest_first(asked, names);
  const std::unordered_set<std::string_view> shown(
      nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(std::min(nearest.size(), most_named)));
  std::string list;
  for (const std::string& name : names)
    if (shown.contains(name)) list += (list.empty() ? "" : ", ") + in_quotes(name);
  if (all.size() > shown.size()) list += fmt::format(" and {} more", all.size() - shown.size());
  return list + core::did_you_mean(asked, names);
}

/// A column given by name or 1-based position; a name wins. @param what  the column is for, or empty
std::size_t resolve(const Layout& layout, const std::string& column, std::string_view what) {
  if (layout.has_header) {
    if (const auto position = position_of(layout.names, trimmed(column))) return *position;
  }
  std::size_t number = 0;
  const char* const end = column.data() + column.size();
  const auto [stop, code] = std::from_chars(column.data(), end, number);
  const bool is_position = code == std::errc{} && stop == end;
  const std::string noun = what.empty() ? "column" : fmt::format("{} column", what);
  if (is_position && number >= 1 && number <= layout.names.size()) return number - 1;
  if (!layout.has_header) {
    refuse(fmt::format("the {} {} is neither a name in a header, which the file does not seem to have, nor a "
                       "position from 1 to {}; if its first row has the names, say that it is a header",
                       noun, in_quotes(column), layout.names.size()),
           {.file = layout.file});
  }
  refuse(fmt::format("the {} {} is neither a name in its header nor a position from 1 to {}; the names are {}", noun,
                     in_quotes(column), layout.names.size(), list_of_names(trimmed(column), layout.names)),
         {.file = layout.file});
}

std::optional<std::size_t> resolve(const Layout& layout, const std::optional<std::string>& column,
                                   std::string_view what) {
  if (!column) return std::nullopt;
  return resolve(layout, *column, what);
}

/// Columns given by name or position, or several in one text, separated by commas. The whole text is looked for first.
std::vector<std::size_t> resolve(const Layout& layout, const std::vector<std::string>& columns, std::string_view what) {
  std::vector<std::size_t> result;
  for (const std::string& text : columns) {
    const bool is_name = layout.has_header && position_of(layout.names, trimmed(text)).has_value();
    std::string_view rest = text;
    while (true) {
      const auto comma = is_name ? std::string_view::npos : rest.find(',');
      result.push_back(resolve(layout, std::string(trimmed(rest.substr(0, comma))), what));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return result;
}

/// @param dropped  for each column of the file
std::optional<std::size_t> default_label(const Layout& layout, const std::vector<bool>& dropped,
                                         std::size_t empty_at_end) {
  for (const std::string_view word : label_words) {
    for (std::size_t j = 0; layout.has_header && j < layout.names.size(); ++j)
      if (!dropped[j] && equal_ignoring_case(layout.names[j], word)) return j;
  }
  for (std::size_t j = layout.names.size() - std::min(empty_at_end, layout.names.size()); j-- > 0;)
    if (!dropped[j] && !layout.names[j].starts_with("__index_level_")) return j;
  return std::nullopt;
}

void refuse_dropped(const Layout& layout, const std::vector<bool>& dropped) {
  for (const auto& [position, what] :
       {std::pair{layout.label, "label"}, std::pair{layout.weights, "weights"}, std::pair{layout.hint, "hint"},
        std::pair{layout.groups, "groups"}, std::pair{layout.folds, "folds"}}) {
    if (!position || !dropped[*position]) continue;
    refuse(fmt::format("{} holds the {} and cannot be dropped", layout.phrase(*position), what), {.file = layout.file});
  }
}

void refuse_shared_columns(const Layout& layout) {
  const std::array<std::pair<std::optional<std::size_t>, std::string_view>, 5> uses = {{{layout.label, "label"},
                                                                                        {layout.weights, "weights"},
                                                                                        {layout.hint, "hint"},
                                                                                        {layout.groups, "groups"},
                                                                                        {layout.folds, "folds"}}};
  for (std::size_t a = 0; a < uses.size(); ++a) {
    for (std::size_t b = a + 1; b < uses.size(); ++b) {
      if (!uses[a].first || uses[a].first != uses[b].first) continue;
      refuse(fmt::format("{} cannot hold both the {} and the {}", layout.phrase(*uses[a].first), uses[a].second,
                         uses[b].second),
             {.file = layout.file});
    }
    if (uses[a].first && std::ranges::find(layout.features, *uses[a].first) != layout.features.end()) {
      refuse(fmt::format("{} is a feature of the model and cannot hold the {}", layout.phrase(*uses[a].first),
                         uses[a].second),
             {.file = layout.file});
    }
  }
}

void choose_training_columns(Layout& layout, const ReadOptions& options, std::size_t empty_at_end) {
  std::vector<bool> dropped(layout.names.size(), false);
  for (const std::size_t position : resolve(layout, options.drop, "dropped")) dropped[position] = true;
  layout.kept = resolve(layout, options.keep, "kept");
  if (!options.unlabelled)
    layout.label =
        options.label ? resolve(layout, options.label, "label") : default_label(layout, dropped, empty_at_end);
  refuse_dropped(layout, dropped);
  std::vector<bool> text(layout.names.size(), false);
  for (const std::size_t position : resolve(layout, options.categorical, "categorical")) text[position] = true;
  layout.label_is_name = layout.label && text[*layout.label];
  for (std::size_t j = 0; j < layout.names.size(); ++j) {
    if (dropped[j] || j == layout.label || j == layout.weights || j == layout.hint) continue;
    if (j == layout.groups || j == layout.folds) continue;
    if (options.numbers && layout.is_unnamed(j)) continue;
    if (!options.only.empty() && std::ranges::find(options.only, layout.names[j]) == options.only.end()) continue;
    layout.features.push_back(j);
    layout.categorical.push_back(text[j]);
  }
}

/// The 0-based file position that a name "column N" tells.
std::optional<std::size_t> told_position(std::string_view name, const Schema& schema) {
  std::size_t number = 0;
  if (!name.starts_with(unnamed)) return std::nullopt;
  const auto [stop, code] = std::from_chars(name.data() + unnamed.size(), name.data() + name.size(), number);
  if (code != std::errc{} || number < 1 || number > schema.file_columns) return std::nullopt;
  return number - 1;
}

/// The words of a name in lower case, in their order in the alphabet.
std::string sorted_words(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && static_cast<unsigned char>(c) < 0x80U)
      words.emplace_back();
    else
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::ranges::sort(words);
  return fmt::format("{}", fmt::join(words, " "));
}

/// What may have happened to columns that a file lacks: the file has no header, or another name; empty if neither.
std::string reason_of_absence(const Layout& layout, const Schema& schema, const std::vector<std::string>& absent) {
  double value = 0;
  const auto is_number = [&](const std::string& name) { return classify_cell(name, value) == CellKind::number; };
  if (absent.size() == schema.columns.size() && std::ranges::any_of(layout.names, is_number))
    return "; has it a header? If its first row holds values, say that there is no header";
  if (told_position(absent.front(), schema))
    return ", which had no name in the training file; where it numbers the rows, train without it: drop the column";
  std::vector<std::string> others;
  for (const std::string& name : layout.names)
    if (std::ranges::find(schema.columns, name, &Column::name) == schema.columns.end()) others.push_back(name);
  const auto same_words = [&](const std::string& name) { return sorted_words(name) == sorted_words(absent.front()); };
  const auto renamed = std::ranges::find_if(others, same_words);
  const std::string meant = renamed != others.end() ? *renamed : core::likely_meant(absent.front(), others);
  return meant.empty() ? "" : fmt::format("; if '{}' is meant by '{}', rename it", absent.front(), meant);
}

/// @param owner  " of the model", or nothing
void match_by_name(Layout& layout, const Schema& schema, std::string_view owner) {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t j = 0; j < layout.names.size(); ++j) positions.emplace(layout.names[j], j);
  std::vector<std::string> absent;
  for (const Column& column : schema.columns) {
    const auto found = positions.find(column.name);
    if (found == positions.end())
      absent.push_back(column.name);
    else
      layout.features.push_back(found->second);
  }
  if (absent.empty()) return;
  constexpr std::size_t most_named = 5;
  const std::size_t shown = std::min(absent.size(), most_named);
  std::string list;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool has_name = !told_position(absent[i], schema);
    list +=
        fmt::format("{}{}", i == 0 ? "" : ", ", has_name ? '\'' + absent[i] + '\'' : absent[i].substr(unnamed.size()));
  }
  if (shown < absent.size()) list += fmt::format(" and {} more", absent.size() - shown);
  refuse_data(fmt::format("the file lacks {} {}{}{}", absent.size() == 1 ? "column" : "columns", list, owner,
                          reason_of_absence(layout, schema, absent)),
              {.file = layout.file});
}

/// 0-based file positions of a schema's columns: from their names "column N", else all columns but the label's. Nothing
/// if there were others, of weights for example.
std::vector<std::size_t> trained_positions(const Schema& schema) {
  std::vector<std::size_t> result;
  for (const Column& column : schema.columns) {
    const auto position = told_position(column.name, schema);
    if (!position) break;
    result.push_back(*position);
  }
  if (result.size() == schema.columns.size()) return result;
  result.clear();
  const std::size_t labels = schema.label_position < schema.file_columns ? 1 : 0;
  if (schema.columns.size() + labels != schema.file_columns) return result;
  for (std::size_t j = 0; j < schema.columns.size(); ++j) result.push_back(j < schema.label_position ? j : j + 1);
  return result;
}

void match_hint_by_name(Layout& layout, const Schema& schema) {
  if (schema.hint_name.empty() || layout.hint) return;
  layout.hint = position_of(layout.names, schema.hint_name);
  if (layout.hint) return;
  refuse_data(fmt::format("the file lacks column '{}', which is the hint of the model", schema.hint_name),
              {.file = layout.file});
}

void match_by_position(Layout& layout, const Schema& schema) {
  const bool trained_with_label = schema.label_position < schema.file_columns;
  const std::size_t count = layout.names.size();
  const bool has_label = trained_with_label && count == schema.file_columns;
  const std::size_t unlabelled_columns = schema.file_columns - (trained_with_label ? 1U : 0U);
  if (count != schema.file_columns && count != unlabelled_columns) {
    refuse_data(fmt::format("the file has {}; the model was trained on {}{}", count_of(count, "column"),
                            schema.file_columns, trained_with_label ? " with the label's" : ""),
                {.file = layout.file});
  }
  const auto here = [&](std::size_t position) {
    return trained_with_label && !has_label && position > schema.label_position ? position - 1 : position;
  };
  for (const std::size_t position : trained_positions(schema)) layout.features.push_back(here(position));
  if (layout.features.empty() || std::ranges::max(layout.features) >= count)
    refuse_data("the columns cannot be matched by position; give the file a header", {.file = layout.file});
  if (has_label) layout.label = schema.label_position;
  if (schema.hint_name.empty() || layout.hint) return;
  const auto hint = told_position(schema.hint_name, schema);
  if (!hint || here(*hint) >= count) {
    refuse_data(fmt::format("the hint of the model, column '{}', can only be found by its name; give the file a header",
                            schema.hint_name),
                {.file = layout.file});
  }
  layout.hint = here(*hint);
}

void choose_schema_columns(Layout& layout, const ReadOptions& options) {
  const Schema& schema = *options.schema;
  if (schema.has_header && layout.has_header) {
    match_by_name(layout, schema, options.numbers ? "" : " of the model");
    match_hint_by_name(layout, schema);
    if (!schema.label_name.empty()) layout.label = position_of(layout.names, schema.label_name);
  } else {
    match_by_position(layout, schema);
  }
  if (options.label) layout.label = resolve(layout, options.label, "label");
  if (options.unlabelled) layout.label.reset();
  for (const Column& column : schema.columns) layout.categorical.push_back(column.kind == ColumnKind::categorical);
}

/// A text of `na`, and the column that it is about; empty: all columns.
using NamedCode = std::pair<std::string, std::string>;

std::vector<NamedCode> named_codes(const ReadOptions& options) {
  std::vector<NamedCode> codes;
  for (const std::string& text : options.na) {
    std::string column;
    for (std::string_view part : core::split(text, ',')) {
      if (const auto equal = part.find('='); equal != 0 && equal != std::string_view::npos) {
        column = trimmed(part.substr(0, equal));
        part.remove_prefix(equal + 1);
      }
      codes.emplace_back(column, trimmed(part));
    }
  }
  return codes;
}

/// Of the options, and of the schema where its columns are in the file.
void choose_codes(Layout& layout, const ReadOptions& options) {
  for (const auto& [column, code] : named_codes(options))
    layout.given_codes.push_back({code, column.empty() ? std::nullopt : std::optional(resolve(layout, column, ""))});
  if (options.schema != nullptr) {
    for (MissingCode code : options.schema->missing_codes) {
      const bool of_label = code.column && *code.column >= layout.features.size();
      if (of_label && !layout.label) continue;
      if (code.column) code.column = of_label ? layout.label : layout.features[*code.column];
      layout.given_codes.push_back(std::move(code));
    }
  }
  layout.codes.resize(layout.names.size());
  if (layout.given_codes.empty()) return;
  for (std::size_t j = 0; j < layout.codes.size(); ++j) {
    MissingCodes codes;
    for (const MissingCode& code : layout.given_codes)
      if (code.column.value_or(j) == j) codes.add(code.text);
    layout.codes[j] = std::make_shared<const MissingCodes>(std::move(codes));
  }
}

}  // namespace

MissingCodes codes_of_all_columns(const ReadOptions& options) {
  MissingCodes codes;
  for (const auto& [column, code] : named_codes(options))
    if (column.empty()) codes.add(code);
  if (options.schema == nullptr) return codes;
  for (const MissingCode& code : options.schema->missing_codes)
    if (!code.column) codes.add(code.text);
  return codes;
}

std::string Layout::phrase(std::size_t position) const {
  return has_header && !is_unnamed(position) ? fmt::format("column '{}'", names[position])
                                             : fmt::format("column {}", position + 1);
}

Location Layout::where(std::size_t line, std::size_t position) const {
  return {file, line, has_header && !is_unnamed(position) ? names[position] : std::to_string(position + 1)};
}

bool Layout::is_unnamed(std::size_t position) const {
  return has_header && names[position] == fmt::format("{}{}", unnamed, position + 1);
}

bool is_label_word(std::string_view cell) {
  return std::ranges::any_of(label_words, [cell](std::string_view word) { return equal_ignoring_case(cell, word); });
}

Layout make_layout(const std::string& file, const std::vector<std::string>& first_row, bool has_header,
                   const ReadOptions& options, std::size_t empty_at_end) {
  Layout layout;
  layout.file = file;
  layout.has_header = has_header;
  layout.names = column_names(first_row, has_header);
  if (has_header) part_duplicates(layout, !options.numbers);
  layout.weights = resolve(layout, options.weights, "weights");
  layout.hint = resolve(layout, options.hint, "hint");
  layout.groups = resolve(layout, options.groups, "groups");
  layout.folds = resolve(layout, options.folds, "folds");
  if (options.schema != nullptr)
    choose_schema_columns(layout, options);
  else
    choose_training_columns(layout, options, empty_at_end);
  refuse_shared_columns(layout);
  choose_codes(layout, options);
  if (options.all_texts)
    layout.texts = core::numbers_below(layout.names.size());
  else
    layout.texts = resolve(layout, options.texts, "");
  return layout;
}

}  // namespace credence::data::detail
