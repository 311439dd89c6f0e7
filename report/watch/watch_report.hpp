#pragma once

#include <string>

#include "credence/conformal/watch.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

/// What is said of a stream that is watched, and of the order of a table.
namespace credence::report {

/// Quiet or alarm, each stream with the course of its evidence, errors with limits that hold at all times, and the
/// columns that moved most. The terminal has one line where all is quiet.
/// @param source  the file of the rows; may be empty
Story watch_story(const conformal::Watch& watch, const std::string& source);
/// The same for programs. @param model  its file; may be empty
Json watch_json(const conformal::Watch& watch, const std::string& source, const std::string& model);

/// The same of a table whose rows were put in an order. @param order  the name of the column
Story order_story(const conformal::Evidence& evidence, const conformal::WatchOptions& options, const std::string& order,
                  const std::string& source);
Json order_json(const conformal::Evidence& evidence, const conformal::WatchOptions& options, const std::string& order,
                const std::string& source);

}  // namespace credence::report
