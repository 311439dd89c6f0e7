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
Story evaluation_story(const Json& document);
Story limits_story(const Json& document);
Story fit_story(const Json& document);
Story online_story(const Json& document);
Story interval_story(const Json& document);
Story reproduction_story(const Json& document);

// Sections that pages of several kinds have.

/// The share of errors against the promised level, with its binomial band, of a document with `n` and `calibration`.
/// @param claim, missed  what promises, and what is missed: "A region", "the true class"
Chart level_error_chart(const Json& document, std::string_view claim, std::string_view missed);
/// The share of targets inside their intervals, of levels that `interval_json` made.
Chart coverage_chart(const Json& levels);
/// Error against level, sizes of regions, rejection, confidence against credibility.
/// Misses against levels, sizes of regions and errors among the rows of the most confidence, of an evaluation.
void add_region_charts(Section& section, const Json& document);
void add_trust_section(Story& story, const Json& document);
/// The rows of an evaluation that are unlike the rows of the training; nothing if there are none.
void add_familiarity_section(Story& story, const Json& document);
/// Limits of each class, and errors by group, of an evaluation; nothing where none were asked for.
void add_limits_section(Story& story, const Json& document);
void add_parts_section(Story& story, const Json& document);
/// Where the two features of the data lead: which class wins where.
void add_decision_section(Story& story, const Json& document);
/// Seconds, threads, and how often the work was done.
void add_cost_section(Story& story, const Json& document);
/// Command, plan, seed, version, checksum of the data.
void add_repeat_section(Story& story, const Json& document);
/// What the choice of a selection that was stopped rests on, as a sentence without its full stop.
std::string reached_words(const Json& reached);
/// The warnings of a run, and the mark of one that was stopped.
void add_warnings(Section& section, const Json& document);

}  // namespace credence::report
