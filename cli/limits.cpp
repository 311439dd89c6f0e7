#include <fmt/format.h>

#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "output.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

struct LimitsOptions : CommonFlags {
  std::string model;
  std::string limits = report::usual_limits;
  DecisionRequest decisions;
  PValueOverrides p_values;
};

int run_limits(LimitsOptions options) {
  check_document_output(options.document, {options.model, options.data.path});
  read_options(options.data);
  const std::vector<double> levels = under_name("--limits", [&] {
    std::vector<double> limits = core::parse_list(options.limits);
    report::check_limits(limits);
    return limits;
  });
  const Human human(options.run.quiet, options.document.json);
  Run run(options.run, false);
  const std::unique_ptr<model::Predictor> model = load_any_model(options.model);
  options.p_values.imply("label_conditional", "true");
  // Whether the model can have limits at all.
  conformal::levels_of_limits(*model, std::vector<double>(model->schema.classes.size(), 0.0), std::nullopt);
  options.decisions.costs(model->schema.classes);  // refused before the rows are read
  const data::Dataset dataset = read_for(*model, options.data, options.run.quiet, options.run.threads);
  if (dataset.labels.empty() || dataset.rows() == 0)
    refuse_data("limits are weighed on rows with labels, and there are none", {options.data.path, 0, {}});
  model::Prediction prediction = predict_with_confidence(*model, dataset, options.p_values, run);
  if (options.decisions.prior() == "estimate" && prediction.probability.columns == 0)
    refuse("--prior estimate needs probabilities; evaluate --probability --prior estimate prints shares to name here");
  const report::Place place = place_of(*model, options.decisions.prior(), prediction);
  const report::DecisionCurve curve =
      report::decision_curve({model->schema.classes, conformal::compared_with(*model)}, prediction.p_value,
                             dataset.labels, levels, options.decisions.cost, place.shares);
  const std::string guarantee = report::validity_sentence(*model, p_value_options(*model, options.p_values));
  const report::Story story =
      report::limits_story(curve, guarantee, report::evaluated_rows(options.model, options.data.path));
  tell(story, report::curve_json(curve, guarantee, options.model, options.data.path), human, options.document,
       options.data.path);
  if (!options.run.quiet) note(report::limit_promise({}, guarantee));
  return exit_code::success;
}

}  // namespace

Action add_limits(Command command) {
  const auto options = std::make_shared<LimitsOptions>();
  command.argument("MODEL", &options->model, "a model with p-values");
  command.argument("DATA", &options->data.path, "labelled rows that were not used for training;\n- is standard input");
  command.group("Decisions")
      .option("--limits", &options->limits, "LIST",
              fmt::format("the limits that are tried for each class\n(default: {})", report::usual_limits));
  add_cost_option(command, options->decisions);
  add_decision_options<model::PriorOptions>(command, options->decisions);
  add_document_options(command, options->document, "write the result as JSON; - is standard output");
  add_sentence_option(command, options->document);
  add_p_value_options(command, options->p_values);
  add_model_rows_options(command, options->data);
  add_run_options(command, options->run, false);
  command.footer(
      "Prints the share of rows that each pair of limits decides (predict --limit), the\n"
      "smallest limits at which nobody is asked, and with --cost the limits of the least\n"
      "mean cost. --json and --report have the misses of each class too. With more than\n"
      "two classes, all have the same limit.\n\n"
      "Examples:\n"
      "  credence limits pima.credence test.csv --report limits.html\n"
      "  credence limits cancer.credence test.csv --cost malignant:benign=50,benign:malignant=1,ask=5");
  return [options] { return run_limits(*options); };
}

}  // namespace credence::cli
