#pragma once

#include <functional>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/selection/options.hpp"

/// What is fitted to rows before a machine is trained: preprocessing, and gammas that are asked for by a word.
namespace credence::selection {

bool is_precomputed(const Options& options);

/// The kernel of the grid with a gamma; kernels without gamma ignore it.
kernel::Kernel kernel_of(const Options& options, double gamma);

/// The preprocessing fitted on all rows of a data set. A precomputed kernel is not changed.
data::Preprocessing fit_preprocessing(const data::Dataset& dataset, const Options& options);

/// The gammas of the grid; a single 0 for kernels without gamma.
/// @param features  makes the rows ready on which a gamma is resolved that is asked for by a word
std::vector<double> resolved_gammas(const Options& options, const std::function<data::Features()>& features,
                                    std::span<const double> weights = {});

/// Whether parts of the rows would all be preprocessed alike, even with ScaleScope::fold: nothing is learned from rows.
bool fits_nothing(const data::Dataset& dataset, const Options& options);

}  // namespace credence::selection
