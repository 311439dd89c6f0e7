#include "report/page/page.hpp"

#include "credence/core/error.hpp"
#include "report/page/embedded.hpp"
#include "report/page/html.hpp"
#include "report/page/story.hpp"

namespace credence::report {

std::vector<Chart> charts(std::string_view document, const std::string& source) {
  std::vector<Chart> found;
  const Story story = story_of(parse_json(document, source), source);
  for (const Section& section : story.sections)
    for (const Block& block : section.blocks)
      if (const Chart* chart = std::get_if<Chart>(&block)) found.push_back(*chart);
  return found;
}

std::string page(std::string_view document, const std::string& source) {
  check_pages_are_built_in();
  return html_of(story_of(parse_json(document, source), source));
}

bool pages_are_built_in() {
  return embedded("drawing.js").has_value();
}

void check_pages_are_built_in() {
  if (pages_are_built_in()) return;
  throw Error(ErrorCode::invalid_argument,
              "report pages are not built in, because npm was missing when this program was built; --json writes the "
              "same numbers");
}

}  // namespace credence::report
