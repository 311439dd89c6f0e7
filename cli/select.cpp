#include <fmt/format.h>

#include <exception>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/list.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/run.hpp"
#include "output.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/selection/selection_report.hpp"
#include "run.hpp"
#include "selecting.hpp"
#include "system/process.hpp"

namespace credence::cli {
namespace {

/// The plan of the file, or the default one, with what was given beside.
report::Plan plan_of(const SelectOptions& options) {
  report::Plan plan;
  if (options.plan == "-") refuse("--plan: a plan is read from a file alone");
  if (!options.plan.empty()) plan = report::parse_plan(core::read_whole_file(options.plan), options.plan);
  const std::string method = options.method.empty() ? std::string(plan.options.name()) : options.method;
  report::set_method(plan, options.selecting.given("region_size") ? selection::in_regions(method) : method);
  const Described& reading = options.data.reading;
  if (reading.given("task")) under_name("--task", [&] { report::set_task(plan, reading.text("task")); });
  const Described& given = options.selecting;
  if (given.given("model")) under_name("--model", [&] { report::set_model(plan, given.text("model")); });
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

std::string help_of_method() {
  return "Usage: credence select DATA [OPTIONS]\n"
         "Chooses among the models of a grid, and saves what was chosen.\n\n"
         "  DATA                    CSV or svmlight text, plain, gzip or zip; - is stdin\n"
         "  --label COL             default: label, target, class or y, else the last\n"
         "  --task WORD             classification (default) or regression\n"
         "  --missing WORD          missing values: error (default), drop or impute\n"
         "  --drop COLS             columns to leave out\n"
         "  --groups COL            the rows of one group stay in the same fold\n"
         "  --class-weight TEXT     balanced, or factors on C: sick:5,well:1\n"
         "  -o FILE, --json FILE    save the chosen model; write all settings as JSON\n"
         "  --method WORD           how to choose, see below (default: cv)\n"
         "  --model WORD            svm (default), rvm, knn\n"
         "  --kernel WORD           rbf, linear, ...; cv without --gamma: rbf, laplacian\n"
         "  --C LIST, --gamma LIST  the grid: 2^-5:2^15:x4, 0.1:1:+0.1, 1,10,100\n"
         "  --race, --region-size N  many rows: race on subsets, or regions of N rows\n"
         "  --score WORD            judge settings by accuracy (default), f1, ...\n"
         "  --rule WORD             best, one_se or average\n"
         "  --p-values WORD         cross (default), nested or split\n"
         "  --estimate WORD         honest error: bbc, nested, holdout or none\n"
         "  --report PAGE.html, --seed INT, --threads INT, --time-limit SECONDS\n"
         "  --plan FILE             repeat a run: a JSON result, or its part \"options\"\n\n" +
         method_list() +
         "For a regression (--task regression) begin with cv.\n"
         "  credence select --method NAME --help    the options of one method\n"
         "  credence select --help-all              every option, more examples\n"
         "Example: credence select pima.csv --method rademacher --kernel linear\n";
}

/// @throws Error invalid_argument for what is not one of two classes, and for the class that F1 does not judge
void check_positive(const std::string& positive, const data::Dataset& dataset, selection::Score score) {
  if (positive.empty()) return;
  const std::size_t named =
      under_name("--positive", [&] { return report::positive_class(dataset.schema.classes, positive); });
  if (score == selection::Score::f1 && named != 1)
    refuse(fmt::format("--positive: --score f1 judges '{}', the second class", dataset.schema.classes[1]));
}

/// What a reader does with the result.
std::string next_step(const SelectOptions& options) {
  if (!options.output.empty()) return report::next_with_model(options.output);
  return options.document.report.empty()
             ? "-o FILE saves the model; --report FILE.html shows settings and doubtful rows"
             : "-o FILE saves the model";
}

/// Limits of errors are for models that keep scores, whose rows of a class may be too few.
void note_limits(const data::Dataset& dataset, const selection::Options& options, const SelectOptions& flags) {
  if (flags.run.quiet || flags.output.empty() || dataset.is_regression() || !options.traits().calibrates) return;
  std::vector<bool> compared(dataset.rows(), true);
  if (options.p_values == model::PValues::split) compared = selection::set_aside_rows(dataset, options);
  const auto places = core::numbers_where(dataset.rows(), [&](std::size_t i) { return compared[i]; });
  const std::string sentence = report::smallest_limit_note(
      dataset.schema.classes, core::counts_of(core::picked(dataset.labels, places), dataset.class_count()));
  if (!sentence.empty()) note(sentence);
}

}  // namespace

int run_select(const SelectOptions& options) {
  const report::Plan plan = whole_plan(options);
  const selection::Selector checks_the_options(plan.options);
  check_model_output(options.output, {options.data.path, options.plan});
  check_document_output(options.document, {options.data.path, options.output, options.plan});
  check_run_files(options.run.log, options.run.checkpoint,
                  {options.data.path, options.output, options.plan, options.document.json, options.document.report});
  const Human human(options.run.quiet, options.document.json);
  Run run(options.run, true);

  const data::Dataset dataset = read_with_notes(options.data.path, plan.reading, options.run.quiet);
  check_positive(options.positive, dataset, plan.options.score);
  options.columns.check(dataset.schema);
  note_limits(dataset, plan.options, options);
  run.catch_signals();
  run.open_checkpoint("select", checksum_of(plan.options), checksum_of(dataset));
  run.stage("forecast");
  const selection::RunRequest request{.training = options.output.empty() && !options.columns.any()
                                                      ? selection::Training::quick
                                                      : selection::Training::wanted,
                                      .forecast = !options.run.quiet,
                                      .begins = [&](const selection::Forecast* made) { begin_work(made, run); }};
  selection::Run found =
      on_data_of(dataset.source, [&] { return selection::run(dataset, plan.options, request, run.context()); });
  found.selection.positive = options.positive;
  const selection::Selection& selection = found.selection;
  const report::ColumnEffects columns =
      found.model ? effects_of(options.columns, *found.model, dataset, &selection, selection.options.seed, run)
                  : report::ColumnEffects{};
  run.end_work(selection.stopped);

  const report::Detail detail = options.run.detail();
  const report::Story story = report::selection_story(selection, options.data.path, {}, columns);
  human.print(report::terminal_text(story, detail));
  if (system::is_terminal(human.stream())) {
    human.print(
        report::heat_map(selection, takes_colour(human.stream()), system::terminal_width(human.stream()).value_or(80)));
  }
  if (options.document.wanted()) {
    write_document(report::selection_document(selection, dataset, plan.reading, options.data.path, found.model.get(),
                                              run.context(), columns),
                   options.document, options.data.path);
  }
  if (!options.output.empty() && found.model) {
    io::save_model(*found.model, options.output);
    human.print(report::terminal_line(story, detail,
                                      {"model", fmt::format("{}: {}", options.output, found.model->description())}));
  }
  if (found.unfinished.empty() && !found.failure)
    human.print(report::terminal_line(story, detail, {"next", next_step(options)}));
  tell_sentence(story, human, options.document);
  if (!options.run.quiet)
    for (const std::string& warning : report::selection_warnings(selection)) warn(warning);
  else if (!found.unfinished.empty())
    warn(found.unfinished);
  if (found.failure) std::rethrow_exception(found.failure);
  if (found.unfinished.empty()) return exit_code::success;
  return selection.stopped == core::StopReason::cancelled || Run::was_interrupted() ? exit_code::interrupted
                                                                                    : exit_code::limit;
}

Action add_select(Command command) {
  const auto options = std::make_shared<SelectOptions>();
  add_training_data_options(command, options->data, true);
  const Group group = command.group("Selection");
  group.option("--method", &options->method, "WORD", "how to choose, see below (default: cv)")
      .not_empty()
      .words(selection::methods());
  group.option("--plan", &options->plan, "FILE", "a JSON result, or the part \"options\" of one, to be repeated");
  add_selecting_options(command, options->selecting);
  const Group output = command.group("Output");
  output.option("-o,--output", &options->output, "FILE", "save the chosen model, or all that are kept");
  add_document_options(command, options->document, "write all settings as JSON; - is standard output");
  add_sentence_option(command, options->document);
  add_positive_option(command, options->positive);
  add_columns_options(command, options->columns);
  add_run_options(command, options->run, true);
  add_verbose_option(command, options->run.verbose,
                     "also support vectors, the work of the solver,\nseconds, and what other p-values would promise");
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
