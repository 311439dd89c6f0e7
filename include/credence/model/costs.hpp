#pragma once

/// ```cpp
/// using namespace credence;
/// const auto costs = model::DecisionCosts::parse("sick:well=50,ask=5", {"sick", "well"});
/// std::cout << costs.at(0, 1) << ' ' << costs.at(1, 0) << ' ' << costs.at(0, -1) << '\n';  // prints 50 1 5
/// ```

#include <optional>
#include <string>
#include <vector>

#include "credence/data/features.hpp"

namespace credence::model {

/// The costs of wrong decisions and of asking a person. A decision is a label, or to ask (`decision` -1).
struct DecisionCosts {
  data::DenseMatrix of;       ///< true class x decision; 0 on the diagonal
  std::optional<double> ask;  ///< cost of asking a person

  /// Reads costs from a text; a pair that is not named costs 1.  @param text  "sick:well=50,well:sick=1,ask=5"
  /// @throws Error invalid_argument for a name that is no pair, or is given twice, a cost below 0, or a diagonal pair
  static DecisionCosts parse(const std::string& text, const std::vector<std::string>& classes);
  /// @param truth  -1: a class that is not known; a decision then costs the largest cost of its column
  /// @param decision  -1: a person is asked, at no cost if `ask` is empty
  double at(int truth, int decision) const;
};

}  // namespace credence::model
