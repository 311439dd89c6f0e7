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

using conformal::CalibratedClassifier;
using conformal::ConformalPredictor;
using conformal::Inductive;
using conformal::Machine;
using conformal::TransductiveNeighbours;
using conformal::TransductiveSvm;

void fields(auto&& way, As<conformal::NeighbourOptions> auto& options) {
  way("k", options.k, "metric", options.metric);
}

void fields(auto&& way, As<TransductiveNeighbours::State> auto& state) {
  way("rows", state.rows, "labels", state.labels, "own", state.own, "other", state.other);
  way.some("weights", state.weights);
}

void fields(auto&& way, As<conformal::TransductiveSvmOptions> auto& options) {
  way("C", options.C, "kernel", options.kernel, "tolerance", options.solver.tolerance, "max_steps",
      options.solver.max_steps, "newton", options.solver.newton, "newton_max_free", options.solver.newton_max_free,
      "shrinking", options.solver.shrinking);
}

void fields(auto&& way, As<TransductiveSvm::State> auto& state) {
  way("rows", state.rows, "labels", state.labels, "beta", state.beta);
  way.some("weights", state.weights);
}

/// Without its classifiers.
void fields(auto&& way, As<CalibratedClassifier> auto& part) {
  way("nonconformity_scores", part.nonconformity_scores, "labels", part.labels);
  way.some("region_of", part.region_of, "category_of", part.category_of, "weights", part.weights, "groups",
           part.groups);
}

void fields(auto&& way, As<conformal::CategoryColumn> auto& by) {
  way("column", by.column, "values", by.values);
}

/// Without its machine.
void fields(auto&& way, As<ConformalPredictor> auto& predictor) {
  way("smoothed", predictor.options.smoothed, "label_conditional", predictor.options.label_conditional, "seed",
      predictor.options.seed, "fitted_on_compared", predictor.fitted_on_compared, "stratified", predictor.stratified);
  way.some("one_of_each_group", predictor.one_of_each_group, "weight_column", predictor.weight_column, "by",
           predictor.by);
}

namespace {

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
  json document = object_of(machine.options());
  document.update(object_of(machine.state()));
  document.update({{"type", "neighbours"}, {"measure", machine.options().measure.name}});
  return document;
}

std::shared_ptr<const Machine> neighbours_from(const json& document, std::size_t classes, std::size_t columns) {
  conformal::NeighbourOptions options;
  options.measure = conformal::neighbour_measure(document.at("measure").get<std::string>());
  fields(DocumentReader(document), options);
  TransductiveNeighbours::State state;
  fields(DocumentReader(document), state);
  throw_problem(check_known(state.rows, state.labels, columns));
  return std::make_shared<TransductiveNeighbours>(std::move(state), classes, options);
}

json to_json(const TransductiveSvm& machine) {
  json document = object_of(machine.options());
  document.update(object_of(machine.state()));
  document["type"] = "svm";
  return document;
}

std::shared_ptr<const Machine> svm_from(const json& document, std::size_t classes, std::size_t columns) {
  conformal::TransductiveSvmOptions options;
  fields(DocumentReader(document), options);
  TransductiveSvm::State state;
  fields(DocumentReader(document), state);
  throw_problem(check_known(state.rows, state.labels, columns));
  const core::Threads threads;
  core::Monitor monitor;
  return std::make_shared<TransductiveSvm>(std::move(state), classes, options, core::Context{threads, monitor});
}

json to_json(const Inductive& machine) {
  json parts = json::array();
  for (const CalibratedClassifier& part : machine.parts()) {
    json& written = parts.emplace_back(object_of(part));
    written["classifier"] = classifiers_to_json(part.classifier.get());
  }
  return {{"type", "inductive"}, {"parts", std::move(parts)}};
}

std::shared_ptr<const Machine> inductive_from(const json& document, std::size_t classes,
                                              const std::vector<std::size_t>& columns) {
  std::vector<CalibratedClassifier> parts;
  for (const json& part : document.at("parts")) {
    CalibratedClassifier& one = parts.emplace_back(classifiers_from(part.at("classifier")));
    fields(DocumentReader(part), one);
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
  document.update(object_of(predictor));
  if (!predictor.of_folds.empty()) {
    json& folds = document["of_folds"] = json::array();
    for (const data::Preprocessing& fold : predictor.of_folds) folds.push_back(document_of(fold));
  }
}

void read_conformal(const json& document, ConformalPredictor& predictor) {
  throw_problem(check_predictor(predictor));  // the parts are checked against sound sizes
  fields(DocumentReader(document), predictor);
  if (predictor.by && predictor.by->column >= predictor.schema.columns.size())
    throw std::runtime_error("its column of categories is none of its columns");
  std::vector<std::size_t> columns;
  for (const json& fold : document.value("of_folds", json::array())) {
    read_part(fold, predictor.of_folds.emplace_back());
    throw_problem(check_preprocessing(predictor.of_folds.back(), predictor.schema.columns));
    columns.push_back(predictor.of_folds.back().columns());
  }
  if (columns.empty()) columns.push_back(predictor.preprocessing.columns());
  predictor.machine = conformal_machine_from(document.at("machine"), predictor.schema.classes.size(), columns);
  throw_problem(check_comparison(predictor));
}

}  // namespace credence::io
