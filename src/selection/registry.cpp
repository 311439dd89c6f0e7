#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "credence/core/error.hpp"
#include "credence/selection/selector.hpp"
#include "selection/methods.hpp"

namespace credence::selection {
namespace {

struct Method {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Selector> (*make)(const Options& options);
};

/// Every selection method: its name, what it does, and what makes it. A new method is one file and one line here.
constexpr std::array<Method, 12> registry{{
    {"cv", "the cell with the smallest cross-validation error", make_cross_validation},
    {"nonconformity", "all models; for each row the one in whose eyes a class is strangest", make_nonconformity},
    {"max-margin", "all models; for each row the one with the largest margin", make_max_margin},
    {"holdout", "the cell with the smallest error on rows held out once", make_hold_out},
    {"holdout-vote", "the vote of all models with the smallest error on rows held out once", make_hold_out_vote},
    {"kfold-nested", "cross-validation that chooses within cross-validation that judges, with bounds on the error",
     make_kfold_nested},
    {"loo", "the cell with the smallest leave-one-out error", make_leave_one_out},
    {"rademacher", "the norm with the smallest bound by Rademacher complexity, from the training rows alone",
     make_rademacher},
    {"maximal-discrepancy", "the norm with the smallest bound by maximal discrepancy, from the training rows alone",
     make_maximal_discrepancy},
    {"bootstrap", "the cell with the smallest error on rows that bootstrap samples leave out", make_bootstrap},
    {"kernel-validity",
     "the kernel whose relevance vector machine is likely and stays so when its centres move; one fit for each "
     "(for a regression take cv first)",
     make_kernel_validity},
    {"evidence",
     "the kernel whose relevance vector machine has the largest evidence; one fit for each (for a regression take cv "
     "first)",
     make_evidence},
}};

const Method* find_method(std::string_view name) {
  const auto* found =
      std::find_if(registry.begin(), registry.end(), [&](const Method& method) { return method.name == name; });
  return found == registry.end() ? nullptr : found;
}

}  // namespace

std::string unknown_method(std::string_view name) {
  return fmt::format("unknown method '{}'; allowed are {}", name, fmt::join(methods(), ", "));
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const Method& method : registry) names.emplace_back(method.name);
  return names;
}

std::string describe_method(const std::string& name) {
  const Method* method = find_method(name);
  if (method == nullptr) throw Error(ErrorCode::invalid_argument, unknown_method(name));
  return std::string(method->description);
}

std::unique_ptr<Selector> make_selector(const Options& options) {
  throw_if_any(options.validate());
  return find_method(options.method)->make(options);
}

}  // namespace credence::selection
