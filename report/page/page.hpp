#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The report page: a result as one HTML file that needs no network, with charts, tables and plain words.
///
/// The page is made of the JSON document that a result is written as (`--json`); so are the charts alone, which other
/// programs draw. All numbers are computed here: the page's script only draws them.
namespace credence::report {

/// One chart, and the table behind the chart.
struct DrawnChart {
  std::string id;             ///< within a page: "heat-map"
  std::string title;          ///< what the chart answers
  std::string caption;        ///< how the chart is read
  std::string alternative;    ///< what the chart shows, for those who do not see it
  std::string specification;  ///< Vega-Lite 6 as JSON, with the data inside
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< as people read them
};

/// The charts of a result, in the order of the page.
/// @param document  JSON text: what --json of select, compare, evaluate, conformal or reproduce writes
/// @param source    names the document in messages
/// @throws Error format for a text that is no such document, or one of a newer version of Credence
std::vector<DrawnChart> charts(std::string_view document, const std::string& source);

/// The specification for a program without the page's style sheet: the chart has its title, 480 pixels of width, and
/// the colours of the light page on white.
std::string standing_alone(const DrawnChart& chart);

/// The whole page. Equal documents make equal pages, to the byte.
/// @throws Error as `charts`; invalid_argument if pages are not built in
std::string page(std::string_view document, const std::string& source);

/// Whether the build had what draws the charts (CREDENCE_BUILD_PAGES). Charts are there all the same.
bool pages_are_built_in();
/// @throws Error invalid_argument if pages are not built in
void check_pages_are_built_in();

}  // namespace credence::report
