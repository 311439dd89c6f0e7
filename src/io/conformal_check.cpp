#include "io/conformal_check.hpp"

#include "credence/neighbours/family.hpp"
#include "io/check_parts.hpp"
#include "io/family_check.hpp"

namespace credence::io {
namespace {

/// More neighbours than rows are never fitted, and would ask for tables of that width.
std::string check_neighbour_count(const model::ClassifierFamily& classifier) {
  const auto* nearest = dynamic_cast<const neighbours::NeighbourFamily*>(&classifier);
  const bool fits = nearest == nullptr || static_cast<std::size_t>(nearest->k.back()) <= nearest->labels.size();
  return fits ? "" : "its number of neighbours is larger than that of its rows";
}

}  // namespace

std::string check_known(const data::Features& rows, const std::vector<int>& labels, std::size_t columns) {
  return labels.empty() ? "it has no rows" : check_features(rows, labels.size(), columns);
}

std::string check_classifiers(const std::vector<conformal::CalibratedClassifier>& parts, std::size_t classes,
                              std::size_t columns) {
  for (const conformal::CalibratedClassifier& part : parts) {
    std::string problem = check_classifiers(*part.classifier, classes, columns);
    if (problem.empty()) problem = check_neighbour_count(*part.classifier);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace credence::io
