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
json region_machine_to_json(const svm::RegionMachine& region, WrittenRows* rows) {
  json document = json::object();
  if (region.machine) put_svm(document, *region.machine, rows);
  document["classes"] = pack<std::int32_t>(region.classes);
  return document;
}

svm::RegionMachine region_machine_from(const json& document, const ReadRows* rows) {
  svm::RegionMachine region;
  region.classes = unpack<std::int32_t, int>(document, "classes");
  if (!document.contains("machines")) return region;
  auto machine = std::make_shared<svm::SvmModel>();
  read_svm(document, *machine, rows);
  for (const int c : region.classes) machine->schema.classes.push_back(std::to_string(c));
  region.machine = std::move(machine);
  return region;
}

std::string check_region_classes(const std::vector<int>& classes, std::size_t class_count) {
  const bool ascend = std::ranges::adjacent_find(classes, std::greater_equal{}) == classes.end();
  const bool exist =
      !classes.empty() && ascend && classes.front() >= 0 && static_cast<std::size_t>(classes.back()) < class_count;
  return exist ? "" : "a region has no class, or one that does not exist";
}

std::string check_region_machine(const svm::RegionMachine& region, std::size_t class_count, std::size_t columns) {
  const std::vector<int>& classes = region.classes;
  if (std::string problem = check_region_classes(classes, class_count); !problem.empty()) return problem;
  if ((classes.size() > 1) != (region.machine != nullptr))
    return "a region has a machine without classes to tell apart";
  if (!region.machine) return {};
  if (region.machine->hint || region.machine->kernel.type == kernel::KernelType::precomputed)
    return "the machine of a region has a hint or a precomputed kernel";
  return check_svm_over(*region.machine, columns);
}

json partition_to_json(const svm::PartitionFamily& family, WrittenRows* rows) {
  json regions = json::array();
  for (const svm::RegionMachine& region : family.regions) regions.push_back(region_machine_to_json(region, rows));
  return {{"type", "regions"},
          {"class_count", family.class_count},
          {"centres", features_to_json(family.partition.centres)},
          {"regions", std::move(regions)}};
}

std::shared_ptr<const svm::PartitionFamily> partition_from(const json& document, const ReadRows* rows) {
  auto family = std::make_shared<svm::PartitionFamily>();
  family->class_count = number<std::size_t>(document, "class_count");
  family->partition.centres = features_from(document.at("centres"));
  for (const json& region : document.at("regions")) family->regions.push_back(region_machine_from(region, rows));
  return family;
}

std::string check_partition(const svm::PartitionFamily& family, std::size_t columns) {
  if (family.regions.empty()) return "it has no regions";
  std::string problem = check_features(family.partition.centres, family.regions.size(), columns);
  for (std::size_t p = 0; problem.empty() && p < family.regions.size(); ++p)
    problem = check_region_machine(family.regions[p], family.class_count, columns);
  return problem;
}

json region_siblings_to_json(const svm::RegionSiblings& family, WrittenRows* rows) {
  json regions = json::array();
  for (const svm::RegionFolds& region : family.regions) {
    json& written = regions.emplace_back(json{{"classes", pack<std::int32_t>(region.classes)}});
    if (region.family) written["family"] = classifiers_to_json(region.family.get(), rows);
    if (!region.model_of.empty()) written["model_of"] = pack<std::uint32_t>(region.model_of);
  }
  return {{"type", "region-folds"},
          {"class_count", family.class_count},
          {"folds", family.folds},
          {"centres", features_to_json(family.partition.centres)},
          {"regions", std::move(regions)}};
}

std::shared_ptr<const svm::RegionSiblings> region_siblings_from(const json& document, const ReadRows* rows) {
  auto family = std::make_shared<svm::RegionSiblings>();
  family->class_count = number<std::size_t>(document, "class_count");
  family->folds = number<std::size_t>(document, "folds");
  family->partition.centres = features_from(document.at("centres"));
  for (const json& region : document.at("regions")) {
    svm::RegionFolds& folds = family->regions.emplace_back();
    folds.classes = unpack<std::int32_t, int>(region, "classes");
    if (region.contains("family"))
      folds.family = std::dynamic_pointer_cast<const svm::SvmFamily>(classifiers_from(region.at("family"), rows));
    if (region.contains("model_of")) folds.model_of = unpack<std::uint32_t, std::uint32_t>(region, "model_of");
  }
  return family;
}

std::string check_region_siblings(const svm::RegionSiblings& family, std::size_t columns) {
  if (family.regions.empty() || family.folds == 0) return "it has no regions or no folds";
  std::string problem = check_features(family.partition.centres, family.regions.size(), columns);
  for (const svm::RegionFolds& region : family.regions) {
    if (problem.empty()) problem = check_region_classes(region.classes, family.class_count);
    if (!problem.empty()) return problem;
    if ((region.classes.size() > 1) != (region.family != nullptr))
      return "a region has a machine without classes to tell apart";
    if (!region.family) continue;
    if (region.family->kernel.type == kernel::KernelType::precomputed || region.family->models() > family.folds ||
        region.family->models() == 0)
      return "the machines of a region's folds are others than its folds";
    const auto exists = [&](std::uint32_t model) { return model < region.family->models(); };
    if (!region.model_of.empty() &&
        (region.model_of.size() != family.folds || !std::ranges::all_of(region.model_of, exists)))
      return "a fold of a region has a machine that does not exist";
    problem = check_classifiers(*region.family, region.classes.size(), columns);
  }
  return problem;
}

void put_regions(json& document, const svm::PartitionPredictor& predictor, WrittenRows* rows) {
  if (predictor.partitions.empty())
    throw Error(ErrorCode::invalid_argument, "a model of regions without its regions cannot be written");
  document["family"] = classifiers_to_json(predictor.family().get(), rows);
}

void read_regions(const json& document, svm::PartitionPredictor& predictor, const ReadRows* rows) {
  const auto add = [&](const json& family) {
    if (family.at("type").get<std::string>() != "regions") throw std::runtime_error("the family has no regions");
    predictor.partitions.push_back(partition_from(family, rows));
  };
  const json& family = document.at("family");
  if (family.at("type").get<std::string>() != "mean") return add(family);
  for (const json& one : family.at("families")) add(one);
  if (predictor.partitions.empty()) throw std::runtime_error("an average has no families");
}

std::string check_regions(const svm::PartitionPredictor& predictor) {
  return check_classifiers(*predictor.family(), predictor.schema.classes.size(), predictor.preprocessing.columns());
}

}  // namespace credence::io
