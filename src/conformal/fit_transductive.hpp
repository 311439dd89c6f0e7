#pragma once

#include <functional>
#include <memory>

#include "credence/conformal/fit.hpp"

namespace credence::conformal {

/// What `fit` checks first. @throws Error as fit
void check_fit(const data::Dataset& dataset, const FitOptions& options);

/// The machine over preprocessed rows.
using MakeMachine =
    std::function<std::shared_ptr<const Machine>(const data::Features& rows, model::TrainingRecord& record)>;
std::shared_ptr<ConformalPredictor> fit_transductive(const data::Dataset& dataset, const FitOptions& options,
                                                     const MakeMachine& make);

}  // namespace credence::conformal
