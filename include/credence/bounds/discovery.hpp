#pragma once

/// ```cpp
/// using namespace credence;
/// const std::vector<double> p{0.001, 0.02, 0.03, 0.5};
/// const std::vector<bool> found = bounds::discoveries(p, 0.1);
/// std::cout << found[2] << ' ' << found[3] << '\n';  // prints 1 0
/// ```

#include <span>
#include <vector>

/// Lists of rows among which false ones are rare: the false discovery rate, the mean share of false rows in the list
/// (0 for an empty list), is at most q.
namespace credence::bounds {

/// How the p-values depend on each other.
enum class Dependence {
  positive,  ///< positively dependent on each true null hypothesis, as split conformal p-values are
  any,       ///< in any way: q is divided by 1 + 1/2 + ... + 1/m, so the list is shorter
};

/// Returns which rows belong to the list: those with p <= q k / m, for the largest k with k such rows
/// (Benjamini-Hochberg). With any dependence q / (1 + 1/2 + ... + 1/m) takes the place of q (Benjamini-Yekutieli).
/// @param p  p-value of each of m rows, in [0, 1], for the hypothesis that it is a false row  @param q  in (0, 1)
/// @throws Error invalid_argument  Cost: a sort.
/// Source: Benjamini and Hochberg, JRSS B 57 (1995); Benjamini and Yekutieli, Annals of Statistics 29 (2001); for
/// conformal p-values Bates, Candes, Lei, Romano, Sesia, Annals of Statistics 51 (2023), theorem 2.
std::vector<bool> discoveries(std::span<const double> p, double q, Dependence dependence = Dependence::positive);

}  // namespace credence::bounds
