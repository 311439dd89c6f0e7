#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/page/page.hpp"
#include "report/story.hpp"

namespace credence::report {

/// A text as content or attribute of HTML, where the text shows as it is: & < > " ' are escaped, and bytes that HTML
/// does not take become blanks.
std::string escaped(std::string_view text);
/// JSON as content of a script element, which no content can end early: < > & are written as \u003c ...
std::string for_script(std::string_view json);

/// What a document says, with what it took and how to repeat it. @param source  names the document in messages
/// @throws Error format for what is no result, or one of a newer version
Story story_of(const Json& document, const std::string& source);

/// The specification of a chart with its data, and the table behind it.
DrawnChart drawn(const Chart& chart);
/// The page of a story, with style, script and what draws the charts inside, and a Content-Security-Policy that allows
/// these by their checksums and nothing else.
std::string html_of(const Story& story);

/// The bytes of a file that the build put into the program: "page.css", "page.js", "chart_config.json",
/// "charts/heat_map.json", and "drawing.js" where pages are built in (cmake/pages.cmake). None for any other name.
std::optional<std::string_view> embedded(std::string_view name);

}  // namespace credence::report
