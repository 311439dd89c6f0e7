#include "selection/resample/prepared.hpp"

#include <algorithm>
#include <cmath>

namespace credence::selection {

bool is_precomputed(const Options& options) {
  return options.kernels.shape.type == kernel::KernelType::precomputed;
}

kernel::Kernel kernel_of(const Options& options, double gamma) {
  const kernel::Shape& shape = options.kernels.shape;
  return shape.uses_gamma() ? shape.with(gamma) : shape.with();
}

data::Preprocessing fit_preprocessing(const data::Dataset& dataset, const Options& options) {
  return data::Preprocessing::fit(dataset,
                                  is_precomputed(options) ? data::Scaling::none : *options.preparation.scaling);
}

std::vector<double> resolved_gammas(const Options& options, const std::function<data::Features()>& features,
                                    std::span<const double> weights) {
  const kernel::Shape& shape = options.kernels.shape;
  if (!shape.uses_gamma()) return {0};
  data::Features made;
  std::vector<double> gammas;
  for (const kernel::GammaRule& rule : options.kernels.gamma) {
    if (rule.kind != kernel::GammaRule::Kind::value && made.rows() == 0) made = features();
    gammas.push_back(kernel::resolve_gamma(rule, shape.type, made, weights));
  }
  return gammas;
}

bool fits_nothing(const data::Dataset& dataset, const Options& options) {
  if (is_precomputed(options)) return true;
  const std::span<const double> values = dataset.features.stored();
  const auto& columns = dataset.schema.columns;
  const auto& gammas = options.kernels.gamma;
  return options.preparation.scaling == data::Scaling::none &&
         std::all_of(gammas.begin(), gammas.end(),
                     [](const kernel::GammaRule& rule) { return rule.kind == kernel::GammaRule::Kind::value; }) &&
         std::all_of(columns.begin(), columns.end(),
                     [](const data::Column& column) { return column.kind == data::ColumnKind::numeric; }) &&
         std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

}  // namespace credence::selection
