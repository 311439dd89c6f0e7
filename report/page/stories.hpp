#pragma once

#include <string>
#include <string_view>

#include "report/json.hpp"
#include "report/story.hpp"

/// Pages of documents whose story is not stored in them.
namespace credence::report {

// One function a kind of document; `story_of` finds the kind. @throws Error format

Story story_of(const Json& document, const std::string& source);
Story comparison_story(const Json& document);
Story honest_story(const Json& document);
Story watch_story(const Json& document);
Story comparisons_story(const Json& document);
Story reproduction_story(const Json& document);

// Sections that pages of several kinds have.

/// Seconds, threads, and how often the work was done.
void add_cost_section(Story& story, const Json& document);
/// Command, plan, seed, version, checksum of the data.
void add_repeat_section(Story& story, const Json& document);
/// What the choice of a selection that was stopped rests on, as a sentence without its full stop.
std::string reached_words(const Json& reached);
/// The warnings of a run, and the mark of one that was stopped.
void add_warnings(Section& section, const Json& document);

}  // namespace credence::report
