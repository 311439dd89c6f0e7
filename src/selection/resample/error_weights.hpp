#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/model/costs.hpp"
#include "credence/selection/options.hpp"

namespace credence::selection {

/// The costs of labels of the options (Score::cost).
/// @throws Error invalid_argument for costs that do not fit the classes, or with a price of asking a person
model::DecisionCosts label_costs(const Options& options, const std::vector<std::string>& classes);

/// The loss by which settings are chosen: Options::loss, or the squared errors of a regression, kept as Loss::soft.
Loss judging_loss(const Options& options);

/// Whether the errors by which the method chooses count by the costs that the caller gave: class weights and sample
/// weights. They do in methods with the option `score`, for the error and the soft loss. Another score is what its
/// formula says, with sample weights; the other methods count errors.
bool weighs_errors(const data::Dataset& dataset, const Options& options);

/// What an error on a row of each class costs. Balanced weights are those of these rows.
std::vector<double> class_costs(const data::Dataset& training, const Options& options);

/// What an error on each row costs: its sample weight times the cost of its class.
std::vector<double> error_costs(const data::Dataset& rows, std::span<const double> class_costs);

/// The same divided by the mean over the rows, so that a mean of weighted errors is a share.
/// @param times  how often each row counts in the mean; empty: once
std::vector<double> error_weights(const data::Dataset& rows, std::span<const double> class_costs,
                                  std::span<const std::uint32_t> times = {});

/// The share of each class: of the rows, or of what errors on them cost. @param class_costs  empty: errors count alike
std::vector<double> class_shares(const data::Dataset& rows, std::span<const double> class_costs);

}  // namespace credence::selection
