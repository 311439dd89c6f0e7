#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/list.hpp"
#include "credence/data/dataset.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "selection/fit/shared_gram.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

/// The tasks of a grid: which are wanted, in which order they come, and with which kernel matrices.
namespace credence::selection {

/// Which settings of a grid of gammas and costs are to be judged, and the order in which the gammas are worked on.
class WantedSettings {
 public:
  /// All settings, the gammas in the order of the grid.
  static WantedSettings all(std::size_t gammas, std::size_t costs) {
    return {std::vector<bool>(gammas * costs, true), costs, core::numbers_below(gammas)};
  }
  /// @param wanted  for each setting, gamma-major  @param order  gammas, each once; those with none wanted drop out
  WantedSettings(const std::vector<bool>& wanted, std::size_t costs, std::span<const std::size_t> order)
      : costs_(wanted.size() / costs), costs_of_grid_(costs) {
    for (std::size_t setting = 0; setting < wanted.size(); ++setting)
      if (wanted[setting]) costs_[setting / costs].push_back(setting % costs);
    for (const std::size_t gamma : order)
      if (!costs_[gamma].empty()) gammas_.push_back(gamma);
  }

  /// Sets the work of the settings of each gamma, in any unit: progress is counted by work.
  /// @param work  for each setting of the grid, such as the solver's steps on fewer rows
  void weigh(std::span<const double> work) {
    constexpr double all = 10000;
    std::vector<double> of_gamma(costs_.size(), 0);
    for (const std::size_t gamma : gammas_)
      for (const std::size_t c : costs_[gamma]) of_gamma[gamma] += work[gamma * costs_of_grid_ + c];
    const double sum = std::accumulate(of_gamma.begin(), of_gamma.end(), 0.0);
    units_.assign(costs_.size(), 1);
    for (std::size_t gamma = 0; gamma < costs_.size(); ++gamma)
      if (sum > 0) units_[gamma] += static_cast<std::size_t>(all * of_gamma[gamma] / sum);
  }
  /// Units of progress that one resample of a gamma is worth.
  std::size_t units(std::size_t gamma) const { return units_.empty() ? 1 : units_[gamma]; }

  /// Gammas of which a setting is wanted, in the order of work.
  std::span<const std::size_t> gammas() const { return gammas_; }
  /// The wanted costs of a gamma, ascending.
  std::span<const std::size_t> costs_of(std::size_t gamma) const { return costs_[gamma]; }
  std::size_t setting(std::size_t gamma, std::size_t c) const { return gamma * costs_of_grid_ + costs_[gamma][c]; }

 private:
  std::vector<std::vector<std::size_t>> costs_;
  std::size_t costs_of_grid_;
  std::vector<std::size_t> gammas_;
  std::vector<std::size_t> units_;  ///< per gamma; empty: 1
};

/// The (kernel, resample) tasks over shared kernel matrices, with the preprocessing each of them needs. Here a gamma is
/// the index of a kernel of the grid (GridKernel), and a cost is the index of a C or nu. Spaces (GridKernel) come one
/// after the other, so that memory holds one of them.
class GridRun {
 public:
  /// The arguments must outlive the object.
  GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
          const core::Context& context);
  /// For some settings of the grid, on some of the resamples.
  GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
          const core::Context& context, WantedSettings wanted, std::vector<std::size_t> which);

  /// From now on `grams` come a few resamples at a time, with what the caller keeps from run to run.
  void by_resample(HandedOn& handed_on) { by_resample_ = &handed_on; }

  /// From now on these tasks, whose results are known, are left out.
  void leave_out(std::set<std::pair<std::size_t, std::size_t>> known) { known_ = std::move(known); }
  bool leaves_out(std::size_t gamma, std::size_t resample) const { return known_.contains({gamma, resample}); }
  bool leaves_all_out() const { return known_.size() == which_.size() * wanted_.gammas().size(); }

  const data::Dataset& dataset() const { return dataset_; }
  const Options& options() const { return options_; }
  std::span<const Resample> resamples() const { return resamples_; }
  const core::Context& context() const { return context_; }
  std::size_t gammas() const { return kernels_.size(); }
  std::size_t costs() const { return costs_of(options_); }
  const WantedSettings& wanted() const { return wanted_; }
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
  /// @param features  of that resample; used only if `by_word`
  kernel::Kernel kernel_at(std::size_t gamma, std::size_t resample, const data::Features& features) const;

  /// The wanted gammas of each space, in the order of work.
  std::vector<std::vector<std::size_t>> gammas_of_spaces() const;
  /// For SVMs: the kernel matrices over all rows of the data set, of all tasks of one space.
  /// @param gammas  of the space; must outlive the matrices
  SharedGrams grams(std::span<const std::size_t> gammas) const;
  /// Units of progress of all tasks.
  std::size_t units() const;

 private:
  /// The values of gammas of one space.
  std::vector<double> values_of(std::span<const std::size_t> gammas, std::size_t resample,
                                const data::Features& features) const;

  const data::Dataset& dataset_;
  const Options& options_;
  std::span<const Resample> resamples_;
  const core::Context& context_;
  std::vector<GridKernel> kernels_;
  WantedSettings wanted_;
  std::vector<std::size_t> which_;
  HandedOn* by_resample_ = nullptr;
  std::set<std::pair<std::size_t, std::size_t>> known_;  ///< (gamma, resample)
};

/// The options with some costs of the grid alone.
Options with_costs(const Options& options, std::span<const std::size_t> wanted);

/// Boxes at C = 1 of a resample: class weight times sample weight times number of draws.
std::vector<double> factors_of(const data::Dataset& dataset, const Options& options, const Resample& resample);

/// Candidate centres of fits on parts of `rows` rows: as many as a fit on all of these has.
std::size_t resolved_centres(std::size_t rows, const Options& options);

/// The most memory that a fit on at most `rows` rows may need.
std::size_t fit_bytes(std::size_t rows, std::size_t centres, data::Task task);

/// Calls fit(task, context of its own) for every task, in ascending order; several at a time, with one thread each,
/// where the memory budget allows it. Task k is worth units[k] of the monitor. A run that is stopped leaves the rest
/// out.
void for_each_fit(std::span<const std::size_t> units, std::size_t bytes, const core::Context& context,
                  const std::function<void(std::size_t task, const core::Context& part)>& fit);

}  // namespace credence::selection
