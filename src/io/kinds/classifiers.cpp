#include "io/kinds/document_parts.hpp"

#include <algorithm>
#include <stdexcept>

#include "credence/core/error.hpp"
#include "credence/svm/region_family.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"
#include "neighbours/search/family.hpp"

namespace credence::io {

using neighbours::NeighbourFamily;
using svm::RegionFamily;
using svm::SvmFamily;

void fields(auto&& way, As<svm::MachineCosts> auto& machine) {
  way("support", machine.support, "coefficients", machine.coefficients);
}

void fields(auto&& way, As<SvmFamily> auto& family) {
  way("kernel", family.kernel, "gammas", family.gammas, "cost_count", family.cost_count, "class_count",
      family.class_count);
  way.shared("support_vectors", family.support_vectors);
  way("support_rows", family.support_rows, "machines", family.machines, "bias", family.bias);
  way.some("geometric", family.geometric, "by_weights", family.by_weights);
}

void fields(auto&& way, As<NeighbourFamily> auto& family) {
  way("rows", family.rows, "labels", family.labels, "k", family.k, "class_count", family.class_count);
}

/// The models of a region.
json document_of(const std::shared_ptr<const SvmFamily>& family, WrittenRows* rows);
void read_part(const json& document, std::shared_ptr<const SvmFamily>& family, const ReadRows* rows);

void fields(auto&& way, As<svm::Region> auto& region) {
  way("classes", region.classes);
  way.some("family", region.family, "model_of", region.model_of);
}

void fields(auto&& way, As<svm::RoutedRegions> auto& routed) {
  way("centres", routed.router.centres, "regions", routed.regions);
  way.some("scaling", routed.scaling);
}

void fields(auto&& way, As<RegionFamily> auto& family) {
  way("class_count", family.class_count, "model_count", family.model_count, "partitions", family.partitions);
}

namespace {

json to_json(const SvmFamily& family, WrittenRows* rows) {
  json document = object_of(family, rows);
  document["type"] = family.relevance_vectors ? "rvm" : "svm";
  if (std::ranges::any_of(family.norm.values, [](double norm) { return norm != 0; }))
    document["norm"] = document_of(family.norm);
  return document;
}

json to_json(const NeighbourFamily& family, WrittenRows*) {
  json document = object_of(family);
  document["type"] = "neighbours";
  return document;
}

json to_json(const RegionFamily& family, WrittenRows* rows) {
  json document = object_of(family, rows);
  document["type"] = "regions";
  return document;
}

template <class Family>
std::shared_ptr<Family> family_from(const json& document, const ReadRows* rows) {
  auto family = std::make_shared<Family>();
  fields(DocumentReader(document, rows), *family);
  return family;
}

std::shared_ptr<SvmFamily> svm_family_from(const json& document, const ReadRows* rows) {
  auto family = family_from<SvmFamily>(document, rows);
  family->norm = data::DenseMatrix(family->bias.rows, family->bias.columns);
  DocumentReader(document).some("norm", family->norm);
  return family;
}

}  // namespace

json document_of(const std::shared_ptr<const SvmFamily>& family, WrittenRows* rows) {
  return to_json(*family, rows);
}

void read_part(const json& document, std::shared_ptr<const SvmFamily>& family, const ReadRows* rows) {
  family = svm_family_from(document, rows);
}

namespace {

template <class T>
bool strictly_ascending(const std::vector<T>& values) {
  return std::ranges::adjacent_find(values, [](T a, T b) { return a >= b; }) == values.end();
}

std::string check_kernels(const SvmFamily& family) {
  if (family.gammas.empty() || !all_finite(family.gammas)) return "it has no gamma, or one that is not finite";
  if (!family.kernel.uses_gamma() && family.gammas.size() != 1) return "its kernel has no gamma, but it names several";
  for (const double gamma : family.gammas) {
    kernel::Kernel kernel = family.kernel;
    kernel.gamma = gamma;
    std::string problem = check_kernel(kernel);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::size_t machines_of(const SvmFamily& family) {
  return family.relevance_vectors ? svm::one_against_rest(family.class_count).size()
                                  : family.class_count * (family.class_count - 1) / 2;
}

std::string check_relevance_vectors(const SvmFamily& family) {
  const bool norms = std::ranges::any_of(family.norm.values, [](double x) { return x != 0; });
  return norms || family.geometric ? "relevance vector machines have no norm to divide by" : "";
}

/// Sizes are compared with those of tables, whose values the file holds: no product of them overflows.
std::string check_machines(const SvmFamily& family) {
  const std::size_t machines = machines_of(family);
  const std::size_t columns = family.bias.columns;
  if (family.bias.rows != family.gammas.size() || columns == 0 || columns % machines != 0 ||
      columns / machines != family.cost_count) {
    return "the number of models does not fit gammas, costs and classes";
  }
  if (family.norm.rows != family.bias.rows || family.norm.columns != columns)
    return "a model has no norm, or a norm has no model";
  if (family.machines.size() / machines != family.gammas.size() || family.machines.size() % machines != 0)
    return "the number of models does not fit gammas, costs and classes";
  for (const svm::MachineCosts& machine : family.machines) {
    if (machine.coefficients.rows != machine.support.size() || machine.coefficients.columns != family.cost_count)
      return "a model has a damaged list of coefficients";
    if (!strictly_ascending(machine.support) ||
        (!machine.support.empty() && machine.support.back() >= family.support_rows.size())) {
      return "a model refers to a support vector that does not exist, or to one twice";
    }
    if (!all_finite(machine.coefficients.values)) return "a model has a value that is not finite";
  }
  const bool sound = all_finite(family.bias.values) && all_finite(family.norm.values) &&
                     std::ranges::all_of(family.norm.values, [](double x) { return x >= 0; });
  return sound ? "" : "a model has a value that is not finite, or a norm below 0";
}

std::string check(const SvmFamily& family, std::size_t columns) {
  std::string problem = check_kernels(family);
  if (problem.empty() && !strictly_ascending(family.support_rows)) problem = "the support vectors are out of order";
  if (problem.empty())
    problem = check_support_vectors(family.kernel, family.support_vectors, family.support_rows, columns);
  if (problem.empty()) problem = check_machines(family);
  if (problem.empty() && family.relevance_vectors) problem = check_relevance_vectors(family);
  return problem;
}

std::string check(const NeighbourFamily& family, std::size_t columns) {
  if (family.labels.empty()) return "it has no rows";
  std::string problem = check_features(family.rows, family.labels.size(), columns);
  if (!problem.empty()) return problem;
  for (const int label : family.labels)
    if (label < 0 || static_cast<std::size_t>(label) >= family.class_count)
      return "a row has a class that does not exist";
  if (family.k.empty() || family.k.front() < 1 || !strictly_ascending(family.k))
    return "its numbers of neighbours are not positive and ascending";
  return {};
}

std::string check_region(const svm::Region& region, const RegionFamily& family, std::size_t columns) {
  const std::vector<int>& classes = region.classes;
  if (!strictly_ascending(classes) || classes.empty() || classes.front() < 0 ||
      static_cast<std::size_t>(classes.back()) >= family.class_count)
    return "a region has no class, or one that does not exist";
  if ((classes.size() > 1) != (region.family != nullptr)) return "a region has a model without classes to tell apart";
  if (!region.family) return {};
  const std::size_t models = region.family->models();
  if (region.family->is_precomputed() || models == 0 || models > family.model_count)
    return "a region has a precomputed kernel, or other models than the regions";
  const bool exist = std::ranges::all_of(region.model_of, [&](std::uint32_t k) { return k < models; });
  if (!exist || (!region.model_of.empty() && region.model_of.size() != family.model_count))
    return "a region has a model that does not exist";
  return check_classifiers(*region.family, classes.size(), columns);
}

std::string check(const RegionFamily& family, std::size_t columns) {
  if (family.partitions.empty() || family.model_count == 0) return "it has no regions, or no models of them";
  for (const svm::RoutedRegions& routed : family.partitions) {
    if (routed.regions.empty()) return "it has no regions";
    std::string problem;
    if (routed.scaling) problem = check_preprocessing(*routed.scaling, std::vector<data::Column>(columns));
    if (!problem.empty()) return problem;
    problem = check_features(routed.router.centres, routed.regions.size(), columns);
    for (std::size_t p = 0; problem.empty() && p < routed.regions.size(); ++p)
      problem = check_region(routed.regions[p], family, columns);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace

json classifiers_to_json(const model::ClassifierFamily* family, WrittenRows* rows) {
  if (family == nullptr) refuse("classifiers that are missing cannot be written");
  json document;
  if (!visit_as<SvmFamily, NeighbourFamily, RegionFamily>(*family,
                                                          [&](const auto& typed) { document = to_json(typed, rows); }))
    refuse("classifiers of this type cannot be written to a model file");
  return document;
}

std::shared_ptr<const model::ClassifierFamily> classifiers_from(const json& document, const ReadRows* rows) {
  const auto type = document.at("type").get<std::string>();
  if (type == "svm" || type == "rvm") {
    const std::shared_ptr<SvmFamily> family = svm_family_from(document, rows);
    family->relevance_vectors = type == "rvm";
    return family;
  }
  if (type == "neighbours") return family_from<NeighbourFamily>(document, rows);
  if (type == "regions") return family_from<RegionFamily>(document, rows);
  throw std::runtime_error("field 'type' of the family is '" + type + "', which is not known");
}

std::string check_classifiers(const model::ClassifierFamily& family, std::size_t classes, std::size_t columns) {
  if (family.classes() != classes) return "the family knows other classes than the data";
  std::string problem;
  visit_as<SvmFamily, NeighbourFamily, RegionFamily>(family,
                                                     [&](const auto& typed) { problem = check(typed, columns); });
  return problem;
}

}  // namespace credence::io
