#pragma once

#include <string>

#include "credence/conformal/watch.hpp"
#include "report/json.hpp"

/// What is said of a stream that is watched, and of the order of a table.
namespace credence::report {

/// One line: quiet or alarm, what began where, and how much evidence there is.
std::string watch_line(const conformal::Watch& watch);
/// The alarm or none, each stream with the course of its evidence, errors with limits that hold at all times, and the
/// columns that moved most.
/// @param source, model  files; may be empty
Json watch_json(const conformal::Watch& watch, const std::string& source, const std::string& model);

/// The same of a table whose rows were put in an order. @param order  the name of the column
std::string order_line(const conformal::Evidence& evidence, const std::string& order);
Json order_json(const conformal::Evidence& evidence, const conformal::WatchOptions& options, const std::string& order,
                const std::string& source);

}  // namespace credence::report
