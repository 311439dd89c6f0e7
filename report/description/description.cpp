#include "report/description/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "credence/core/list.hpp"
#include "credence/core/version.hpp"
#include "credence/data/repeats.hpp"
#include "credence/selection/selector.hpp"
#include "report/selection/selection_report.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t most_bars = 12;

/// The values of each column, one column after the other: a wide sparse table is never dense.
class ColumnReader {
 public:
  explicit ColumnReader(const data::Features& features) : features_(features) {
    if (!features.is_sparse()) return;
    stored_.resize(std::min(features.columns(), Description::most_described));
    for (std::size_t i = 0; i < features.rows(); ++i) {
      const auto columns = features.sparse().row_indices(i);
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (columns[k] < stored_.size()) stored_[columns[k]].emplace_back(i, features.sparse().row_values(i)[k]);
    }
  }
  std::vector<double> values(std::size_t column) const {
    if (!features_.is_sparse())
      return core::made(features_.rows(), [&](std::size_t i) { return features_.dense().row(i)[column]; });
    std::vector<double> values(features_.rows(), 0.0);
    for (const auto& [row, value] : stored_[column]) values[row] = value;
    return values;
  }

 private:
  const data::Features& features_;
  std::vector<std::vector<std::pair<std::size_t, double>>> stored_;
};

/// Bars of equal width, or one for each of a few whole numbers, or for each of the commonest levels.
std::vector<HistogramBar> bars_of(const std::vector<double>& values, const ColumnDescription& column,
                                  const std::vector<std::size_t>& level_places, const std::vector<std::size_t>& colours,
                                  std::size_t colour_count) {
  std::vector<HistogramBar> bars;
  const auto add = [&](std::string what) {
    bars.push_back({std::move(what), std::vector<std::size_t>(colour_count, 0)});
  };
  const auto whole = [](double value) { return std::isnan(value) || value == std::floor(value); };
  const double width = column.largest.value_or(0) - column.least.value_or(0);
  const bool each = width < most_bars && std::ranges::all_of(values, whole);
  if (!column.levels.empty()) {
    for (std::size_t k = 0; k < std::min(most_bars, column.levels.size()); ++k) add(column.levels[k].first);
    if (column.levels.size() > most_bars) bars.back().what = "all other levels";
  } else if (each) {
    for (double value = *column.least; value <= *column.largest; ++value) add(plain_number(value));
  } else {
    const auto edge = [&](std::size_t k) { return *column.least + width * static_cast<double>(k) / most_bars; };
    for (std::size_t k = 0; k < most_bars; ++k)
      add(fmt::format("{} to {}", plain_number(edge(k)), plain_number(edge(k + 1))));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double place = !column.levels.empty() ? static_cast<double>(level_places[static_cast<std::size_t>(values[i])])
                         : each                 ? values[i] - *column.least
                                                : (values[i] - *column.least) / width * most_bars;
    ++bars[std::min(bars.size() - 1, static_cast<std::size_t>(place))].counts[colours[i]];
  }
  return bars;
}

/// @param colours  of each row  @param drawn  whether bars are wanted
ColumnDescription described(const data::Column& column, std::string name, const std::vector<double>& values,
                            const std::vector<std::size_t>& colours, std::size_t colour_count, bool drawn) {
  ColumnDescription found;
  found.name = std::move(name);
  std::vector<double> known = values;
  std::erase_if(known, [](double value) { return std::isnan(value); });
  std::ranges::sort(known);
  found.missing = values.size() - known.size();
  for (std::size_t i = 0; i < known.size(); ++i) found.different += i == 0 || known[i] != known[i - 1] ? 1U : 0U;
  std::vector<std::size_t> places;
  if (column.kind == data::ColumnKind::categorical) {
    found.kind = "levels";
    std::vector<std::size_t> counts(column.levels.size(), 0);
    for (const double value : known) ++counts[static_cast<std::size_t>(value)];
    std::vector<std::size_t> order = core::numbers_below(counts.size());
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t level) { return counts[level]; });
    places.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      places[order[k]] = k;
      found.levels.emplace_back(column.levels[order[k]], counts[order[k]]);
    }
  } else if (!known.empty()) {
    const std::size_t middle = known.size() / 2;
    found.least = known.front();
    found.median = known.size() % 2 == 1 ? known[middle] : std::midpoint(known[middle - 1], known[middle]);
    found.largest = known.back();
  }
  if (found.different < 2) found.kind = known.empty() ? "empty" : "constant";
  if (drawn && !known.empty()) found.bars = bars_of(values, found, places, colours, colour_count);
  return found;
}

/// "0.1 to 30, median 2.5", "'a' (50), 'b' (20) and 3 more".
std::string range_text(const ColumnDescription& column) {
  constexpr std::size_t most = 3;
  if (column.least && column.different < 2) return plain_number(*column.least);
  if (column.least)
    return fmt::format("{} to {}, median {}", plain_number(*column.least), plain_number(*column.largest),
                       plain_number(*column.median));
  std::string text;
  for (std::size_t k = 0; k < std::min(most, column.levels.size()); ++k)
    text += fmt::format("{}'{}' ({})", k == 0 ? "" : ", ", shown_name(column.levels[k].first), column.levels[k].second);
  return column.levels.size() > most ? text + fmt::format(" and {} more", column.levels.size() - most) : text;
}

Table columns_table(const Description& found, std::size_t most, Where where) {
  Table table{{"name|column|text", "kind|kind|text", "missing|missing", "different|different", "range|values|text"},
              most < found.columns.size()
                  ? fmt::format("The first {} of {} columns; --json and --report have all", most, found.features)
                  : "The columns",
              where};
  for (std::size_t j = 0; j < std::min(most, found.columns.size()); ++j) {
    const ColumnDescription& column = found.columns[j];
    table.add({shown_name(column.name), column.kind, column.missing, column.different, range_text(column)});
  }
  return table;
}

Chart histograms(const Description& found) {
  Table data{{"column|column|text", "order|", "place|", "what|values|text", "class|class|text", "rows|rows"}};
  std::size_t drawn = 0;
  const std::vector<std::string> colours = shown_names(found.colours);
  for (const ColumnDescription& column : found.columns) {
    if (column.bars.empty()) continue;
    ++drawn;
    const std::string ends = column.least ? range_text(column) : count_of(column.different, "level");
    for (std::size_t k = 0; k < column.bars.size(); ++k)
      for (std::size_t c = 0; c < colours.size(); ++c)
        data.add({fmt::format("{}\n{}", shown_name(column.name), ends.substr(0, ends.find(','))), drawn, k,
                  shown_name(column.bars[k].what), colours[c], column.bars[k].counts[c]});
  }
  return std::move(data).as_chart(
      "columns#histograms", "How are the values spread?",
      fmt::format(
          "Each small chart is a column: a bar for each range of numbers from the smallest to the largest, or for "
          "each level, the commonest first; its height is the number of rows{}. Values apart at one end may stand "
          "for missing ones. {}",
          found.colours.size() > 1 ? ", its colours are the classes" : "",
          drawn < found.features ? fmt::format("The first {} columns are drawn; the table has the others.", drawn)
                                 : ""),
      fmt::format("Small histograms of {} columns.", drawn), Json::object("$classes"_key = Json(colours)));
}

Json column_json(const ColumnDescription& column) {
  Json levels = nullptr;
  if (!column.levels.empty())
    levels = Json::list(column.levels, [](const auto& level) {
      return Json::object("name"_key = level.first, "rows"_key = level.second);
    });
  return Json::object("name"_key = column.name, "kind"_key = column.kind, "missing"_key = column.missing,
                      "different"_key = column.different, "least"_key = column.least, "median"_key = column.median,
                      "largest"_key = column.largest, "levels"_key = levels);
}

}  // namespace

Description description_of(const data::Dataset& dataset, const std::string& source, std::vector<std::string> notes,
                           const core::Context& context) {
  constexpr std::size_t most_colours = 8;  // of the charts
  Description found;
  found.source = source;
  found.rows = dataset.rows();
  found.features = dataset.schema.columns.size();
  found.label = dataset.schema.label_column();
  found.classes = dataset.schema.classes;
  found.class_counts = class_counts(dataset);
  const bool by_class = !dataset.labels.empty() && dataset.class_count() <= most_colours;
  found.colours = by_class ? dataset.schema.classes : std::vector<std::string>{"all rows"};
  const std::vector<std::size_t> colours = core::made(dataset.rows(), [&](std::size_t i) {
    return by_class ? static_cast<std::size_t>(std::max(0, dataset.labels[i])) : 0;
  });
  const ColumnReader reader(dataset.features);
  const std::size_t described_columns = std::min(dataset.features.columns(), Description::most_described);
  for (std::size_t j = 0; j < described_columns; ++j) {
    const data::Column& column = dataset.schema.columns[j];
    const bool drawn = j < ColumnDescription::most_drawn;
    found.columns.push_back(described(column, column.name.empty() ? fmt::format("column {}", j + 1) : column.name,
                                      reader.values(j), colours, found.colours.size(), drawn));
  }
  if (!dataset.targets.empty())
    found.target = described({}, dataset.schema.label_name, dataset.targets, colours, 1, false);
  found.notes = std::move(notes);
  if (!dataset.is_labelled()) return found;
  const data::RepeatedRows repeated = data::repeated_rows(dataset);
  found.copies = repeated.number_of.empty() ? 0 : repeated.copies();
  selection::Options options;
  options.task = dataset.schema.task;
  const selection::RowsInUse used = selection::rows_in_use(dataset, options.resolved());
  if (!used.note.empty()) found.notes.push_back(used.note);
  const selection::ColumnsAlone alone = selection::columns_alone(*used.rows, used.options, context);
  if (std::string warning = alone.warning(dataset); !warning.empty()) found.warnings.push_back(std::move(warning));
  if (std::string doubt = alone.doubt(dataset); !doubt.empty()) found.notes.push_back(std::move(doubt));
  return found;
}

Story describe_story(const Description& found) {
  Story story{"A look at the data", fmt::format("{}, {}", shown_source(found.source), count_of(found.rows, "row"))};
  Section& read = story.section("read", "What was read");
  add_warnings(core::StopReason::none, found.warnings, read);
  read.fact("data", fmt::format("{}: {}, {}{}", shown_source(found.source), count_of(found.rows, "row"),
                                count_of(found.features, "feature"),
                                found.target            ? ", regression"
                                : found.classes.empty() ? ""
                                                        : ", " + class_summary(found.classes, found.class_counts)));
  if (!found.label.empty()) read.fact("label", found.label);
  if (found.target) read.fact("target", range_text(*found.target));
  std::size_t missing = 0;
  for (const ColumnDescription& column : found.columns) missing += column.missing;
  const auto gaps = std::ranges::count_if(found.columns, [](const auto& column) { return column.missing > 0; });
  read.fact("missing", missing == 0 ? "none"
                                    : fmt::format("{} in {}", count_of(missing, "value"),
                                                  count_of(static_cast<std::size_t>(gaps), "column")));
  read.fact("copies", found.copies == 0 ? "none" : count_of(found.copies, "row") + " equal to an earlier one");
  for (const std::string& note : found.notes) read.fact("note", note);
  Section& columns = story.section("columns", "The columns");
  constexpr std::size_t most = ColumnDescription::most_drawn;
  if (std::ranges::any_of(found.columns, [](const auto& column) { return !column.bars.empty(); }))
    columns.add(histograms(found));
  columns.add(columns_table(found, most, found.columns.size() > most ? Where::terminal : Where::both));
  if (found.columns.size() > most) columns.add(columns_table(found, found.columns.size(), Where::page));
  return story;
}

Json describe_json(const Description& found) {
  return Json::object("kind"_key = "description", "n"_key = found.rows, "features"_key = found.features,
                      "label"_key = found.label, "classes"_key = found.classes, "class_counts"_key = found.class_counts,
                      "target"_key = found.target ? column_json(*found.target) : Json(nullptr),
                      "columns"_key = Json::list(found.columns, column_json), "copies"_key = found.copies,
                      "warnings"_key = found.warnings, "notes"_key = found.notes, "source"_key = found.source,
                      "version"_key = version(), "report"_key = story_json(describe_story(found)));
}

}  // namespace credence::report
