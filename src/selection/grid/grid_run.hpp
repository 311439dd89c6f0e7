#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/kernel/rows.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "selection/grid/shared_gram.hpp"
#include "selection/grid/wanted_cells.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

/// What every method that trains over the whole grid on parts of the rows has in common.
namespace credence::selection {

/// The (kernel, resample) tasks over shared kernel matrices, with the preprocessing each of them needs. A gamma here is
/// the number of a kernel of the grid (GridKernel). Spaces come one after the other, so that the memory is that of one.
class GridRun {
 public:
  /// The arguments must outlive the object.
  GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
          const core::Context& context);
  /// For some cells of the grid, on some of the resamples.
  GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
          const core::Context& context, WantedCells wanted, std::vector<std::size_t> which);

  /// From now on `run` works on a few resamples at a time, with what the caller keeps from run to run.
  void by_resample(HandedOn& handed_on) { by_resample_ = &handed_on; }

  /// From now on `run` leaves these tasks out, whose results are known, and counts them as done.
  void leave_out(std::set<std::pair<std::size_t, std::size_t>> known) { known_ = std::move(known); }
  bool leaves_out(std::size_t gamma, std::size_t resample) const { return known_.contains({gamma, resample}); }

  std::size_t gammas() const { return kernels_.size(); }
  std::size_t costs() const { return costs_of(options_); }
  std::size_t cells() const { return gammas() * costs(); }
  const WantedCells& wanted() const { return wanted_; }
  /// Indices of the resamples that are run.
  std::span<const std::size_t> which() const { return which_; }
  /// Whether every resample's preprocessing is the same map: fitted on all rows by request, or nothing to be fitted.
  bool same_preprocessing() const;
  /// All rows as a resample's preprocessing makes them for a kernel of the grid.
  data::Features features(std::size_t resample, std::size_t gamma = 0) const {
    return preprocessing(resample, gamma).apply(dataset_, data::UnknownLevel::ignore);
  }
  data::Preprocessing preprocessing(std::size_t resample, std::size_t gamma = 0) const;
  /// Whether the gamma is resolved on the rows.
  bool by_word(std::size_t gamma) const;
  /// @param features  of that resample; not looked at unless `by_word`
  kernel::Kernel kernel_at(std::size_t gamma, std::size_t resample, const data::Features& features) const;

  /// For SVMs: calls work(rows of the kernel matrix over all rows of the data set, gamma, resample) for every task, in
  /// parallel. A run that is stopped leaves the rest out.
  void run(const std::function<void(kernel::Rows&, std::size_t gamma, std::size_t resample)>& work) const;

 private:
  /// The wanted gammas of each space, in the order of work.
  std::vector<std::vector<std::size_t>> gammas_of_spaces() const;
  /// The values of gammas of one space.
  std::vector<double> values_of(std::span<const std::size_t> gammas, std::size_t resample,
                                const data::Features& features) const;
  void run_space(std::span<const std::size_t> gammas,
                 const std::function<void(kernel::Rows&, std::size_t gamma, std::size_t resample)>& work) const;

  const data::Dataset& dataset_;
  const Options& options_;
  std::span<const Resample> resamples_;
  const core::Context& context_;
  std::vector<GridKernel> kernels_;
  WantedCells wanted_;
  std::vector<std::size_t> which_;
  HandedOn* by_resample_ = nullptr;
  std::set<std::pair<std::size_t, std::size_t>> known_;  ///< (gamma, resample)
};

/// Boxes at C = 1 of a resample: class weight times sample weight times number of draws.
std::vector<double> factors_of(const data::Dataset& dataset, const Options& options, const Resample& resample);

/// Solves one machine for all costs of the grid: along C until the visitor returns false, or along nu to the end.
void solve_costs(kernel::Rows& rows, const qp::Problem& unit_problem, const Options& options,
                 const core::Monitor& monitor, const std::function<bool(const svm::PathPoint&)>& visit);

}  // namespace credence::selection
