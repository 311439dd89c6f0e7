#pragma once

#include <string>
#include <vector>

#include "described.hpp"
#include "options.hpp"
#include "report/plan.hpp"

/// What select and compare have in common: the options of selections, made of their descriptions.
namespace credence::cli {

/// The options of every method, of every kind of candidates, and of what is common to all.
void add_selecting_options(Command command, Described& given);

/// Sets what was given for the options, the model left out.
/// @throws Error invalid_argument that names every option that is wrong, or that nobody here looks at
void apply_given(const Described& given, selection::Options& options);

/// Options that cannot stand together; --gamma and --sigma can where methods differ in which they look at.
/// @throws Error invalid_argument that names them
void check_pairs(const Described& given, bool one_width);

/// Lines of a help: each method and what it does.
std::string method_list();
/// What --help says of one method: its options, those of its candidates, and those that all methods have.
std::string method_help(const report::Plan& plan);

}  // namespace credence::cli
