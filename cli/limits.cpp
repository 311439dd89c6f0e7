#include <fmt/format.h>

#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"
#include "output.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "run.hpp"

namespace credence::cli {

using report::operator""_key;
namespace {

struct LimitsOptions {
  std::string model;
  DataOptions data;
  RunOptions run;
  std::string limits = "0.005,0.01,0.02,0.05,0.1,0.2,0.3,0.5";
  DecisionRequest decisions;
  PValueOverrides p_values;
  DocumentOutput document;
};

std::vector<double> levels_of(const LimitsOptions& options) {
  std::vector<double> levels;
  for (const double level : under_name("--limits", [&] { return core::parse_list(options.limits); })) {
    if (!(level >= 0 && level < 1)) refuse(fmt::format("--limits: a limit must lie in [0, 1), not {}", level));
    levels.push_back(level);
  }
  constexpr std::size_t most = 100;
  if (levels.size() > most) refuse(fmt::format("--limits: at most {} limits are tried, not {}", most, levels.size()));
  return levels;
}

int run_limits(LimitsOptions options) {
  check_document_output(options.document, {options.model, options.data.path});
  read_options(options.data);
  const std::vector<double> levels = levels_of(options);
  const Human human(options.run.quiet, options.document.json);
  Run run(options.run, false);
  const std::unique_ptr<model::Predictor> model = load_any_model(options.model);
  options.p_values.imply("label_conditional", "true");
  // Whether the model can have limits at all.
  conformal::levels_of_limits(*model, std::vector<double>(model->schema.classes.size(), 0.0), std::nullopt);
  const std::optional<model::DecisionCosts> costs = options.decisions.costs(model->schema.classes);
  const data::Dataset dataset = read_for(*model, options.data, options.run.quiet, options.run.threads);
  if (dataset.labels.empty() || dataset.rows() == 0)
    refuse_data("limits are weighed on rows with labels, and there are none", {options.data.path, 0, {}});
  model::Prediction prediction = predict_with_confidence(*model, dataset, options.p_values, run);
  const report::Place place = place_of(*model, options.decisions.prior(), prediction);
  report::DecisionCurve curve = report::decision_curve(*model, prediction.p_value, dataset.labels, levels,
                                                       costs ? &*costs : nullptr, place.shares);
  curve.costs = options.decisions.cost;
  const std::string guarantee = report::validity_sentence(*model, p_value_options(*model, options.p_values));
  const report::Story story =
      report::limits_story(curve, guarantee, report::evaluated_rows(options.model, options.data.path));
  report::Json document = report::curve_json(curve);
  document.add("guarantee"_key = guarantee, "model"_key = options.model, "source"_key = options.data.path,
               "version"_key = version());
  tell(story, std::move(document), human, options.document, options.data.path);
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
              "the limits that are tried for each class\n"
              "(default: 0.005,0.01,0.02,0.05,0.1,0.2,0.3,0.5)");
  add_cost_option(command, options->decisions);
  add_place_options(command, options->decisions);
  add_document_options(command, options->document, "write the result as JSON; - is standard output");
  add_sentence_option(command, options->document);
  add_p_value_options(command, options->p_values);
  add_model_rows_options(command, options->data);
  add_run_options(command, options->run, false);
  command.footer(
      "Prints the share of rows that each pair of limits decides (predict --limit), the\n"
      "smallest limits at which nobody is asked, and with --cost the limits of the least\n"
      "mean cost. --json and --report have the misses of each class too. Of more than two\n"
      "classes, all have the same limit.\n\n"
      "Examples:\n"
      "  credence limits pima.credence test.csv --report limits.html\n"
      "  credence limits cancer.credence test.csv --cost malignant:benign=50,benign:malignant=1,ask=5");
  return [options] { return run_limits(*options); };
}

}  // namespace credence::cli
