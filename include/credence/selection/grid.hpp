#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "credence/kernel/kernel.hpp"

namespace credence::selection {

/// Numbers in a list: "2^-5:2^15:x4" (geometric), "0.1:1:+0.1" (arithmetic), "1,10,100", or one value; "2^-3" is a
/// number. Both ends are included where the steps meet them (to 1e-9 relative).
/// @throws Error invalid_argument with the part that is wrong; also for more than 10,000 values
std::vector<double> parse_list(std::string_view text);

/// The grid of hyper-parameters of SVMs. Default: LIBSVM's grid.py.
struct Grid {
  std::vector<double> C = parse_list("2^-5:2^15:x4");  ///< > 0, ascending
  std::vector<double> nu;  ///< if not empty, nu-SVCs with these nu (in (0, 1], descending) instead of C-SVCs
  std::vector<kernel::GammaRule> gamma = gamma_list("2^-15:2^3:x4");  ///< ignored by kernels without gamma
  /// |w|^2 is at most this, for in-sample methods; >= 0, ascending. Default: 30 values from 10^-6 to 10^3, as the
  /// paper.
  std::vector<double> rho = rho_list();
  static std::vector<double> rho_list();
  /// How many values of gamma may be added beyond either end of the list while the best cell lies there. Looked at
  /// where relevance vector machines are chosen by cv, kernel-validity or evidence; see Cell::added. 0: the list
  /// stands.
  int further = 0;

  /// A list as above, or words (`scale`, `auto`, `median`) separated by commas.
  static std::vector<kernel::GammaRule> gamma_list(std::string_view text);
  /// The other axis than gamma, most regularised first: C ascending, or nu descending.
  const std::vector<double>& costs() const { return nu.empty() ? C : nu; }
  std::vector<std::string> validate() const;
};

}  // namespace credence::selection
