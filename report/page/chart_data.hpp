#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/cell_words.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "report/page/story.hpp"

/// Rows of numbers on their way into a chart and into the table behind the chart.
namespace credence::report {

enum class Format { text, number, share, flag };

struct ChartColumn {
  std::string field;  ///< by which the specification knows the column
  std::string title;  ///< in the table; a column without a title is not shown there
  Format format = Format::number;
};

class ChartData {
 public:
  explicit ChartData(std::vector<ChartColumn> columns) : columns_(std::move(columns)) {}
  /// One value for each column.
  void add(std::vector<Json> values) { rows_.push_back(std::move(values)); }
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }

  /// As objects, for a specification.
  Json records() const;
  std::vector<std::string> titles() const;
  std::vector<std::vector<std::string>> texts() const;
  Table table(std::string caption) const { return {std::move(caption), titles(), texts()}; }

 private:
  std::vector<ChartColumn> columns_;
  std::vector<std::vector<Json>> rows_;
};

/// What a chart says in words.
struct ChartWords {
  std::string id;
  std::string title;
  std::string caption;
  std::string alternative;
};

/// The specification report/charts/NAME.json with its data.
/// @param data   the data set "values" and the table
/// @param words  what stands for texts of the specification: {"$x", "gamma"}
/// @param more   further data sets, by name
Chart make_chart(std::string_view name, ChartWords text, const ChartData& data,
                 const std::map<std::string, Json>& words = {}, const std::map<std::string, Json>& more = {});

/// One value as a table shows it; a dash for none.
std::string cell_text(const Json& value, Format format);
/// "0.0078", "1e-05", "12": four digits, and those before the point.
std::string plain_number(double value);
/// "about 2.5 of 100 new rows".
std::string of_hundred(double share);

/// How the numbers of a document, or of its honest estimate, are shown, as `score_kind` says. Numbers without a kind
/// are shown as they are.
Scale scale_of(const Json& document);
Json shown(const Scale& scale, const Json& value);
Format format_of(const Scale& scale);
std::string vega_of(const Scale& scale);
/// The ends as they are shown, the smaller one first.
std::pair<Json, Json> ends_of(const Scale& scale, const Json& lower, const Json& upper);

/// Where an axis of evidences may begin: narrow kernels can lie so far below the others that nothing else would show.
double least_shown(std::vector<double> values);

/// The text of a value that holds one; otherwise empty.
std::string text_at(const Json& json, std::string_view key);
double number_at(const Json& json, std::string_view key, double otherwise);
/// "eps = 0.05": the level of an entry.
std::string eps_name(const Json& level);
/// A count; 0 for what is none.
std::size_t count_at(const Json& json, std::string_view key);
/// Names for people: without control characters, at most 60 characters long, with marks that keep the writing direction
/// of a name away from what stands around, and all different if the names are.
std::string shown_name(std::string_view name);
std::vector<std::string> shown_names(const Json& names);
/// The name of the data of a result; "rows from memory" where the rows came from no file.
std::string shown_source(const Json& document);

}  // namespace credence::report
