#include "selection/front/proof.hpp"

#include <fmt/format.h>

#include "selection/asked.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

void add_gaps_of_rows(const data::Dataset& dataset, std::vector<std::string>& gaps) {
  if (!dataset.groups.empty()) gaps.emplace_back("rows of a group count as independent rows");
  if (!dataset.copies.empty())
    gaps.emplace_back(
        "copies of a row count as independent rows, and folds depend on which rows are equal (--copies drop)");
}

/// @param own  of the method
std::vector<std::string> gaps_in_sample(const data::Dataset& dataset, const InSample& bound,
                                        const std::vector<std::string>& own) {
  std::vector<std::string> gaps;
  const std::size_t cells = bound.gammas.size() * bound.rhos.size();
  if (cells > 1 && !bound.united)
    gaps.push_back(fmt::format("the smallest of {} bounds was taken, each at this confidence (--union)", cells));
  gaps.insert(gaps.end(), own.begin(), own.end());
  if (!bound.fixed_in_advance)
    gaps.emplace_back("scaling, filled cells, levels or gamma were fitted on the rows of the bound (--scale none)");
  if (bound.hint_rows > 0) gaps.emplace_back("the rows of the hint were drawn by class (--hint-column)");
  if (!bound.positive_semidefinite)
    gaps.emplace_back("the kernel is not positive semi-definite: there is no space for w to have a norm in");
  add_gaps_of_rows(dataset, gaps);
  return gaps;
}

std::vector<std::string> gaps_out_of_sample(const data::Dataset& dataset, const Options& options,
                                            const ErrorEstimation& estimation, ScaleScope scope,
                                            const std::vector<std::string>& own) {
  std::vector<std::string> gaps;
  const std::size_t count = estimation.judgements.size();
  if (!estimation.independent)
    gaps.push_back(fmt::format("the rows that judge also chose ({})",
                               options.traits().overlaps ? "--nested" : "--method kfold-nested"));
  if (estimation.final_classifier == FinalClassifier::retrained) {
    gaps.push_back(
        fmt::format("the bounds are about a random one of these {}, not about the classifier retrained on all rows "
                    "(--final random)",
                    count));
  }
  if (count > 1 && !estimation.united)
    gaps.push_back(fmt::format("the mean of {} limits was taken, each at this confidence (--union)", count));
  gaps.insert(gaps.end(), own.begin(), own.end());
  if (scope == ScaleScope::all && !options.traits().scales_once && !fits_nothing(dataset, options))
    gaps.emplace_back("scaling, filled cells, levels or gamma were fitted on all rows (--scale-scope fold)");
  add_gaps_of_rows(dataset, gaps);
  return gaps;
}

}  // namespace

void state_gaps(const data::Dataset& dataset, Selection& selection) {
  const Options& options = selection.options;
  const auto own = asked(
      options.method, std::vector<std::string>{},
      [&](const auto& method)
        requires requires { method.gaps(dataset, selection); }
      { return method.gaps(dataset, selection); });
  if (auto* bound = std::get_if<InSample>(&selection.found))
    bound->gaps = gaps_in_sample(dataset, *bound, own);
  else if (auto* estimation = std::get_if<ErrorEstimation>(&selection.found))
    estimation->gaps = gaps_out_of_sample(dataset, options, *estimation, selection.scale_scope, own);
}

}  // namespace credence::selection
