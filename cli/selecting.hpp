#pragma once

#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/forecast.hpp"
#include "credence/selection/one_setting.hpp"
#include "credence/selection/options.hpp"
#include "described.hpp"
#include "options.hpp"
#include "report/plan.hpp"
#include "run.hpp"

/// What select and compare have in common: the options of selections, made of their descriptions.
/// What a run will cost, on standard error before the run starts, where there are many rows.
/// Checksums of what results depend on, by which a checkpoint knows its command.
namespace credence::cli {

/// The options of every method, of every kind of candidates, and of what is common to all.
/// @param left_out  fields of candidates that no option is made of
void add_selecting_options(Command command, Described& given, const std::vector<std::string>& left_out = {"by_sigma"});

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

/// Begins the work of a selection, whose forecast is printed unless the run is quiet. @param forecast  nullptr: none
void begin_work(const selection::Forecast* forecast, Run& run);
/// The forecast of a comparison: the sum over methods and outer folds.
void print_forecast(const data::Dataset& dataset, const std::vector<selection::Contestant>& contestants,
                    const selection::ComparisonOptions& options, Run& run);
/// The forecast of a selection on a share of the rows, and that it is one of so many. The selection makes a forecast of
/// its own, on its own rows.
void print_forecast(const data::Dataset& dataset, double share, int times, const selection::Options& options, Run& run);
/// The forecast of one setting that is trained `times` times, on a share of the rows each.
void print_forecast(const data::Dataset& dataset, double share, int times, const selection::OneSetting& one, Run& run);
/// The forecast of one setting trained on all rows, and on the training rows of each fold.
void print_forecast(const data::Dataset& dataset, const selection::OneSetting& setting, int folds, Run& run);

std::string checksum_of(const data::Dataset& dataset);
/// Of the bytes of files; of one that is read once only (a pipe), of its name.
std::string checksum_of_files(const std::vector<std::string>& paths);
std::string checksum_of(const selection::Options& options);
std::string checksum_of(const std::vector<selection::Contestant>& contestants,
                        const selection::ComparisonOptions& options);

}  // namespace credence::cli
