#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/familiarity.hpp"
#include "credence/core/version.hpp"
#include "credence/selection/as_strange.hpp"
#include "output.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/decisions/parts_report.hpp"
#include "report/decisions/place_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/evaluation/regression_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/rows/prediction_columns.hpp"
#include "run.hpp"

namespace credence::cli {

using report::operator""_key;
namespace {

/// A model of nonconformity has one level by default, as predict has; the others one for each that people look at.
std::vector<double> set_levels(const model::Predictor& model, const std::vector<double>& asked) {
  const model::Capabilities able = model.capabilities();
  const bool several =
      asked.empty() && (able.intervals || (has_p_values(model) && able.p_values != model::PValueSource::nonconformity));
  return several ? std::vector<double>{0.01, 0.05, 0.1} : levels_asked(model, asked);
}

/// Predictions, and of a nonconformity model how many of the rows are as strange as each of its levels.
selection::PredictedAndCounted judge(const model::Predictor& model, const data::Dataset& dataset,
                                     const PValueOverrides& overrides, Run& run) {
  const bool counts = selection::nonconformity_rule(model) != nullptr;
  if (!counts) return {predict_with_confidence(model, dataset, overrides, run), {}};
  check_overrides(model, overrides);
  run.catch_signals();
  auto judged = selection::predict_and_count(*selection::as_ensemble(model), dataset, run.context());
  refuse_if_interrupted();
  conformal::conclude(judged.prediction, true);
  return judged;
}

std::optional<report::FamiliarityReport> familiarity_of(const model::Predictor& model, const data::Dataset& dataset,
                                                        const model::Prediction& prediction) {
  return report::familiarity_report(prediction.familiarity, report::FamiliarityTally(model.known_rows.rows(), &model),
                                    dataset);
}

std::vector<std::string> warnings_of_rows(const model::Predictor& model, const data::Dataset& dataset,
                                          const model::Prediction& prediction, const std::vector<double>& levels,
                                          const EvaluateOptions& options) {
  report::RowWarnings warnings(model, p_value_options(model, options.p_values), levels);
  warnings.add(dataset, prediction);
  return warnings.sentences_of_evaluation();
}

report::Evaluated findings_of(const model::Predictor& model, const data::Dataset& dataset,
                              const selection::PredictedAndCounted& judged, const std::vector<double>& levels,
                              const std::optional<conformal::Review>& review, const EvaluateOptions& options) {
  const model::Prediction& prediction = judged.prediction;
  report::Evaluated findings;
  findings.model = options.model;
  findings.source = options.data.path;
  findings.familiarity = familiarity_of(model, dataset, prediction);
  findings.review = report::ReviewReport::of(review, dataset.labels, prediction.label);
  findings.labels = report::compare_labels(model.schema.classes, dataset, prediction, options.positive);
  findings.labels.trained_on = report::seen_rows_sentence(model, dataset);
  findings.warnings =
      report::evaluation_warnings(findings.labels, warnings_of_rows(model, dataset, prediction, levels, options));
  const model::ProbabilityOptions probability = options.probability.options().value_or(model::ProbabilityOptions{});
  findings.probability = report::judge_probabilities(
      dataset.labels, prediction, report::probability_name(probability, prediction), findings.labels);
  if (selection::nonconformity_rule(model) != nullptr) {
    findings.curve = selection::bound_curve(prediction, dataset.labels);
    findings.as_strange = judged.as_strange;
    for (const double significance : levels)
      findings.sets.push_back(conformal::count_sets(prediction.p_value, dataset.labels, significance));
  } else if (has_p_values(model)) {
    const bool smoothed = p_value_options(model, options.p_values).smoothed;
    findings.p_values = conformal::evaluate(prediction.p_value, dataset.labels, levels, smoothed);
    findings.sets = findings.p_values->levels;
    findings.made = p_value_options(model, options.p_values);
    findings.compared_with = conformal::compared_with(model);
    findings.guarantee = report::validity_sentence(model, findings.made);
  }
  return findings;
}

void check_rows(const model::Predictor& model, const data::Dataset& dataset, const EvaluateOptions& options) {
  const auto refuse = [&](const std::string& sentence) { refuse_data(sentence, {options.data.path, 0, {}}); };
  if (!dataset.is_labelled()) {
    const std::string& label = model.schema.label_name;
    refuse(fmt::format("there is no column of {} to compare with{}", dataset.is_regression() ? "targets" : "labels",
                       label.empty() ? "" : fmt::format(": that of the model is '{}'; --label names another", label)));
  }
  if (dataset.rows() == 0) refuse("there are no rows");
  dataset.refuse_other_classes();
}

/// The ways in which rows are divided. @throws Error invalid_argument
std::vector<report::DividedBy> parts_asked(const model::Predictor& model, const EvaluateOptions& options) {
  if (options.by.empty()) return {};
  if (model.schema.task == data::Task::regression)
    refuse("--by: this model predicts numbers, and --by counts wrong labels");
  return under_name("--by", [&] { return report::DividedBy::parse(options.by); });
}

/// What was asked of decisions.
struct Deciding {
  const report::LimitsAsked& limits;
  const std::vector<report::DividedBy>& by;
  const report::Place& place;
};

void add_decisions(const model::Predictor& model, const data::Dataset& dataset, const model::Prediction& prediction,
                   const Deciding& asked, const EvaluateOptions& options, report::Evaluated& findings) {
  const std::optional<model::DecisionCosts> costs = options.decisions.costs(model.schema.classes);
  if (costs && !asked.place.any()) refuse("--cost needs --prior; without class shares, take credence limits --cost");
  if (asked.place.any()) {
    findings.place = report::place_report(asked.place, model.schema.classes, findings.labels.confusion.counts,
                                          costs ? &*costs : nullptr);
  }
  if (asked.limits.any()) {
    findings.limits = report::limit_report(report::ComparedRows::of(model), asked.limits, prediction, dataset.labels);
    for (std::string& warning : report::limit_warnings(report::ComparedRows::of(model), asked.limits))
      findings.warnings.push_back(std::move(warning));
  }
  if (asked.by.empty()) return;
  const std::optional<double> significance =
      findings.sets.empty() ? std::optional<double>() : findings.sets[findings.sets.size() / 2].significance;
  findings.parts =
      report::parts_report(asked.by, dataset, model.schema.classes, prediction, significance, asked.limits);
}

/// Prints the story, with what a reader does next, and writes the document with where it came from.
void show(const report::Story& story, report::Json document, data::Task task, const report::Cost& cost,
          const EvaluateOptions& options, const Human& human) {
  human.print(report::terminal_text(story, options.run.detail()));
  human.print(report::terminal_line(
      story, options.run.detail(),
      {"next", fmt::format("credence predict {} NEW.csv predicts new rows{}", options.model,
                           options.document.report.empty() ? "; --report FILE.html draws this result" : "")}));
  const bool numbers = task == data::Task::regression;
  if (!numbers) tell_sentence(story, human, options.document);
  if (!options.document.wanted()) return;
  document.add("task"_key = numbers ? "regression" : "classification", "model"_key = options.model,
               "source"_key = options.data.path, "threads"_key = cost.threads, "seconds"_key = cost.seconds,
               "version"_key = version(), "report"_key = report::story_json(story));
  write_document(std::move(document), options.document, options.data.path);
}

/// What the intervals of a regression that carries residuals came to.
std::vector<report::IntervalCoverage> coverage_of(const model::Predictor& model, const data::Dataset& dataset,
                                                  const model::Prediction& prediction,
                                                  const std::vector<double>& levels) {
  if (!model.capabilities().intervals) return {};
  const conformal::CrossRegression regression = conformal::regression_of(model);
  return report::interval_coverage(regression.p_values(prediction, dataset.targets),
                                   report::intervals_of(regression, prediction, levels), levels);
}

void report_regression(const model::Predictor& model, const data::Dataset& dataset, const model::Prediction& prediction,
                       const std::vector<double>& levels, const EvaluateOptions& options, const report::Cost& cost,
                       report::ColumnEffects columns, const Human& human) {
  report::EvaluatedNumbers found{.figures = report::compare_targets(dataset, prediction, options.data.path),
                                 .coverage = coverage_of(model, dataset, prediction, levels),
                                 .familiarity = familiarity_of(model, dataset, prediction),
                                 .columns = std::move(columns),
                                 .model = options.model,
                                 .source = options.data.path,
                                 .cost = cost};
  found.figures.trained_on = report::seen_rows_sentence(model, dataset);
  found.warnings =
      report::evaluation_warnings(found.figures, warnings_of_rows(model, dataset, prediction, levels, options));
  if (!found.coverage.empty()) found.guarantee = report::validity_sentence(model);
  const report::Story story = report::regression_story(found, dataset, prediction);
  report::Json document = report::evaluated_json(found);
  if (!found.coverage.empty())
    document["intervals"].add("source"_key = model.calibration.source,
                              "residuals"_key = model.calibration.nonconformity_scores.size());
  show(story, std::move(document), data::Task::regression, cost, options, human);
  for (const std::string& warning : found.warnings) warn(warning);
  if (options.run.quiet) return;
  note_p_values(model, {}, prediction, options.run.verbose);
}

/// What the page draws of single rows.
std::vector<report::Block> pictures_of(const model::Predictor& model, const data::Dataset& dataset,
                                       const model::Prediction& prediction,
                                       const std::optional<conformal::Review>& review, Run& run) {
  report::Section of_rows;
  report::add_trust_charts(prediction, dataset, of_rows, review);
  // A predictor that solves a problem for each row would solve one for each point of the picture.
  if (!prediction.solver_cost)
    if (auto chart = report::decision_chart(model, dataset, run.context())) of_rows.add(std::move(*chart));
  return std::move(of_rows.blocks);
}

}  // namespace

int run_evaluate(EvaluateOptions options) {
  check_document_output(options.document, {options.model, options.data.path});
  check_output(options.confusion, {options.model, options.data.path, options.document.json, options.document.report});
  if (options.document.json == "-" && options.confusion == "-")
    refuse("--json and --confusion cannot both go to standard output; name a file");
  read_options(options.data);  // finds wrong options before the model is loaded
  const std::vector<double> asked = parse_confidence_levels(options.confidence_level);
  const std::optional<model::ProbabilityOptions> probability = options.probability.options();
  const Human human(options.run.quiet, options.confusion == "-" ? options.confusion : options.document.json);
  Run run(options.run, false);
  const std::unique_ptr<model::Predictor> model = load_any_model(options.model);
  options.decisions.check_task(*model);
  const std::string conditional = options.decisions.make_label_conditional(*model, options.p_values);
  const std::vector<double> levels = set_levels(*model, asked);
  const report::LimitsAsked limits =
      report::LimitsAsked::of(*model, options.decisions.asked<conformal::LimitOptions>());
  std::vector<report::DividedBy> by = parts_asked(*model, options);
  under_name("--positive", [&] { return report::positive_class(model->schema.classes, options.positive); });
  std::vector<std::string> texts = report::columns_of(by);
  texts.insert(texts.end(), options.ids.begin(), options.ids.end());
  const data::Dataset dataset = read_for(*model, options.data, options.run.quiet, options.run.threads, texts);
  report::name_columns(by, dataset.texts);
  check_rows(*model, dataset, options);
  options.columns.check(model->schema);
  const std::uint64_t seed = p_value_options(*model, options.p_values).seed;
  const core::Stopwatch stopwatch;
  selection::PredictedAndCounted judged = judge(*model, dataset, options.p_values, run);
  conformal::FamiliarityOf(*model, run.context()).add(dataset, judged.prediction, run.context());
  refuse_if_interrupted();
  Probabilities(*model, probability).add(judged.prediction);
  const report::Place place = place_of(*model, options.decisions.prior(), judged.prediction);
  const report::Cost cost{stopwatch.seconds(), run.context().threads.count()};
  if (model->schema.task == data::Task::regression) {
    if (!options.confusion.empty()) refuse("--confusion: this model predicts numbers, which have no confusion matrix");
    report_regression(*model, dataset, judged.prediction, levels, options, cost,
                      effects_of(options.columns, *model, dataset, nullptr, seed, run), human);
    return exit_code::success;
  }
  const std::optional<conformal::Review> review = conformal::usual_review(*model, judged.prediction);
  report::Evaluated findings = findings_of(*model, dataset, judged, levels, review, options);
  add_decisions(*model, dataset, judged.prediction, {limits, by, place}, options, findings);
  findings.cost = cost;
  findings.columns = effects_of(options.columns, *model, dataset, nullptr, seed, run);
  const selection::NonconformityRule* rule = selection::nonconformity_rule(*model);
  const report::Story story =
      report::evaluation_story(findings, rule,
                               options.document.wanted() ? pictures_of(*model, dataset, judged.prediction, review, run)
                                                         : std::vector<report::Block>());
  show(story, report::evaluated_json(findings, rule), data::Task::classification, cost, options, human);
  if (!options.confusion.empty()) write_table(report::confusion_csv(findings.labels.confusion), options.confusion);
  for (const std::string& warning : findings.warnings) warn(warning);
  if (options.run.quiet) return exit_code::success;
  if (!conditional.empty()) note(conditional);
  note_probabilities(*model, probability, judged.prediction, place.any());
  if (place.any() && judged.prediction.probability.columns > 0)
    note(report::place_sentence(place, model->schema.classes));
  if (limits.any())
    note(report::limit_promise(limits, report::validity_sentence(*model, p_value_options(*model, options.p_values))));
  if (!findings.p_values || limits.any()) return exit_code::success;
  note_p_values(*model, options.p_values, judged.prediction, options.run.verbose);
  return exit_code::success;
}

namespace {

const char* const evaluate_footer =
    "Regressions: root mean squared and mean absolute error, R^2, the mean negative\n"
    "log density of the targets, and how many lie within 1.96 sd of the mean; with\n"
    "residuals of rows left out also coverage and width of the intervals.\n"
    "Relevance vector machines, and other models with --probability: log loss and\n"
    "Brier score of their probabilities.\n"
    "Models with p-values (conformal predictors, and models that carry margins of\n"
    "rows left out): the error and size of prediction sets. With --verbose and in\n"
    "JSON: mean confidence and credibility, ten criteria of efficiency\n"
    "(docs/conformal.md), calibration, and a test whether p-values of true classes\n"
    "are uniform (smoothed), or no smaller than uniform.\n"
    "Models that can have probabilities: the share of all errors in the tenth of rows\n"
    "that 'predict --review 0.1' marks; --report lists up to 20 of these rows.\n"
    "Models that keep training rows: how many rows are unlike these (familiarity at\n"
    "most 0.01 and 0.05); --json and --report list the least familiar ones.\n"
    "With --limit: for each class how many rows are missed, with an exact interval,\n"
    "and how many are decided. With --by: errors, misses and prediction sets of each\n"
    "group, with simultaneous exact intervals. With --prior: the error at other\n"
    "class shares. With --importance: which columns matter (docs/importance.md).\n"
    "More than 20 classes: the 20 largest confusions; --json and --confusion have\n"
    "all. Models of select --method nonconformity: the error of prediction sets, and\n"
    "of the rows decided at an eps_crit or below (error_by_eps_crit in --json); and\n"
    "the share of rows whose true class has a p-value of eps_crit or less. Bounds on\n"
    "this share of new rows do not bound the error (as_strange, docs/selection.md).\n\n"
    "Examples:\n"
    "  credence evaluate pima.credence test.csv\n"
    "  credence evaluate pima.credence test.csv --confidence-level 0.95\n"
    "  credence evaluate pima.credence test.csv --limit sick=0.02,well=0.1\n"
    "  credence evaluate pima.credence test.csv --by age,pregnant\n"
    "  credence evaluate pima.credence test.csv --json evaluation.json";

}  // namespace

Action add_evaluate(Command command) {
  const auto options = std::make_shared<EvaluateOptions>();
  command.argument("MODEL", &options->model, "a Credence model, or one of LIBSVM");
  command.argument("DATA", &options->data.path,
                   "labelled rows that were not used for training;\n"
                   "- is standard input");
  data::ReadOptions usual;
  core::Field label = core::named_fields(core::fields_of(usual), {"label"}).front();
  label.sentence = "column of classes or numbers, its name or position (by default the one of the model's training)";
  options->data.reading.add(command.group("Reading"), {label});
  command.group("Output").option("--confidence-level", &options->confidence_level, "LIST",
                                 "levels of prediction sets and intervals, for models\n"
                                 "with p-values and regressions with residuals: 0.99,\n"
                                 "0.95,0.9 (default; 0.95 for models of --method\n"
                                 "nonconformity) or 0.5:0.9:+0.1");
  add_document_options(command, options->document, "write the result as JSON; - is standard output");
  command.group("Output").option("--confusion", &options->confusion, "FILE",
                                 "write the confusion matrix as CSV, a line for each\n"
                                 "true class; - is standard output");
  command.group("Output")
      .option("--id", &options->ids, "COL",
              "a column of DATA that names the rows on the page\n(--report); may be repeated, or name several: A,B")
      .one_text()
      .not_empty();
  add_sentence_option(command, options->document);
  add_positive_option(command, options->positive);
  add_decision_options<conformal::LimitOptions>(command, options->decisions);
  add_decision_options<model::PriorOptions>(command, options->decisions);
  add_cost_option(command, options->decisions);
  command.group("Decisions")
      .option("--by", &options->by, "COLUMNS",
              "errors for each value of a column, or of columns\n"
              "together: sex,age=30:50,sex*age. Numbers are cut at\n"
              "quartiles, or where you say. The model need not use\n"
              "the columns")
      .not_empty();
  add_columns_options(command, options->columns);
  add_probability_options(command, options->probability);
  add_p_value_options(command, options->p_values);
  add_model_rows_options(command, options->data);
  add_run_options(command, options->run, false);
  add_verbose_option(command, options->run.verbose, "also criteria of efficiency, calibration, uniformity");
  command.footer(evaluate_footer);
  return [options] { return run_evaluate(*options); };
}

}  // namespace credence::cli
