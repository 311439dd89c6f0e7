#include "io/svm_document.hpp"

#include "io/document_parts.hpp"
#include "io/document_values.hpp"

namespace credence::io {

void put_svm(json& document, const svm::SvmModel& model) {
  document["kernel"] = kernel_to_json(model.kernel);
  document["support_vectors"] = features_to_json(model.support_vectors);
  document["support_rows"] = pack<std::uint64_t>(model.support_rows);
  json machines = json::array();
  for (const svm::BinaryMachine& machine : model.machines) {
    machines.push_back({{"positive", machine.positive},
                        {"negative", machine.negative},
                        {"support", pack<std::uint32_t>(machine.support)},
                        {"coefficients", pack<double>(machine.coefficients)},
                        {"bias", machine.bias}});
  }
  document["machines"] = std::move(machines);
}

void read_svm(const json& document, svm::SvmModel& model) {
  model.kernel = kernel_from(document.at("kernel"));
  model.support_vectors = features_from(document.at("support_vectors"));
  model.support_rows = unpack<std::uint64_t, std::size_t>(document, "support_rows");
  for (const json& item : document.at("machines")) {
    svm::BinaryMachine machine;
    machine.positive = number<int>(item, "positive");
    machine.negative = number<int>(item, "negative");
    machine.support = unpack<std::uint32_t, std::uint32_t>(item, "support");
    machine.coefficients = unpack<double, double>(item, "coefficients");
    machine.bias = number<double>(item, "bias");
    model.machines.push_back(std::move(machine));
  }
}

}  // namespace credence::io
