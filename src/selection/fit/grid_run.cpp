#include "selection/fit/grid_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "credence/core/list.hpp"
#include "credence/rvm/train.hpp"

namespace credence::selection {

GridRun::GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                 const core::Context& context)
    : GridRun(dataset, options, resamples, context, WantedSettings::all(kernels_of(options).size(), costs_of(options)),
              core::numbers_below(resamples.size())) {}

GridRun::GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                 const core::Context& context, WantedSettings wanted, std::vector<std::size_t> which)
    : dataset_(dataset),
      options_(options),
      resamples_(resamples),
      context_(context),
      kernels_(kernels_of(options)),
      wanted_(std::move(wanted)),
      which_(std::move(which)) {}

data::Preprocessing GridRun::preprocessing(std::size_t resample, std::size_t gamma) const {
  const Options own = in_space(options_, kernels_[gamma].scaling, kernels_[gamma].shape.type);
  const bool on_all_rows = *options_.preparation.scope == ScaleScope::all || is_precomputed(options_) ||
                           (resamples_.size() > 1 && same_preprocessing());
  return on_all_rows
             ? fit_preprocessing(dataset_, own)
             : data::Preprocessing::fit(dataset_, resamples_[resample].training_rows(), kernels_[gamma].scaling);
}

bool GridRun::by_word(std::size_t gamma) const {
  return kernels_[gamma].gamma && kernels_[gamma].gamma->is_word();
}

/// A gamma that is asked for by a word is fitted like the preprocessing: on the training rows of the resample, or on
/// all rows if that was asked for.
std::vector<double> GridRun::values_of(std::span<const std::size_t> gammas, std::size_t resample,
                                       const data::Features& features) const {
  const kernel::KernelType type = kernels_[gammas.front()].shape.type;
  std::vector<kernel::GammaRule> rules;
  for (const std::size_t gamma : gammas) rules.push_back(kernels_[gamma].gamma.value_or(kernel::GammaRule{}));
  if (std::ranges::none_of(gammas, [&](std::size_t gamma) { return by_word(gamma); }) ||
      *options_.preparation.scope == ScaleScope::all)
    return kernel::resolve_gammas(rules, type, features, dataset_.weights);
  const std::vector<std::size_t> rows = resamples_[resample].training_rows();
  return kernel::resolve_gammas(rules, type, features.select_rows(rows), core::picked(dataset_.weights, rows));
}

kernel::Kernel GridRun::kernel_at(std::size_t gamma, std::size_t resample, const data::Features& features) const {
  return kernels_[gamma].shape.with(values_of(std::span(&gamma, 1), resample, features).front());
}

bool GridRun::same_preprocessing() const {
  return *options_.preparation.scope == ScaleScope::all || resamples_.size() == 1 || fits_nothing(dataset_, options_);
}

std::vector<std::vector<std::size_t>> GridRun::gammas_of_spaces() const {
  std::vector<std::vector<std::size_t>> spaces(kernels_.back().space + 1);
  std::vector<std::size_t> order;
  for (const std::size_t gamma : wanted_.gammas()) {
    std::vector<std::size_t>& own = spaces[kernels_[gamma].space];
    if (own.empty()) order.push_back(kernels_[gamma].space);
    own.push_back(gamma);
  }
  return core::picked(spaces, order);
}

std::size_t GridRun::units() const {
  std::size_t units = 0;
  for (const std::size_t gamma : wanted_.gammas()) units += wanted_.units(gamma) * which_.size();
  return units;
}

SharedGrams GridRun::grams(std::span<const std::size_t> gammas) const {
  const std::size_t first = gammas.front();
  const auto prepare = [this, gammas, first](std::size_t k) {
    data::Features rows = features(which_[k], first);
    std::vector<double> values = values_of(gammas, which_[k], rows);
    return Prepared{std::move(rows), std::move(values)};
  };
  return SharedGrams(which_.size(), gammas, same_preprocessing(), dataset_.rows(), kernels_[first].shape, by_resample_,
                     context_, prepare);
}

Options with_costs(const Options& options, std::span<const std::size_t> wanted) {
  Options narrowed = options;
  std::vector<double>& axis = options.costs.nu.empty() ? narrowed.costs.C : narrowed.costs.nu;
  axis = core::picked(axis, wanted);
  return narrowed;
}

std::vector<double> factors_of(const data::Dataset& dataset, const Options& options, const Resample& resample) {
  const std::vector<bool> training = core::mapped(resample.drawn, [](std::uint32_t times) { return times > 0; });
  std::vector<double> factors =
      svm::box_factors(dataset, options.has_costs() ? options.costs.class_weights : svm::ClassWeights{}, training);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= resample.drawn[i];
  return factors;
}

std::size_t resolved_centres(std::size_t rows, const Options& options) {
  return options.rvms.centres.value_or(rvm::default_centres(rows));
}

std::size_t fit_bytes(std::size_t rows, std::size_t centres, data::Task task) {
  const std::size_t most = std::min(rows, centres);
  const auto bytes = [&](std::size_t n) { return rvm::fit_memory(n, std::min(n, most), task).least(); };
  return std::max(bytes(rows), bytes(std::min(rows, 4 * (most + 1) / 3)));  // fewer rows may take the longer way
}

void for_each_fit(std::span<const std::size_t> units, std::size_t bytes, const core::Context& context,
                  const std::function<void(std::size_t task, const core::Context& part)>& fit) {
  const auto threads = static_cast<std::size_t>(context.threads.count());
  const std::size_t fitting = std::max<std::size_t>(1, context.memory_budget / std::max<std::size_t>(1, bytes));
  const std::size_t workers = std::max<std::size_t>(1, std::min({threads, units.size(), fitting}));
  // Threads of a fit's own are worth less than a fit to each thread, unless most threads would have none.
  const bool one_by_one = 2 * workers <= threads;
  const core::Threads outer(one_by_one ? 1 : static_cast<int>(workers));
  const core::Threads inner(1);
  context.monitor.expect(std::accumulate(units.begin(), units.end(), std::size_t{0}));
  outer.for_each(units.size(), [&](std::size_t task) {
    if (context.monitor.should_stop()) return;
    core::Monitor part(context.monitor, units[task]);
    part.expect(1);
    fit(task, {one_by_one ? context.threads : inner, part, context.memory_budget / (one_by_one ? 1 : workers),
               context.checkpoint});
    part.advance();
  });
}

}  // namespace credence::selection
