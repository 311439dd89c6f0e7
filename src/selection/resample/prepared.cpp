#include "selection/resample/prepared.hpp"
#include "credence/core/list.hpp"

#include <algorithm>
#include <cmath>

namespace credence::selection {

bool is_precomputed(const Options& options) {
  return options.kernels.shape().type == kernel::KernelType::precomputed;
}

std::size_t costs_of(const Options& options) {
  return options.learner() == Learner::svm && options.has_costs() ? options.costs.axis().size() : 1;
}

std::vector<GridKernel> kernels_of(const Options& options) {
  std::vector<GridKernel> kernels;
  std::size_t space = 0;
  for (const Options& own : spaces_of(options)) {
    const kernel::Shape shape = own.kernels.shape();
    if (!shape.uses_gamma()) kernels.push_back({own.preparation.scaling(), shape, space, std::nullopt});
    for (std::size_t k = 0; shape.uses_gamma() && k < own.kernels.gamma.size(); ++k)
      kernels.push_back({own.preparation.scaling(), shape, space, own.kernels.gamma[k]});
    ++space;
  }
  return kernels;
}

std::vector<Options> spaces_of(const Options& options) {
  std::vector<Options> spaces;
  for (const data::Scaling scaling : options.preparation.scalings)
    for (const kernel::KernelType type : options.kernels.types) spaces.push_back(in_space(options, scaling, type));
  if (spaces.empty()) spaces.push_back(options);  // of nearest neighbours
  return spaces;
}

Options in_space(Options options, data::Scaling scaling, kernel::KernelType type) {
  options.preparation.scalings = {scaling};
  options.kernels.types = {type};
  return options;
}

kernel::Kernel kernel_of(const Options& options, double gamma) {
  const kernel::Shape& shape = options.kernels.shape();
  return shape.uses_gamma() ? shape.with(gamma) : shape.with();
}

data::Preprocessing fit_preprocessing(const data::Dataset& dataset, const Options& options) {
  return data::Preprocessing::fit(dataset,
                                  is_precomputed(options) ? data::Scaling::none : options.preparation.scaling());
}

std::vector<double> resolved_gammas(const Options& options, const std::function<data::Features()>& features,
                                    std::span<const double> weights) {
  const kernel::Shape& shape = options.kernels.shape();
  if (!shape.uses_gamma()) return {0};
  const std::vector<kernel::GammaRule>& rules = options.kernels.gamma;
  const bool by_word = std::ranges::any_of(rules, &kernel::GammaRule::is_word);
  return kernel::resolve_gammas(rules, shape.type, by_word ? features() : data::Features(), weights);
}

bool fits_nothing(const data::Dataset& dataset, const Options& options) {
  if (is_precomputed(options)) return true;
  const std::span<const double> values = dataset.features.stored();
  const auto numeric = [](const data::Column& column) { return column.kind == data::ColumnKind::numeric; };
  return options.preparation.scalings == std::vector{data::Scaling::none} &&
         std::ranges::none_of(options.kernels.gamma, &kernel::GammaRule::is_word) &&
         std::ranges::all_of(dataset.schema.columns, numeric) &&
         std::ranges::none_of(values, [](double value) { return std::isnan(value); });
}

std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options) {
  if (options.learner() == Learner::knn) return {0};
  std::vector<double> gammas;
  for (const Options& own : spaces_of(options)) {
    const std::vector<double> some =
        resolved_gammas(own, [&] { return fit_preprocessing(dataset, own).apply(dataset); }, dataset.weights);
    core::append(gammas, some);
  }
  return gammas;
}

}  // namespace credence::selection
