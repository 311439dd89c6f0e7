#include <fmt/format.h>

#include <exception>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "checkpointing.hpp"
#include "commands.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "credence/selection/unfinished.hpp"
#include "forecasting.hpp"
#include "output.hpp"
#include "report/course/unfinished_text.hpp"
#include "report/evaluation/trained_warnings.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/selection/heat_map.hpp"
#include "report/selection/selection_report.hpp"
#include "run.hpp"
#include "selecting.hpp"
#include "system/process.hpp"

namespace credence::cli {
namespace {

int stopped_code() {
  return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
}

/// The chosen cell trained on all rows; a sentence in `unfinished` if that was stopped.
std::shared_ptr<const model::Predictor> train_chosen(const data::Dataset& dataset,
                                                     const selection::Selection& selection, Run& run,
                                                     std::string& unfinished) {
  try {
    return selection::fitted(dataset, selection, run.context());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
    unfinished = error.sentence();
    return nullptr;
  }
}

/// What the selection leads to: its own predictor, or the chosen cell trained on all rows.
struct ChosenModel {
  std::shared_ptr<const model::Predictor> predictor;
  std::string unfinished;      ///< what of the run is not finished, and what became of the model; empty if all is
  std::exception_ptr failure;  ///< of the training; what was selected stands
};

/// Without an output the model is made for its warnings alone, of rows that are trained on quickly.
ChosenModel chosen_model(const data::Dataset& dataset, const selection::Selection& selection,
                         const SelectOptions& options, Run& run) {
  ChosenModel chosen{selection.predictor, {}, {}};
  if (options.output.empty() && !chosen.predictor && dataset.rows() > report::rows_trained_quickly) return chosen;
  const auto* found = std::get_if<selection::PartitionReport>(&selection.found);
  const core::StopReason stopped = run.context().monitor.stop_reason();
  const bool kept = found != nullptr && chosen.predictor != nullptr && stopped == core::StopReason::time_budget;
  if (stopped != core::StopReason::none && !kept) chosen.unfinished = "the selection was stopped at its end";
  try {
    if (chosen.unfinished.empty() && !chosen.predictor)
      chosen.predictor = train_chosen(dataset, selection, run, chosen.unfinished);
  } catch (const std::exception&) {
    chosen.failure = std::current_exception();
  }
  run.progress().erase();
  if (chosen.unfinished.empty()) return chosen;
  chosen.predictor = nullptr;
  chosen.unfinished = options.output.empty() ? "" : chosen.unfinished + ": no model is saved";
  return chosen;
}

/// Seconds of a time limit that the selection leaves to the training of its choice.
double kept_for_training(const selection::Options& resolved, const selection::Forecast* forecast,
                         const SelectOptions& options, const Run& run) {
  if (options.output.empty() || !run.seconds_left()) return 0;
  return selection::seconds_kept_to_train(*run.seconds_left(), resolved, forecast);
}

/// Saves the best cell of what a time limit left, trained on all rows in the time that was kept for that. Says what
/// became of the model.
std::string model_of_stopped(const data::Dataset& dataset, const selection::Selection& selection,
                             const SelectOptions& options, Run& run) {
  const bool may_train = selection.best && selection::trains_best_cell(selection.options);
  if (selection.stopped == core::StopReason::cancelled) return "no model is saved";
  std::string unfinished;
  if (!may_train || run.context().monitor.should_stop())
    return report::no_model_text(selection, options.data.path, options.output);
  const auto predictor = train_chosen(dataset, selection, run, unfinished);
  if (!unfinished.empty()) return report::no_model_text(selection, options.data.path, options.output);
  io::save_model(*predictor, options.output);
  return fmt::format("{} is its best cell, trained on all rows, without p-values", options.output);
}

/// Does what comes after the selection before anything is written, so that all outputs have the same warnings, and
/// while the time that was kept for training lasts.
ChosenModel put_to_use(const data::Dataset& dataset, const SelectOptions& options, selection::Selection& selection,
                       Run& run) {
  ChosenModel chosen;
  if (selection.stopped != core::StopReason::none) {
    const std::string model = options.output.empty() ? "" : "; " + model_of_stopped(dataset, selection, options, run);
    chosen.unfinished = report::partial_mark(selection) + model;
  } else {
    chosen = chosen_model(dataset, selection, options, run);
    if (chosen.predictor) {
      selection.later_warnings = report::trained_warnings(*chosen.predictor, dataset, run.context());
      if (!options.output.empty()) chosen.unfinished = report::no_p_values_text(selection, *chosen.predictor);
    }
  }
  if (!chosen.unfinished.empty()) selection.later_warnings.push_back(chosen.unfinished);
  return chosen;
}

/// The plan of the file, or the default one, with what was given beside.
report::Plan plan_of(const SelectOptions& options) {
  report::Plan plan;
  if (options.plan == "-") throw Error(ErrorCode::invalid_argument, "--plan: a plan is read from a file alone");
  if (!options.plan.empty()) plan = report::parse_plan(core::read_whole_file(options.plan), options.plan);
  const std::string method = options.method.empty() ? std::string(plan.options.name()) : options.method;
  report::set_method(plan, options.selecting.given("cells") ? selection::in_regions(method) : method);
  const Described& reading = options.data.reading;
  if (reading.given("task")) with_option("--task", [&] { report::set_task(plan, reading.text("task")); });
  const Described& given = options.selecting;
  if (given.given("model")) with_option("--model", [&] { report::set_model(plan, given.text("model")); });
  return plan;
}

report::Plan whole_plan(const SelectOptions& options) {
  report::Plan plan = plan_of(options);
  reading_given(options.data, plan.reading);
  plan.reading.threads = options.run.threads;
  plan.options.preparation.missing = plan.reading.missing;
  check_pairs(options.selecting, true);
  apply_given(options.selecting, plan.options);
  return plan;
}

void write_selection(const data::Dataset& dataset, const selection::Selection& selection, const report::Plan& plan,
                     const model::Predictor* trained, const SelectOptions& options, Run& run) {
  if (!options.document.wanted()) return;
  write_document(report::selection_document(selection, dataset, plan, options.data.path, trained, run.context()),
                 options.document, options.data.path);
}

std::string help_of_method() {
  return "Usage: credence select DATA [OPTIONS]\n"
         "Chooses among the models of a grid, and saves what was chosen.\n\n"
         "  DATA                    CSV or svmlight text, plain or gzip; - is stdin\n"
         "  --label COL             default: label, target, class or y, else the last\n"
         "  --task WORD             classification (default) or regression\n"
         "  --missing WORD          empty cells: error (default), drop or impute\n"
         "  --drop COLS, --groups COL  left out; the rows of one group share a fold\n"
         "  --class-weight TEXT     balanced, or factors on C: sick:5,well:1\n"
         "  -o FILE, --json FILE    save the chosen model; write all cells as JSON\n"
         "  --method WORD           how to choose, see below (default: cv)\n"
         "  --model, --kernel WORD  svm (default), rvm, knn; rbf (default), linear, ...\n"
         "  --C LIST, --gamma LIST  the grid: 2^-5:2^15:x4, 0.1:1:+0.1, 1,10,100\n"
         "  --exact, --race, --cells [N]  many rows: all cells, on subsets, in regions\n"
         "  --score WORD            chosen and judged by: accuracy (default), f1, ...\n"
         "  --rule, --trust WORD    best, one_se, average; measured, proved, split\n"
         "  --estimate WORD         honest error: bbc, nested, holdout or none\n"
         "  --report PAGE.html, --seed INT, --threads INT, --time-limit SECONDS\n"
         "  --plan FILE             repeat a run: its JSON result, or the block options\n\n" +
         method_list() +
         "For a regression (--task regression) take cv first.\n"
         "  credence select --method NAME --help    the options of one method\n"
         "  credence select --help-all              every option, more examples\n"
         "Example: credence select pima.csv --method rademacher --kernel linear\n";
}

}  // namespace

int run_select(const SelectOptions& options) {
  report::Plan plan = whole_plan(options);
  const selection::Selector checks_the_options(plan.options);
  check_model_output(options.output, {options.data.path, options.plan});
  check_document_output(options.document, {options.data.path, options.output, options.plan});
  check_run_files(options.run.log, options.run.checkpoint,
                  {options.data.path, options.output, options.plan, options.document.json, options.document.report});
  const Human human(options.run.quiet, options.document.json);
  Run run(options.run, true);

  const data::Dataset dataset = read_with_notes(options.data.path, plan.reading, options.run.quiet);
  run.catch_signals();
  run.open_checkpoint("select", checksum_of(plan.options), checksum_of(dataset));
  const selection::Way way = way_of(dataset, plan.options, run);
  plan.options = way.options;
  selection::Selection selection = on_data_of(dataset.source, [&] {
    const selection::Selector selector(way.options);
    const double kept = kept_for_training(selector.options(), way.forecast.get(), options, run);
    return selector.select(dataset, run.context_keeping(kept), way.forecast.get());
  });
  run.end_work();
  const ChosenModel chosen = put_to_use(dataset, options, selection, run);

  human.print(report::selection_table(selection, options.data.path,
                                      options.run.verbose ? report::Detail::verbose : report::Detail::usual));
  if (system::is_terminal(human.stream())) {
    human.print(
        report::heat_map(selection, takes_colour(human.stream()), system::terminal_width(human.stream()).value_or(80)));
  }
  write_selection(dataset, selection, plan, chosen.predictor.get(), options, run);
  if (!options.output.empty() && chosen.predictor) {
    io::save_model(*chosen.predictor, options.output);
    human.print(fmt::format("{:<12}{}: {}\n", "model", options.output, chosen.predictor->description()));
  }
  if (!options.run.quiet)
    for (const std::string& warning : report::selection_warnings(selection)) warn(warning);
  else if (!chosen.unfinished.empty())
    warn(chosen.unfinished);
  if (!options.output.empty() && chosen.failure) std::rethrow_exception(chosen.failure);
  if (selection.stopped != core::StopReason::none)
    return selection.stopped == core::StopReason::cancelled ? exit_code::interrupted : exit_code::limit;
  return chosen.unfinished.empty() ? exit_code::success : stopped_code();
}

Action add_select(Command command) {
  const auto options = std::make_shared<SelectOptions>();
  add_training_data_options(command, options->data, true);
  const Group group = command.group("Selection");
  group.option("--method", &options->method, "WORD", "how to choose, see below (default: cv)")
      .not_empty()
      .words(selection::methods());
  group.option("--plan", &options->plan, "FILE", "the result of a run, or its block options, to be repeated");
  add_selecting_options(command, options->selecting);
  const Group output = command.group("Output");
  output.option("-o,--output", &options->output, "FILE", "save the chosen model, or all that are kept");
  add_document_options(command, options->document, "write all cells as JSON; - is standard output");
  add_run_options(command, options->run, true);
  add_verbose_option(command, options->run.verbose, "also the work of the solver");
  add_checkpoint_option(command, options->run);
  command.short_help([options] {
    if (options->method.empty()) return help_of_method();
    return "Usage: credence select DATA --method " + options->method + " [OPTIONS]\n\n" +
           method_help(plan_of(*options)) +
           "\ncredence select --help-all shows every option, also of reading the data.\n";
  });
  command.footer(method_list() +
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
