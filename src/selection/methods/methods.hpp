#pragma once

#include <string>
#include <vector>

#include "credence/selection/forecast.hpp"
#include "credence/selection/options.hpp"
#include "credence/selection/selector.hpp"

/// The work of the methods.
namespace credence::selection {

// Every method has the function
//
//     Selection select_by(const Method& method, const data::Dataset& dataset, const Options& options,
//                         const core::Context& context, const Forecast* forecast);
//
// `method` is that of the options. `forecast` is of the same data and options, and saves a pilot; nullptr: there is
// none.
Selection select_by(const CrossValidation&, const data::Dataset&, const Options&, const core::Context&,
                    const Forecast*);
Selection select_by(const Nonconformity&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const MaxMargin&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const HoldOut&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const HoldOutVote&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const KFoldNested&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const LeaveOneOut&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const Rademacher&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const MaximalDiscrepancy&, const data::Dataset&, const Options&, const core::Context&,
                    const Forecast*);
Selection select_by(const Bootstrap&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const KernelValidity&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const Evidence&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);
Selection select_by(const Regions&, const data::Dataset&, const Options&, const core::Context&, const Forecast*);

/// What separates the bound of a method from its theorem. The other methods have no such function.
std::vector<std::string> gaps_of(const Rademacher&, const data::Dataset& dataset, const Selection& selection);
std::vector<std::string> gaps_of(const KFoldNested&, const data::Dataset& dataset, const Selection& selection);

}  // namespace credence::selection
