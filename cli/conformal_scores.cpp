#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"
#include "output.hpp"
#include "outside.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/rows/prediction_columns.hpp"
#include "run.hpp"

namespace credence::cli {

using report::operator""_key;
namespace {

struct ScoresFlags {
  OutsideFiles files;
  std::string label;
  std::string confidence_level;
  conformal::PValueOptions p_values;
  conformal::LimitOptions limits;
  bool evaluate = false;
  DocumentOutput document;
  bool quiet = false;
  bool verbose = false;

  static void describe(auto&& field) {
    field("label", &ScoresFlags::label,
          {"column of classes, name or number (by default label, target, class or y; otherwise the last)", "COL"});
    field("evaluate", &ScoresFlags::evaluate, "compare with the labels of TEST, as evaluate does");
    field("confidence_level", &ScoresFlags::confidence_level,
          {"levels of prediction sets (by default 0.95; with --evaluate 0.99,0.95,0.9), or 0.5:0.9:+0.1", "LIST"});
    field("quiet", &ScoresFlags::quiet, "print only warnings about the rows, errors, and what -o and --json ask for");
  }
};

/// Scores of rows whose classes are known; classes in the order of the schema.
struct Calibration {
  data::Schema schema;  ///< of the columns of scores, one for each class, and of the classes
  data::DenseMatrix scores;
  std::vector<int> labels;
  OutsideCounting counting;
};

/// What a whole run comes to.
struct ScoresResult {
  Calibration calibration;
  std::vector<double> levels;  ///< of prediction sets
  data::Dataset test;
  model::Prediction prediction;
  std::vector<std::size_t> counts;  ///< calibration rows of each class
  std::vector<std::size_t> units;   ///< what decides how small p-values get (OutsideCounting::units)
  double seconds = 0;               ///< for the p-values
  report::ComparedRows compared;    ///< what limits hold rows against
  report::LimitsAsked limits;
};

/// Every column but the label's is a class.
data::Schema schema_of_scores(const data::Dataset& dataset) {
  data::Schema schema = dataset.schema;
  schema.classes.clear();
  for (const data::Column& column : schema.columns) schema.classes.push_back(column.name);
  data::sort_classes(schema.classes);
  for (std::size_t c = 0; c < schema.classes.size(); ++c) schema.columns[c].name = schema.classes[c];
  return schema;
}

/// The position of each name among others. @throws Error invalid_data for a name that is not there
std::vector<std::size_t> positions(const std::vector<std::string>& names, const std::vector<std::string>& among,
                                   const data::Dataset& dataset) {
  std::vector<std::size_t> result;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(among, name);
    if (found == among.end()) {
      refuse_data(
          fmt::format("class '{}' has no column of scores; the header names '{}'", name, fmt::join(among, "', '")),
          {dataset.source, 0, dataset.schema.label_name});
    }
    result.push_back(static_cast<std::size_t>(found - among.begin()));
  }
  return result;
}

/// A column that numbers the rows would be taken for scores of a class. A class without rows here may yet be one.
void check_no_row_numbers(const data::Dataset& dataset) {
  for (std::size_t j = 0; j < dataset.schema.columns.size(); ++j) {
    const std::string& name = dataset.schema.columns[j].name;
    if (std::ranges::find(dataset.schema.classes, name) != dataset.schema.classes.end()) continue;
    std::set<double> numbers;
    for (std::size_t i = 0; i < dataset.rows(); ++i) numbers.insert(dataset.features.dense().row(i)[j]);
    if (numbers.size() < dataset.rows() ||
        std::ranges::any_of(numbers, [](double one) { return one != std::floor(one); }))
      continue;
    refuse_data(
        fmt::format("no row is of class '{}', and the column has a different whole number in each row; leave it "
                    "out if it holds no scores of a class",
                    name),
        {dataset.source, 0, name});
  }
}

Calibration read_calibration(const ScoresFlags& options) {
  data::ReadOptions reading = calibration_reading(options.files);
  if (!options.label.empty()) reading.label = options.label;
  const data::Dataset dataset = data::read(options.files.calibration, reading);
  Calibration calibration;
  calibration.counting = OutsideCounting(options.files, dataset);
  calibration.schema = schema_of_scores(dataset);
  const std::vector<std::string>& classes = calibration.schema.classes;
  const std::vector<std::size_t> class_of_label = positions(dataset.schema.classes, classes, dataset);
  for (const int label : dataset.labels)
    calibration.labels.push_back(static_cast<int>(class_of_label[static_cast<std::size_t>(label)]));
  check_no_row_numbers(dataset);
  const std::vector<std::string> columns = core::mapped(dataset.schema.columns, &data::Column::name);
  const std::vector<std::size_t> column_of_class = positions(classes, columns, dataset);
  calibration.scores = data::DenseMatrix(dataset.rows(), classes.size());
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const auto cells = dataset.features.dense().row(i);
    for (std::size_t c = 0; c < classes.size(); ++c) calibration.scores.row(i)[c] = cells[column_of_class[c]];
  }
  return calibration;
}

ScoresResult p_values_for(const std::vector<double>& levels, const ScoresFlags& options) {
  ScoresResult result;
  result.levels = levels;
  result.calibration = read_calibration(options);
  const Calibration& calibration = result.calibration;
  data::ReadOptions reading = outside_reading(options.files);
  reading.schema = &calibration.schema;
  result.test = data::read(options.files.test, reading);
  const core::Stopwatch stopwatch;
  const conformal::ScoreCalibration scores(calibration.scores, calibration.labels, calibration.counting.weights());
  const conformal::Ranks ranks = scores.ranks(result.test.features.dense(), options.p_values.label_conditional,
                                              own_weights(options.files, result.test));
  result.prediction.p_value = conformal::p_values(ranks, options.p_values, data::row_keys(result.test.features));
  conformal::conclude(result.prediction);
  result.seconds = stopwatch.seconds();
  result.counts = scores.class_counts();
  result.units = calibration.counting.units(scores.table(), options.p_values.label_conditional);
  result.compared = {calibration.schema.classes, result.units, {calibration.counting.unit(), false}};
  result.limits = report::LimitsAsked::of(result.compared, calibration.counting.alike(), options.limits);
  return result;
}

report::Columns p_value_columns(const ScoresResult& result) {
  const std::vector<std::string>& classes = result.calibration.schema.classes;
  report::Columns columns;
  report::add_labels(columns, classes, result.prediction);
  if (result.limits.any()) report::add_decisions(columns, classes, result.prediction, result.limits);
  report::add_numbers(columns, "confidence", result.prediction.confidence);
  report::add_numbers(columns, "credibility", result.prediction.credibility);
  report::add_prediction_sets(columns, classes, result.prediction, result.levels);
  report::add_p_values(columns, classes, result.prediction);
  return columns;
}

std::string validity(const ScoresFlags& options) {
  return report::set_guarantee(
      {.classes = options.p_values.label_conditional, .new_groups = !options.files.groups.empty()},
      outside_condition(options.files));
}

/// None where rows do not count alike: no limit is known.
report::MissLimits miss_limits_of(const ScoresResult& result, const ScoresFlags& options) {
  if (!result.calibration.counting.alike()) return {};
  return report::miss_limits(result.calibration.schema.classes, result.counts, options.p_values, result.levels);
}

std::vector<std::string> resolution_warnings(const ScoresResult& result, const ScoresFlags& options) {
  const std::vector<std::string>& classes = result.calibration.schema.classes;
  std::vector<std::string> warnings =
      report::p_value_warnings(classes, result.units, options.p_values, result.levels, result.compared.words);
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (result.counts[c] == 0)
      warnings.push_back(fmt::format(
          "no row compared with is of class '{}'; leave its column out if it holds no scores of a class", classes[c]));
  return warnings;
}

/// What limits came to on rows whose classes are known.
report::LimitReport limits_met(const ScoresResult& result) {
  return report::limit_report(result.compared, result.limits, result.prediction, result.test.labels);
}

void check_labels(const data::Dataset& test, const data::Schema& schema) {
  if (!test.is_labelled())
    refuse_data(fmt::format("there is no column '{}' of labels to compare with", schema.label_name), {test.source});
  const auto unknown = std::ranges::find(test.labels, -1);
  if (unknown == test.labels.end()) return;
  refuse_data(fmt::format("row {} has no label, or one without a column of scores; the classes are {}",
                          test.file_rows[static_cast<std::size_t>(unknown - test.labels.begin())],
                          fmt::join(schema.classes, ", ")),
              {test.source, 0, schema.label_name});
}

void show_evaluation(const ScoresResult& result, const ScoresFlags& options) {
  const data::Schema& schema = result.calibration.schema;
  check_labels(result.test, schema);
  report::Evaluated found{.labels = report::compare_labels(schema.classes, result.test, result.prediction),
                          .p_values = conformal::evaluate(result.prediction.p_value, result.test.labels, result.levels,
                                                          options.p_values.smoothed),
                          .made = options.p_values,
                          .compared_with = result.counts,
                          .guarantee = validity(options),
                          .may_miss = miss_limits_of(result, options),
                          .source = options.files.test,
                          .cost = {result.seconds}};
  found.sets = found.p_values->levels;
  if (result.limits.any()) found.limits = limits_met(result);
  found.warnings = report::evaluation_warnings(found.labels, resolution_warnings(result, options));
  report::Section of_rows;
  if (options.document.wanted()) report::add_trust_charts(result.prediction, result.test, of_rows);
  const report::Story story = report::evaluation_story(found, nullptr, std::move(of_rows.blocks));
  report::Json document = report::evaluated_json(found, nullptr);
  add_origin(options.files, result.seconds, document);
  result.calibration.counting.add_to(document, options.files);
  tell(story, std::move(document), {options.quiet, options.document.json}, options.document, options.files.test,
       options.verbose);
  for (const std::string& warning : found.warnings) warn(warning);
}

void show_score_notes(const ScoresResult& result, const ScoresFlags& options) {
  for (const std::string& warning : report::limit_warnings(result.compared, result.limits)) warn(warning);
  if (!options.evaluate)  // whose list of warnings has it
    for (const std::string& warning : resolution_warnings(result, options)) warn(warning);
  if (options.quiet) return;
  note(result.limits.any() ? report::limit_promise(result.limits, validity(options)) : validity(options));
  const std::string limits = report::miss_limit_note(miss_limits_of(result, options), "prediction sets");
  if (!limits.empty()) note(limits);
}

void check_scores_options(const ScoresFlags& options) {
  std::vector<std::string> problems;
  if (!options.document.json.empty() && !options.evaluate) problems.emplace_back("--json is for --evaluate");
  if (!options.document.report.empty() && !options.evaluate) problems.emplace_back("--report is for --evaluate");
  if (options.evaluate && options.files.output == "-")
    problems.emplace_back("-o: with --evaluate predictions need a file, as the evaluation goes to standard output");
  throw_if_any(problems);
  check_outside_files(options.files);
  check_document_output(options.document, {options.files.calibration, options.files.test, options.files.output});
}

int run_scores(ScoresFlags options) {
  if (!options.limits.limit.empty()) options.p_values.label_conditional = true;
  const std::vector<double> usual = options.evaluate ? std::vector<double>{0.01, 0.05, 0.1} : std::vector<double>{0.05};
  const std::vector<double> levels = outside_levels(options.confidence_level, usual);
  check_scores_options(options);
  const ScoresResult result = p_values_for(levels, options);
  if (options.evaluate) show_evaluation(result, options);
  if (!options.evaluate || !options.files.output.empty())
    write_table(report::table_csv(result.test, p_value_columns(result), options.files.style), options.files.output);
  show_score_notes(result, options);
  return exit_code::success;
}

void add_p_value_flags(Command command, ScoresFlags& options) {
  const Group group = command.group("P-values");
  add_fields(group, core::fields_of(options.p_values));
  command.find("--seed").needs(command.find("--smoothed"));
  add_fields(command.group("Decisions"), core::fields_of(options.limits));
}

}  // namespace

Action add_conformal_scores(Command command) {
  const auto options = std::make_shared<ScoresFlags>();
  add_outside_files(command, options->files, "CSV: scores of each class, and the label",
                    "CSV: the same columns, the label or not; - is stdin");
  const std::vector<core::Field> fields = core::fields_of(*options);
  add_fields(command.group("Reading"), core::named_fields(fields, {"label"}));
  add_p_value_flags(command, *options);
  add_fields(command.group("Output"), core::named_fields(fields, {"evaluate", "confidence_level"}));
  command.group("Output").option("-o,--output", &options->files.output, "FILE",
                                 "predictions as CSV (default: standard output; with\n"
                                 "--evaluate none)");
  add_document_options(command, options->document, "write the evaluation as JSON; - is standard output");
  add_verbose_option(command, options->verbose, "also criteria of efficiency, calibration, uniformity");
  add_fields(command.group("Run"), core::named_fields(fields, {"quiet"}));
  command.footer(
      "Scores or probabilities of any classifier, of any tool: the larger, the better\n"
      "the class fits. A column is named as its class; each but the label's is one.\n"
      "A prediction set misses with probability at most 1 - confidence level, on\n"
      "average over the rows of CALIBRATION, if these had no part in training, nor in\n"
      "any choice, and are exchangeable with those of TEST.\n"
      "Columns of predictions: as those of predict.\n\n"
      "Examples:\n"
      "  credence conformal scores calibration.csv new.csv -o predictions.csv\n"
      "  credence conformal scores calibration.csv new.csv --confidence-level 0.99,0.8\n"
      "  credence conformal scores calibration.csv test.csv --evaluate");
  return [options] { return run_scores(*options); };
}

}  // namespace credence::cli
