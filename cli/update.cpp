#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/local.hpp"
#include "credence/core/version.hpp"
#include "credence/io/model_file.hpp"
#include "output.hpp"
#include "report/decisions/place_report.hpp"
#include "report/text.hpp"
#include "run.hpp"

namespace credence::cli {

using report::operator""_key;
namespace {

struct UpdateOptions : CommonFlags {
  std::string model;
  std::string output;
  std::string json;
  std::uint64_t seed = 0;
};

int run_update(const UpdateOptions& options) {
  check_output(options.output, {options.data.path});
  check_output(options.json, {options.model, options.data.path, options.output});
  read_options(options.data);
  const Human human(options.run.quiet, options.json);
  Run run(options.run, false);
  const std::unique_ptr<model::Predictor> model = load_any_model(options.model);
  const data::Dataset local = read_for(*model, options.data, options.run.quiet, options.run.threads);
  run.catch_signals();
  const conformal::LocalTest test = conformal::calibrate_locally(*model, local, options.seed, run.context());
  refuse_if_interrupted();
  human.print(report::update_table(model->schema.classes, test));
  if (!options.output.empty()) {
    io::save_model(*model, options.output);
    human.print(report::named_line("model", options.output + ": the same model, with p-values from the local rows"));
  }
  if (!options.json.empty()) {
    report::Json document = report::update_json(model->schema.classes, test);
    document.add("model"_key = options.model, "source"_key = options.data.path, "version"_key = version());
    write_document(std::move(document), {options.json, {}}, options.data.path);
  }
  if (options.run.quiet) return exit_code::success;
  for (const std::string& warning : report::update_warnings(model->schema.classes, test)) warn(warning);
  note_p_values(*model, {}, {}, options.run.verbose);
  return exit_code::success;
}

}  // namespace

Action add_update(Command command) {
  const auto options = std::make_shared<UpdateOptions>();
  command.argument("MODEL", &options->model, "a model with p-values");
  command.argument("LOCAL", &options->data.path, "labelled rows of the other data set; - is standard input");
  command.group("Output").option("-o,--output", &options->output, "FILE",
                                 "the model that compares with the local rows");
  command.group("Output").option("--json", &options->json, "FILE", "write the result as JSON; - is standard output");
  command.group("Decisions").option("--seed", &options->seed, "INT", "seed of the test's permutations (default: 0)");
  add_model_rows_options(command, options->data);
  add_run_options(command, options->run, false);
  command.footer(
      "Tests whether local rows are as strange as the rows that the model compares with,\n"
      "and makes p-values and probabilities rest on the local rows alone. The model,\n"
      "and so every label, stays as it is. The table says how many local rows each limit\n"
      "needs. Local rows must not be those of a later evaluation.\n\n"
      "Examples:\n"
      "  credence update cancer.credence hospital.csv -o hospital.credence\n"
      "  credence update cancer.credence hospital.csv --json test.json");
  return [options] { return run_update(*options); };
}

}  // namespace credence::cli
