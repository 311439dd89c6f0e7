#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apply.hpp"
#include "options.hpp"
#include "selection_options.hpp"

namespace CLI {
class App;
}

namespace credence::cli {

/// Runs a subcommand whose options were parsed; returns the exit code.
using Action = std::function<int()>;

Action add_select(CLI::App& app);
Action add_train(CLI::App& app);
Action add_predict(CLI::App& app);
Action add_evaluate(CLI::App& app);
Action add_conformal(CLI::App& app);
Action add_compare(CLI::App& app);
Action add_bound(CLI::App& app);
Action add_convert(CLI::App& app);
Action add_demo(CLI::App& app);
Action add_reproduce(CLI::App& app);

struct SelectOptions {
  DataOptions data;
  TrainingOptions training;
  RunOptions run;
  std::string method = "cv";
  SelectionOptions selection;
  std::string output;
  std::string json;
};

struct PredictOptions {
  std::string model;
  DataOptions data;
  RunOptions run;
  std::string eps;
  PValueOverrides p_values;
  std::string output;
};

struct EvaluateOptions {
  std::string model;
  DataOptions data;
  RunOptions run;
  std::string eps;
  PValueOverrides p_values;
  std::string json;
  std::string confusion;  ///< CSV
};

int run_select(const SelectOptions& options);
int run_predict(const PredictOptions& options);
int run_evaluate(const EvaluateOptions& options);

}  // namespace credence::cli
