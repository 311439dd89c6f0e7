#include "credence/conformal/measures/nearest.hpp"

#include <fmt/format.h>

#include "credence/conformal/neighbours.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {

std::vector<std::string> nearest_problems(const NeighbourOptions& options, bool trains, const Mode& mode,
                                          data::Scaling scaling) {
  std::vector<std::string> problems = options.validate();
  if (!is_transductive(mode) && options.metric != neighbours::Metric::euclidean) {
    problems.push_back(
        fmt::format("the {} distance is for the transductive mode; nearest neighbours as inductive classifiers are "
                    "Euclidean",
                    core::word(options.metric)));
  }
  if (!is_transductive(mode) && !trains) {
    problems.push_back(fmt::format("the measure {} is for the transductive mode; take {}", options.measure.name,
                                   NeighbourRatio::name));
  }
  if (options.metric == neighbours::Metric::precomputed && scaling != data::Scaling::none)
    problems.emplace_back("precomputed distances cannot be scaled");
  return problems;
}

void check_nearest(const NeighbourOptions& options, const data::Dataset& dataset, const Mode& mode) {
  if (!dataset.weights.empty()) refuse("nearest neighbours take no sample weights");
  if (is_transductive(mode)) check_neighbour_count(options.k, dataset.rows());
  if (options.metric != neighbours::Metric::precomputed) return;
  for (std::size_t j = 0; j < dataset.schema.columns.size(); ++j) {
    if (dataset.schema.columns[j].kind == data::ColumnKind::categorical) {
      refuse_data("precomputed distances are numbers, but this column holds names",
                  {dataset.source, 0, dataset.column_label(j)});
    }
  }
}

void check_neighbour_count(int k, std::size_t rows) {
  if (static_cast<std::size_t>(k) <= rows) return;
  refuse(fmt::format("k is {}, but there are only {} rows to learn from", k, rows));
}

std::shared_ptr<const Machine> nearest_machine(const data::Features& rows, const data::Dataset& dataset,
                                               const NeighbourOptions& options, const core::Context& context) {
  return std::make_shared<TransductiveNeighbours>(rows, dataset.labels, dataset.class_count(), options, context,
                                                  dataset.weights);
}

}  // namespace credence::conformal
