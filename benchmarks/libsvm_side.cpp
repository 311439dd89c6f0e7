#include <fmt/format.h>
#include <svm.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "libsvm_nodes.hpp"
#include "process.hpp"
#include "sides.hpp"

namespace credence::bench {
namespace {

/// Some rows with their labels, class by class: where votes tie, LIBSVM takes the class that it met first, and Credence
/// the lowest.
struct Part {
  std::vector<svm_node*> x;
  std::vector<double> y;

  Part(const Nodes& nodes, const std::vector<int>& labels, std::vector<std::size_t> rows) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return labels[a] < labels[b]; });
    for (const std::size_t i : rows) {
      x.push_back(nodes.row(i));
      y.push_back(labels[i]);
    }
  }
  svm_problem problem() { return {static_cast<int>(x.size()), y.data(), x.data()}; }
};

double printed_objective = 0;

/// LIBSVM says the objective of each pair only in what it prints: "obj = -12.3, rho = ...".
void add_printed_objective(const char* text) {
  if (const char* found = std::strstr(text, "obj = ")) printed_objective += std::stod(found + 6);
}

std::uint64_t printed_steps = 0;

/// So it is with the steps: "optimization finished, #iter = 123".
void add_printed_steps(const char* text) {
  if (const char* found = std::strstr(text, "#iter = ")) printed_steps += std::stoull(found + 8);
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace

std::vector<HeldOutSplit> splits_of_folds(const std::vector<int>& folds) {
  std::vector<HeldOutSplit> splits(1 + static_cast<std::size_t>(*std::max_element(folds.begin(), folds.end())));
  for (std::size_t i = 0; i < folds.size(); ++i)
    for (std::size_t k = 0; k < splits.size(); ++k)
      (static_cast<std::size_t>(folds[i]) == k ? splits[k].judging : splits[k].training).push_back(i);
  return splits;
}

std::vector<HeldOutSplit> splits_without(std::size_t n, const std::vector<std::size_t>& rows) {
  std::vector<HeldOutSplit> splits;
  for (const std::size_t row : rows) {
    splits.push_back({all_rows(n), {row}});
    splits.back().training.erase(splits.back().training.begin() + static_cast<std::ptrdiff_t>(row));
  }
  return splits;
}

GridRun libsvm_grid(const Problem& problem, const Grid& grid, const std::vector<HeldOutSplit>& splits,
                    const std::function<void(std::size_t gamma)>& between) {
  svm_set_print_string_function(add_printed_steps);
  printed_steps = 0;
  const Nodes nodes(problem.standardised.features);
  const std::vector<int>& labels = problem.standardised.labels;
  GridRun run;
  for (std::size_t g = 0; g < grid.gamma.size(); ++g) {
    between(g);
    const Stopwatch stopwatch;
    for (const double C : grid.C) {
      const svm_parameter parameter = parameters(C, grid.gamma[g].value);
      std::size_t errors = 0;
      for (const HeldOutSplit& split : splits) {
        Part training(nodes, labels, split.training);
        const svm_problem train_problem = training.problem();
        svm_model* model = svm_train(&train_problem, &parameter);
        for (const std::size_t i : split.judging) errors += svm_predict(model, nodes.row(i)) != labels[i] ? 1U : 0U;
        svm_free_and_destroy_model(&model);
      }
      run.errors.push_back(errors);
    }
    run.seconds += stopwatch.elapsed();
  }
  run.steps = printed_steps;
  return run;
}

LabelRun libsvm_labels(const Problem& problem, const Grid& grid, const std::vector<std::size_t>& training,
                       const data::Features& rows) {
  svm_set_print_string_function(add_printed_steps);
  const Nodes nodes(problem.standardised.features);
  const Nodes asked(rows);
  Part part(nodes, problem.standardised.labels, training);
  const svm_problem train_problem = part.problem();
  LabelRun run;
  for (const kernel::GammaRule& gamma : grid.gamma) {
    for (const double C : grid.C) {
      const svm_parameter parameter = parameters(C, gamma.value);
      svm_model* model = svm_train(&train_problem, &parameter);
      const Stopwatch stopwatch;
      for (std::size_t i = 0; i < asked.size(); ++i)
        run.labels.push_back(static_cast<int>(svm_predict(model, asked.row(i))));
      run.seconds += stopwatch.elapsed();
      svm_free_and_destroy_model(&model);
    }
  }
  return run;
}

TrainingRun libsvm_training(const data::Dataset& dataset, double C, double gamma) {
  svm_set_print_string_function(add_printed_objective);
  printed_objective = 0;
  const Nodes nodes(dataset.features);
  Part all(nodes, dataset.labels, all_rows(nodes.size()));
  const svm_problem problem = all.problem();
  const svm_parameter parameter = parameters(C, gamma);

  TrainingRun run;
  const MemoryMeter memory;
  const Stopwatch stopwatch;
  svm_model* model = svm_train(&problem, &parameter);
  run.seconds = stopwatch.elapsed();
  run.megabytes = memory.megabytes();
  run.objective = printed_objective;
  run.support = static_cast<std::size_t>(svm_get_nr_sv(model));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    run.predictions.push_back(static_cast<int>(svm_predict(model, nodes.row(i))));
  svm_free_and_destroy_model(&model);
  return run;
}

std::string libsvm_version_text() {
  return fmt::format("{}.{:02}", libsvm_version / 100, libsvm_version % 100);
}

}  // namespace credence::bench
