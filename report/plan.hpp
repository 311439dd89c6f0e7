#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/reader.hpp"
#include "credence/selection/options.hpp"
#include "report/json.hpp"

/// The block `options` of a result: everything that a run was asked for, which repeats the run to the last bit.
namespace credence::report {

/// What a selection is made of.
struct Plan {
  selection::Options options;
  data::ReadOptions reading;
};

/// One key for each field: method, task, model, then the fields of the method, of the candidates and of the rest;
/// of the reader those that differ from its defaults; at last the version of Credence.
Json plan_json(const Plan& plan);
Json options_json(const selection::Options& options);
/// Adds one key for each field.
void add_fields(const std::vector<core::Field>& fields, Json& document);

/// The plan that a text holds: a block as `plan_json` makes it, or a whole result with such a block under `options`.
/// @param source  names the text in messages
/// @throws Error format for a text that is no such document, or that a later version wrote; invalid_argument for an
/// unknown key, a key that the method does not look at, or a value of the wrong type, by name
Plan parse_plan(std::string_view text, const std::string& source);

// What the other fields depend on. @throws Error invalid_argument for an unknown word
void set_method(Plan& plan, std::string_view name);
/// Keeps candidates that are of this kind already. @throws Error invalid_argument if the method does not choose from it
void set_model(Plan& plan, std::string_view word);
void set_task(Plan& plan, std::string_view word);

/// The value of a field as a help names the default: "10", "11 values from 0.03125 to 32768"; empty where there is
/// none.
std::string default_text(const core::Field& field);

/// Refuses a document that a later version of Credence wrote, because its keys may mean what this version does not
/// know. A document without a version, or with a text that is none, passes.
/// @param version  "major.minor.patch", as the document states it
/// @param document what it is, for the sentence: "result" or "plan"
/// @param source   names the document in the message
/// @throws Error format
void refuse_newer(std::string_view version, std::string_view document, const std::string& source);

}  // namespace credence::report
