#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "application.hpp"
#include "apply.hpp"
#include "conformal.hpp"
#include "credence/conformal/regression.hpp"
#include "output.hpp"
#include "outside.hpp"
#include "report/interval_report.hpp"
#include "report/miss_limits.hpp"
#include "report/p_value_words.hpp"
#include "report/prediction_columns.hpp"
#include "report/warnings.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

using conformal::InductiveRegression;
using report::operator""_key;

struct IntervalFlags {
  OutsideFiles files;
  std::string target = "target";
  std::string prediction = "prediction";
  std::string difficulty;
  std::optional<double> beta;
  std::string eps;
  DocumentOutput document;
  bool quiet = false;

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
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
  if (found == columns.end()) return {};
  std::vector<double> values;
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    values.push_back(dataset.features.dense().row(i)[static_cast<std::size_t>(found - columns.begin())]);
  return values;
}

void require(const std::vector<double>& column, const std::string& name, const data::Dataset& dataset) {
  if (!column.empty()) return;
  throw Error(ErrorCode::invalid_data, fmt::format("the file has no column '{}'", name), {dataset.source});
}

Rows read_rows(const std::string& path, const IntervalFlags& options) {
  data::ReadOptions reading = outside_reading(options.files);
  reading.unlabelled = true;
  reading.only = {options.target, options.prediction, options.difficulty_name()};
  Rows rows{data::read(path, reading), {}, {}, {}};
  rows.targets = column_of(rows.dataset, options.target);
  rows.predictions = column_of(rows.dataset, options.prediction);
  rows.difficulties = column_of(rows.dataset, options.difficulty_name());
  require(rows.predictions, options.prediction, rows.dataset);
  if (!options.difficulty.empty()) require(rows.difficulties, options.difficulty, rows.dataset);
  const auto negative =
      std::find_if(rows.difficulties.begin(), rows.difficulties.end(), [](double d) { return d < 0; });
  if (negative == rows.difficulties.end()) return rows;
  const auto row = static_cast<std::size_t>(negative - rows.difficulties.begin());
  throw Error(ErrorCode::invalid_data,
              fmt::format("the difficulty {} of row {} is below 0", *negative, rows.dataset.file_rows[row]),
              {rows.dataset.source, 0, options.difficulty_name()});
}

void check_difficulties(const Rows& calibration, const Rows& test, const IntervalFlags& options) {
  const bool known = !calibration.difficulties.empty();
  if (known == test.difficulties.empty()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the file has no column '{}', but {} has", options.difficulty_name(),
                            known ? "that of CALIBRATION" : "that of TEST"),
                {known ? test.dataset.source : calibration.dataset.source});
  }
  if (options.beta && !known) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--beta is for difficulties, but there is no column '{}'", options.difficulty_name()));
  }
}

report::Columns interval_columns(const Rows& test, const report::Intervals& intervals,
                                 const std::vector<double>& levels) {
  report::Columns columns;
  report::add_numbers(columns, "prediction", [&](std::size_t row) { return test.predictions[row]; });
  report::add_intervals(columns, intervals, levels);
  return columns;
}

/// What a whole run comes to.
struct IntervalResult {
  std::size_t compared = 0;  ///< rows of CALIBRATION
  report::Intervals intervals;
  std::vector<double> p;  ///< of the targets of TEST, where these are known
  double seconds = 0;
};

IntervalResult intervals_for(const Rows& calibration, const Rows& test, const std::vector<double>& levels,
                             const IntervalFlags& options) {
  conformal::RegressionOptions settings;
  settings.beta = options.beta.value_or(settings.beta);
  const Stopwatch stopwatch;
  const InductiveRegression regression(calibration.targets, calibration.predictions, calibration.difficulties,
                                       settings);
  IntervalResult result{
      regression.size(), report::intervals_of(regression, test.predictions, test.difficulties, levels), {}};
  if (!test.targets.empty()) result.p = regression.p_values(test.targets, test.predictions, test.difficulties);
  result.seconds = stopwatch.seconds();
  return result;
}

std::string coverage_table(const IntervalResult& result, const std::vector<double>& levels) {
  return fmt::format("{:<12}{}; compared with {}\n", "rows", result.p.size(), result.compared) +
         report::interval_table(report::interval_coverage(result.p, result.intervals, levels));
}

std::string guarantee(const IntervalFlags& options) {
  return report::interval_guarantee({}, outside_condition(options.files));
}

report::MissLimits limits_of(const IntervalResult& result, const std::vector<double>& levels) {
  return report::miss_limits({}, {result.compared}, {}, levels);
}

report::Json intervals_json(const IntervalResult& result, const Rows& test, const std::vector<double>& levels,
                            const IntervalFlags& options) {
  report::Json document = report::Json::object("kind"_key = "conformal intervals");
  add_origin(options.files, result.seconds, document);
  const bool normalised = !test.difficulties.empty();
  document.add(
      "n"_key = test.dataset.rows(), "compared_with"_key = result.compared,
      "smallest_p_value"_key = 1 / static_cast<double>(result.compared + 1), "target"_key = options.target,
      "prediction"_key = options.prediction,
      "difficulty"_key = normalised ? report::Json(options.difficulty_name()) : report::Json(nullptr),
      "beta"_key =
          normalised ? report::Json(options.beta.value_or(conformal::RegressionOptions{}.beta)) : report::Json(nullptr),
      "guarantee"_key = guarantee(options), "may_miss"_key = report::miss_limits_json(limits_of(result, levels)),
      "levels"_key = report::interval_levels_json(result.p, result.intervals, levels),
      "calibration"_key = result.p.empty() ? report::Json(nullptr) : report::interval_calibration_json(result.p),
      "sample"_key = report::interval_sample_json(test.dataset, test.targets, test.predictions, result.intervals));
  document["warnings"] = report::interval_warnings(result.compared, levels);
  return document;
}

void show_interval_notes(const IntervalResult& result, const std::vector<double>& levels,
                         const IntervalFlags& options) {
  note(guarantee(options));
  note(report::miss_limit_note(limits_of(result, levels), "intervals"));
  for (const std::string& warning : report::interval_warnings(result.compared, levels)) warn(warning);
}

void check_interval_options(const IntervalFlags& options) {
  std::vector<std::string> problems;
  if (options.beta && !(*options.beta > 0 && std::isfinite(*options.beta)))
    problems.push_back(fmt::format("--beta: {} is not a finite number above 0", *options.beta));
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
  const std::vector<double> levels = report::interval_levels(parse_eps(options.eps), {0.05});
  check_interval_options(options);
  const Rows calibration = read_rows(options.files.calibration, options);
  require(calibration.targets, options.target, calibration.dataset);
  const Rows test = read_rows(options.files.test, options);
  check_difficulties(calibration, test, options);
  const IntervalResult result = intervals_for(calibration, test, levels, options);
  write_table(report::table_csv(test.dataset, interval_columns(test, result.intervals, levels)), options.files.output);
  if (!result.p.empty())
    Human(options.quiet, to_standard_output(options) ? "-" : options.document.json)
        .print(coverage_table(result, levels));
  if (options.document.wanted())
    write_document(intervals_json(result, test, levels, options), options.document, options.files.test);
  if (!options.quiet) show_interval_notes(result, levels, options);
  return exit_code::success;
}

}  // namespace

Action add_conformal_intervals(Command command) {
  const auto options = std::make_shared<IntervalFlags>();
  add_outside_files(command, options->files, "CSV: targets and predictions of kept rows",
                    "CSV: predictions, targets or not; - is stdin");
  const auto column = [&](const char* name, std::string& value, const char* description) {
    command.group("Reading").option(name, &value, "COL", description);
  };
  column("--target", options->target, "name of the column of targets (default: target)");
  column("--prediction", options->prediction, "of predictions (default: prediction)");
  column("--difficulty", options->difficulty,
         "of numbers >= 0 that intervals are to grow with\n"
         "(default: difficulty, if both files have it)");
  command.group("Intervals")
      .option("--beta", &options->beta, "NUMBER", "added to each difficulty, > 0 (default: 1e-6)");
  command.group("Intervals")
      .option("--eps", &options->eps, "LIST", "significance levels: 0.05 (default), 0.01,0.1, ...");
  command.group("Output").option("-o,--output", &options->files.output, "FILE",
                                 "intervals as CSV (default: standard output)");
  add_document_options(command, options->document,
                       "write widths and, with targets, coverage as JSON;\n"
                       "- is standard output, with -o");
  command.group("Run").flag("--quiet", &options->quiet, "errors only, and what was asked for");
  command.footer(
      "Intervals around the predictions of any regression, of any tool; exact if the\n"
      "rows of CALIBRATION had no part in training, nor in any choice.\n"
      "Columns: row, the number of the row in TEST; prediction; lower_EPS, upper_EPS.\n"
      "If TEST has targets, a table says how many were covered, and the mean width.\n"
      "--report draws widths, intervals and coverage on a page.\n\n"
      "Examples:\n"
      "  credence conformal intervals calibration.csv new.csv -o intervals.csv\n"
      "  credence conformal intervals calibration.csv test.csv --eps 0.05,0.2\n"
      "  credence conformal intervals calibration.csv new.csv --difficulty sigma");
  return [options] { return run_intervals(*options); };
}

}  // namespace credence::cli
