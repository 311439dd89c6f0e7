#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/svm/model.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {

void fields(auto&& way, As<rvm::Machine> auto& machine) {
  // Fits that were stopped make no model.
  constexpr std::array words{core::Word{"converged", rvm::Status::converged},
                             core::Word{"plateau", rvm::Status::plateau},
                             core::Word{"iteration_limit", rvm::Status::iteration_limit}};
  way("positive", machine.positive, "has_bias", machine.has_bias, "bias", machine.bias, "centres", machine.centres,
      "weights", machine.weights, "covariance", machine.covariance, "noise_variance", machine.noise_variance,
      "log_evidence", machine.log_evidence);
  way.word("status", machine.status, words);
  way("null_model", machine.null_model, "iterations", machine.iterations);
}

void fields(auto&& way, As<rvm::RvmModel> auto& model) {
  way("kernel", model.kernel, "centres", model.centres, "centre_rows", model.centre_rows, "class_counts",
      model.class_counts, "machines", model.machines);
}

namespace {

std::string check_machine_classes(const rvm::RvmModel& model) {
  const std::vector<std::size_t>& counts = model.class_counts;
  if (counts.size() != model.schema.classes.size()) return "it counts rows of other classes than there are";
  // Not summed: counts from a file may overflow.
  const bool some = counts.empty() || std::ranges::any_of(counts, [](std::size_t count) { return count > 0; });
  return some ? "" : "no class had a row to be trained on";
}

std::string check_rvm_layout(const rvm::RvmModel& model) {
  std::vector<int> positive{0};
  if (model.schema.task == data::Task::classification) {
    positive.clear();
    for (const svm::BinaryMachine& machine : svm::one_against_rest(model.schema.classes.size()))
      positive.push_back(machine.positive);
  }
  const bool fit = std::ranges::equal(model.machines, positive, {}, &rvm::Machine::positive);
  return fit ? "" : "the RVMs do not fit what is to be predicted";
}

std::string check_covariance(const rvm::Machine& machine) {
  const data::DenseMatrix& covariance = machine.covariance;
  const std::size_t size = machine.weights.size() + (machine.has_bias ? 1 : 0);
  if (covariance.rows != size || covariance.values.size() != size * size)
    return "an RVM has a covariance of another size than its weights";
  if (!all_finite(covariance.values)) return "an RVM has a covariance that is not finite";
  for (std::size_t i = 0; i < size; ++i)
    if (covariance.row(i)[i] < 0) return "an RVM has a variance below 0";
  return {};
}

std::string check_rvm_machine(const rvm::Machine& machine, std::size_t centre_count) {
  if (machine.centres.size() != machine.weights.size()) return "an RVM has a damaged list of weights";
  const bool ascend =
      std::ranges::adjacent_find(machine.centres, std::ranges::greater_equal{}) == machine.centres.end();
  if (!ascend || (!machine.centres.empty() && machine.centres.back() >= centre_count))
    return "an RVM refers to a centre that does not exist, or to one twice";
  if (!all_finite(machine.weights) || !std::isfinite(machine.bias) || !std::isfinite(machine.log_evidence))
    return "an RVM has a value that is not finite";
  if (!machine.has_bias && machine.bias != 0) return "an RVM has a bias that it says it has not";
  if (machine.null_model && !machine.centres.empty()) return "an RVM is a null model, but has centres";
  if (!(std::isfinite(machine.noise_variance) && machine.noise_variance > 0))
    return "an RVM has a noise variance that is not above 0";
  if (machine.iterations < 0) return "an RVM has a number of iterations below 0";
  return check_covariance(machine);
}

}  // namespace

void put_rvm(json& document, const rvm::RvmModel& model) {
  if (std::ranges::find(model.machines, rvm::Status::stopped, &rvm::Machine::status) != model.machines.end())
    refuse("a relevance vector machine whose fit was stopped cannot be written");
  document.update(object_of(model));
}

void read_rvm(const json& document, rvm::RvmModel& model) {
  fields(DocumentReader(document), model);
}

std::string check_rvm(const rvm::RvmModel& model) {
  if (!model.schema.hint_name.empty()) return "relevance vector machines have no hint";
  std::string problem = check_kernel(model.kernel);
  if (problem.empty())
    problem = check_support_vectors(model.kernel, model.centres, model.centre_rows, model.preprocessing.columns());
  if (problem.empty() &&
      std::ranges::adjacent_find(model.centre_rows, std::ranges::greater_equal{}) != model.centre_rows.end()) {
    problem = "the centres are out of order";
  }
  if (problem.empty()) problem = check_machine_classes(model);
  if (problem.empty()) problem = check_rvm_layout(model);
  for (std::size_t m = 0; problem.empty() && m < model.machines.size(); ++m)
    problem = check_rvm_machine(model.machines[m], model.centre_count());
  return problem;
}

}  // namespace credence::io
