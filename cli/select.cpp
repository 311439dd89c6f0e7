#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "heat_map.hpp"
#include "output.hpp"
#include "run.hpp"
#include "selection_report.hpp"

namespace credence::cli {
namespace {

selection::Options selection_options(const SelectOptions& options) {
  selection::Options selection;
  selection.method = options.method;
  selection.grid.C = parse_option("--C", [&] { return selection::parse_list(options.C); });
  selection.grid.gamma = parse_option("--gamma", [&] { return selection::Grid::gamma_list(options.gamma); });
  selection.kernel = kernel_of(options.training);
  selection.folds = options.folds;
  selection.scaling = scaling_of(options.training, selection.kernel);
  selection.scale_scope =
      choose<selection::ScaleScope>("--scale-scope", options.scale_scope,
                                    {{"fold", selection::ScaleScope::fold}, {"all", selection::ScaleScope::all}});
  selection.class_weights = class_weights_of(options.training);
  selection.solver = solver_of(options.training);
  selection.seed = options.training.seed;
  return selection;
}

/// Trains the chosen cell on all rows and saves it, unless that is stopped.
int save_chosen(const data::Dataset& dataset, const selection::Options& options, const selection::Selection& selection,
                const std::string& path, Run& run, const Human& human) {
  const svm::TrainResult result = selection::retrain(dataset, options, selection, run.context());
  run.progress().erase();
  if (result.statistics.status != qp::Status::converged) {
    warn(fmt::format("training the chosen cell on all rows did not finish ({}): no model is saved",
                     qp::name(result.statistics.status)));
    return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
  }
  io::save_model(result.model, path);
  human.print(fmt::format("{:<12}{}: {}, trained on all {}\n", "model", path,
                          count_of(result.model.support_count(), "support vector"), count_of(dataset.rows(), "row")));
  return exit_code::success;
}

}  // namespace

int run_select(const SelectOptions& options) {
  selection::Options selection_settings = selection_options(options);
  const data::ReadOptions reading = read_options(options.data);
  selection_settings.missing = reading.missing;
  const auto selector = selection::make_selector(selection_settings);
  check_output(options.output, {options.data.path});
  check_output(options.json, {options.data.path, options.output});
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  const selection::Selection selection = selector->select(dataset, run.context());
  run.progress().erase();

  human.print(selection_table(selection, selection_settings, options.data.path));
  if (is_terminal(human.stream())) {
    human.print(heat_map(selection, takes_colour(human.stream()), terminal_width(human.stream())));
  }
  if (!options.run.quiet) {
    for (const std::string& warning : selection.warnings) warn(warning);
  }
  write_json(selection_json(selection, selection_settings, options.data.path), options.json);

  if (selection.stopped != core::StopReason::none) {
    warn(partial_mark(selection) + (options.output.empty() ? "" : "; no model is saved"));
    return selection.stopped == core::StopReason::cancelled ? exit_code::interrupted : exit_code::limit;
  }
  if (options.output.empty()) return exit_code::success;
  return save_chosen(dataset, selection_settings, selection, options.output, run, human);
}

Action add_select(CLI::App& app) {
  const auto options = std::make_shared<SelectOptions>();
  add_training_data_options(app, options->data, true);
  const std::string group = "Selection";
  app.add_option("--C", options->C,
                 "costs: 2^-5:2^15:x4 (default), 0.1:1:+0.1, 1,10,100\n"
                 "or one value")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--gamma", options->gamma,
                 "kernel widths: 2^-15:2^3:x4 (default), or words\n"
                 "scale = 1/(d var), auto = 1/d, median (distance)")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--method", options->method, "cv: cross-validation (default)")->type_name("WORD")->group(group);
  app.add_option("--folds", options->folds, "default: 10, stratified")->type_name("INT")->group(group);
  app.add_option("--scale-scope", options->scale_scope,
                 "fit the scaling in each fold (default) or once on\n"
                 "all rows: fold, all")
      ->type_name("WORD")
      ->group(group);
  app.add_option("-o,--output", options->output, "save the chosen model, trained on all rows")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--json", options->json, "write all cells as JSON; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  add_training_options(app, options->training);
  add_run_options(app, options->run, true);
  app.footer(
      "Examples:\n"
      "  credence select pima.csv -o pima.credence\n"
      "  credence select wine.csv --label cultivar --C 2^-2:2^10:x2 --gamma scale\n"
      "  credence select rows.svm.gz --kernel linear --C 0.01,1,100 --json result.json\n"
      "  zcat big.csv.gz | credence select - --time-limit 600 --memory 4G --json -");
  return [options] { return run_select(*options); };
}

}  // namespace credence::cli
