#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "credence/core/error.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {

void fields(auto&& way, As<svm::BinaryMachine> auto& machine) {
  way("positive", machine.positive, "negative", machine.negative, "support", machine.support, "coefficients",
      machine.coefficients, "bias", machine.bias);
}

/// Of a model or its hint.
void fields(auto&& way, As<svm::SvmModel> auto& model) {
  way("kernel", model.kernel);
  way.shared("support_vectors", model.support_vectors);
  way("support_rows", model.support_rows, "machines", model.machines);
}

namespace {

/// Everything else of a predictor the hint has in common with its model.
std::shared_ptr<const svm::SvmModel> read_hint(const json& document, const svm::SvmModel& model) {
  if (document.contains("hint")) throw std::runtime_error("the hint has a hint of its own");
  auto hint = std::make_shared<svm::SvmModel>();
  static_cast<model::Predictor&>(*hint) = model;
  hint->calibration = {};
  hint->record.method = "hint";
  hint->record.selected_error.reset();
  hint->record.resamples.reset();
  hint->record.rows = number<std::size_t>(document, "rows");
  hint->record.C = number<double>(document, "C");
  hint->record.tolerance = number<double>(document, "tolerance");
  fields(DocumentReader(document), *hint);
  return hint;
}

bool same_layout(const std::vector<svm::BinaryMachine>& machines, const std::vector<svm::BinaryMachine>& layout) {
  return std::equal(machines.begin(), machines.end(), layout.begin(), layout.end(),
                    [](const auto& a, const auto& b) { return a.positive == b.positive && a.negative == b.negative; });
}

std::string check_svm_layout(const svm::SvmModel& model) {
  const std::size_t classes = model.schema.classes.size();
  const std::size_t machines = model.machines.size();
  if (machines != classes * (classes - 1) / 2 && machines != classes)
    return "the number of binary SVMs does not fit the classes";
  const bool fit = same_layout(model.machines, svm::machine_layout(classes)) ||
                   same_layout(model.machines, svm::one_against_rest(classes));
  return fit ? "" : "the binary SVMs do not fit the classes";
}

std::string check_svm_machine(const svm::BinaryMachine& machine, std::size_t support_count) {
  if (machine.support.size() != machine.coefficients.size()) return "a binary SVM has a damaged list of coefficients";
  for (const std::uint32_t row : machine.support)
    if (row >= support_count) return "a binary SVM refers to a support vector that does not exist";
  const bool finite = all_finite(machine.coefficients) && std::isfinite(machine.bias);
  return finite ? "" : "a binary SVM has a value that is not finite";
}

/// Kernel, support vectors and machines.
std::string check_expansion(const svm::SvmModel& model, std::size_t columns) {
  std::string problem = check_kernel(model.kernel);
  if (problem.empty())
    problem = check_support_vectors(model.kernel, model.support_vectors, model.support_rows, columns);
  if (problem.empty()) problem = check_svm_layout(model);
  for (std::size_t m = 0; problem.empty() && m < model.machines.size(); ++m)
    problem = check_svm_machine(model.machines[m], model.support_count());
  return problem;
}

std::string check_hint(const svm::SvmModel& model, std::size_t columns) {
  if (!model.hint) {
    const bool fits = model.schema.hint_name.empty() || model.schema.classes.size() == 2;
    return fits ? "" : "a given hint tells two classes apart, but there are more";
  }
  if (!model.schema.hint_name.empty()) return "it has two hints, one of its own and one that is given";
  if (model.hint->hint) return "its hint has a hint of its own";
  const std::string problem = check_expansion(*model.hint, columns);
  if (!problem.empty()) return "in its hint, " + problem;
  return same_layout(model.machines, model.hint->machines) ? "" : "its hint has other machines";
}

}  // namespace

void put_svm(json& document, const svm::SvmModel& model, WrittenRows* rows) {
  document.update(object_of(model, rows));
  if (!model.hint) return;
  if (model.hint->hint) refuse("a hint that has a hint of its own cannot be written");
  const model::TrainingRecord& record = model.hint->record;
  json& hint = document["hint"] = object_of(*model.hint);
  hint.update({{"rows", record.rows}, {"C", record.C}, {"tolerance", record.tolerance}});
}

void read_svm(const json& document, svm::SvmModel& model, const ReadRows* rows) {
  fields(DocumentReader(document, rows), model);
  if (document.contains("hint")) model.hint = read_hint(document.at("hint"), model);
}

std::string check_svm(const svm::SvmModel& model) {
  return check_svm_over(model, model.preprocessing.columns());
}

std::string check_svm_over(const svm::SvmModel& model, std::size_t columns) {
  const std::string problem = check_expansion(model, columns);
  return problem.empty() ? check_hint(model, columns) : problem;
}

}  // namespace credence::io
