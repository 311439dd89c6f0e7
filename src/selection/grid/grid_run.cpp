#include "selection/grid/grid_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace credence::selection {

GridRun::GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                 const core::Context& context)
    : dataset_(dataset),
      options_(options),
      resamples_(resamples),
      context_(context),
      wanted_(WantedCells::all(gammas(), costs())),
      which_(resamples.size()) {
  std::iota(which_.begin(), which_.end(), std::size_t{0});
}

GridRun::GridRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                 const core::Context& context, WantedCells wanted, std::vector<std::size_t> which)
    : dataset_(dataset),
      options_(options),
      resamples_(resamples),
      context_(context),
      wanted_(std::move(wanted)),
      which_(std::move(which)) {}

data::Preprocessing GridRun::preprocessing(std::size_t resample) const {
  const bool on_all_rows = *options_.preparation.scope == ScaleScope::all || is_precomputed(options_) ||
                           (resamples_.size() > 1 && same_preprocessing());
  return on_all_rows
             ? fit_preprocessing(dataset_, options_)
             : data::Preprocessing::fit(dataset_, resamples_[resample].training_rows(), *options_.preparation.scaling);
}

bool GridRun::by_word(std::size_t gamma) const {
  return options_.kernels.shape.uses_gamma() && options_.kernels.gamma[gamma].kind != kernel::GammaRule::Kind::value;
}

/// A gamma that is asked for by a word is fitted like the preprocessing: on the training rows of the resample, or on
/// all rows if that was asked for.
kernel::Kernel GridRun::kernel_at(std::size_t gamma, std::size_t resample, const data::Features& features) const {
  const kernel::Shape& shape = options_.kernels.shape;
  if (!shape.uses_gamma()) return shape.with();
  const kernel::GammaRule& rule = options_.kernels.gamma[gamma];
  if (!by_word(gamma)) return shape.with(rule.value);
  const bool on_all_rows = *options_.preparation.scope == ScaleScope::all;
  if (on_all_rows) return shape.with(kernel::resolve_gamma(rule, shape.type, features, dataset_.weights));
  const std::vector<std::size_t> rows = resamples_[resample].training_rows();
  std::vector<double> weights;
  if (!dataset_.weights.empty())
    for (const std::size_t i : rows) weights.push_back(dataset_.weights[i]);
  return shape.with(kernel::resolve_gamma(rule, shape.type, features.select_rows(rows), weights));
}

bool GridRun::same_preprocessing() const {
  return *options_.preparation.scope == ScaleScope::all || resamples_.size() == 1 || fits_nothing(dataset_, options_);
}

void GridRun::run(const std::function<void(kernel::Rows&, std::size_t gamma, std::size_t resample)>& work) const {
  std::size_t units = 0;
  for (const std::size_t gamma : wanted_.gammas()) units += wanted_.units(gamma) * which_.size();
  context_.monitor.expect(units);
  if (known_.size() == which_.size() * wanted_.gammas().size()) return context_.monitor.advance(units);
  SharedGrams grams(which_.size(), wanted_.gammas(), same_preprocessing(), dataset_.rows(), options_.kernels.shape.type,
                    by_resample_, context_, [&](std::size_t k) { return features(which_[k]); });
  context_.threads.for_each(grams.tasks(), [&](std::size_t task) {
    if (context_.monitor.should_stop()) return;
    const std::size_t gamma = grams.gamma(task);
    const std::size_t resample = which_[grams.resample(task)];
    if (leaves_out(gamma, resample)) {
      grams.pass(task);
    } else {
      grams.with_rows(
          task, [&](const data::Features& features) { return kernel_at(gamma, resample, features); },
          [&](kernel::Rows& rows) { work(rows, gamma, resample); });
    }
    context_.monitor.advance(wanted_.units(gamma));
  });
}

std::vector<double> factors_of(const data::Dataset& dataset, const Options& options, const Resample& resample) {
  std::vector<bool> training(resample.drawn.size());
  std::transform(resample.drawn.begin(), resample.drawn.end(), training.begin(),
                 [](std::uint32_t times) { return times > 0; });
  std::vector<double> factors =
      svm::box_factors(dataset, options.has_costs() ? options.costs.class_weights : svm::ClassWeights{}, training);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= resample.drawn[i];
  return factors;
}

void solve_costs(kernel::Rows& rows, const qp::Problem& unit_problem, const Options& options,
                 const core::Monitor& monitor, const std::function<bool(const svm::PathPoint&)>& visit) {
  if (options.costs.nu.empty())
    svm::c_path_while(rows, unit_problem, options.costs.C, options.costs.solver, monitor, visit);
  else
    svm::nu_path(rows, unit_problem, options.costs.nu, options.costs.solver, monitor, visit);
}

}  // namespace credence::selection
