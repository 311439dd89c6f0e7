#include "selection/grid/grid_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "credence/data/splits.hpp"

namespace credence::selection {

std::vector<std::size_t> Resample::training_rows() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < drawn.size(); ++i) rows.insert(rows.end(), drawn[i], i);
  return rows;
}

std::vector<std::size_t> Resample::held_out() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (drawn[i] == 0 && (apart.empty() || !apart[i])) rows.push_back(i);
  return rows;
}

std::vector<Resample> resamples_of_folds(std::span<const int> folds) {
  const auto count = static_cast<std::size_t>(*std::max_element(folds.begin(), folds.end()) + 1);
  std::vector<Resample> resamples(count, all_rows(folds.size()));
  for (std::size_t i = 0; i < folds.size(); ++i) resamples[static_cast<std::size_t>(folds[i])].drawn[i] = 0;
  return resamples;
}

std::vector<Resample> resamples_of_splits(const data::Dataset& dataset) {
  data::check_splits(dataset);
  std::vector<Resample> resamples;
  for (const data::Split& split : dataset.splits) {
    resamples.push_back({std::vector<std::uint32_t>(dataset.rows(), 0), std::vector<bool>(dataset.rows(), true)});
    Resample& resample = resamples.back();
    for (const std::size_t row : split.training) ++resample.drawn[row];
    for (const std::size_t row : split.held_out) resample.apart[row] = false;
  }
  return resamples;
}

Resample all_rows(std::size_t n) {
  return {std::vector<std::uint32_t>(n, 1)};
}

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
  return options_.kernels().shape.uses_gamma() &&
         options_.kernels().gamma[gamma].kind != kernel::GammaRule::Kind::value;
}

/// A gamma that is asked for by a word is fitted like the preprocessing: on the training rows of the resample, or on
/// all rows if that was asked for.
kernel::Kernel GridRun::kernel_at(std::size_t gamma, std::size_t resample, const data::Features& features) const {
  const kernel::Shape& shape = options_.kernels().shape;
  if (!shape.uses_gamma()) return shape.with();
  const kernel::GammaRule& rule = options_.kernels().gamma[gamma];
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
  if (*options_.preparation.scope == ScaleScope::all || is_precomputed(options_) || resamples_.size() == 1) return true;
  const std::span<const double> values = dataset_.features.stored();
  const auto& columns = dataset_.schema.columns;
  const auto& gammas = options_.kernels().gamma;
  return options_.preparation.scaling == data::Scaling::none &&
         std::all_of(gammas.begin(), gammas.end(),
                     [](const kernel::GammaRule& rule) { return rule.kind == kernel::GammaRule::Kind::value; }) &&
         std::all_of(columns.begin(), columns.end(),
                     [](const data::Column& column) { return column.kind == data::ColumnKind::numeric; }) &&
         std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

bool is_precomputed(const Options& options) {
  return options.has_kernels() && options.kernels().shape.type == kernel::KernelType::precomputed;
}

kernel::Kernel kernel_of(const Options& options, double gamma) {
  const kernel::Shape& shape = options.kernels().shape;
  return shape.uses_gamma() ? shape.with(gamma) : shape.with();
}

data::Preprocessing fit_preprocessing(const data::Dataset& dataset, const Options& options) {
  return data::Preprocessing::fit(dataset,
                                  is_precomputed(options) ? data::Scaling::none : *options.preparation.scaling);
}

std::vector<double> resolved_gammas(const Options& options, const std::function<data::Features()>& features,
                                    std::span<const double> weights) {
  const kernel::Shape& shape = options.kernels().shape;
  if (!shape.uses_gamma()) return {0};
  data::Features made;
  std::vector<double> gammas;
  for (const kernel::GammaRule& rule : options.kernels().gamma) {
    if (rule.kind != kernel::GammaRule::Kind::value && made.rows() == 0) made = features();
    gammas.push_back(kernel::resolve_gamma(rule, shape.type, made, weights));
  }
  return gammas;
}

bool fits_nothing(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  Options by_fold = options;
  by_fold.preparation.scope = ScaleScope::fold;
  const std::vector<Resample> parts(2, all_rows(dataset.rows()));
  return GridRun(dataset, by_fold, parts, context).same_preprocessing();
}

void GridRun::run(const std::function<void(kernel::Rows&, std::size_t gamma, std::size_t resample)>& work) const {
  std::size_t units = 0;
  for (const std::size_t gamma : wanted_.gammas()) units += wanted_.units(gamma) * which_.size();
  context_.monitor.expect(units);
  if (known_.size() == which_.size() * wanted_.gammas().size()) return context_.monitor.advance(units);
  SharedGrams grams(which_.size(), wanted_.gammas(), same_preprocessing(), dataset_.rows(),
                    options_.kernels().shape.type, by_resample_, context_,
                    [&](std::size_t k) { return features(which_[k]); });
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
      svm::box_factors(dataset, options.has_costs() ? options.costs().class_weights : svm::ClassWeights{}, training);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= resample.drawn[i];
  return factors;
}

void solve_costs(kernel::Rows& rows, const qp::Problem& unit_problem, const Options& options,
                 const core::Monitor& monitor, const std::function<bool(const svm::PathPoint&)>& visit) {
  if (options.costs().nu.empty())
    svm::c_path_while(rows, unit_problem, options.costs().C, options.solver(), monitor, visit);
  else
    svm::nu_path(rows, unit_problem, options.costs().nu, options.solver(), monitor, visit);
}

}  // namespace credence::selection
