#include "comparison_rvm.hpp"

namespace credence::bench {
namespace {

nlohmann::json number_or_null(const std::optional<double>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

std::optional<double> number_if_there(const nlohmann::json& json, const char* key) {
  return json.contains(key) && !json.at(key).is_null() ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

}  // namespace

void to_json(nlohmann::json& json, const RvmMachine& machine) {
  json = {{"centres", machine.centres},
          {"weights", machine.weights},
          {"alpha", machine.alpha},
          {"bias", number_or_null(machine.bias)},
          {"bias_alpha", number_or_null(machine.bias_alpha)},
          {"shift", machine.shift},
          {"noise_variance", number_or_null(machine.noise_variance)}};
}

void from_json(const nlohmann::json& json, RvmMachine& machine) {
  json.at("centres").get_to(machine.centres);
  json.at("weights").get_to(machine.weights);
  json.at("alpha").get_to(machine.alpha);
  machine.bias = number_if_there(json, "bias");
  machine.bias_alpha = number_if_there(json, "bias_alpha");
  machine.shift = json.value("shift", 0.0);
  machine.noise_variance = number_if_there(json, "noise_variance");
}

void to_json(nlohmann::json& json, const RvmSideRow& side) {
  if (!side.failure.empty()) {
    json = {{"name", side.name}, {"failure", side.failure}};
    return;
  }
  json = {{"name", side.name},
          {"one_thread_seconds", side.seconds},
          {"kernels", side.kernels},
          {"log_evidence", side.log_evidence},
          {"log_evidence_at_own_alpha", side.own_alpha},
          {"test_error", side.test_error},
          {"differing_predictions", side.differing}};
  if (!side.two_threads.empty()) json["two_threads_seconds"] = side.two_threads;
  if (!side.fit) return;
  json.update({{"status", rvm::name(side.fit->status)},
               {"iterations", side.fit->iterations},
               {"newton_steps", side.fit->newton_steps},
               {"factorisations", side.fit->factorisations},
               {"full_size_factorisations", side.fit->full_factorisations}});
}

void to_json(nlohmann::json& json, const RvmFitRow& row) {
  json = {{"name", row.name},
          {"task", row.task},
          {"rows", row.rows},
          {"test_rows", row.test_rows},
          {"features", row.features},
          {"sigma", row.sigma},
          {"target_seconds", number_or_null(row.target)},
          {"sides", row.sides}};
}

void to_json(nlohmann::json& json, const RvmSelectionRow& row) {
  json = {{"name", row.name},
          {"rows", row.rows},
          {"index_seconds", row.index},
          {"cross_validation_seconds", row.cross_validation},
          {"ratio", row.ratio()},
          {"index_sigma", row.index_sigma},
          {"cross_validation_sigma", row.cross_validation_sigma}};
}

void to_json(nlohmann::json& json, const RvmResults& results) {
  json = {{"fits", results.fits}, {"selections", results.selections}};
}

}  // namespace credence::bench
