#pragma once

#include <cstddef>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/rvm/sparse_bayes.hpp"

/// What training a model and judging one have in common.
namespace credence::rvm {

/// The targets of each machine: those of a regression, or 1 for its class and 0 for the rest. See Problem.
std::vector<std::vector<double>> machine_targets(const data::Dataset& dataset);

/// Positions of the retained columns that go into a model: in a null model the data say nothing about any kernel, so
/// that only the bias (column 0) does.
std::vector<std::size_t> kept_columns(const Fit& fit);

}  // namespace credence::rvm
