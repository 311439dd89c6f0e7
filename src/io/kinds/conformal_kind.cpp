#include <stdexcept>
#include <utility>

#include "credence/conformal/inductive.hpp"
#include "credence/conformal/measure.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/core/error.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"
#include "neighbours/search/family.hpp"

namespace credence::io {
namespace {

using conformal::CalibratedClassifier;
using conformal::ConformalPredictor;
using conformal::Inductive;
using conformal::Machine;
using conformal::TransductiveNeighbours;
using conformal::TransductiveSvm;

void throw_problem(const std::string& problem) {
  if (!problem.empty()) throw std::runtime_error(problem);
}

/// More neighbours than rows are never fitted, and would ask for tables of that width.
std::string check_neighbour_count(const model::ClassifierFamily& classifier) {
  bool fits = true;
  visit_as<neighbours::NeighbourFamily>(classifier, [&](const neighbours::NeighbourFamily& nearest) {
    fits = static_cast<std::size_t>(nearest.k.back()) <= nearest.labels.size();
  });
  return fits ? "" : "its number of neighbours is larger than that of its rows";
}

/// Rows of a transductive machine. The machines themselves check when they are made that options, labels, distances and
/// coefficients fit together.
std::string check_known(const data::Features& rows, const std::vector<int>& labels, std::size_t columns) {
  return labels.empty() ? "it has no rows" : check_features(rows, labels.size(), columns);
}

/// @param columns  of the preprocessed rows, for each part
std::string check_parts(const std::vector<CalibratedClassifier>& parts, std::size_t classes,
                        const std::vector<std::size_t>& columns) {
  if (columns.size() != 1 && columns.size() != parts.size()) return "its folds are not those of the preprocessing";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const CalibratedClassifier& part = parts[k];
    std::string problem = check_classifiers(*part.classifier, classes, columns[columns.size() == 1 ? 0 : k]);
    if (problem.empty()) problem = check_neighbour_count(*part.classifier);
    if (problem.empty())
      problem = check_region_numbers(part.region_of, part.labels.size(), part.classifier->region_count());
    if (!problem.empty()) return problem;
  }
  return {};
}

json to_json(const TransductiveNeighbours& machine) {
  const TransductiveNeighbours::State state = machine.state();
  json document{{"type", "neighbours"},
                {"measure", machine.options().measure.name},
                {"k", machine.options().k},
                {"metric", core::word(machine.options().metric)},
                {"rows", features_to_json(state.rows)},
                {"labels", pack<std::int32_t>(state.labels)},
                {"own", matrix_to_json(state.own)},
                {"other", matrix_to_json(state.other)}};
  if (!state.weights.empty()) document["weights"] = pack<double>(state.weights);
  return document;
}

std::shared_ptr<const Machine> neighbours_from(const json& document, std::size_t classes, std::size_t columns) {
  conformal::NeighbourOptions options;
  options.measure = conformal::neighbour_measure(document.at("measure").get<std::string>());
  options.k = number<int>(document, "k");
  options.metric = core::parse_word<neighbours::Metric>(document.at("metric").get<std::string>());
  TransductiveNeighbours::State state;
  state.rows = features_from(document.at("rows"));
  state.labels = unpack<std::int32_t, int>(document, "labels");
  state.own = matrix_from(document.at("own"));
  state.other = matrix_from(document.at("other"));
  if (document.contains("weights")) state.weights = unpack<double, double>(document, "weights");
  throw_problem(check_known(state.rows, state.labels, columns));
  return std::make_shared<TransductiveNeighbours>(std::move(state), classes, options);
}

json to_json(const TransductiveSvm& machine) {
  const TransductiveSvm::State state = machine.state();
  const conformal::TransductiveSvmOptions& options = machine.options();
  json beta = json::array();
  for (const std::vector<double>& one : state.beta) beta.push_back(pack<double>(one));
  json document{{"type", "svm"},
                {"C", options.C},
                {"kernel", kernel_to_json(options.kernel)},
                {"tolerance", options.solver.tolerance},
                {"max_steps", options.solver.max_steps},
                {"newton", options.solver.newton},
                {"newton_max_free", options.solver.newton_max_free},
                {"shrinking", options.solver.shrinking},
                {"rows", features_to_json(state.rows)},
                {"labels", pack<std::int32_t>(state.labels)},
                {"beta", std::move(beta)}};
  if (!state.weights.empty()) document["weights"] = pack<double>(state.weights);
  return document;
}

std::shared_ptr<const Machine> svm_from(const json& document, std::size_t classes, std::size_t columns) {
  conformal::TransductiveSvmOptions options;
  options.C = number<double>(document, "C");
  options.kernel = kernel_from(document.at("kernel"));
  options.solver.tolerance = number<double>(document, "tolerance");
  options.solver.max_steps = number<std::uint64_t>(document, "max_steps");
  options.solver.newton = document.at("newton").get<bool>();
  options.solver.newton_max_free = number<std::size_t>(document, "newton_max_free");
  options.solver.shrinking = document.at("shrinking").get<bool>();
  TransductiveSvm::State state;
  state.rows = features_from(document.at("rows"));
  state.labels = unpack<std::int32_t, int>(document, "labels");
  for (const json& one : document.at("beta")) state.beta.push_back(unpack<double, double>(json{{"beta", one}}, "beta"));
  if (document.contains("weights")) state.weights = unpack<double, double>(document, "weights");
  throw_problem(check_known(state.rows, state.labels, columns));
  const core::Threads threads;
  core::Monitor monitor;
  return std::make_shared<TransductiveSvm>(std::move(state), classes, options, core::Context{threads, monitor});
}

json to_json(const Inductive& machine) {
  json parts = json::array();
  for (const CalibratedClassifier& part : machine.parts()) {
    json& written = parts.emplace_back(json{{"classifier", classifiers_to_json(part.classifier.get())},
                                            {"nonconformity_scores", pack<double>(part.nonconformity_scores)},
                                            {"labels", pack<std::int32_t>(part.labels)}});
    if (!part.region_of.empty()) written["region_of"] = pack<std::int32_t>(part.region_of);
    if (!part.category_of.empty()) written["category_of"] = pack<std::int32_t>(part.category_of);
    if (!part.weights.empty()) written["weights"] = pack<double>(part.weights);
    if (!part.groups.empty()) written["groups"] = pack<std::int32_t>(part.groups);
  }
  return {{"type", "inductive"}, {"parts", std::move(parts)}};
}

std::shared_ptr<const Machine> inductive_from(const json& document, std::size_t classes,
                                              const std::vector<std::size_t>& columns) {
  std::vector<CalibratedClassifier> parts;
  for (const json& part : document.at("parts")) {
    CalibratedClassifier& one = parts.emplace_back(classifiers_from(part.at("classifier")),
                                                   unpack<double, double>(part, "nonconformity_scores"),
                                                   unpack<std::int32_t, int>(part, "labels"));
    if (part.contains("region_of")) one.region_of = unpack<std::int32_t, int>(part, "region_of");
    if (part.contains("category_of")) one.category_of = unpack<std::int32_t, int>(part, "category_of");
    if (part.contains("weights")) one.weights = unpack<double, double>(part, "weights");
    if (part.contains("groups")) one.groups = unpack<std::int32_t, int>(part, "groups");
  }
  throw_problem(check_parts(parts, classes, columns));
  return std::make_shared<Inductive>(std::move(parts));
}

json to_json(const Machine* machine) {
  if (machine == nullptr) refuse("a conformal predictor without its machine cannot be written");
  json document;
  const auto put = [&](const auto& typed) { document = to_json(typed); };
  if (!visit_as<TransductiveNeighbours, TransductiveSvm, Inductive>(*machine, put))
    refuse("a conformal machine of this type cannot be written to a model file");
  return document;
}

std::shared_ptr<const Machine> conformal_machine_from(const json& document, std::size_t classes,
                                                      const std::vector<std::size_t>& columns) {
  const auto type = document.at("type").get<std::string>();
  if (type == "neighbours") return neighbours_from(document, classes, columns.front());
  if (type == "svm") return svm_from(document, classes, columns.front());
  if (type == "inductive") return inductive_from(document, classes, columns);
  throw std::runtime_error("field 'type' of the machine is '" + type + "', which is not known");
}

conformal::CategoryColumn category_column_from(const json& document, std::size_t columns) {
  conformal::CategoryColumn by{number<std::size_t>(document, "column"), unpack<double, double>(document, "values")};
  if (by.column >= columns) throw std::runtime_error("its column of categories is none of its columns");
  return by;
}

/// What rows are compared by, and what the machine keeps of it, go together.
std::string check_comparison(const ConformalPredictor& predictor) {
  const auto* const inductive = dynamic_cast<const Inductive*>(predictor.machine.get());
  const bool by = inductive != nullptr && !inductive->parts().front().category_of.empty();
  const bool weighs = predictor.effective_rows().has_value();
  if (by != predictor.by.has_value()) return "its categories are without a column, or its column without categories";
  if (!predictor.of_folds.empty() && inductive == nullptr) return "only folds have a preprocessing each";
  if (weighs == predictor.weight_column.empty())
    return "its weights are without a column, or its column without weights";
  return {};
}

}  // namespace

void put_conformal(json& document, const ConformalPredictor& predictor) {
  document["machine"] = to_json(predictor.machine.get());
  document["smoothed"] = predictor.options.smoothed;
  document["label_conditional"] = predictor.options.label_conditional;
  document["seed"] = predictor.options.seed;
  document["fitted_on_compared"] = predictor.fitted_on_compared;
  document["stratified"] = predictor.stratified;
  if (predictor.one_of_each_group) document["one_of_each_group"] = true;
  if (predictor.by) document["by"] = {{"column", predictor.by->column}, {"values", pack<double>(predictor.by->values)}};
  if (!predictor.of_folds.empty()) {
    json& folds = document["of_folds"] = json::array();
    for (const data::Preprocessing& fold : predictor.of_folds) folds.push_back(preprocessing_to_json(fold));
  }
  if (!predictor.weight_column.empty()) document["weight_column"] = predictor.weight_column;
}

void read_conformal(const json& document, ConformalPredictor& predictor) {
  throw_problem(check_predictor(predictor));  // the parts are checked against sound sizes
  predictor.options.smoothed = document.at("smoothed").get<bool>();
  predictor.options.label_conditional = document.at("label_conditional").get<bool>();
  predictor.options.seed = number<std::uint64_t>(document, "seed");
  predictor.fitted_on_compared = document.at("fitted_on_compared").get<bool>();
  predictor.stratified = document.at("stratified").get<bool>();
  predictor.one_of_each_group = document.value("one_of_each_group", false);
  predictor.weight_column = document.value("weight_column", std::string());
  if (document.contains("by")) predictor.by = category_column_from(document.at("by"), predictor.schema.columns.size());
  std::vector<std::size_t> columns;
  for (const json& fold : document.value("of_folds", json::array())) {
    predictor.of_folds.push_back(preprocessing_from(fold));
    throw_problem(check_preprocessing(predictor.of_folds.back(), predictor.schema.columns));
    columns.push_back(predictor.of_folds.back().columns());
  }
  if (columns.empty()) columns.push_back(predictor.preprocessing.columns());
  predictor.machine = conformal_machine_from(document.at("machine"), predictor.schema.classes.size(), columns);
  throw_problem(check_comparison(predictor));
}

}  // namespace credence::io
