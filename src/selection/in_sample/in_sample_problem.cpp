#include "selection/in_sample/in_sample_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/splits.hpp"
#include "credence/kernel/gram.hpp"
#include "selection/in_sample/hint.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

std::vector<Labels> distinct_labels(std::size_t count, bool even, std::uint64_t seed, std::uint64_t purpose,
                                    const std::function<Labels(core::RandomStream&)>& make) {
  std::vector<Labels> drawn;
  std::set<Labels> known;
  for (std::uint64_t candidate = 0; drawn.size() < count; ++candidate) {
    core::RandomStream random(seed, purpose + candidate);
    Labels labels = make(random);
    Labels key = labels;
    if (even && key.front() < 0) std::ranges::transform(key, key.begin(), std::negate<>{});
    if (known.insert(std::move(key)).second) drawn.push_back(std::move(labels));
  }
  return drawn;
}

namespace {

void check_in_sample(const data::Dataset& dataset, const Options& options) {
  data::check_trainable(dataset);
  const auto refuse = [&](const std::string& sentence) { refuse_data(sentence, {dataset.source}); };
  if (!dataset.weights.empty())
    refuse(fmt::format("{} bounds the error of rows that count alike; it takes no sample weights", options.name()));
  if (dataset.hint.empty()) return;
  if (options.in_sample.term == ComplexityTerm::trials && !options.in_sample.ivanov.bias)
    refuse("around a hint without a bias there is no confidence term of the trials, whose values leave [0, 1]");
  if (options.in_sample.hint)
    refuse("the data bring a hint of their own; a share of the rows cannot train another one");
  if (dataset.class_count() != 2) {
    refuse(fmt::format("a given hint is one decision value a row, which tells two classes apart; the data have {}",
                       dataset.class_count()));
  }
  if (dataset.hint.size() != dataset.rows())
    refuse(fmt::format("there are {} values of the hint for {} rows", dataset.hint.size(), dataset.rows()));
  if (!std::ranges::all_of(dataset.hint, [](double value) { return std::isfinite(value); }))
    refuse("the hint has a value that is not a finite number");
}

struct Split {
  std::vector<std::size_t> hint;
  std::vector<std::size_t> bound;
};

Split split_rows(const data::Dataset& dataset, const Options& options) {
  Split split;
  if (!options.in_sample.hint) {
    split.bound = core::numbers_below(dataset.rows());
    return split;
  }
  const std::vector<bool> held_out = data::hold_out(dataset, *options.in_sample.hint, options.seed);
  for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? split.hint : split.bound).push_back(i);
  return split;
}

/// Takes the mean off the features of a linear kernel with a free bias.
void centre_features(const Options& options, InSampleProblem& problem) {
  if (options.kernels.shape().type != kernel::KernelType::linear || !options.in_sample.ivanov.bias ||
      problem.features.is_sparse()) {
    return;
  }
  data::DenseMatrix values = problem.features.dense();
  problem.centre.assign(values.columns, 0.0);
  for (std::size_t i = 0; i < values.rows; ++i)
    for (std::size_t j = 0; j < values.columns; ++j)
      problem.centre[j] += values.row(i)[j] / static_cast<double>(values.rows);
  for (std::size_t i = 0; i < values.rows; ++i)
    for (std::size_t j = 0; j < values.columns; ++j) values.row(i)[j] -= problem.centre[j];
  problem.centred.emplace(std::move(values));
}

/// Whether there is a feature space for w to have a norm in.
bool has_feature_space(const kernel::Kernel& kernel, const data::Features& features) {
  switch (kernel.type) {
    case kernel::KernelType::sigmoid:
      return false;
    case kernel::KernelType::polynomial:
      return kernel.coef0 >= 0;
    case kernel::KernelType::precomputed:
      kernel::check_precomputed(features);
      return kernel::is_positive_semidefinite(features.to_dense());
    case kernel::KernelType::rbf:
    case kernel::KernelType::linear:
    case kernel::KernelType::laplacian:
      return true;
  }
  return false;
}

void add_machines(const data::Dataset& rows, const core::Context& context, InSampleProblem& problem) {
  const data::DenseMatrix of_hint =
      problem.hint ? problem.hint->predict_preprocessed(problem.features, context).decision : data::DenseMatrix();
  problem.layout = svm::one_against_rest(rows.class_count());
  for (std::size_t m = 0; m < problem.layout.size(); ++m) {
    InSampleProblem::Machine& machine = problem.machines.emplace_back();
    machine.labels = machine_signs(rows, problem.layout[m]);
    machine.hint = rows.hint;
    for (std::size_t i = 0; i < of_hint.rows; ++i) machine.hint.push_back(of_hint.row(i)[m]);
  }
}

}  // namespace

InSampleProblem make_in_sample_problem(const data::Dataset& dataset, const Options& options,
                                       const core::Context& context, std::vector<std::string>& warnings) {
  check_in_sample(dataset, options);
  InSampleProblem problem;
  const Split split = split_rows(dataset, options);
  const data::Dataset bound = dataset.select_rows(split.bound);
  const data::Dataset of_hint = dataset.select_rows(split.hint);
  const data::Dataset& fitted_on = split.hint.empty() ? bound : of_hint;
  problem.preprocessing = fit_preprocessing(fitted_on, options);
  problem.features = problem.preprocessing.apply(bound, data::UnknownLevel::ignore);
  problem.gammas =
      resolved_gammas(options, [&] { return problem.preprocessing.apply(fitted_on, data::UnknownLevel::ignore); });
  problem.rows = split.bound;
  problem.hint_rows = split.hint.size();
  problem.given_hint = !dataset.hint.empty();
  problem.fixed_in_advance = problem.hint_rows > 0 || fits_nothing(dataset, options);
  problem.schema = problem.given_hint ? dataset.schema : dataset.schema_without_hint();
  if (problem.given_hint && problem.schema.hint_name.empty()) problem.schema.hint_name = "hint";
  if (problem.hint_rows > 0) problem.hint = train_hint(of_hint, problem.preprocessing, options, context, warnings);
  add_machines(bound, context, problem);
  centre_features(options, problem);
  problem.positive_semidefinite = has_feature_space(options.kernels.shape().with(), problem.features);
  return problem;
}

}  // namespace credence::selection
