#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/core/list.hpp"
#include "output.hpp"
#include "outside.hpp"
#include "report/conformal/fit_report.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/rows/prediction_columns.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

using conformal::InductiveRegression;

struct IntervalFlags {
  OutsideFiles files;
  std::string target = "target";
  std::string prediction = "prediction";
  std::string difficulty;
  conformal::RegressionOptions regression;
  std::string confidence_level = "0.95";
  DocumentOutput document;
  bool quiet = false;

  /// The columns; the options of the intervals stand apart.
  static void describe(auto&& field) {
    field("target", &IntervalFlags::target, {"name of the column of targets", "COL"});
    field("prediction", &IntervalFlags::prediction, {"column of predictions", "COL"});
    field("difficulty", &IntervalFlags::difficulty,
          {"column of numbers >= 0 that intervals grow with (by default difficulty, if both files have it)", "COL"});
    field("confidence_level", &IntervalFlags::confidence_level, {"levels of intervals: 0.95, 0.99,0.9, ...", "LIST"});
    field("quiet", &IntervalFlags::quiet, "print only warnings about the rows, errors, and what was asked for");
  }

  std::string difficulty_name() const { return difficulty.empty() ? "difficulty" : difficulty; }
};

bool to_standard_output(const IntervalFlags& options) {
  return options.files.output.empty() || options.files.output == "-";
}

/// Columns of a file; those that it does not have are empty.
struct Rows {
  data::Dataset dataset;
  std::vector<double> targets;
  std::vector<double> predictions;
  std::vector<double> difficulties;
};

std::vector<double> column_of(const data::Dataset& dataset, const std::string& name) {
  const auto& columns = dataset.schema.columns;
  const auto found = std::ranges::find_if(columns, [&](const auto& c) { return c.name == name; });
  if (found == columns.end()) return {};
  return core::made(dataset.rows(), [&](std::size_t i) {
    return dataset.features.dense().row(i)[static_cast<std::size_t>(found - columns.begin())];
  });
}

void require(const std::vector<double>& column, const std::string& name, const data::Dataset& dataset) {
  if (!column.empty()) return;
  refuse_data(fmt::format("the file has no column '{}'", name), {dataset.source});
}

Rows read_rows(const std::string& path, const IntervalFlags& options, data::ReadOptions reading) {
  reading.unlabelled = true;
  reading.only = {options.target, options.prediction, options.difficulty_name()};
  Rows rows{data::read(path, reading), {}, {}, {}};
  rows.targets = column_of(rows.dataset, options.target);
  rows.predictions = column_of(rows.dataset, options.prediction);
  rows.difficulties = column_of(rows.dataset, options.difficulty_name());
  require(rows.predictions, options.prediction, rows.dataset);
  if (!options.difficulty.empty()) require(rows.difficulties, options.difficulty, rows.dataset);
  const auto negative = std::ranges::find_if(rows.difficulties, [](double d) { return d < 0; });
  if (negative == rows.difficulties.end()) return rows;
  const auto row = static_cast<std::size_t>(negative - rows.difficulties.begin());
  refuse_data(fmt::format("the difficulty {} of row {} is below 0", *negative, rows.dataset.file_rows[row]),
              {rows.dataset.source, 0, options.difficulty_name()});
}

void check_difficulties(const Rows& calibration, const Rows& test, const IntervalFlags& options) {
  const bool known = !calibration.difficulties.empty();
  if (known == test.difficulties.empty()) {
    refuse_data(fmt::format("the file has no column '{}', but {} has", options.difficulty_name(),
                            known ? "that of CALIBRATION" : "that of TEST"),
                {known ? test.dataset.source : calibration.dataset.source});
  }
  if (options.regression.beta != conformal::RegressionOptions{}.beta && !known)
    refuse(fmt::format("--beta is for difficulties, but there is no column '{}'", options.difficulty_name()));
}

report::OutsideIntervals intervals_for(const Rows& calibration, const Rows& test, const std::vector<double>& levels,
                                       const IntervalFlags& options) {
  const core::Stopwatch stopwatch;
  const OutsideCounting counting(options.files, calibration.dataset);
  const std::span<const double> own = own_weights(options.files, test.dataset);
  const InductiveRegression regression(calibration.targets, calibration.predictions, calibration.difficulties,
                                       options.regression, counting.weights());
  report::OutsideIntervals found{
      .levels = levels,
      .compared = regression.size(),
      .units = counting.groups() > 0 ? counting.groups() : regression.size(),
      .alike = counting.alike(),
      .intervals = report::intervals_of(regression, test.predictions, test.difficulties, levels, own)};
  if (!test.targets.empty()) found.p = regression.p_values(test.targets, test.predictions, test.difficulties, own);
  found.seconds = stopwatch.seconds();
  found.target = options.target;
  found.prediction = options.prediction;
  if (!test.difficulties.empty()) {
    found.difficulty = options.difficulty_name();
    found.beta = options.regression.beta;
  }
  found.guarantee =
      report::interval_guarantee({.new_groups = !options.files.groups.empty()}, outside_condition(options.files));
  return found;
}

void show_interval_notes(const report::OutsideIntervals& found, bool quiet) {
  for (const std::string& warning : report::warnings_of(found)) warn(warning);
  if (quiet) return;
  note(found.guarantee);
  const std::string limits = report::miss_limit_note(report::miss_limits_of(found), "intervals");
  if (!limits.empty()) note(limits);
}

void check_interval_options(const IntervalFlags& options) {
  std::vector<std::string> problems;
  if (options.target == options.prediction || options.target == options.difficulty_name() ||
      options.prediction == options.difficulty_name()) {
    problems.emplace_back("--target, --prediction and --difficulty must be different columns");
  }
  if (options.document.json == "-" && to_standard_output(options))
    problems.emplace_back(
        "--json - and the intervals cannot both go to standard output; give the intervals a file by -o");
  throw_if_any(problems);
  check_outside_files(options.files);
  check_document_output(options.document, {options.files.calibration, options.files.test, options.files.output});
}

int run_intervals(const IntervalFlags& options) {
  const std::vector<double> levels = report::interval_levels(parse_confidence_levels(options.confidence_level), {});
  check_interval_options(options);
  const Rows calibration = read_rows(options.files.calibration, options, calibration_reading(options.files));
  require(calibration.targets, options.target, calibration.dataset);
  const Rows test = read_rows(options.files.test, options, outside_reading(options.files));
  check_difficulties(calibration, test, options);
  const report::OutsideIntervals found = intervals_for(calibration, test, levels, options);
  report::Columns columns;
  report::add_numbers(columns, "prediction", test.predictions);
  report::add_intervals(columns, found.intervals, levels);
  write_table(report::table_csv(test.dataset, columns, options.files.style), options.files.output);
  const report::OutsideRows rows{test.dataset, test.targets, test.predictions};
  const report::Story story = report::outside_intervals_story(found, rows, options.files.test);
  if (!found.p.empty())
    Human(options.quiet, to_standard_output(options) ? "-" : options.document.json)
        .print(report::terminal_text(story, report::Detail::usual));
  if (options.document.wanted()) {
    report::Json document = report::outside_intervals_json(found, rows);
    document["report"] = report::story_json(story);
    OutsideCounting(options.files, calibration.dataset).add_to(document, options.files);
    add_origin(options.files, found.seconds, document);
    write_document(std::move(document), options.document, options.files.test);
  }
  show_interval_notes(found, options.quiet);
  return exit_code::success;
}

}  // namespace

Action add_conformal_intervals(Command command) {
  const auto options = std::make_shared<IntervalFlags>();
  add_outside_files(command, options->files, "CSV: targets and predictions of held-out rows",
                    "CSV: predictions, targets or not; - is stdin");
  const std::vector<core::Field> fields = core::fields_of(*options);
  add_fields(command.group("Reading"), core::named_fields(fields, {"target", "prediction", "difficulty"}));
  add_fields(command.group("Intervals"), core::fields_of(options->regression));
  add_fields(command.group("Intervals"), core::named_fields(fields, {"confidence_level"}));
  command.group("Output").option("-o,--output", &options->files.output, "FILE",
                                 "intervals as CSV (default: standard output)");
  add_document_options(command, options->document,
                       "write widths (and coverage, if TEST has targets) as\n"
                       "JSON; - is standard output, and needs -o");
  add_fields(command.group("Run"), core::named_fields(fields, {"quiet"}));
  command.footer(
      "Intervals around the predictions of any regression, of any tool. An interval\n"
      "misses the target with probability at most 1 - confidence level, on average over\n"
      "the rows of CALIBRATION, if these had no part in training, nor in any choice,\n"
      "and are exchangeable with those of TEST.\n"
      "Columns: row, its number in TEST; prediction; lower_LEVEL and upper_LEVEL.\n"
      "If TEST has targets, a table says how many were covered, and the mean width.\n"
      "--report draws widths, intervals and coverage on a page.\n\n"
      "Examples:\n"
      "  credence conformal intervals calibration.csv new.csv -o intervals.csv\n"
      "  credence conformal intervals calibration.csv test.csv --confidence-level 0.8\n"
      "  credence conformal intervals calibration.csv new.csv --difficulty sigma");
  return [options] { return run_intervals(*options); };
}

}  // namespace credence::cli
