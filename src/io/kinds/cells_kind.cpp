#include <algorithm>
#include <stdexcept>
#include <utility>

#include "credence/core/error.hpp"
#include "io/kinds/check_parts.hpp"
#include "io/kinds/classifiers.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {
json part_machine_to_json(const svm::PartMachine& part) {
  json document = json::object();
  if (part.machine) put_svm(document, *part.machine);
  document["classes"] = pack<std::int32_t>(part.classes);
  return document;
}

svm::PartMachine part_machine_from(const json& document) {
  svm::PartMachine part;
  part.classes = unpack<std::int32_t, int>(document, "classes");
  if (!document.contains("machines")) return part;
  auto machine = std::make_shared<svm::SvmModel>();
  read_svm(document, *machine);
  for (const int c : part.classes) machine->schema.classes.push_back(std::to_string(c));
  part.machine = std::move(machine);
  return part;
}

std::string check_part_machine(const svm::PartMachine& part, std::size_t class_count, std::size_t columns) {
  const std::vector<int>& classes = part.classes;
  const bool ascend = std::ranges::adjacent_find(classes, std::greater_equal{}) == classes.end();
  if (classes.empty() || !ascend || classes.front() < 0 || static_cast<std::size_t>(classes.back()) >= class_count)
    return "a cell has no class, or one that does not exist";
  if ((classes.size() > 1) != (part.machine != nullptr)) return "a cell has a machine without classes to tell apart";
  if (!part.machine) return {};
  if (part.machine->hint || part.machine->kernel.type == kernel::KernelType::precomputed)
    return "the machine of a cell has a hint or a precomputed kernel";
  return check_svm_over(*part.machine, columns);
}

json partition_to_json(const svm::PartitionFamily& family) {
  json parts = json::array();
  for (const svm::PartMachine& part : family.parts) parts.push_back(part_machine_to_json(part));
  return {{"type", "cells"},
          {"class_count", family.class_count},
          {"centres", features_to_json(family.partition.centres)},
          {"parts", std::move(parts)}};
}

std::shared_ptr<const svm::PartitionFamily> partition_from(const json& document) {
  auto family = std::make_shared<svm::PartitionFamily>();
  family->class_count = number<std::size_t>(document, "class_count");
  family->partition.centres = features_from(document.at("centres"));
  for (const json& part : document.at("parts")) family->parts.push_back(part_machine_from(part));
  return family;
}

std::string check_partition(const svm::PartitionFamily& family, std::size_t columns) {
  if (family.parts.empty()) return "it has no cells";
  std::string problem = check_features(family.partition.centres, family.parts.size(), columns);
  for (std::size_t p = 0; problem.empty() && p < family.parts.size(); ++p)
    problem = check_part_machine(family.parts[p], family.class_count, columns);
  return problem;
}

void put_cells(json& document, const svm::PartitionPredictor& predictor) {
  document["family"] = classifiers_to_json(predictor.family.get());
}

void read_cells(const json& document, svm::PartitionPredictor& predictor) {
  const json& family = document.at("family");
  if (family.at("type").get<std::string>() != "cells") throw std::runtime_error("the family has no cells");
  predictor.family = partition_from(family);
}

std::string check_cells(const svm::PartitionPredictor& predictor) {
  return check_classifiers(*predictor.family, predictor.schema.classes.size(), predictor.preprocessing.columns());
}

}  // namespace credence::io
