#include <fmt/format.h>
#include <svm.h>

#include <cstring>
#include <string>

#include "libsvm_nodes.hpp"
#include "process.hpp"
#include "sides.hpp"

namespace credence::bench {
namespace {

/// The rows that `keep` takes, with their labels.
struct Part {
  std::vector<svm_node*> x;
  std::vector<double> y;

  template <class Keep>
  Part(const Nodes& nodes, const std::vector<int>& labels, Keep keep) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!keep(i)) continue;
      x.push_back(nodes.row(i));
      y.push_back(labels[i]);
    }
  }
  svm_problem problem() { return {static_cast<int>(x.size()), y.data(), x.data()}; }
};

void silent(const char*) {}

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

/// Trains without one row; whether the row is then misclassified.
bool is_error_left_out(const Nodes& nodes, const std::vector<int>& labels, std::size_t row,
                       const svm_parameter& parameter) {
  Part training(nodes, labels, [row](std::size_t i) { return i != row; });
  const svm_problem problem = training.problem();
  svm_model* model = svm_train(&problem, &parameter);
  const bool error = svm_predict(model, nodes.row(row)) != labels[row];
  svm_free_and_destroy_model(&model);
  return error;
}

}  // namespace

GridRun libsvm_leave_one_out(const Problem& problem, const selection::Grid& grid, const std::vector<std::size_t>& rows,
                             const std::function<void(std::size_t gamma)>& between) {
  svm_set_print_string_function(add_printed_steps);
  printed_steps = 0;
  const Nodes nodes(problem.standardised.features);
  GridRun run;
  for (std::size_t g = 0; g < grid.gamma.size(); ++g) {
    between(g);
    const Stopwatch stopwatch;
    for (const double C : grid.C) {
      const svm_parameter parameter = parameters(C, grid.gamma[g].value);
      std::size_t errors = 0;
      for (const std::size_t row : rows) {
        errors += is_error_left_out(nodes, problem.standardised.labels, row, parameter) ? 1U : 0U;
      }
      run.errors.push_back(errors);
    }
    run.seconds += stopwatch.elapsed();
  }
  run.steps = printed_steps;
  return run;
}

GridRun libsvm_grid(const Problem& problem, const selection::Grid& grid,
                    const std::function<void(std::size_t gamma)>& between) {
  svm_set_print_string_function(silent);
  const Nodes nodes(problem.standardised.features);
  const std::vector<int>& labels = problem.standardised.labels;
  GridRun run;
  for (std::size_t g = 0; g < grid.gamma.size(); ++g) {
    between(g);
    const Stopwatch stopwatch;
    for (const double C : grid.C) {
      const svm_parameter parameter = parameters(C, grid.gamma[g].value);
      std::size_t errors = 0;
      for (int fold = 0; fold < 10; ++fold) {
        Part training(nodes, labels, [&](std::size_t i) { return problem.folds[i] != fold; });
        const Part held_out(nodes, labels, [&](std::size_t i) { return problem.folds[i] == fold; });
        const svm_problem train_problem = training.problem();
        svm_model* model = svm_train(&train_problem, &parameter);
        for (std::size_t i = 0; i < held_out.x.size(); ++i) {
          errors += svm_predict(model, held_out.x[i]) != held_out.y[i] ? 1U : 0U;
        }
        svm_free_and_destroy_model(&model);
      }
      run.errors.push_back(errors);
    }
    run.seconds += stopwatch.elapsed();
  }
  return run;
}

TrainingRun libsvm_training(const data::Dataset& dataset, double C, double gamma) {
  svm_set_print_string_function(add_printed_objective);
  printed_objective = 0;
  const Nodes nodes(dataset.features);
  Part all(nodes, dataset.labels, [](std::size_t) { return true; });
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
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    run.predictions.push_back(static_cast<int>(svm_predict(model, nodes.row(i))));
  }
  svm_free_and_destroy_model(&model);
  return run;
}

std::string libsvm_version_text() {
  return fmt::format("{}.{:02}", libsvm_version / 100, libsvm_version % 100);
}

}  // namespace credence::bench
