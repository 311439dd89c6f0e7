#include "credence/bounds/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::bounds {

std::vector<bool> discoveries(std::span<const double> p, double q, Dependence dependence) {
  if (!(q > 0 && q < 1)) refuse(fmt::format("a false discovery rate must lie between 0 and 1, not {}", q));
  if (!std::ranges::all_of(p, [](double value) { return value >= 0 && value <= 1; }))
    refuse("a p-value must lie in [0, 1]");
  std::vector<double> ascending(p.begin(), p.end());
  std::ranges::sort(ascending);
  const auto m = static_cast<double>(p.size());
  double divisor = m;
  if (dependence == Dependence::any) {
    divisor = 0;
    for (std::size_t i = 1; i <= p.size(); ++i) divisor += m / static_cast<double>(i);
  }
  // As the rule of prediction sets, a p-value that equals a level but for rounding counts as the level.
  constexpr double rounding = 1e-12;
  double largest = -1;
  for (std::size_t k = ascending.size(); k-- > 0 && largest < 0;)
    if (ascending[k] <= q * static_cast<double>(k + 1) / divisor + rounding) largest = ascending[k];
  return core::mapped(p, [&](double value) { return value <= largest; });
}

}  // namespace credence::bounds
