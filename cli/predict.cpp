#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/core/atomic_file.hpp"
#include "output.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

std::string prediction_csv(const svm::SvmModel& model, const data::Dataset& dataset,
                           const model::Prediction& prediction) {
  std::string text = "row,label";
  for (const svm::BinaryMachine& machine : model.machines) text += ',' + csv_field(decision_name(model, machine));
  text += '\n';
  std::vector<std::string> spellings;
  for (const std::string& name : model.schema.classes) spellings.push_back(csv_field(name));
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    fmt::format_to(out, "{},{}", dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i],
                   spellings[static_cast<std::size_t>(prediction.label[i])]);
    for (const double decision : prediction.decision.row(i)) fmt::format_to(out, ",{}", decision);
    text += '\n';
  }
  return text;
}

}  // namespace

int run_predict(const PredictOptions& options) {
  check_output(options.output, {options.model, options.data.path});
  read_options(options.data);  // finds wrong options before the model is loaded
  Run run(options.run, false);
  const svm::SvmModel model = load_any_model(options.model);
  const data::Dataset dataset = read_for(model, options.data, options.run.quiet);
  const model::Prediction prediction = model.predict(dataset, run.context());
  const std::string text = prediction_csv(model, dataset, prediction);
  if (options.output.empty() || options.output == "-") {
    print(text);
  } else {
    core::write_atomically(options.output, text);
  }
  return exit_code::success;
}

Action add_predict(CLI::App& app) {
  const auto options = std::make_shared<PredictOptions>();
  app.add_option("MODEL", options->model, "a Credence model, or one of LIBSVM")->required();
  app.add_option("DATA", options->data.path,
                 "rows with the model's columns, labels or not;\n"
                 "- is standard input")
      ->required();
  app.add_option("-o,--output", options->output, "CSV: row,label,decision (default: standard output)")
      ->type_name("FILE")
      ->group("Output");
  add_reading_options(app, options->data);
  add_run_options(app, options->run, false);
  app.footer(
      "Columns: row, the number of the row in DATA; label; decision, positive for the\n"
      "second class of two; decision_A_vs_B, positive for A, with more classes.\n\n"
      "Examples:\n"
      "  credence predict pima.credence new.csv -o predictions.csv\n"
      "  zcat new.csv.gz | credence predict pima.credence -");
  return [options] { return run_predict(*options); };
}

}  // namespace credence::cli
