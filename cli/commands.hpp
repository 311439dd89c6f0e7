#pragma once

#include <functional>
#include <optional>
#include <string>

#include "options.hpp"

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
Action add_convert(CLI::App& app);
Action add_demo(CLI::App& app);

struct SelectOptions {
  DataOptions data;
  TrainingOptions training;
  RunOptions run;
  std::string C = "2^-5:2^15:x4";
  std::string gamma = "2^-15:2^3:x4";
  std::string method = "cv";
  int folds = 10;
  std::string scale_scope = "fold";
  std::string output;
  std::string json;
};

struct PredictOptions {
  std::string model;
  DataOptions data;
  RunOptions run;
  std::string output;
};

struct EvaluateOptions {
  std::string model;
  DataOptions data;
  RunOptions run;
  std::string json;
};

int run_select(const SelectOptions& options);
int run_predict(const PredictOptions& options);
int run_evaluate(const EvaluateOptions& options);

}  // namespace credence::cli
