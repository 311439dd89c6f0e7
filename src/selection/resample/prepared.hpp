#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/selection/options.hpp"

/// What is fitted to rows before a model is trained: preprocessing, and gammas that are given by a word.
namespace credence::selection {

bool is_precomputed(const Options& options);

/// A kernel of the grid, which is trained at all costs. Kernels of one scaling and function follow each other: they
/// make a space, in which distances are shared.
struct GridKernel {
  data::Scaling scaling;
  kernel::Shape shape;
  std::size_t space;                       ///< its index; spaces are ordered by scaling, then by function
  std::optional<kernel::GammaRule> gamma;  ///< none for kernels without
};
/// @param options  resolved for the rows
std::vector<GridKernel> kernels_of(const Options& options);
/// The number of C or nu of each kernel; 1 for models without.
std::size_t costs_of(const Options& options);
/// The options of each space, whose grids are parts of the grid of the options, in this order.
std::vector<Options> spaces_of(const Options& options);
/// The options of one scaling and kernel function.
Options in_space(Options options, data::Scaling scaling, kernel::KernelType type);

/// The kernel of the grid with a gamma; kernels without gamma ignore it.
kernel::Kernel kernel_of(const Options& options, double gamma);

/// The preprocessing fitted on all rows of a data set. A precomputed kernel is not changed.
data::Preprocessing fit_preprocessing(const data::Dataset& dataset, const Options& options);

/// The gammas of a space; a single 0 for kernels without gamma.
/// @param options  of the space  @param features  returns the rows on which a gamma given by a word is resolved
std::vector<double> resolved_gammas(const Options& options, const std::function<data::Features()>& features,
                                    std::span<const double> weights = {});

/// Whether parts of the rows would all be preprocessed alike, even with ScaleScope::fold: nothing is learned from rows.
bool fits_nothing(const data::Dataset& dataset, const Options& options);

/// The gammas of the grid as reported: words resolved on all rows; a single 0 for kernels without gamma.
std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options);

}  // namespace credence::selection
