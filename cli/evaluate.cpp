#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/core/version.hpp"
#include "output.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

constexpr double interval_delta = 0.05;

struct Evaluation {
  std::size_t n = 0;
  std::size_t errors = 0;
  bounds::Interval interval;
  std::vector<std::vector<std::size_t>> confusion;  ///< truth x prediction
};

Evaluation compare(const svm::SvmModel& model, const data::Dataset& dataset, const model::Prediction& prediction,
                   const std::string& source) {
  const std::size_t classes = model.schema.classes.size();
  Evaluation result;
  result.n = dataset.rows();
  result.confusion.assign(classes, std::vector<std::size_t>(classes, 0));
  for (std::size_t i = 0; i < result.n; ++i) {
    const int truth = dataset.labels[i];
    if (truth < 0) {
      throw Error(
          ErrorCode::invalid_data,
          fmt::format("row {} has a class that the model does not know; its classes are {}",
                      dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i], fmt::join(model.schema.classes, ", ")),
          {source, 0, {}});
    }
    const auto predicted = static_cast<std::size_t>(prediction.label[i]);
    ++result.confusion[static_cast<std::size_t>(truth)][predicted];
    if (static_cast<std::size_t>(truth) != predicted) ++result.errors;
  }
  result.interval = bounds::clopper_pearson(result.errors, result.n, interval_delta);
  return result;
}

std::size_t row_sum(const Evaluation& result, std::size_t truth) {
  std::size_t sum = 0;
  for (const std::size_t count : result.confusion[truth]) sum += count;
  return sum;
}

std::size_t column_sum(const Evaluation& result, std::size_t predicted) {
  std::size_t sum = 0;
  for (const auto& row : result.confusion) sum += row[predicted];
  return sum;
}

/// A share of nothing is not a number.
std::optional<double> share(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

double error_rate(const Evaluation& result) {
  return *share(result.errors, result.n);
}

std::string evaluation_table(const Evaluation& result, const std::vector<std::string>& classes) {
  std::string text = fmt::format("{:<12}{}\n", "rows", result.n);
  text += fmt::format("{:<12}{} = {}; exact 95 % interval {} to {}\n", "errors", result.errors,
                      percent(error_rate(result)), percent(result.interval.lower), percent(result.interval.upper));

  std::size_t name_width = 5;
  for (const std::string& name : classes) name_width = std::max(name_width, name.size());
  std::vector<std::size_t> widths;
  for (std::size_t b = 0; b < classes.size(); ++b) {
    widths.push_back(std::max<std::size_t>({classes[b].size(), fmt::formatted_size("{}", column_sum(result, b)), 3}));
  }
  const auto shown = [](const std::optional<double>& value) { return value ? percent(*value) : std::string("-"); };
  text += fmt::format("\n{:>{}} ", "truth", name_width + 2);
  for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", classes[b], widths[b]);
  text += fmt::format("  {:>9}  {:>9}\n", "recall", "precision");
  for (std::size_t a = 0; a < classes.size(); ++a) {
    text += fmt::format("  {:>{}} ", classes[a], name_width);
    for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", result.confusion[a][b], widths[b]);
    text += fmt::format("  {:>9}  {:>9}\n", shown(share(result.confusion[a][a], row_sum(result, a))),
                        shown(share(result.confusion[a][a], column_sum(result, a))));
  }
  return text + "  (columns: predicted)\n";
}

Json evaluation_json(const Evaluation& result, const EvaluateOptions& options, const svm::SvmModel& model) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json per_class = Json::array();
  for (std::size_t a = 0; a < model.schema.classes.size(); ++a) {
    per_class.push_back({{"class", model.schema.classes[a]},
                         {"n", row_sum(result, a)},
                         {"recall", number(share(result.confusion[a][a], row_sum(result, a)))},
                         {"precision", number(share(result.confusion[a][a], column_sum(result, a)))}});
  }
  return {{"n", result.n},
          {"errors", result.errors},
          {"error", error_rate(result)},
          {"interval",
           {{"lower", result.interval.lower},
            {"upper", result.interval.upper},
            {"confidence", 1 - interval_delta},
            {"method", "Clopper-Pearson"}}},
          {"classes", model.schema.classes},
          {"confusion", result.confusion},
          {"per_class", std::move(per_class)},
          {"model", options.model},
          {"source", options.data.path},
          {"version", version()}};
}

}  // namespace

int run_evaluate(const EvaluateOptions& options) {
  check_output(options.json, {options.model, options.data.path});
  read_options(options.data);  // finds wrong options before the model is loaded
  const Human human(options.run.quiet, options.json);
  Run run(options.run, false);
  const svm::SvmModel model = load_any_model(options.model);
  const data::Dataset dataset = read_for(model, options.data, options.run.quiet);
  if (!dataset.is_labelled()) {
    throw Error(ErrorCode::invalid_data, "there is no column of labels to compare with", {options.data.path, 0, {}});
  }
  if (dataset.rows() == 0) throw Error(ErrorCode::invalid_data, "there are no rows", {options.data.path, 0, {}});
  const model::Prediction prediction = model.predict(dataset, run.context());
  const Evaluation result = compare(model, dataset, prediction, options.data.path);
  human.print(evaluation_table(result, model.schema.classes));
  write_json(evaluation_json(result, options, model), options.json);
  return exit_code::success;
}

Action add_evaluate(CLI::App& app) {
  const auto options = std::make_shared<EvaluateOptions>();
  app.add_option("MODEL", options->model, "a Credence model, or one of LIBSVM")->required();
  app.add_option("DATA", options->data.path,
                 "labelled rows that were not used for training;\n"
                 "- is standard input")
      ->required();
  app.add_option("--json", options->json, "write the result as JSON; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  add_reading_options(app, options->data);
  add_run_options(app, options->run, false);
  app.footer(
      "Examples:\n"
      "  credence evaluate pima.credence test.csv\n"
      "  credence evaluate pima.credence test.csv --json evaluation.json");
  return [options] { return run_evaluate(*options); };
}

}  // namespace credence::cli
