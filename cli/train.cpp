#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "output.hpp"
#include "run.hpp"
#include "selection_report.hpp"

namespace credence::cli {
namespace {

struct Options {
  DataOptions data;
  TrainingOptions training;
  RunOptions run;
  std::string C;
  std::string nu;
  std::string gamma = "scale";
  int folds = 0;
  std::string output;
};

double one_value(const char* option, const std::string& text) {
  const std::vector<double> values = parse_option(option, [&] { return selection::parse_list(text); });
  if (values.size() == 1) return values.front();
  throw Error(ErrorCode::invalid_argument, fmt::format("{}: train takes one value, select takes lists", option));
}

svm::TrainOptions train_options(const Options& options) {
  svm::TrainOptions train;
  if (!options.C.empty() && !options.nu.empty()) {
    throw Error(ErrorCode::invalid_argument, "--C and --nu exclude each other; give one of them");
  }
  if (!options.C.empty()) train.C = one_value("--C", options.C);
  if (!options.nu.empty()) train.nu = one_value("--nu", options.nu);
  train.kernel = kernel_of(options.training);
  const auto gammas = parse_option("--gamma", [&] { return selection::Grid::gamma_list(options.gamma); });
  if (gammas.size() != 1) {
    throw Error(ErrorCode::invalid_argument, "--gamma: train takes one value, select takes lists");
  }
  train.gamma = gammas.front();
  train.scaling = scaling_of(options.training, train.kernel);
  train.class_weights = class_weights_of(options.training);
  train.solver = solver_of(options.training);
  train.seed = options.training.seed;
  throw_if_any(train.validate());
  return train;
}

/// Cross-validation of the one cell, for its margins of rows left out.
selection::Selection cross_fit(const data::Dataset& dataset, const svm::TrainOptions& train, int folds,
                               const core::Context& context) {
  selection::Options options;
  options.kernel = train.kernel;
  options.grid.C = {train.C};
  if (train.nu) options.grid.nu = {*train.nu};
  options.grid.gamma = {train.gamma};
  options.folds = folds;
  options.estimate = selection::Estimate::none;
  options.scaling = train.scaling;
  options.missing = train.missing;
  options.class_weights = train.class_weights;
  options.solver = train.solver;
  options.seed = train.seed;
  return selection::make_selector(options)->select(dataset, context);
}

int run_train(const Options& options) {
  svm::TrainOptions settings = train_options(options);
  const data::ReadOptions reading = read_options(options.data);
  settings.missing = reading.missing;
  if (options.folds != 0 && options.folds < 2) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--folds: {} is neither 0 nor at least 2", options.folds));
  }
  check_model_output(options.output, {options.data.path});
  const Human human(options.run.quiet, "");
  Run run(options.run, true);

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  svm::TrainResult result = svm::train(dataset, settings, run.context());
  selection::Selection crossed;
  if (options.folds != 0 && result.statistics.status == qp::Status::converged) {
    crossed = cross_fit(dataset, settings, options.folds, run.context());
    result.model.calibration = crossed.calibration;
  }
  run.progress().erase();

  const kernel::Kernel& kernel = result.model.kernel;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  line("data", data_summary(dataset, options.data.path));
  line("kernel", fmt::format("{}{}", kernel::name(kernel.type),
                             kernel.uses_gamma() ? ", gamma = " + readable(kernel.gamma) : ""));
  if (settings.nu) {
    line("nu", fmt::format("{:.6g}, the C-SVC with C = {}", *settings.nu, readable(result.model.record.C)));
  } else {
    line("C", readable(settings.C));
  }
  line("support", count_of(result.model.support_count(), "support vector"));
  line("solver", fmt::format("{}, {}, objective {:.10g}, gap {:.3g}: {}", count_of(result.statistics.steps, "step"),
                             count_of(result.statistics.factorisations, "factorisation"), result.objective,
                             result.statistics.gap, qp::name(result.statistics.status)));
  human.print(text);
  if (result.statistics.status != qp::Status::converged) {
    warn(fmt::format("training did not converge ({}): no model is saved", qp::name(result.statistics.status)));
    return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
  }
  if (crossed.stopped != core::StopReason::none) {
    warn("the cross-validation for the margins was stopped: no model is saved");
    return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
  }
  if (!options.run.quiet) {
    for (const std::string& warning : crossed.warnings) warn(warning);
  }
  io::save_model(result.model, options.output);
  if (!result.model.calibration.empty()) {
    human.print(fmt::format("{:<12}{}\n", "margins", margin_summary(result.model.calibration)));
  }
  human.print(fmt::format("{:<12}{}\n", "model", options.output));
  return exit_code::success;
}

}  // namespace

Action add_train(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_training_data_options(app, options->data, false);
  const std::string group = "Kernel and training";
  app.add_option("--C", options->C, "cost of errors, > 0 (default: 1)")->type_name("NUMBER")->group(group);
  app.add_option("--nu", options->nu, "in (0, 1]: a nu-SVC, instead of C")->type_name("NUMBER")->group(group);
  app.add_option("--gamma", options->gamma, "a number > 0, scale (default), auto or median")
      ->type_name("NUMBER")
      ->group(group);
  app.add_option("--folds", options->folds,
                 "keep margins of rows left out by so many folds, so\n"
                 "that predictions have p-values (default: 0, none)")
      ->type_name("INT")
      ->group("Output");
  app.add_option("-o,--output", options->output, "the model (required)")
      ->type_name("FILE")
      ->group("Output")
      ->required();
  add_training_options(app, options->training);
  add_run_options(app, options->run, true);
  app.footer(
      "Examples:\n"
      "  credence train pima.csv --C 8 --gamma 0.02 -o pima.credence\n"
      "  credence train pima.csv --C 8 --gamma 0.02 --folds 5 -o pima.credence\n"
      "  credence train pima.csv --nu 0.4 --gamma scale -o pima.credence\n"
      "  credence train rows.svm --kernel linear --C 2^-3 --scale none -o rows.credence");
  return [options] { return run_train(*options); };
}

}  // namespace credence::cli
