#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "application.hpp"
#include "apply.hpp"
#include "deciding.hpp"
#include "flags.hpp"
#include "options.hpp"
#include "report/rows/prediction_columns.hpp"

namespace credence::cli {

Action add_describe(Command command);
Action add_select(Command command);
Action add_train(Command command);
Action add_predict(Command command);
Action add_evaluate(Command command);
Action add_info(Command command);
Action add_limits(Command command);
Action add_update(Command command);
Action add_conformal(Command command);
Action add_compare(Command command);
Action add_bound(Command command);
Action add_honest(Command command);
Action add_watch(Command command);
Action add_exchangeable(Command command);
Action add_convert(Command command);
Action add_demo(Command command);
Action add_doctor(Command command);
Action add_completion(Command command);
Action add_man(Command command);
Action add_reproduce(Command command);
Action add_selfcheck(Command command);
Action add_report(Command command);

struct SelectOptions : CommonFlags {
  Described selecting;
  std::string method;  ///< empty: that of the plan, or cv
  std::string plan;    ///< a file
  std::string output;
  std::string positive;  ///< class of two; empty: the second
  ColumnsAsked columns;
};

struct PredictOptions : CommonFlags {
  std::string model;
  std::string confidence_level;
  PValueOverrides p_values;
  ProbabilityRequest probability;
  DecisionRequest decisions;
  std::string output;
  std::vector<std::string> ids;  ///< columns of the data that stand before the predictions
  bool append = false;           ///< all do
  report::TableStyle style;
  std::uint64_t block = 10000;
};

struct EvaluateOptions : CommonFlags {
  std::string model;
  std::string confidence_level;
  PValueOverrides p_values;
  ProbabilityRequest probability;
  DecisionRequest decisions;
  std::string by;                ///< columns by which rows are divided
  std::vector<std::string> ids;  ///< columns of the data beside the rows that the page lists
  ColumnsAsked columns;
  std::string confusion;  ///< CSV
  std::string positive;   ///< class of two; empty: the second
};

/// Files of predictions that are compared instead of methods, and what is reported of their columns and of the run.
struct PredictionFiles {
  std::vector<std::string> paths;
  std::optional<std::string> label;
  std::optional<std::string> groups;
  std::uint64_t seed = 0;
};

int run_select(const SelectOptions& options);
/// Reads the losses of each file's predictions, and judges the choice among the files as `honest` does.
int run_compare_predictions(const PredictionFiles& files, const DocumentOutput& document, const RunOptions& run);
int run_predict(PredictOptions options);
int run_evaluate(EvaluateOptions options);

Action add_conformal_fit(Command command);
Action add_conformal_online(Command command);
Action add_conformal_scores(Command command);
Action add_conformal_intervals(Command command);

}  // namespace credence::cli
