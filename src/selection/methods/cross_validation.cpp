#include "credence/selection/methods/cross_validation.hpp"

#include <fmt/format.h>

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/frame/head.hpp"
#include "selection/methods/left_out_losses.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {

std::vector<std::string> CrossValidation::problems(const Options& options) const {
  if (!cells) return {};
  std::vector<std::string> problems;
  if (options.learner() != Learner::svm)
    return {"cells: the cells of the feature space have SVMs, and the candidates are relevance vector machines"};
  if (options.kernels().shape.type == kernel::KernelType::precomputed)
    problems.emplace_back("cells: a precomputed kernel has no feature space to be split into cells");
  if (!options.costs().nu.empty()) problems.emplace_back("cells: SVMs in cells take C; few nu exist in every cell");
  if (scoring.score != Score::accuracy) {
    problems.push_back(
        fmt::format("cells: cells choose by the error or the soft loss, whose sums over cells are those "
                    "of all rows, not by the {}",
                    title(scoring.score)));
  }
  if (options.estimate == Estimate::nested)
    problems.emplace_back("cells: the honest estimate of cells is the bootstrap correction, rows held out, or none");
  return problems;
}

Selection CrossValidation::select(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                  const Forecast* forecast) const {
  check_data(dataset, options);
  if (cells) return select_in_parts(dataset, options, context);
  return select_by_left_out_losses(dataset, options, resamples_of_cv(dataset, options), "CV", context, {.forecast = forecast});
}

}  // namespace credence::selection
