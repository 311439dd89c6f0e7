#include <fmt/format.h>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"

namespace credence::report {

void add_familiarity_section(Story& story, const Json& document) {
  const Json& familiarity = document.at("familiarity");
  const auto unlike = familiarity.at("unlike").values();
  if (unlike.empty()) return;
  const double level = number_at(familiarity, "listed_at", 0);
  std::size_t all = 0;
  for (const Json& one : familiarity.at("levels").values())
    if (number_at(one, "eps", 0) == level) all = count_at(one, "n");
  Section& section = story.section("familiarity", "Rows unlike anything in training");
  section.say(fmt::format(
      "{} of {} rows lie farther from the rows of the training than these lie from each other: their familiarity is at "
      "most {}. Of rows like those of the training, about {:g} in 100 are listed. The model was never tried on rows of "
      "another kind, so let a person look at these.",
      all, count_at(document, "n"), plain_number(level), 100 * level));
  Table rows{"", {{"row", "row"}, {"familiarity", "familiarity"}}};
  for (const Json& row : unlike) rows.add({row.at("row"), row.at("familiarity")});
  section.add(rows.captioned(unlike.size() < all ? fmt::format("The {} least familiar rows", unlike.size())
                                                 : std::string("The least familiar rows")));
}

}  // namespace credence::report
