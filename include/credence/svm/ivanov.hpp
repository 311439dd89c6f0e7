#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "credence/qp/solver.hpp"

/// SVMs at a fixed norm (Ivanov's form), around a hint f0, over the class
///
///     F_rho = { f(x) = f0(x) + w phi(x) + b : |w|^2 <= rho },   b free, or 0.
///
/// The one QP of the library solves every convex problem here, with boxes and a linear term. Let t in {-1,+1} be the
/// labels, C a cost, and d_i = 1 for the rows given up (counted with the full loss), d_i = 0 for the others. Then the
/// convex problem is min 1/2 s'Ks - p's with p = t - f0, sum(s) = 0, and s_i in [-d_i C, (1 - d_i) C] for t_i = +1, s_i
/// in [-(1 - d_i) C, d_i C] for t_i = -1. The solution gives w = sum s_i phi_i and |w|^2 = s'Ks.
/// Source: Anguita et al. (2012), equations 66 to 78. Equation 76 as printed lacks f0, which stands here.
namespace credence::svm {

struct IvanovOptions {
  bool bias = true;  ///< false: b = 0
  /// Relative tolerance of the norm, in (0, 1): |w|^2 <= rho (1 + norm_tolerance). If rho binds, also |w|^2 >= rho (1 -
  /// norm_tolerance), except where a larger norm would lower the mean loss of the convex problem by less than 1e-4
  /// norm_tolerance.
  double norm_tolerance = 1e-3;
  bool start_at_hint = true;  ///< also start from the rows that f0 gives up; f0 = 0 adds no start
  bool start_at_last = true;  ///< also start from the rows given up at the previous rho
  bool peel = false;          ///< give up the worst row, one at a time, while its hinge loss is above 2
  qp::Options solver{.tolerance = 1e-4};

  /// Returns all problems at once; the list is empty if there are none.
  std::vector<std::string> validate() const;

  static void describe(auto&& field) {
    field("peel", &IvanovOptions::peel,
          core::ForPapers("drop the worst row, one at a time, instead of equations 76 to 78 (Anguita et al. 2012)"));
    field("bias", &IvanovOptions::bias,
          core::ForPapers("give classifiers the bias b of equation 66 (Anguita et al. 2012)"));
  }
};

/// Counts of work over all solves.
struct IvanovWork {
  std::uint64_t convex_steps = 0;  ///< convex problems at fixed rho
  std::uint64_t solves = 0;        ///< QPs
  std::uint64_t steps = 0;         ///< SMO steps
  std::uint64_t factorisations = 0;
  std::uint64_t unconverged = 0;  ///< QPs that ended before the tolerance
};

/// A function f of the class F_rho.
struct IvanovSolution {
  std::vector<double> beta;       ///< s: w = sum s_i phi_i
  double bias = 0;                ///< b
  double norm = 0;                ///< |w|^2
  std::vector<double> decisions;  ///< f(x_i), including f0
  double loss = 0;                ///< mean over rows: the hinge loss for `ivanov_hinge`, else the soft loss
  double C = 0;                   ///< C of the convex problem that f solves; 0 if f solves none (w = 0)
  /// true: the limit on |w|^2 is met. false: f stays the solution of the convex problem at every larger rho.
  bool binding = true;
};

/// Minimises the mean hinge loss over F_rho. The function searches for the C with |w(C)|^2 = rho.
///
/// h(C) = |w(C)|^2 is continuous and nondecreasing, and h(C) / C^2 is nonincreasing; w is linear in C as long as no row
/// enters or leaves a bound. The function recognises an inactive constraint (rho larger than the norm of the least
/// hinge loss).
/// @param labels  n labels, -1 or +1  @param hint  n values f0(x_i) of at most 1e9 in size, or empty for f0 = 0
/// @param rho  >= 0
/// @throws Error invalid_argument (sizes, labels, rho, options); interrupted if the monitor says stop
IvanovSolution ivanov_hinge(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint, double rho,
                            const IvanovOptions& options, const core::Monitor& monitor);

/// Minimises the mean soft loss over F_rho approximately, for ascending rho. Each rho starts from the solution of the
/// previous rho. The method is the concave-convex procedure (or peeling) on the Ivanov problem.
///
/// Each round gives up the rows with t f < -1 and solves the convex problem that bounds the loss from above at the
/// present f. The loss never rises, and rounds end when the same rows were given up before. A search starts at the
/// solution of the hinge loss (no row given up), at the hint, and at the previous solution. Each w gets the bias that
/// is best for it, and the best round of all starts is kept. The function w = 0 with its best bias is always a
/// candidate.
///
/// `solution` gives an upper limit of the minimum. `lower_limit` gives a certified lower limit, the larger of two:
/// - With the best bias some row has |t f| = 1, so the minimiser has |f(x_i)| <= B = 1 + sqrt(rho) max |phi_i - phi_j|
///   + max f0 - min f0. Without a bias B = max of sqrt(rho K_ii) + |f0_i|. Under this limit soft loss >= hinge / (1 +
///   max(1, B)), and every feasible s bounds the hinge loss over F_rho from below by its dual value (p's - sqrt(rho
///   s'Ks)) / (n C).
/// - The soft loss changes half as fast as f. So w lowers the mean loss of f0 with its best bias by at most half the
///   mean of |w (phi_i - c)|, where c is the mean of the phi_i. That mean is at most sqrt(rho lambda), where lambda is
///   the largest eigenvalue of the rows' covariance in feature space. The Frobenius norm of the centred kernel matrix
///   over n is an upper limit of lambda. Without a bias c = 0, and the matrix is not centred.
///
/// Cost: about two convex problems for each rho, with one to four warm-started QPs each.
class SoftIvanov {
 public:
  /// Rows, options and monitor must outlive the object.  @throws Error invalid_argument as `ivanov_hinge`
  SoftIvanov(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint,
             const IvanovOptions& options, const core::Monitor& monitor);
  ~SoftIvanov();
  SoftIvanov(SoftIvanov&&) noexcept;
  SoftIvanov& operator=(SoftIvanov&&) noexcept;

  /// Solves for the next rho, which must be at least the previous rho.
  /// @throws Error invalid_argument for a smaller rho; interrupted if the monitor says stop
  void grow_to(double rho);

  const IvanovSolution& solution() const;  ///< the best function found at this rho; its loss is the mean soft loss
  double lower_limit() const;              ///< certified: no function of F_rho has a smaller mean soft loss
  /// With `peel`: 1 / (2 n) times the sum of the hinge losses of the rows kept. Peeled rows count 0, so this number is
  /// not a certified limit on either side, and a complexity computed from it is too large. Without `peel`: the loss of
  /// the solution.
  double peeled_loss() const;
  /// The mean soft loss after each round of the concave-convex procedure at this rho, one list for each start. A list
  /// is empty if the start gives up rows that were given up before. There are no lists if rho or the loss is 0.
  const std::vector<std::vector<double>>& rounds() const;
  const IvanovWork& work() const;  ///< counts over all rho so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Minimises the mean soft loss over F_rho exactly: the minimum times 2 n is the least value, over all sets S of rows
/// given up, of 2 |S| plus the least sum of the other rows' hinge losses over F_rho. It is for small n alone.
/// @throws Error invalid_argument for n > 14, and as `ivanov_hinge`
/// Cost: up to 2^(n-1) hinge problems; sets that cannot give a smaller value are skipped.
IvanovSolution ivanov_soft_exact(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint,
                                 double rho, const IvanovOptions& options, const core::Monitor& monitor);
inline constexpr std::size_t most_rows_enumerated = 14;

/// Returns the bias that minimises the sum of the clipped hinge losses of offsets + bias, exactly. The bias is a
/// breakpoint +-1 - o_i; among several minimisers the one nearest to `preferred` is returned. Cost: O(n log n).
double best_bias(std::span<const int> labels, std::span<const double> offsets, double preferred);

}  // namespace credence::svm
