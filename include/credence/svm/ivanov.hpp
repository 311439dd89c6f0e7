#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/kernel/rows.hpp"
#include "credence/qp/solver.hpp"

/// SVMs at a fixed norm (Ivanov's form), around a hint f0, over the class
///
///     F_rho = { f(x) = f0(x) + w phi(x) + b : |w|^2 <= rho },   b free, or 0.
///
/// Everything is solved by the one QP: boxes and a linear term. With t in {-1,+1} the labels, C a cost and d_i in
/// {0,1} the rows given up, the convex step is  min 1/2 s'Ks - p's,  p = t - f0,  sum(s) = 0,  s_i in
/// [-d_i C, (1 - d_i) C] for t_i = +1, [-(1 - d_i) C, d_i C] for t_i = -1; then w = sum s_i phi_i, |w|^2 = s'Ks.
/// Source: Anguita et al. (2012), equations 66 to 78, with f0 in (76), where the print lacks it.
namespace credence::svm {

struct IvanovOptions {
  bool bias = true;  ///< false: b = 0
  /// |w|^2 is at most rho (1 + it); and at least rho (1 - it) where rho binds, unless a larger one would lower the mean
  /// loss of the convex problem by less than 1e-4 times it. In (0, 1).
  double norm_tolerance = 1e-3;
  bool start_at_hint = true;  ///< also start from the rows that f0 gives up (as from the hinge loss if f0 = 0)
  bool start_at_last = true;  ///< also start from the rows given up at the rho before
  bool peel = false;          ///< instead give up one row at a time, the worst, while a hinge loss is above 2
  qp::Options solver{.tolerance = 1e-4};

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("peel", &IvanovOptions::peel, "minimise by giving up one row at a time");
    field("bias", &IvanovOptions::bias, "classifiers have a bias");
  }
};

/// Counts over all solves.
struct IvanovWork {
  std::uint64_t convex_steps = 0;  ///< convex problems at fixed rho
  std::uint64_t solves = 0;        ///< QPs
  std::uint64_t steps = 0;         ///< SMO steps
  std::uint64_t factorisations = 0;
  std::uint64_t unconverged = 0;  ///< QPs that met the step limit
};

/// A function of F_rho.
struct IvanovSolution {
  std::vector<double> beta;       ///< s: w = sum s_i phi_i
  double bias = 0;                ///< b
  double norm = 0;                ///< |w|^2
  std::vector<double> decisions;  ///< f(x_i), f0 included
  double loss = 0;                ///< mean over rows: hinge for `ivanov_hinge`, soft for the others
  double C = 0;                   ///< of the convex problem that it solves; 0 if it solves none (w = 0)
  /// |w|^2 is that of the rho where it was found; false: the convex problem has the same solution at every larger rho.
  bool binding = true;
};

/// min over F_rho of the hinge loss: bisection on C for |w(C)|^2 = rho.
///
/// h(C) = |w(C)|^2 is continuous and nondecreasing, h(C) / C^2 nonincreasing; on a stretch where no row enters or
/// leaves a bound, w is linear in C. An inactive constraint (rho larger than the norm of the least hinge loss) is
/// recognised.
/// @param labels  -1 or +1, n  @param hint  f0(x_i), n, at most 1e9 in size; empty: 0  @param rho  >= 0
/// @throws Error invalid_argument (sizes, labels, rho, options); interrupted if the monitor says stop
IvanovSolution ivanov_hinge(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint, double rho,
                            const IvanovOptions& options, const core::Monitor& monitor);

/// min over F_rho of the mean soft loss, approximately, for ascending rho, each from the rho before: the concave-convex
/// procedure (or peeling) on the Ivanov problem.
///
/// Each round gives up the rows with t f < -1 and solves the convex problem that bounds the loss from above at the
/// present f; the loss never rises, and rounds end when the rows given up were given up before. Starts: the hinge loss
/// (none given up), the hint, the solution before; the best round of all starts is kept, after the bias has been set to
/// its best value for its w. w = 0 with its best bias is always among the candidates.
///
/// What is found is an upper limit of the minimum. `lower_limit` is a certified lower one, the better of two:
/// - The best bias puts some row at the margin, so |f(x_i)| <= B = 1 + sqrt(rho) max |phi_i - phi_j| + max f0 - min f0
/// for
///   the minimiser (without bias B = max of sqrt(rho K_ii) + |f0_i|), where soft loss >= hinge / (1 + max(1, B)); and
///   the hinge loss over F_rho is at least its dual value at any feasible s: (p's - sqrt(rho s'Ks)) / (n C).
/// - The soft loss changes half as fast as f, so w lowers the mean loss of f0 with its best bias by at most half the
/// mean
///   of |w (phi_i - c)|, which is at most sqrt(rho lambda), lambda the largest eigenvalue of the rows' covariance in
///   feature space, which the Frobenius norm of the centred kernel matrix over n exceeds (without bias: not centred).
///
/// Cost: some two convex problems for each rho, one to four QPs each, warm-started.
class SoftIvanov {
 public:
  /// Rows, options and monitor must outlive it.  @throws Error invalid_argument as `ivanov_hinge`
  SoftIvanov(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint,
             const IvanovOptions& options, const core::Monitor& monitor);
  ~SoftIvanov();
  SoftIvanov(SoftIvanov&&) noexcept;
  SoftIvanov& operator=(SoftIvanov&&) noexcept;

  /// Goes on to a rho that is at least the one before.
  /// @throws Error invalid_argument if it is not; interrupted if the monitor says stop
  void grow_to(double rho);

  const IvanovSolution& solution() const;  ///< the best function found at this rho; loss: mean soft loss
  double lower_limit() const;              ///< certified: no function of F_rho has a smaller mean soft loss
  /// With `peel`: 1 / (2 n) times the hinge losses of the rows kept, where rows peeled count 0, which makes a
  /// complexity larger; neither certified nor an upper limit. Without: the loss.
  double peeled_loss() const;
  /// The mean soft loss after each round of the concave-convex procedure at this rho, start after start: empty where a
  /// start gives up rows that were given up before, and no starts at all where the loss is 0.
  const std::vector<std::vector<double>>& rounds() const;
  const IvanovWork& work() const;  ///< since it was made

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// min over F_rho of the mean soft loss, exactly: over all sets S of rows given up, 2 |S| + min over F_rho of the sum
/// of the hinge losses of the others. An oracle for small n.
/// @throws Error invalid_argument for n > 14, and as `ivanov_hinge`
/// Cost: up to 2^(n-1) hinge problems, those left out that cannot be smaller.
IvanovSolution ivanov_soft_exact(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint,
                                 double rho, const IvanovOptions& options, const core::Monitor& monitor);
inline constexpr std::size_t most_rows_enumerated = 14;

/// The bias that minimises the sum of clipped hinge losses of offsets + bias, exactly: a breakpoint +-1 - o_i. Of
/// several the one nearest to `preferred`. Cost: O(n log n).
double best_bias(std::span<const int> labels, std::span<const double> offsets, double preferred);

}  // namespace credence::svm
