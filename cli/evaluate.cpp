#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/core/version.hpp"
#include "credence/selection/bound_curve.hpp"
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
  std::vector<selection::BoundPoint> curve;         ///< of models with bounds
  std::vector<selection::RegionCounts> regions;     ///< of models with p-values, for each level
};

Evaluation compare(const model::Predictor& model, const data::Dataset& dataset, const model::Prediction& prediction,
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

void add_regions(const data::Dataset& dataset, const model::Prediction& prediction, const std::vector<double>& levels,
                 Evaluation& result) {
  if (levels.empty()) return;
  result.curve = selection::bound_curve(prediction, dataset.labels);
  for (const double eps : levels) {
    result.regions.push_back(selection::count_regions(prediction, dataset.labels, eps));
  }
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

/// A share of nothing is a dash.
std::string shown(const std::optional<double>& value) {
  return value ? percent(*value) : std::string("-");
}

std::string regions_table(const std::vector<selection::RegionCounts>& regions) {
  std::string text = fmt::format("\n{:>11}  {:>9}  {:>8}  {:>8}  {:>8}  {:>15}\n", "regions eps", "error", "empty",
                                 "single", "multiple", "error of single");
  for (const selection::RegionCounts& counts : regions) {
    text += fmt::format("{:>11}  {:>9}  {:>8}  {:>8}  {:>8}  {:>15}\n", counts.eps,
                        percent(*share(counts.errors, counts.rows)), counts.empty, counts.single, counts.multiple,
                        shown(share(counts.single_errors, counts.single)));
  }
  return text + "  (error: the true class is not in the region)\n";
}

/// At most eight points of the curve, the last among them.
std::string curve_table(const std::vector<selection::BoundPoint>& curve) {
  constexpr std::size_t most = 8;
  const auto bound = [](double value) { return value >= 1 ? std::string(">= 1") : fmt::format("{:.3f}", value); };
  std::string text = fmt::format("\n{:>11}  {:>8}  {:>8}  {:>8}  {:>9}\n", "eps_crit <=", "VC", "DKW", "rows", "error");
  const std::size_t shown = std::min(most, curve.size());
  for (std::size_t line = 0; line < shown; ++line) {
    const selection::BoundPoint& point = curve[(line + 1) * curve.size() / shown - 1];
    text += fmt::format("{:>11.3f}  {:>8}  {:>8}  {:>8}  {:>9}\n", point.eps_crit, bound(point.bound_vc),
                        bound(point.bound_dkw), point.rows, percent(point.error()));
  }
  return text + "  (VC, DKW: bounds; from 1 on they say nothing)\n";
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
  text += fmt::format("\n{:>{}} ", "truth", name_width + 2);
  for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", classes[b], widths[b]);
  text += fmt::format("  {:>9}  {:>9}\n", "recall", "precision");
  for (std::size_t a = 0; a < classes.size(); ++a) {
    text += fmt::format("  {:>{}} ", classes[a], name_width);
    for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", result.confusion[a][b], widths[b]);
    text += fmt::format("  {:>9}  {:>9}\n", shown(share(result.confusion[a][a], row_sum(result, a))),
                        shown(share(result.confusion[a][a], column_sum(result, a))));
  }
  text += "  (columns: predicted)\n";
  if (!result.regions.empty()) text += regions_table(result.regions);
  if (!result.curve.empty()) text += curve_table(result.curve);
  return text;
}

Json curve_json(const std::vector<selection::BoundPoint>& curve) {
  Json points = Json::array();
  for (const selection::BoundPoint& point : curve) {
    points.push_back({{"eps_crit", point.eps_crit},
                      {"bound_vc", point.bound_vc},
                      {"bound_dkw", point.bound_dkw},
                      {"n", point.rows},
                      {"errors", point.errors},
                      {"error", point.error()}});
  }
  return points;
}

Json regions_json(const std::vector<selection::RegionCounts>& regions) {
  Json levels = Json::array();
  for (const selection::RegionCounts& counts : regions) {
    const auto single_error = share(counts.single_errors, counts.single);
    levels.push_back({{"eps", counts.eps},
                      {"n", counts.rows},
                      {"errors", counts.errors},
                      {"error", *share(counts.errors, counts.rows)},
                      {"empty", counts.empty},
                      {"single", counts.single},
                      {"multiple", counts.multiple},
                      {"single_errors", counts.single_errors},
                      {"single_error", single_error ? Json(*single_error) : Json(nullptr)}});
  }
  return levels;
}

/// What the bounds and regions of a nonconformity model rest on, and what they came to on these rows.
void add_nonconformity_json(const Evaluation& result, const model::Predictor& model, Json& document) {
  const selection::NonconformityRule* rule = nonconformity_rule(model);
  if (rule == nullptr) return;
  document["models"] = rule->models();
  document["validation_rows"] = rule->validation_rows();
  document["delta"] = rule->options().delta;
  document["p_value"] = word(rule->options().p_value);
  document["tie"] = word(rule->options().tie);
  document["error_versus_bound"] = curve_json(result.curve);
  document["regions"] = regions_json(result.regions);
}

Json evaluation_json(const Evaluation& result, const EvaluateOptions& options, const model::Predictor& model) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json per_class = Json::array();
  for (std::size_t a = 0; a < model.schema.classes.size(); ++a) {
    per_class.push_back({{"class", model.schema.classes[a]},
                         {"n", row_sum(result, a)},
                         {"recall", number(share(result.confusion[a][a], row_sum(result, a)))},
                         {"precision", number(share(result.confusion[a][a], column_sum(result, a)))}});
  }
  Json document = {{"n", result.n},
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
  add_nonconformity_json(result, model, document);
  return document;
}

}  // namespace

int run_evaluate(const EvaluateOptions& options) {
  check_output(options.json, {options.model, options.data.path});
  read_options(options.data);  // finds wrong options before the model is loaded
  const std::vector<double> asked = parse_eps(options.eps);
  const Human human(options.run.quiet, options.json);
  Run run(options.run, false);
  const std::unique_ptr<model::Predictor> model = load_any_model(options.model);
  const std::vector<double> levels = eps_levels(*model, asked);
  const data::Dataset dataset = read_for(*model, options.data, options.run.quiet);
  if (!dataset.is_labelled()) {
    throw Error(ErrorCode::invalid_data, "there is no column of labels to compare with", {options.data.path, 0, {}});
  }
  if (dataset.rows() == 0) throw Error(ErrorCode::invalid_data, "there are no rows", {options.data.path, 0, {}});
  const model::Prediction prediction = predict_rows(*model, dataset, run);
  Evaluation result = compare(*model, dataset, prediction, options.data.path);
  add_regions(dataset, prediction, levels, result);
  human.print(evaluation_table(result, model->schema.classes));
  write_json(evaluation_json(result, options, *model), options.json);
  return exit_code::success;
}

Action add_evaluate(CLI::App& app) {
  const auto options = std::make_shared<EvaluateOptions>();
  app.add_option("MODEL", options->model, "a Credence model, or one of LIBSVM")->required();
  app.add_option("DATA", options->data.path,
                 "labelled rows that were not used for training;\n"
                 "- is standard input")
      ->required();
  app.add_option("--label", options->data.label,
                 "column of classes, name or number (default: the one\n"
                 "that the model was trained with)")
      ->type_name("COL")
      ->group("Reading");
  app.add_option("--eps", options->eps,
                 "significance levels of regions, for models with\n"
                 "p-values: 0.05 (default), 0.01,0.1 or 0.1:0.5:+0.1")
      ->type_name("LIST")
      ->group("Output");
  app.add_option("--json", options->json, "write the result as JSON; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  add_reading_options(app, options->data);
  add_run_options(app, options->run, false);
  app.footer(
      "Models of select --method nonconformity: the error of prediction regions, and\n"
      "of the rows whose bound is at most a value (error_versus_bound in --json).\n\n"
      "Examples:\n"
      "  credence evaluate pima.credence test.csv\n"
      "  credence evaluate pima.credence test.csv --json evaluation.json");
  return [options] { return run_evaluate(*options); };
}

}  // namespace credence::cli
