#include "selection/in_sample_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/data/splits.hpp"
#include "selection/grid_run.hpp"
#include "selection/hint.hpp"

namespace credence::selection {
namespace {

void check(const data::Dataset& dataset, const Options& options) {
  data::check_trainable(dataset);
  const auto refuse = [&](const std::string& sentence) {
    throw Error(ErrorCode::invalid_data, sentence, {dataset.source, 0, ""});
  };
  if (!dataset.weights.empty()) {
    refuse(fmt::format("{} bounds the error of rows that count alike; it takes no sample weights", options.method));
  }
  if (dataset.hint.empty()) {
    return;
  }
  if (options.in_sample.hint) {
    refuse("the data bring a hint of their own; a share of the rows cannot train another one");
  }
  if (dataset.class_count() != 2) {
    refuse(fmt::format("a given hint is one decision value a row, which tells two classes apart; the data have {}",
                       dataset.class_count()));
  }
  if (dataset.hint.size() != dataset.rows()) {
    refuse(fmt::format("there are {} values of the hint for {} rows", dataset.hint.size(), dataset.rows()));
  }
  if (!std::all_of(dataset.hint.begin(), dataset.hint.end(), [](double value) { return std::isfinite(value); })) {
    refuse("the hint has a value that is not a finite number");
  }
}

/// Whether parts of the rows would all be preprocessed alike, so that nothing is learned from the rows.
bool fits_nothing(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const std::array parts{all_rows(dataset.rows()), all_rows(dataset.rows())};
  return GridRun(dataset, options, parts, context).same_preprocessing();
}

std::vector<double> resolved_gammas(const data::Features& fitted_on, const Options& options) {
  if (!options.kernel.uses_gamma()) {
    return {0};
  }
  std::vector<double> gammas;
  for (const kernel::GammaRule& rule : options.grid.gamma) {
    gammas.push_back(kernel::resolve_gamma(rule, options.kernel.type, fitted_on));
  }
  return gammas;
}

struct Split {
  std::vector<std::size_t> hint;
  std::vector<std::size_t> bound;
};

Split split_rows(const data::Dataset& dataset, const Options& options) {
  Split split;
  if (!options.in_sample.hint) {
    split.bound.resize(dataset.rows());
    std::iota(split.bound.begin(), split.bound.end(), std::size_t{0});
    return split;
  }
  const std::vector<bool> held_out = data::hold_out(dataset.labels, *options.in_sample.hint, options.seed);
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    (held_out[i] ? split.hint : split.bound).push_back(i);
  }
  return split;
}

void add_machines(const data::Dataset& rows, const core::Context& context, InSampleProblem& problem) {
  const data::DenseMatrix of_hint =
      problem.hint ? problem.hint->predict_preprocessed(problem.features, context).decision : data::DenseMatrix();
  problem.layout = svm::one_against_rest(rows.class_count());
  for (std::size_t m = 0; m < problem.layout.size(); ++m) {
    InSampleProblem::Machine& machine = problem.machines.emplace_back();
    machine.labels = machine_signs(rows, problem.layout[m]);
    machine.hint = rows.hint;
    for (std::size_t i = 0; i < of_hint.rows; ++i) {
      machine.hint.push_back(of_hint.row(i)[m]);
    }
  }
}

}  // namespace

InSampleProblem make_in_sample_problem(const data::Dataset& dataset, const Options& options,
                                       const core::Context& context, std::vector<std::string>& warnings) {
  check(dataset, options);
  InSampleProblem problem;
  const Split split = split_rows(dataset, options);
  const bool precomputed = options.kernel.type == kernel::KernelType::precomputed;
  const data::Dataset bound = dataset.select_rows(split.bound);
  const data::Dataset of_hint = dataset.select_rows(split.hint);
  const data::Dataset& fitted_on = split.hint.empty() ? bound : of_hint;
  problem.preprocessing = data::Preprocessing::fit(fitted_on, precomputed ? data::Scaling::none : options.scaling);
  problem.features = problem.preprocessing.apply(bound, data::UnknownLevel::ignore);
  problem.gammas = resolved_gammas(
      split.hint.empty() ? problem.features : problem.preprocessing.apply(of_hint, data::UnknownLevel::ignore),
      options);
  problem.rows = split.bound;
  problem.hint_rows = split.hint.size();
  problem.given_hint = !dataset.hint.empty();
  problem.fixed_in_advance = problem.hint_rows > 0 || fits_nothing(dataset, options, context);
  problem.schema = problem.given_hint ? dataset.schema : dataset.schema_without_hint();
  if (problem.given_hint && problem.schema.hint_name.empty()) {
    problem.schema.hint_name = "hint";
  }
  if (problem.hint_rows > 0) {
    problem.hint = train_hint(of_hint, problem.preprocessing, options, context, warnings);
  }
  add_machines(bound, context, problem);
  return problem;
}

}  // namespace credence::selection
