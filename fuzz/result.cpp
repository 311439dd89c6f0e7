// Results: the JSON documents that pages and charts are made of.
#include <nlohmann/json.hpp>

#include "fuzz.hpp"
#include "report/page/page.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  fuzz::Input input(data, size, 1);
  // Half a megabyte of what draws the charts is in every page.
  const bool whole_page = input.choose(64) == 0 && report::pages_are_built_in();
  std::vector<report::DrawnChart> charts;
  if (fuzz::refusal([&] { charts = report::charts(input.bytes(), "result"); })) return 0;
  for (const report::DrawnChart& chart : charts) {
    fuzz::require(nlohmann::json::accept(chart.specification), "a chart's specification is JSON");
    fuzz::require(nlohmann::json::accept(report::standing_alone(chart)), "a chart alone is JSON");
    for (const std::vector<std::string>& row : chart.rows)
      fuzz::require(row.size() == chart.columns.size(), "a row of a table has a cell for each column");
  }
  if (whole_page) {
    const std::string page = report::page(input.bytes(), "result");
    fuzz::require(page.ends_with("</html>\n"), "a page is whole");
  }
  return 0;
}
