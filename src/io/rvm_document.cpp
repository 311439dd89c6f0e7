#include "io/rvm_document.hpp"

#include <utility>

#include "credence/core/error.hpp"
#include "io/document_parts.hpp"
#include "io/document_values.hpp"

namespace credence::io {
namespace {

/// Fits that were stopped make no model.
constexpr Words<rvm::Status, 3> status_words{{{rvm::Status::converged, "converged"},
                                              {rvm::Status::plateau, "plateau"},
                                              {rvm::Status::iteration_limit, "iteration_limit"}}};

json to_json(const rvm::Machine& machine) {
  if (machine.status == rvm::Status::stopped)
    throw Error(ErrorCode::invalid_argument, "a relevance vector machine whose fit was stopped cannot be written");
  return {{"positive", machine.positive},
          {"has_bias", machine.has_bias},
          {"bias", machine.bias},
          {"centres", pack<std::uint32_t>(machine.centres)},
          {"weights", pack<double>(machine.weights)},
          {"covariance", matrix_to_json(machine.covariance)},
          {"noise_variance", machine.noise_variance},
          {"log_evidence", machine.log_evidence},
          {"status", to_word(machine.status, status_words)},
          {"null_model", machine.null_model},
          {"iterations", machine.iterations}};
}

rvm::Machine machine_from(const json& document) {
  rvm::Machine machine;
  machine.positive = number<int>(document, "positive");
  machine.has_bias = document.at("has_bias").get<bool>();
  machine.bias = number<double>(document, "bias");
  machine.centres = unpack<std::uint32_t, std::uint32_t>(document, "centres");
  machine.weights = unpack<double, double>(document, "weights");
  machine.covariance = matrix_from(document.at("covariance"));
  machine.noise_variance = number<double>(document, "noise_variance");
  machine.log_evidence = number<double>(document, "log_evidence");
  machine.status = from_word(document, "status", status_words);
  machine.null_model = document.at("null_model").get<bool>();
  machine.iterations = number<int>(document, "iterations");
  return machine;
}

}  // namespace

void put_rvm(json& document, const rvm::RvmModel& model) {
  document["kernel"] = kernel_to_json(model.kernel);
  document["centres"] = features_to_json(model.centres);
  document["centre_rows"] = pack<std::uint64_t>(model.centre_rows);
  document["class_counts"] = pack<std::uint64_t>(model.class_counts);
  json machines = json::array();
  for (const rvm::Machine& machine : model.machines) machines.push_back(to_json(machine));
  document["machines"] = std::move(machines);
}

void read_rvm(const json& document, rvm::RvmModel& model) {
  model.kernel = kernel_from(document.at("kernel"));
  model.centres = features_from(document.at("centres"));
  model.centre_rows = unpack<std::uint64_t, std::size_t>(document, "centre_rows");
  model.class_counts = unpack<std::uint64_t, std::size_t>(document, "class_counts");
  for (const json& machine : document.at("machines")) model.machines.push_back(machine_from(machine));
}

}  // namespace credence::io
