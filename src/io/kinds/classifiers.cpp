#include "io/kinds/classifiers.hpp"

#include <algorithm>
#include <stdexcept>

#include "credence/core/error.hpp"
#include "credence/model/mean_family.hpp"
#include "credence/svm/family.hpp"
#include "io/kinds/check_parts.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"
#include "io/kinds/visit_as.hpp"
#include "neighbours/search/family.hpp"

namespace credence::io {
namespace {

using model::MeanFamily;
using neighbours::NeighbourFamily;
using svm::PartitionFamily;
using svm::RegionSiblings;
using svm::SvmFamily;

json to_json(const SvmFamily& family, WrittenRows* rows) {
  json machines = json::array();
  for (const svm::MachineCosts& machine : family.machines) {
    machines.push_back(
        {{"support", pack<std::uint32_t>(machine.support)}, {"coefficients", matrix_to_json(machine.coefficients)}});
  }
  return {{"type", family.relevance_vectors ? "rvm" : "svm"},
          {"kernel", kernel_to_json(family.kernel)},
          {"gammas", pack<double>(family.gammas)},
          {"cost_count", family.cost_count},
          {"class_count", family.class_count},
          {"support_vectors", features_to_json(family.support_vectors, rows)},
          {"support_rows", pack<std::uint64_t>(family.support_rows)},
          {"machines", std::move(machines)},
          {"bias", matrix_to_json(family.bias)},
          {"norm", matrix_to_json(family.norm)},
          {"geometric", family.geometric}};
}

std::shared_ptr<const SvmFamily> svm_family_from(const json& document, bool relevance_vectors, const ReadRows* rows) {
  auto family = std::make_shared<SvmFamily>();
  family->relevance_vectors = relevance_vectors;
  family->kernel = kernel_from(document.at("kernel"));
  family->gammas = unpack<double, double>(document, "gammas");
  family->cost_count = number<std::size_t>(document, "cost_count");
  family->class_count = number<std::size_t>(document, "class_count");
  family->support_vectors = features_from(document.at("support_vectors"), rows);
  family->support_rows = unpack<std::uint64_t, std::size_t>(document, "support_rows");
  for (const json& one : document.at("machines")) {
    family->machines.push_back(
        {unpack<std::uint32_t, std::uint32_t>(one, "support"), matrix_from(one.at("coefficients"))});
  }
  family->bias = matrix_from(document.at("bias"));
  family->norm = matrix_from(document.at("norm"));
  family->geometric = document.at("geometric").get<bool>();
  return family;
}

json to_json(const NeighbourFamily& family, WrittenRows*) {
  return {{"type", "neighbours"},
          {"rows", features_to_json(family.rows)},
          {"labels", pack<std::int32_t>(family.labels)},
          {"k", pack<std::int32_t>(family.k)},
          {"class_count", family.class_count}};
}

std::shared_ptr<const NeighbourFamily> neighbour_family_from(const json& document) {
  auto family = std::make_shared<NeighbourFamily>();
  family->rows = features_from(document.at("rows"));
  family->labels = unpack<std::int32_t, int>(document, "labels");
  family->k = unpack<std::int32_t, int>(document, "k");
  family->class_count = number<std::size_t>(document, "class_count");
  return family;
}

json to_json(const PartitionFamily& family, WrittenRows* rows) {
  return partition_to_json(family, rows);
}

json to_json(const RegionSiblings& family, WrittenRows* rows) {
  return region_siblings_to_json(family, rows);
}

json to_json(const MeanFamily& mean, WrittenRows* rows) {
  json families = json::array();
  for (const auto& family : mean.families) families.push_back(classifiers_to_json(family.get(), rows));
  return {{"type", "mean"}, {"families", std::move(families)}};
}

std::shared_ptr<const MeanFamily> mean_family_from(const json& document, const ReadRows* rows) {
  auto mean = std::make_shared<MeanFamily>();
  for (const json& family : document.at("families")) {
    if (family.at("type") == "mean") throw std::runtime_error("an average of families is part of an average");
    mean->families.push_back(classifiers_from(family, rows));
  }
  if (mean->families.empty()) throw std::runtime_error("an average has no families");
  return mean;
}

template <class T>
bool strictly_ascending(const std::vector<T>& values) {
  return std::adjacent_find(values.begin(), values.end(), [](T a, T b) { return a >= b; }) == values.end();
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
  const bool norms = std::any_of(family.norm.values.begin(), family.norm.values.end(), [](double x) { return x != 0; });
  return norms || family.geometric ? "relevance vector machines have no norm to divide by" : "";
}

/// Sizes are compared with those of tables, whose values the file holds: no product of them overflows.
std::string check_machines(const SvmFamily& family) {
  const std::size_t machines = machines_of(family);
  const std::size_t columns = family.bias.columns;
  if (family.bias.rows != family.gammas.size() || columns == 0 || columns % machines != 0 ||
      columns / machines != family.cost_count) {
    return "the number of machines does not fit gammas, costs and classes";
  }
  if (family.norm.rows != family.bias.rows || family.norm.columns != columns)
    return "a machine has no norm, or a norm has no machine";
  if (family.machines.size() / machines != family.gammas.size() || family.machines.size() % machines != 0)
    return "the number of machines does not fit gammas, costs and classes";
  for (const svm::MachineCosts& machine : family.machines) {
    if (machine.coefficients.rows != machine.support.size() || machine.coefficients.columns != family.cost_count)
      return "a machine has a damaged list of coefficients";
    if (!strictly_ascending(machine.support) ||
        (!machine.support.empty() && machine.support.back() >= family.support_rows.size())) {
      return "a machine refers to a support vector that does not exist, or to one twice";
    }
    if (!all_finite(machine.coefficients.values)) return "a machine has a value that is not finite";
  }
  const bool sound = all_finite(family.bias.values) && all_finite(family.norm.values) &&
                     std::all_of(family.norm.values.begin(), family.norm.values.end(), [](double x) { return x >= 0; });
  return sound ? "" : "a machine has a value that is not finite, or a norm below 0";
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

std::string check(const PartitionFamily& family, std::size_t columns) {
  return check_partition(family, columns);
}

std::string check(const RegionSiblings& family, std::size_t columns) {
  return check_region_siblings(family, columns);
}

std::string check(const MeanFamily& mean, std::size_t columns) {
  std::string problem;
  for (const auto& family : mean.families) {
    if (family->models() != mean.models()) return "the families of an average have other numbers of models";
    problem = check_classifiers(*family, mean.classes(), columns);
    if (!problem.empty()) break;
  }
  return problem;
}

}  // namespace

json classifiers_to_json(const model::ClassifierFamily* family, WrittenRows* rows) {
  if (family == nullptr)
    throw Error(ErrorCode::invalid_argument, "a family predictor without its family cannot be written");
  json document;
  if (!visit_as<SvmFamily, NeighbourFamily, PartitionFamily, RegionSiblings, MeanFamily>(
          *family, [&](const auto& typed) { document = to_json(typed, rows); }))
    throw Error(ErrorCode::invalid_argument, "classifiers of this type cannot be written to a model file");
  return document;
}

std::shared_ptr<const model::ClassifierFamily> classifiers_from(const json& document, const ReadRows* rows) {
  const auto type = document.at("type").get<std::string>();
  if (type == "svm" || type == "rvm") return svm_family_from(document, type == "rvm", rows);
  if (type == "neighbours") return neighbour_family_from(document);
  if (type == "regions") return partition_from(document, rows);
  if (type == "region-folds") return region_siblings_from(document, rows);
  if (type == "mean") return mean_family_from(document, rows);
  throw std::runtime_error("field 'type' of the family is '" + type + "', which is not known");
}

std::string check_classifiers(const model::ClassifierFamily& family, std::size_t classes, std::size_t columns) {
  if (family.classes() != classes) return "the family knows other classes than the data";
  std::string problem;
  visit_as<SvmFamily, NeighbourFamily, PartitionFamily, RegionSiblings, MeanFamily>(
      family, [&](const auto& typed) { problem = check(typed, columns); });
  return problem;
}

}  // namespace credence::io
