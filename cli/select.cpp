#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "output.hpp"
#include "report/heat_map.hpp"
#include "report/relevance_report.hpp"
#include "report/selection_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

int stopped_code() {
  return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
}

/// The chosen cell trained on all rows; a sentence in `unfinished` if that was stopped.
std::shared_ptr<const model::Predictor> train_chosen(const data::Dataset& dataset, const selection::Options& options,
                                                     const selection::Selection& selection, Run& run,
                                                     std::string& unfinished) {
  const core::Context context = run.context();
  if (options.resolved_learner() == selection::Learner::rvm) {
    try {
      return selection::fitted(dataset, options, selection, context);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      unfinished = error.sentence();
      return nullptr;
    }
  }
  svm::TrainResult result = selection::retrain(dataset, options, selection, context);
  if (result.statistics.status != qp::Status::converged) {
    unfinished =
        fmt::format("training the chosen cell on all rows did not finish ({})", qp::name(result.statistics.status));
  }
  return std::make_shared<svm::SvmModel>(std::move(result.model));
}

/// Saves what the selection leads to: its own predictor, or the chosen cell trained on all rows, unless that is
/// stopped.
int save_chosen(const data::Dataset& dataset, const selection::Options& options, const selection::Selection& selection,
                const std::string& path, Run& run, const Human& human) {
  std::shared_ptr<const model::Predictor> predictor = selection.predictor;
  std::string unfinished = run.context().monitor.should_stop() ? "the selection was stopped at its end" : "";
  if (unfinished.empty() && !predictor) predictor = train_chosen(dataset, options, selection, run, unfinished);
  run.progress().erase();
  if (!unfinished.empty()) {
    warn(unfinished + ": no model is saved");
    return stopped_code();
  }
  io::save_model(*predictor, path);
  human.print(fmt::format("{:<12}{}: {}\n", "model", path, predictor->description()));
  const std::string warning = human.quiet() ? "" : report::one_class_warning(*predictor, dataset, run.context());
  if (!warning.empty()) warn(warning);
  return exit_code::success;
}

/// Of the index or its guard.
bool is_index_option(const std::string& option) {
  return option == "--literal" || option == "--no-cap" || option == "--no-guard" || option == "--null-margin";
}

/// Says of each option that was given in vain that it was.
void note_unused(const selection::Options& settings, const SelectionOptions& options) {
  const selection::Learner learner = settings.resolved_learner();
  const std::string model =
      learner != selection::Learner::svm ? fmt::format(" with --model {}", report::word(learner)) : std::string();
  for (const std::string& option : unused_options(settings, options)) {
    // The table of evidence also has the index, and flags kernels below the null model.
    const bool of_table = settings.method == "evidence" && is_index_option(option);
    const std::string what = (of_table ? "what is chosen by the method " : "the method ") + settings.method;
    note(fmt::format("{} has no effect on {}{}", option, what, model));
  }
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
  const data::ReadOptions reading = read_options(options.data);
  selection::Options settings = selection_options(options.method, options.selection, options.training, reading.task);
  settings.missing = reading.missing;
  settings.cross_fit = asks_evidence(options.method) && options.selection.folds &&
                       settings.resolved_learner() == selection::Learner::rvm;
  const auto selector = selection::make_selector(settings);
  check_model_output(options.output, {options.data.path});
  check_output(options.json, {options.data.path, options.output});
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);
  if (!options.run.quiet) note_unused(settings, options.selection);

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  const selection::Selection selection = selector->select(dataset, run.context());
  run.progress().erase();

  const bool by_sigma = shows_sigma(settings, options.selection);
  human.print(report::selection_table(selection, settings, options.data.path, by_sigma));
  if (is_terminal(human.stream()))
    human.print(report::heat_map(selection, takes_colour(human.stream()), terminal_width(human.stream()), by_sigma));
  if (!options.run.quiet)
    for (const std::string& warning : selection.warnings) warn(warning);
  write_json(report::selection_json(selection, settings, options.data.path, by_sigma), options.json);

  if (selection.stopped != core::StopReason::none) {
    warn(report::partial_mark(selection) + (options.output.empty() ? "" : "; no model is saved"));
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
             "  credence select pima.csv --method kernel-validity -o rvm.credence\n"
             "  credence select price.csv --task regression --sigma 0.1:10:x2\n"
             "  credence select wine.csv --label cultivar --C 2^-2:2^10:x2 --gamma scale\n"
             "  credence select wine.csv --method holdout --nu 0.1:0.5:+0.1 --estimate none\n"
             "  credence select rows.svm.gz --kernel linear --C 0.01,1,100 --json result.json\n"
             "  zcat big.csv.gz | credence select - --time-limit 600 --memory 4G --json -");
  return [options] { return run_select(*options); };
}

}  // namespace credence::cli
