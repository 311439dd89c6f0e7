#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "output.hpp"
#include "report/kernel_validity_report.hpp"
#include "report/relevance_report.hpp"
#include "report/selection_report.hpp"
#include "run.hpp"
#include "rvm_options.hpp"

namespace credence::cli {
namespace {

using selection::Learner;

struct Options {
  DataOptions data;
  TrainingOptions training;
  RunOptions run;
  RvmOptions rvm;
  std::string model;  ///< empty: rvm for regressions, else svm
  std::string C;
  std::string nu;
  std::string gamma;
  int folds = 0;
  std::string output;
};

/// What a kind of model leaves for the rest of the run: reports, margins, and the file.
struct Trained {
  std::shared_ptr<model::Predictor> model;
  std::string text;                   ///< the report
  std::string unfinished;             ///< why nothing is to be saved; empty if it is
  std::vector<std::string> warnings;  ///< about the model
  selection::Options cell;            ///< to cross-fit it
};

double one_value(const char* option, const std::string& text) {
  const std::vector<double> values = parse_option(option, [&] { return selection::parse_list(text); });
  if (values.size() == 1) return values.front();
  throw Error(ErrorCode::invalid_argument, fmt::format("{}: train takes one value, select takes lists", option));
}

/// The one gamma, as such or by --sigma; the word scale if neither was given.
kernel::GammaRule one_gamma(const Options& options) {
  const bool by_sigma = !options.rvm.sigma.empty();
  const char* option = by_sigma ? "--sigma" : "--gamma";
  const auto gammas = parse_option(option, [&] {
    return by_sigma ? gammas_of_sigmas(options.rvm.sigma)
                    : selection::Grid::gamma_list(options.gamma.empty() ? "scale" : options.gamma);
  });
  if (gammas.size() == 1) return gammas.front();
  throw Error(ErrorCode::invalid_argument, fmt::format("{}: train takes one value, select takes lists", option));
}

svm::TrainOptions svm_options(const Options& options) {
  svm::TrainOptions train;
  Problems problems;
  for (const std::string& option : given_rvm_options(options.rvm))
    problems.add(fmt::format("{} is for relevance vector machines (--model rvm)", option));
  train.kernel = kernel_of(options.training);
  check_sigma(options.rvm.sigma, options.gamma, train.kernel, problems);
  if (!options.C.empty() && !options.nu.empty()) problems.add("--C and --nu exclude each other; give one of them");
  problems.throw_with({});
  if (!options.C.empty()) train.C = one_value("--C", options.C);
  if (!options.nu.empty()) train.nu = one_value("--nu", options.nu);
  train.gamma = one_gamma(options);
  train.scaling = scaling_of(options.training, train.kernel);
  train.class_weights = class_weights_of(options.training);
  train.solver = solver_of(options.training);
  train.seed = options.training.seed;
  throw_if_any(train.validate());
  return train;
}

rvm::TrainOptions rvm_options(const Options& options, data::Task task) {
  rvm::TrainOptions train;
  Problems problems;
  const auto refuse = [&](const char* option, bool given) {
    if (given) problems.add(fmt::format("{} is for SVMs; relevance vector machines have none", option));
  };
  refuse("--C", !options.C.empty());
  refuse("--nu", !options.nu.empty());
  refuse("--class-weight", !options.training.class_weight.empty());
  problems.gather([&] { train.kernel = kernel_of(options.training); });
  check_sigma(options.rvm.sigma, options.gamma, train.kernel, problems);
  problems.gather([&] { train.gamma = one_gamma(options); });
  const bool scaled = !options.training.scale.empty() || train.kernel.type == kernel::KernelType::precomputed;
  if (scaled) problems.gather([&] { train.scaling = scaling_of(options.training, train.kernel); });
  set_rvm(options.rvm, task, train.fit, train.validity, train.centres, problems);
  train.seed = options.training.seed;
  problems.throw_with(train.validate());
  return train;
}

/// The options of a selection that has nothing to choose.
selection::Options one_cell(const kernel::Shape& kernel, const kernel::GammaRule& gamma, data::Scaling scaling,
                            data::Missing missing, std::uint64_t seed) {
  selection::Options options;
  options.kernel = kernel.with();
  options.grid.gamma = {gamma};
  options.estimate = selection::Estimate::none;
  options.scaling = scaling;
  options.missing = missing;
  options.seed = seed;
  return options;
}

std::string report_line(std::string_view name, const std::string& value) {
  return fmt::format("{:<12}{}\n", name, value);
}

/// "rbf, gamma = 0.02", or with both spellings of the width.
std::string kernel_text(const kernel::Kernel& kernel, bool by_sigma) {
  const std::string name{kernel::name(kernel.type)};
  if (!kernel.uses_gamma()) return name;
  return name + ", " + (by_sigma ? report::width_text(kernel.gamma) : "gamma = " + report::readable(kernel.gamma));
}

Trained train_svm(const data::Dataset& dataset, const Options& options, const svm::TrainOptions& settings, Run& run) {
  svm::TrainResult result = svm::train(dataset, settings, run.context());
  Trained trained;
  trained.text = report_line("kernel", kernel_text(result.model.kernel, !options.rvm.sigma.empty()));
  trained.text += settings.nu ? report_line("nu", fmt::format("{:.6g}, the C-SVC with C = {}", *settings.nu,
                                                              report::readable(result.model.record.C)))
                              : report_line("C", report::readable(settings.C));
  trained.text += report_line("support", report::count_of(result.model.support_count(), "support vector"));
  trained.text +=
      report_line("solver", fmt::format("{}, {}, objective {:.10g}, gap {:.3g}: {}",
                                        report::count_of(result.statistics.steps, "step"),
                                        report::count_of(result.statistics.factorisations, "factorisation"),
                                        result.objective, result.statistics.gap, qp::name(result.statistics.status)));
  if (result.statistics.status != qp::Status::converged)
    trained.unfinished = fmt::format("training did not converge ({})", qp::name(result.statistics.status));
  trained.cell = one_cell(settings.kernel, settings.gamma, settings.scaling, settings.missing, settings.seed);
  trained.cell.grid.C = {settings.C};
  if (settings.nu) trained.cell.grid.nu = {*settings.nu};
  trained.cell.class_weights = settings.class_weights;
  trained.cell.solver = settings.solver;
  trained.model = std::make_shared<svm::SvmModel>(std::move(result.model));
  return trained;
}

Trained train_rvm(const data::Dataset& dataset, const rvm::TrainOptions& settings, Run& run) {
  rvm::TrainResult result = rvm::train(dataset, settings, run.context());
  Trained trained;
  const bool rbf = settings.kernel.type == kernel::KernelType::rbf;
  trained.text = report_line("kernel", kernel_text(result.model.kernel, rbf));
  trained.text += report::machines_text(result.fit, result.model);
  trained.warnings = report::machine_warnings(result.fit, result.model);
  trained.cell = one_cell(settings.kernel, settings.gamma, settings.scaling, settings.missing, settings.seed);
  trained.cell.learner = Learner::rvm;
  trained.cell.task = dataset.schema.task;
  trained.cell.rvm = settings.fit;
  trained.cell.validity = settings.validity;
  trained.cell.centres = settings.centres;
  trained.model = std::make_shared<rvm::RvmModel>(std::move(result.model));
  const std::string one_class = report::one_class_warning(*trained.model, dataset, run.context());
  if (!one_class.empty()) trained.warnings.push_back(one_class);
  return trained;
}

Learner learner_of(const Options& options, const data::ReadOptions& reading) {
  if (options.model.empty()) return reading.task == data::Task::regression ? Learner::rvm : Learner::svm;
  return choose<Learner>("--model", options.model, {{"svm", Learner::svm}, {"rvm", Learner::rvm}});
}

/// The training that the options name, all of which are looked at before the data are read.
std::function<Trained(const data::Dataset&, Run&)> trainer(const Options& options, const data::ReadOptions& reading) {
  const bool regression = reading.task == data::Task::regression;
  const Learner learner = learner_of(options, reading);
  if (regression && learner != Learner::rvm)
    throw Error(ErrorCode::invalid_argument, "--task: a regression is trained with --model rvm; SVMs classify");
  if (learner == Learner::rvm) {
    rvm::TrainOptions settings = rvm_options(options, reading.task);
    settings.missing = reading.missing;
    return [settings](const data::Dataset& dataset, Run& run) { return train_rvm(dataset, settings, run); };
  }
  svm::TrainOptions settings = svm_options(options);
  settings.missing = reading.missing;
  return [settings, &options](const data::Dataset& dataset, Run& run) {
    return train_svm(dataset, options, settings, run);
  };
}

/// Cross-validation of the one cell, for its margins, or residuals, of rows left out.
void add_margins(const data::Dataset& dataset, int folds, Run& run, Trained& trained) {
  trained.cell.folds = folds;
  const selection::Selection crossed = selection::make_selector(trained.cell)->select(dataset, run.context());
  if (crossed.stopped != core::StopReason::none) {
    trained.unfinished =
        fmt::format("the cross-validation for the {} was stopped", dataset.is_regression() ? "residuals" : "margins");
    return;
  }
  trained.model->calibration = crossed.calibration;
  if (dataset.is_regression()) return;  // what its warnings say of the machine was said
  trained.warnings.insert(trained.warnings.end(), crossed.warnings.begin(), crossed.warnings.end());
}

/// Options of the SVMs' solver, which have defaults.
void note_unused(const Options& options, const data::ReadOptions& reading) {
  if (learner_of(options, reading) != Learner::rvm) return;
  const TrainingOptions usual;
  const auto look = [](const char* option, bool given) {
    if (given) note(fmt::format("{} has no effect on relevance vector machines", option));
  };
  look("--tolerance", options.training.tolerance != usual.tolerance);
  look("--max-steps", options.training.max_steps != usual.max_steps);
}

int run_train(const Options& options) {
  const data::ReadOptions reading = read_options(options.data);
  const auto train = trainer(options, reading);
  if (options.folds != 0 && options.folds < 2)
    throw Error(ErrorCode::invalid_argument, fmt::format("--folds: {} is neither 0 nor at least 2", options.folds));
  check_model_output(options.output, {options.data.path});
  if (!options.run.quiet) note_unused(options, reading);
  const Human human(options.run.quiet, "");
  Run run(options.run, true);

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  Trained trained = train(dataset, run);
  if (options.folds != 0 && trained.unfinished.empty()) add_margins(dataset, options.folds, run, trained);
  run.progress().erase();

  human.print(report_line("data", report::data_summary(dataset, options.data.path)) + trained.text);
  if (!trained.unfinished.empty()) {
    warn(trained.unfinished + ": no model is saved");
    return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
  }
  if (!options.run.quiet)
    for (const std::string& warning : trained.warnings) warn(warning);
  io::save_model(*trained.model, options.output);
  if (!trained.model->calibration.empty()) {
    const char* what = dataset.is_regression() ? "residuals" : "margins";
    human.print(report_line(what, report::margin_summary(trained.model->calibration)));
  }
  human.print(report_line("model", options.output));
  return exit_code::success;
}

}  // namespace

Action add_train(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_training_data_options(app, options->data, false);
  const std::string group = "Kernel and training";
  app.add_option("--model", options->model,
                 "svm (default), or rvm: a relevance vector machine\n"
                 "(the default and only one of regressions)")
      ->type_name("WORD")
      ->group(group);
  not_empty(app.add_option("--C", options->C, "cost of errors, > 0 (default: 1)"))->type_name("NUMBER")->group(group);
  not_empty(app.add_option("--nu", options->nu, "in (0, 1]: a nu-SVC, instead of C"))
      ->type_name("NUMBER")
      ->group(group);
  not_empty(app.add_option("--gamma", options->gamma, "a number > 0, scale (default), auto or median"))
      ->type_name("NUMBER")
      ->group(group);
  not_empty(app.add_option("--sigma", options->rvm.sigma, "the same for rbf: gamma = 1/(2 sigma^2)"))
      ->type_name("NUMBER")
      ->group(group);
  app.add_option("--folds", options->folds,
                 "keep margins of rows left out by so many folds, so\n"
                 "that predictions have p-values (of a regression,\n"
                 "residuals for intervals; default: 0, none)")
      ->type_name("INT")
      ->group("Output");
  app.add_option("-o,--output", options->output, "the model (required)")
      ->type_name("FILE")
      ->group("Output")
      ->required();
  add_rvm_options(app, options->rvm, RvmPart::training);
  add_training_options(app, options->training);
  add_run_options(app, options->run, true);
  app.footer(
      "Examples:\n"
      "  credence train pima.csv --C 8 --gamma 0.02 -o pima.credence\n"
      "  credence train pima.csv --C 8 --gamma 0.02 --folds 5 -o pima.credence\n"
      "  credence train pima.csv --nu 0.4 --gamma scale -o pima.credence\n"
      "  credence train pima.csv --model rvm --sigma 1 --folds 5 -o pima.credence\n"
      "  credence train price.csv --task regression --folds 10 -o price.credence\n"
      "  credence train rows.svm --kernel linear --C 2^-3 --scale none -o rows.credence");
  return [options] { return run_train(*options); };
}

}  // namespace credence::cli
