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
#include "report/page/stories.hpp"

/// Rows of numbers on their way into a chart and into the table behind the chart.
namespace credence::report {

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
Chart make_chart(std::string_view name, ChartWords text, const Table& data,
                 const std::map<std::string, Json>& words = {}, const std::map<std::string, Json>& more = {});

/// How the numbers of a document, or of its honest estimate, are shown, as `score_kind` says. Numbers without a kind
/// are shown as they are.
Scale scale_of(const Json& document);
Json shown(const Scale& scale, const Json& value);
Format format_of(const Scale& scale);
std::string vega_of(const Scale& scale);
/// The ends as they are shown, the smaller one first.
std::pair<Json, Json> ends_of(const Scale& scale, const Json& lower, const Json& upper);

/// "eps = 0.05": the level of an entry.
std::string eps_name(const Json& level);
std::vector<std::string> shown_names(const Json& names);
/// The name of the data of a result; "rows from memory" where the rows came from no file.
std::string shown_source(const Json& document);

}  // namespace credence::report
