#include "credence/model/costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::model {

namespace {

/// The classes of TRUTH:DECISION; names may hold colons.
std::pair<std::size_t, std::size_t> pair_named(const std::string& name, const std::vector<std::string>& classes) {
  for (std::size_t t = 0; t < classes.size(); ++t)
    for (std::size_t d = 0; d < classes.size(); ++d)
      if (name == classes[t] + ":" + classes[d]) return {t, d};
  refuse(fmt::format("'{}' is not TRUTH:DECISION of the classes {}, nor ask", name, fmt::join(classes, ", ")));
}

}  // namespace

DecisionCosts DecisionCosts::parse(const std::string& text, const std::vector<std::string>& classes) {
  DecisionCosts costs;
  costs.of = data::DenseMatrix(classes.size(), classes.size());
  for (std::size_t t = 0; t < classes.size(); ++t)
    for (std::size_t d = 0; d < classes.size(); ++d) costs.of.row(t)[d] = t == d ? 0 : 1;
  std::set<std::string> given;
  for (const auto& [name, value] : core::parse_named_numbers(text)) {
    if (value < 0) refuse(fmt::format("the cost of '{}' is {}, and a cost is at least 0", name, value));
    if (!given.insert(name).second) refuse(fmt::format("'{}' has two costs", name));
    if (name == "ask") {
      costs.ask = value;
      continue;
    }
    const auto [truth, decision] = pair_named(name, classes);
    if (truth == decision) refuse(fmt::format("'{}' is a right decision, which costs nothing", name));
    costs.of.row(truth)[decision] = value;
  }
  return costs;
}

double DecisionCosts::at(int truth, int decision) const {
  if (decision < 0) return ask.value_or(0);
  const auto d = static_cast<std::size_t>(decision);
  if (truth >= 0) return of.row(static_cast<std::size_t>(truth))[d];
  double most = 0;
  for (std::size_t t = 0; t < of.rows; ++t) most = std::max(most, of.row(t)[d]);
  return most;
}

}  // namespace credence::model
