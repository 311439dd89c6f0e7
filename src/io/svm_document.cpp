#include "io/svm_document.hpp"

#include <memory>
#include <stdexcept>

#include "credence/core/error.hpp"
#include "io/document_parts.hpp"
#include "io/document_values.hpp"

namespace credence::io {

namespace {

void put_machines(json& document, const svm::SvmModel& model) {
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

void read_machines(const json& document, svm::SvmModel& model) {
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

/// Everything else of a predictor the hint has in common with its model.
std::shared_ptr<const svm::SvmModel> read_hint(const json& document, const svm::SvmModel& model) {
  if (document.contains("hint")) throw std::runtime_error("the hint has a hint of its own");
  auto hint = std::make_shared<svm::SvmModel>();
  static_cast<model::Predictor&>(*hint) = model;
  hint->calibration = {};
  hint->record.method = "hint";
  hint->record.selected_error.reset();
  hint->record.folds.reset();
  hint->record.rows = number<std::size_t>(document, "rows");
  hint->record.C = number<double>(document, "C");
  hint->record.tolerance = number<double>(document, "tolerance");
  read_machines(document, *hint);
  return hint;
}

}  // namespace

void put_svm(json& document, const svm::SvmModel& model) {
  put_machines(document, model);
  if (!model.hint) return;
  if (model.hint->hint) throw Error(ErrorCode::invalid_argument, "a hint that has a hint of its own cannot be written");
  json hint = {
      {"rows", model.hint->record.rows}, {"C", model.hint->record.C}, {"tolerance", model.hint->record.tolerance}};
  put_machines(hint, *model.hint);
  document["hint"] = std::move(hint);
}

void read_svm(const json& document, svm::SvmModel& model) {
  read_machines(document, model);
  if (document.contains("hint")) model.hint = read_hint(document.at("hint"), model);
}

}  // namespace credence::io
