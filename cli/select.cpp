#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "heat_map.hpp"
#include "output.hpp"
#include "run.hpp"
#include "selection_report.hpp"

namespace credence::cli {
namespace {

int stopped_code() {
  return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
}

/// Saves what the selection leads to: its own predictor, or the chosen cell trained on all rows, unless that is
/// stopped.
int save_chosen(const data::Dataset& dataset, const selection::Options& options, const selection::Selection& selection,
                const std::string& path, Run& run, const Human& human) {
  const core::Context context = run.context();
  std::shared_ptr<const model::Predictor> predictor = selection.predictor;
  std::string unfinished = context.monitor.should_stop() ? "the selection was stopped at its end" : "";
  if (unfinished.empty() && !predictor) {
    svm::TrainResult result = selection::retrain(dataset, options, selection, context);
    if (result.statistics.status != qp::Status::converged) {
      unfinished =
          fmt::format("training the chosen cell on all rows did not finish ({})", qp::name(result.statistics.status));
    }
    predictor = std::make_shared<svm::SvmModel>(std::move(result.model));
  }
  run.progress().erase();
  if (!unfinished.empty()) {
    warn(unfinished + ": no model is saved");
    return stopped_code();
  }
  io::save_model(*predictor, path);
  human.print(fmt::format("{:<12}{}: {}\n", "model", path, describe(*predictor)));
  return exit_code::success;
}

/// A method and what it does, broken at spaces.
std::string method_help(const std::string& method) {
  constexpr std::size_t width = 80;
  std::string text;
  std::string line = fmt::format("  {:<20}", method);
  std::istringstream words(selection::describe_method(method));
  for (std::string next; words >> next;) {
    if (line.size() + 1 + next.size() > width) {
      text += line + '\n';
      line = std::string(22, ' ');
    }
    line += ' ' + next;
  }
  return text + line + '\n';
}

std::string method_list() {
  std::string text = "Methods:\n";
  for (const std::string& method : selection::methods()) text += method_help(method);
  return text;
}

}  // namespace

int run_select(const SelectOptions& options) {
  selection::Options settings = selection_options(options.method, options.selection, options.training);
  const data::ReadOptions reading = read_options(options.data);
  settings.missing = reading.missing;
  const auto selector = selection::make_selector(settings);
  check_model_output(options.output, {options.data.path});
  check_output(options.json, {options.data.path, options.output});
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);
  for (const std::string& option : unused_options(options.method, options.selection)) {
    if (!options.run.quiet) note(fmt::format("{} has no effect on the method {}", option, options.method));
  }

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  const selection::Selection selection = selector->select(dataset, run.context());
  run.progress().erase();

  human.print(selection_table(selection, settings, options.data.path));
  if (is_terminal(human.stream())) {
    human.print(heat_map(selection, takes_colour(human.stream()), terminal_width(human.stream())));
  }
  if (!options.run.quiet) {
    for (const std::string& warning : selection.warnings) warn(warning);
  }
  write_json(selection_json(selection, settings, options.data.path), options.json);

  if (selection.stopped != core::StopReason::none) {
    warn(partial_mark(selection) + (options.output.empty() ? "" : "; no model is saved"));
    return selection.stopped == core::StopReason::cancelled ? exit_code::interrupted : exit_code::limit;
  }
  if (options.output.empty()) return exit_code::success;
  return save_chosen(dataset, settings, selection, options.output, run, human);
}

Action add_select(CLI::App& app) {
  const auto options = std::make_shared<SelectOptions>();
  add_training_data_options(app, options->data, true);
  app.add_option("--method", options->method, "how to choose, see below (default: cv)")
      ->type_name("WORD")
      ->group("Method");
  add_selection_options(app, options->selection);
  app.add_option("-o,--output", options->output, "save the chosen model, or all that are kept")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--json", options->json, "write all cells as JSON; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  add_training_options(app, options->training);
  add_run_options(app, options->run, true);
  app.footer(method_list() +
             "\nExamples:\n"
             "  credence select pima.csv -o pima.credence\n"
             "  credence select pima.csv --method nonconformity -o all.credence\n"
             "  credence select pima.csv --method rademacher --hint 0.3 --kernel linear\n"
             "  credence select pima.csv --method kfold-nested --final random -o ten.credence\n"
             "  credence select wine.csv --label cultivar --C 2^-2:2^10:x2 --gamma scale\n"
             "  credence select wine.csv --method holdout --nu 0.1:0.5:+0.1 --estimate none\n"
             "  credence select rows.svm.gz --kernel linear --C 0.01,1,100 --json result.json\n"
             "  zcat big.csv.gz | credence select - --time-limit 600 --memory 4G --json -");
  return [options] { return run_select(*options); };
}

}  // namespace credence::cli
