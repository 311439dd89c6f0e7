#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/conformal/measure.hpp"
#include "credence/conformal/online.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "output.hpp"
#include "report/conformal/online_report.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "run.hpp"

namespace credence::cli {

using report::operator""_key;
namespace {

/// Of the stream that shuffles the rows.
constexpr std::uint64_t shuffling = 0x736875666c;

struct OnlineFlags : CommonFlags {
  std::string measure = "nn-ratio";
  Described given;
  conformal::PValueOptions p_values = conformal::online_p_values;
  bool shuffle = false;
  std::string confidence_level = "0.99,0.95";
  conformal::LimitOptions limits;
  std::string output;

  /// Without the options of the measure.
  static void describe(auto&& field) {
    field("confidence_level", &OnlineFlags::confidence_level, {"levels of prediction sets", "LIST"});
    field.part(&OnlineFlags::p_values);
    field("shuffle", &OnlineFlags::shuffle, "take the rows in random order, not in that of the file");
  }
};

/// The measures that can learn row by row.
std::vector<conformal::Measure> nearest_measures() {
  std::vector<conformal::Measure> measures = conformal::measures();
  std::erase_if(measures, [](const conformal::Measure& measure) { return !conformal::neighbour_options(measure); });
  return measures;
}

conformal::NeighbourOptions neighbour_options(const OnlineFlags& options, const data::ReadOptions& reading) {
  conformal::Measure measure;
  under_name("--measure",
             [&] { measure = conformal::measure_named(conformal::neighbour_measure(options.measure).name); });
  options.given.set_all(fields_of(measure));
  const conformal::NeighbourOptions neighbours = *conformal::neighbour_options(measure);
  std::vector<std::string> problems;
  if (neighbours.metric == neighbours::Metric::precomputed)
    problems.emplace_back("--metric: precomputed distances cannot be learnt one row after another");
  if (reading.missing == data::Missing::impute)
    problems.emplace_back("--missing: impute would look at rows that come later; error and drop do not");
  if (reading.task == data::Task::regression)
    problems.emplace_back("--task: p-values are of classes; for a regression there is credence conformal intervals");
  throw_if_any(problems);
  return neighbours;
}

/// Limits hold p-values of each class. @throws Error invalid_argument
report::LimitsAsked online_limits(OnlineFlags& options, const data::Dataset& dataset) {
  if (!options.limits.limit.empty()) options.p_values.label_conditional = true;
  return report::LimitsAsked::of(report::online_compared(dataset), false, options.limits);
}

data::Dataset read_stream(const OnlineFlags& options, const data::ReadOptions& reading, int k) {
  data::Dataset dataset = read_with_notes(options.data.path, reading, options.run.quiet);
  data::check_trainable(dataset);
  if (!dataset.weights.empty()) refuse("nearest neighbours take no sample weights");
  if (static_cast<std::size_t>(k) > dataset.rows())
    refuse(fmt::format("--k: {} is more than the {} rows there are", k, dataset.rows()));
  if (!options.shuffle) return dataset;
  std::vector<std::size_t> order = core::numbers_below(dataset.rows());
  core::RandomStream(options.p_values.seed, shuffling).shuffle(order);
  return dataset.select_rows(order);
}

int run_online_command(OnlineFlags options) {
  const data::ReadOptions reading = read_options(options.data);
  const conformal::NeighbourOptions neighbours = neighbour_options(options, reading);
  const std::vector<double> levels = parse_confidence_levels(options.confidence_level);
  if (levels.empty()) refuse("--confidence-level: at least one level is needed");
  check_output(options.output, {options.data.path});
  check_document_output(options.document, {options.data.path, options.output});
  check_run_files(options.run.log, options.run.checkpoint,
                  {options.data.path, options.output, options.document.json, options.document.report});
  if (options.output == "-" && options.document.json == "-") refuse("-o and --json cannot both go to standard output");
  const Human human(options.run.quiet, options.output == "-" ? options.output : options.document.json);
  Run run(options.run, true);

  const data::Dataset dataset = read_stream(options, reading, neighbours.k);
  const report::LimitsAsked limits = online_limits(options, dataset);
  const data::Features rows = data::Preprocessing::fit(dataset, data::Scaling::none).apply(dataset);
  run.catch_signals();
  const core::Stopwatch stopwatch;
  report::OnlineRun described{options.data.path, neighbours, options.p_values, options.shuffle, levels, limits};
  report::OnlineRecorder recorder(dataset, described, !options.output.empty());
  conformal::run_online(rows, dataset.labels, dataset.class_count(), neighbours, described.p_values, run.context(),
                        [&](const conformal::OnlineStep& step) {
                          recorder.add(step);
                          return true;
                        });
  described.cost = {stopwatch.seconds(), run.context().threads.count()};
  run.end_work();
  const report::Story story = report::online_story(recorder.course(), dataset, described);
  report::Json document = report::online_json(recorder.course(), dataset, described);
  document.add("seconds"_key = described.cost.seconds, "threads"_key = described.cost.threads);
  tell(story, std::move(document), human, options.document, options.data.path);
  if (!options.output.empty()) write_table(recorder.course().csv, options.output);
  if (options.run.quiet) return exit_code::success;
  if (limits.any()) {
    note(report::limit_promise(limits, report::set_guarantee({.classes = true}, "if the rows are exchangeable")));
    for (const std::string& warning : report::limit_warnings(report::online_compared(dataset), limits)) warn(warning);
  }
  if (!options.shuffle) note("errors follow the line if the order of the rows means nothing; --shuffle makes that so");
  return exit_code::success;
}

void add_prediction_options(Command command, OnlineFlags& options) {
  const Group group = command.group("Prediction");
  group.option("--measure", &options.measure, "WORD", "nn-ratio (default) or nn-own").words({"nn-ratio", "nn-own"});
  for (conformal::Measure measure : nearest_measures()) options.given.add(group, fields_of(measure));
  add_fields(group, core::fields_of(options));
  std::vector<core::Field> limits = core::fields_of(options.limits);
  std::erase_if(limits, [](const core::Field& field) { return field.name == "certainty"; });  // no rows are set aside
  add_fields(command.group("Decisions"), limits);
}

}  // namespace

Action add_conformal_online(Command command) {
  const auto options = std::make_shared<OnlineFlags>();
  add_training_data_options(command, options->data, false);
  command.find("--task").hide();  // hidden: there is a sentence for who asks for a regression
  add_prediction_options(command, *options);
  command.group("Output").option("-o,--output", &options->output, "FILE",
                                 "every step as CSV: t, row, label, truth, decision\n"
                                 "(with --limit), familiarity (with the rows before),\n"
                                 "p_CLASS, error_LEVEL, errors_LEVEL (so far) and\n"
                                 "line_LEVEL (allowed so far); - is standard output");
  add_document_options(command, options->document, "write the table as JSON; - is standard output");
  add_run_options(command, options->run, true);
  command.footer(
      "Smoothed p-values of exchangeable rows make errors that are independent, each\n"
      "with the probability 1 - confidence level, so that their sum follows the line of\n"
      "that slope; 95 % band: where a binomial count of t trials lies.\n\n"
      "Examples:\n"
      "  credence conformal online pima.csv --shuffle\n"
      "  credence conformal online pima.csv --confidence-level 0.95,0.8 -o steps.csv\n"
      "  credence conformal online pima.csv --shuffle --limit 0.1");
  return [options] { return run_online_command(*options); };
}

}  // namespace credence::cli
