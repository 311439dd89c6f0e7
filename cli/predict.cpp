#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/familiarity.hpp"
#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "credence/selection/ensemble.hpp"
#include "output.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/rows/prediction_columns.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

/// The decision values of a single model or several.
void add_decision_values(report::Columns& columns, const std::vector<std::string>& names,
                         const model::Prediction& prediction) {
  for (std::size_t m = 0; m < names.size(); ++m)
    report::add_numbers(columns, names[m],
                        [&prediction, m](std::size_t row) { return prediction.decision.row(row)[m]; });
}

/// The parameters of the model that was chosen for the row.
void add_chosen(report::Columns& columns, const model::Predictor& model, const model::Prediction& prediction) {
  if (prediction.chosen.empty()) return;
  for (model::ModelParameter& parameter : model.parameters()) {
    report::add_numbers(columns, parameter.name, [values = std::move(parameter.values), &prediction](std::size_t row) {
      return values[prediction.chosen[row]];
    });
  }
}

/// Limits of the share of new rows as strange as this one: the names say of what, as they limit no error of the row.
void add_limits(report::Columns& columns, const model::Prediction& prediction) {
  report::add_numbers(columns, "as_strange_at_most_vc", prediction.bound_vc);
  report::add_numbers(columns, "as_strange_at_most_dkw", prediction.bound_dkw);
  columns.push_back({"vacuous", [&](std::string& text, std::size_t row) {
                       const bool vc = prediction.bound_vc[row] >= 1;
                       const bool dkw = prediction.bound_dkw[row] >= 1;
                       text += vc && dkw ? "vc|dkw" : vc ? "vc" : dkw ? "dkw" : "";
                     }});
}

/// What was asked of decisions on all rows.
struct DecidingRows {
  report::LimitsAsked limits;
  report::ListOptions list;
  std::string prior;
  std::optional<conformal::ReviewRule> review{};
  bool only_marked = false;

  static DecidingRows of(const model::Predictor& model, const PredictOptions& options) {
    DecidingRows deciding{report::LimitsAsked::of(model, options.decisions.asked<conformal::LimitOptions>()),
                          options.decisions.asked<report::ListOptions>(), options.decisions.prior()};
    const conformal::ReviewOptions review = options.decisions.review();
    deciding.only_marked = !review.only.empty();
    if (!review.review.empty())
      under_name("--review",
                 [&] { deciding.review = conformal::ReviewRule::of(model, review.review, deciding.limits.levels); });
    report::check_list(model, deciding.list, p_value_options(model, options.p_values));
    return deciding;
  }
  /// Whether the result for a row depends on the other rows.
  bool of_all_rows() const {
    return report::wants_list(list) || prior == "estimate" || only_marked || (review && review->share);
  }
};

/// All that a prediction has. The arguments must outlive the columns.
report::Columns prediction_columns(const model::Predictor& model, const model::Prediction& prediction,
                                   const report::Intervals& intervals, const std::vector<double>& levels,
                                   const report::LimitsAsked& limits, const report::RowList& list,
                                   const conformal::Review& review) {
  report::Columns columns;
  if (model.schema.task == data::Task::regression) {
    report::add_numbers(columns, "mean", prediction.mean);
    report::add_numbers(columns, "sd", prediction.sd);
    if (!list.found.empty()) report::add_found(columns, list);
    if (model.known_rows.rows() > 0) report::add_numbers(columns, "familiarity", prediction.familiarity);
    report::add_intervals(columns, intervals, levels);
    return columns;
  }
  report::add_labels(columns, model.schema.classes, prediction);
  if (limits.any()) report::add_decisions(columns, model.schema.classes, prediction, limits);
  if (!list.found.empty()) report::add_found(columns, list);
  if (!review.reasons.empty()) report::add_review(columns, review);
  add_decision_values(columns, model.decision_names(), prediction);
  report::add_probabilities(columns, model.schema.classes, prediction);
  if (!prediction.eps_crit.empty()) report::add_numbers(columns, "eps_crit", prediction.eps_crit);
  add_chosen(columns, model, prediction);
  if (has_p_values(model) && !prediction.confidence.empty()) {
    report::add_numbers(columns, "confidence", prediction.confidence);
    report::add_numbers(columns, "credibility", prediction.credibility);
  }
  if (model.known_rows.rows() > 0) report::add_numbers(columns, "familiarity", prediction.familiarity);
  if (!has_p_values(model)) return columns;
  report::add_prediction_sets(columns, model.schema.classes, prediction, levels);
  if (model.capabilities().p_values == model::PValueSource::nonconformity) add_limits(columns, prediction);
  report::add_p_values(columns, model.schema.classes, prediction);
  return columns;
}

/// What the notes at the end say of all rows.
class Summary {
 public:
  void add(const data::Dataset& block, model::Prediction prediction) {
    const auto all_vacuous = [](const std::vector<double>& limits) {
      return !limits.empty() && std::ranges::all_of(limits, [](double limit) { return limit >= 1; });
    };
    rows_ += block.rows();
    if (!block.file_rows.empty()) last_row_ = block.file_rows.back();
    vacuous_vc_ = (vacuous_vc_ || first_) && all_vacuous(prediction.bound_vc);
    vacuous_dkw_ = (vacuous_dkw_ || first_) && all_vacuous(prediction.bound_dkw);
    if (prediction.solver_cost && last_.solver_cost) {
      prediction.solver_cost->problems += last_.solver_cost->problems;
      prediction.solver_cost->unchanged += last_.solver_cost->unchanged;
      prediction.solver_cost->steps += last_.solver_cost->steps;
      prediction.solver_cost->factorisations += last_.solver_cost->factorisations;
    }
    last_ = std::move(prediction);
    first_ = false;
  }

  std::size_t rows() const { return rows_; }
  std::size_t last_row() const { return last_row_; }

  void add_decisions(const model::Prediction& prediction, const report::LimitsAsked& limits) {
    for (const int decision : conformal::decide(prediction.p_value, limits.levels))
      decided_ += decision != conformal::ask ? 1 : 0;
  }
  void note_decisions() const {
    note(fmt::format("{} decided; the others go to a person", report::decided_sentence(decided_, rows_)));
  }
  /// Of the last block, with the solver's work for all blocks.
  const model::Prediction& last() const { return last_; }

  /// Limits from 1 on say nothing; that is worth a note where it holds for every row.
  void note_vacuous_limits(const model::Predictor& model) const {
    const auto* rule = selection::nonconformity_rule(model);
    if (rule == nullptr || (!vacuous_vc_ && !vacuous_dkw_)) return;
    note(fmt::format("every as_strange_at_most_{} is vacuous (>= 1) with {}",
                     vacuous_vc_ && vacuous_dkw_ ? "vc and as_strange_at_most_dkw"
                     : vacuous_vc_               ? "vc"
                                                 : "dkw",
                     report::count_of(rule->validation_rows(), "validation row")));
  }

 private:
  std::size_t rows_ = 0;
  std::size_t last_row_ = 0;
  std::size_t decided_ = 0;
  bool first_ = true;
  bool vacuous_vc_ = false;
  bool vacuous_dkw_ = false;
  model::Prediction last_;
};

void note_draws(const model::Predictor& model) {
  const model::Capabilities able = model.capabilities();
  if (able.models && able.drawing_seed)
    note(fmt::format("each row is predicted by one of {} classifiers, drawn with seed {}", *able.models,
                     *able.drawing_seed));
}

/// Rows that are predicted at a time: all at once where ties that are drawn at random depend on the row's place, and
/// where a list or an estimate is of all rows.
std::size_t rows_of_block(const model::Predictor& model, const DecidingRows& deciding, std::size_t asked) {
  const auto* rule = selection::nonconformity_rule(model);
  const bool by_place = rule != nullptr && rule->options().tie == selection::Tie::random;
  return by_place || deciding.of_all_rows() ? std::numeric_limits<std::size_t>::max() : asked;
}

/// Says what all rows have in common, once they are written.
void note_rows(const PredictOptions& options, const model::Predictor& model, const DecidingRows& deciding,
               const std::optional<model::ProbabilityOptions>& probability, const Summary& summary,
               const report::Place& place, const report::RowList& list) {
  note_dropped(model, summary.last_row(), summary.rows());
  summary.note_vacuous_limits(model);
  note_draws(model);
  note_probabilities(model, probability, summary.last(), place.any());
  if (place.any()) note(report::place_sentence(place, model.schema.classes));
  if (!list.sentence.empty()) note(list.sentence);
  if (has_p_values(model) && !deciding.review && model::missing_for_probabilities(model).empty())
    note(
        "confidence and credibility are not the probability of being right, which --probability estimates; --review "
        "marks the rows most worth a look");
  if (!deciding.limits.any()) return note_p_values(model, options.p_values, summary.last(), options.run.verbose);
  summary.note_decisions();
  note(report::limit_promise(deciding.limits,
                             report::validity_sentence(model, p_value_options(model, options.p_values))));
}

constexpr const char* columns_and_examples =
    "Columns: row, the number of the row in DATA (file_row if DATA has a column row);\n"
    "  the columns of --id or --append as they stand; label; then what the model has.\n"
    "  A prediction's column whose name is taken gets the prefix predicted_.\n"
    "With --limit: decision, the only class that is not ruled out, or ask.\n"
    "  With --find or --unfamiliar: found, yes or no.\n"
    "  With --review: review, why the row is worth a look (between classes, fits no\n"
    "  class, unlike the training rows), empty in the other rows; and the columns of\n"
    "  --probability, by which rows are marked (docs/cases/review-list.md).\n"
    "A single SVM: decision_value, positive for the second class of two; with more\n"
    "  decision_value_A_vs_B, positive for A, or decision_value_A_vs_rest.\n"
    "A relevance vector machine: decision_value, or decision_value_A_vs_rest;\n"
    "  probability_CLASS; moderated_CLASS, this probability moved towards even odds\n"
    "  where weights are uncertain. A regression has no label, but mean and sd, the\n"
    "  standard deviation of a new observation; with residuals of rows left out\n"
    "  (select --method cv; select and train --folds) lower_LEVEL and upper_LEVEL, an\n"
    "  interval that misses the target with probability near 1 - LEVEL.\n"
    "familiarity, of models that keep training rows: the p-value of a row being\n"
    "  like these, by distances alone; about 1 in 100 rows like these has at most\n"
    "  0.01.\n"
    "Models with margins of rows left out (select --method cv, loo, bootstrap or\n"
    "  holdout; train --folds) and conformal predictors: confidence, 1 - the largest\n"
    "  p-value of the other classes; credibility, the p-value of the label. Neither\n"
    "  is the probability of being right: confidence is high in most rows, wrong ones\n"
    "  too; credibility lies anywhere in (0, 1] in right ones, about 0.5 on average;\n"
    "  set_LEVEL, the classes with a p-value above 1 - LEVEL, joined by | (empty: no\n"
    "  class fits, a doubtful row); p_CLASS, the p-value of each class.\n"
    "  With --probability: probability_CLASS; of venn_abers probability_lower_CLASS\n"
    "  and probability_upper_CLASS too. The most probable class is the label.\n"
    "Models of select --method nonconformity: eps_crit, the smallest level at which\n"
    "  one class is left; C (or nu) and gamma (or k) of the model chosen for the row;\n"
    "  confidence; credibility; set_LEVEL; p_CLASS; as_strange_at_most_vc and _dkw,\n"
    "  upper bounds on the share of new rows whose true class has p-value eps_crit or\n"
    "  less under that model. They do not bound the error of this row, and say\n"
    "  nothing from 1 on; vacuous names those that say nothing.\n"
    "Models of select --final random: chosen, the number (from 1) of the classifier\n"
    "  drawn for the row; the draw depends on its features and the selection's seed.\n"
    "Models of select --method max-margin: C (or nu) and gamma of the model chosen.\n\n"
    "Examples:\n"
    "  credence predict pima.credence new.csv -o predictions.csv\n"
    "  credence predict pima.credence new.csv --id patient --confidence-level 0.99\n"
    "  credence predict pima.credence new.csv --limit sick=0.02,well=0.1\n"
    "  credence predict pima.credence new.csv --review 0.1 --only review --id patient\n"
    "  credence predict pima.credence new.csv --append -o new_with_labels.csv\n"
    "  credence predict pima.credence new.csv --probability --calibration venn_abers\n"
    "  zcat new.csv.gz | credence predict pima.credence -";

data::ReadOptions reading_of(const model::Predictor& model, const PredictOptions& options) {
  data::ReadOptions reading = read_options_for(model, options.data);
  reading.threads = options.run.threads;
  reading.texts = options.ids;
  reading.all_texts = options.append;
  return reading;
}

/// Says where predictions end that went to standard output, and throws the error on that is being handled.
[[noreturn]] void end_after(const Error& error, const Summary& summary, const TableOutput& output) {
  if (summary.rows() == 0 || !output.to_standard_output()) throw;
  note(fmt::format("the output ends after {}", report::count_of(summary.rows(), "row")));
  if (error.code() == ErrorCode::interrupted) throw Error(ErrorCode::interrupted, "interrupted");
  throw;
}

}  // namespace

int run_predict(PredictOptions options) {
  check_output(options.output, {options.model, options.data.path});
  if (options.block < 1) refuse("--block: a block has at least 1 row");
  read_options(options.data);  // finds wrong options before the model is loaded
  const std::vector<double> asked = parse_confidence_levels(options.confidence_level);
  const bool reviews = options.decisions.described.given("review");
  options.probability.wanted = options.probability.wanted || reviews;
  const std::optional<model::ProbabilityOptions> probability = options.probability.options();
  Run run(options.run, false);
  const std::unique_ptr<model::Predictor> model = load_any_model(options.model);
  options.decisions.check_task(*model);
  const std::string conditional = options.decisions.make_label_conditional(*model, options.p_values);
  const DecidingRows deciding = DecidingRows::of(*model, options);
  const std::vector<double> levels = levels_asked(*model, asked);
  data::RowReader reader(options.data.path, reading_of(*model, options));
  const std::size_t block_rows = rows_of_block(*model, deciding, options.block);
  TableOutput output(options.output);
  Summary summary;
  report::RowWarnings warnings(*model, p_value_options(*model, options.p_values), levels);
  check_overrides(*model, options.p_values);
  const conformal::ConfidentPredictor confident(*model, p_value_options(*model, options.p_values));
  const conformal::FamiliarityOf familiarity(*model, run.context());
  Probabilities probabilities(*model, probability);
  report::Place place;
  report::RowList list;
  conformal::Review review;
  std::vector<conformal::ReviewReason> reasons;  // of all rows
  std::optional<conformal::CrossRegression> regression;
  if (model->capabilities().intervals) regression = conformal::regression_of(*model);
  std::string names;  // of the columns
  report::TableStyle style = options.style;
  try {
    while (const std::optional<data::Dataset> block = reader.next(block_rows)) {
      give_notes(*block, options.run.quiet);
      if (block->rows() == 0) continue;  // all of its rows are left out
      run.catch_signals();               // not before: the first block may come late, and Ctrl-C then ends the process
      model::Prediction prediction = confident.predict(*block, run.context());
      familiarity.add(*block, prediction, run.context());
      refuse_if_interrupted();
      probabilities.add(prediction);
      if (!deciding.prior.empty() && prediction.probability.columns == 0)
        refuse("--prior moves probabilities to other class shares; add --probability");
      place = place_of(*model, deciding.prior, prediction);
      if (report::wants_list(deciding.list)) list = report::row_list(*model, deciding.list, prediction);
      if (deciding.limits.any()) summary.add_decisions(prediction, deciding.limits);
      if (deciding.review) review = conformal::review(prediction, *deciding.review);
      reasons.insert(reasons.end(), review.reasons.begin(), review.reasons.end());
      const report::Intervals intervals = report::intervals_of(regression, prediction, levels);
      report::Columns columns =
          prediction_columns(*model, prediction, intervals, levels, deciding.limits, list, review);
      report::add_texts(columns, *block);
      if (names.empty()) {
        if (options.append || !options.ids.empty()) style.written = reader.written();
        output.write(report::table_head(columns, style));
        names = report::column_names(columns, block->texts.size());
      }
      output.write(deciding.only_marked ? report::table_rows(*block, columns, style, review.rows)
                                        : report::table_rows(*block, columns, style));
      warnings.add(*block, prediction);
      summary.add(*block, std::move(prediction));
    }
  } catch (const Error& error) {
    end_after(error, summary, output);
  }
  output.finish();
  for (const std::string& warning : warnings.sentences()) warn(warning);
  for (const std::string& warning : report::limit_warnings(report::ComparedRows::of(*model), deciding.limits))
    warn(warning);
  if (options.run.quiet) return exit_code::success;
  if (!output.to_standard_output())
    note(fmt::format("{}: {} written, with columns {}", options.output,
                     report::count_of(deciding.only_marked ? review.rows.size() : summary.rows(), "row"), names));
  if (deciding.review) note(report::review_sentence(reasons));
  if (!conditional.empty()) note(conditional);
  note_rows(options, *model, deciding, probability, summary, place, list);
  return exit_code::success;
}

Action add_predict(Command command) {
  const auto options = std::make_shared<PredictOptions>();
  command.argument("MODEL", &options->model, "a Credence model, or one of LIBSVM");
  command.argument("DATA", &options->data.path,
                   "rows with the model's columns, labels or not;\n"
                   "- is standard input");
  command.group("Output").option("--confidence-level", &options->confidence_level, "LIST",
                                 "levels of prediction sets, for models with p-values,\n"
                                 "and intervals, for regressions with residuals: 0.95\n"
                                 "(default), 0.99,0.9 or 0.5:0.9:+0.1");
  command.group("Output").option("-o,--output", &options->output, "FILE", "CSV (default: standard output)");
  command.group("Output")
      .option("--id", &options->ids, "COL",
              "a column of DATA that stands before the\n"
              "predictions; may be repeated, or name several: A,B;\n"
              "separator and decimal sign stay those of DATA")
      .one_text()
      .not_empty()
      .excludes(command.group("Output").flag("--append", &options->append,
                                             "all columns of DATA stand before the predictions,\n"
                                             "written as with --id"));
  command.group("Output").option("--block", &options->block, "INT",
                                 "rows that are read, predicted and written at a time\n"
                                 "(default: 10000); the output does not depend on it");
  add_fields(command.group("Output"), core::fields_of(options->style));
  add_decision_options<conformal::LimitOptions>(command, options->decisions);
  add_decision_options<report::ListOptions>(command, options->decisions);
  add_decision_options<conformal::ReviewOptions>(command, options->decisions);
  add_decision_options<model::PriorOptions>(command, options->decisions);
  add_probability_options(command, options->probability);
  add_p_value_options(command, options->p_values);
  add_model_rows_options(command, options->data);
  add_run_options(command, options->run, false);
  add_verbose_option(command, options->run.verbose, "also the work of the solver for each row");
  command.footer(columns_and_examples);
  return [options] { return run_predict(*options); };
}

}  // namespace credence::cli
