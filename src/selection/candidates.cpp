#include "credence/selection/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/rvm/train.hpp"

namespace credence::selection {
namespace {

bool is_positive(double value) {
  return value > 0 && std::isfinite(value);
}

bool ascends(const auto& values) {
  return std::ranges::adjacent_find(values, std::greater_equal<>{}) == values.end();
}

}  // namespace

std::vector<kernel::GammaRule> KernelGrid::default_gammas() {
  return kernel::parse_gammas("2^-15:2^3:x4");
}

std::vector<double> SvmCosts::default_costs() {
  return core::parse_list("2^-5:2^15:x4");
}

std::vector<kernel::GammaRule> KernelGrid::of_sigmas(std::span<const double> sigmas) {
  std::vector<double> gammas;
  for (const double sigma : sigmas) {
    const double gamma = sigma > 0 ? rvm::gamma_of_sigma(sigma) : 0;
    if (!is_positive(gamma)) refuse(fmt::format("{} is not a width above 0 that a kernel can have", sigma));
    gammas.push_back(gamma);
  }
  std::ranges::sort(gammas);
  gammas.erase(std::unique(gammas.begin(), gammas.end()), gammas.end());
  return core::mapped(gammas, [&](double gamma) { return kernel::GammaRule{kernel::GammaRule::Kind::value, gamma}; });
}

std::vector<std::string> KernelGrid::validate() const {
  std::vector<std::string> problems = shape().validate();
  for (const kernel::KernelType type : types)
    if (type == kernel::KernelType::precomputed && types.size() > 1)
      problems.emplace_back("kernel: a precomputed kernel has no others beside it");
  const bool by_default = gamma == default_gammas() || gamma == kernel::parse_gammas("scale");
  if (shape().type == kernel::KernelType::precomputed && !gamma.empty() && !by_default)
    problems.emplace_back("gamma: a precomputed kernel has none; leave gamma out");
  for (const kernel::GammaRule& rule : gamma)
    if (rule.kind == kernel::GammaRule::Kind::value && !is_positive(rule.value))
      problems.push_back(fmt::format("gamma must be a finite number above 0, not {}", rule.value));
  for (const kernel::KernelType type : types) {
    if (!by_sigma || type == kernel::KernelType::rbf) continue;
    problems.push_back(fmt::format("sigma is the width of the rbf kernel; the {} kernel has {}", kernel::name(type),
                                   kernel::Shape{type}.uses_gamma() ? "gamma" : "no width"));
  }
  return problems;
}

std::vector<std::string> SvmCosts::validate() const {
  std::vector<std::string> problems = class_weights.validate();
  const std::vector<std::string> of_solver = solver.validate();
  problems.insert(problems.end(), of_solver.begin(), of_solver.end());
  for (const double value : C)
    if (!is_positive(value)) problems.push_back(fmt::format("C must be a finite number above 0, not {}", value));
  if (!ascends(C)) problems.emplace_back("the values of C must ascend");
  for (const double value : nu)
    if (!(value > 0 && value <= 1)) problems.push_back(fmt::format("nu must be in (0, 1], not {}", value));
  if (std::ranges::adjacent_find(nu, std::less_equal<>{}) != nu.end())
    problems.emplace_back("the values of nu must descend");
  for (const double value : rho)
    if (!(value >= 0 && std::isfinite(value)))
      problems.push_back(fmt::format("rho must be a finite number from 0 on, not {}", value));
  if (rho.empty() || !ascends(rho))
    problems.emplace_back("the grid needs at least one value of rho, and they must ascend");
  return problems;
}

std::vector<double> SvmCosts::rho_list() {
  constexpr int count = 30;
  std::vector<double> values;
  for (int j = 0; j < count; ++j) values.push_back(std::pow(10.0, -6 + 9.0 * j / (count - 1)));
  return values;
}

std::vector<std::string> RvmCandidates::validate() const {
  std::vector<std::string> problems = fit.validate();
  if (centres == std::size_t{0}) problems.emplace_back("the number of candidate centres must be at least 1, not 0");
  return problems;
}

}  // namespace credence::selection
