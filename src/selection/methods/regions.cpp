#include "credence/selection/methods/regions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/frame/frame.hpp"

namespace credence::selection {

std::size_t Regions::holdout_from(const Options& options) const {
  if (averages() || options.score != Score::accuracy) return least_rows;
  return std::min(selection::holdout_from, 5 * size());
}

std::vector<std::string> Regions::problems(const Options& options) const {
  std::vector<std::string> problems;
  if (options.kernels.shape().type == kernel::KernelType::precomputed)
    problems.emplace_back("regions: a precomputed kernel has no feature space to split into regions");
  if (!options.costs.nu.empty()) problems.emplace_back("regions: SVMs in regions take C; few nu exist in every region");
  if (options.rule == Rule::average)
    problems.emplace_back(
        "rule: regions average partitions; of five data sets, averages of cells as well helped on one; take best or "
        "one_se");
  if (!averages() && (options.kernels.types.size() > 1 || options.preparation.scalings.size() > 1))
    problems.emplace_back(
        "partitions: a partition has one kernel and one scaling, and several are averaged; take 2 or more");
  if (options.estimate == Estimate::nested)
    problems.emplace_back(
        "regions: the honest estimate of regions is the bootstrap correction, rows held out, or none");
  if (averages() && options.estimate == Estimate::bbc)
    problems.emplace_back(
        "estimate: the bootstrap correction repeats the choices of one partition; take holdout or none, or partitions "
        "= 1");
  if (!averages() && options.score != Score::accuracy && options.estimate == Estimate::bbc)
    problems.push_back(fmt::format(
        "estimate: the bootstrap corrections of regions add up for the error and the soft loss, not for the {}; take "
        "holdout or none",
        title(options.score)));
  if (options.preparation.scope == ScaleScope::fold)
    problems.emplace_back("scale_scope: the scaling is fitted on all rows before they are split into regions");
  return problems;
}

Selection Regions::select(const data::Dataset& dataset, const Options& options, const core::Context& context) const {
  check_data(dataset, options);
  return select_in_regions(dataset, options, context);
}

}  // namespace credence::selection
