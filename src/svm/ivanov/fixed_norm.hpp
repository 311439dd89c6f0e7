#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "credence/svm/ivanov.hpp"
#include "svm/path/warm_path.hpp"

namespace credence::svm {

/// The loss of a row in a convex problem.
enum class RowLoss : signed char {
  hinge,     ///< max(0, 1 - t f)
  given_up,  ///< max(0, t f - 1): up to a constant, the hinge loss plus the linear bound of its concave part
  none,      ///< left out
};

/// Labels and hint of a problem, checked.
struct IvanovData {
  std::vector<double> labels;  ///< t
  std::vector<double> hint;    ///< f0; zeros if there is none

  /// @throws Error invalid_argument for wrong sizes, labels or values that are not finite
  IvanovData(std::size_t n, std::span<const int> given_labels, std::span<const double> given_hint);
  std::size_t size() const { return labels.size(); }
};

/// The convex problem of include/credence/svm/ivanov.hpp with fixed rows given up, at one norm after another. A problem
/// without a bias must not have the sum constraint: one more row, whose kernel values are 0, takes up any sum.
class FixedNorm {
 public:
  /// All arguments must outlive the object.
  /// @param rows  n rows, or n + 1 without a bias (`RowsWithOrigin`)
  FixedNorm(kernel::Rows& rows, const IvanovData& data, std::vector<RowLoss> losses, const IvanovOptions& options,
            const core::Monitor& monitor, IvanovWork& work);

  /// Starts from the solution of another problem. Variables that change sides are first brought to 0; if the other
  /// variables cannot take up their values, the start is empty. Neither problem may leave rows out.
  void start_from(const FixedNorm& other);

  /// Solves for |w|^2 <= rho from the present point. @throws Error interrupted if the monitor says stop
  void solve(double rho);

  const std::vector<RowLoss>& losses() const { return losses_; }
  double C() const { return path_.point().C; }
  double norm() const { return norm_; }
  /// False: the solution is the same at every larger rho.
  bool binding() const { return binding_; }
  /// Reads s and (K s)_i + f0_i of all rows, including rows left out, without the entry of the origin.
  void read(std::vector<double>& beta, std::vector<double>& offsets, double& bias) const;
  /// Returns (p's - sqrt(rho |w|^2)) / (n C). If no row is given up, no function with a norm of at most rho has a
  /// smaller mean hinge loss.
  double dual_value(double rho) const;

 private:
  struct Known {
    WarmPath::Point point;
    double norm = 0;
  };

  void allow_rounding(double C);
  void require(bool solved);
  void solve_at(double C);
  double norm_of(const qp::State& state) const;
  bool is_least(double rho) const;
  bool touches_bound() const;
  double noise(std::span<const double> coefficients) const;
  bool is_least_of_all() const;
  double share_of_noise() const;
  bool is_last() const;
  bool back_from_noise();
  double next_C(double rho) const;
  void look(double rho);
  void advance(double rho, int attempt);

  kernel::Rows& rows_;
  const IvanovData& data_;
  std::vector<RowLoss> losses_;
  const IvanovOptions& options_;
  IvanovWork& work_;
  qp::Problem unit_;
  qp::Options solver_;
  WarmPath path_;
  double trace_ = 0;
  double largest_diagonal_ = 0;
  double largest_C_ = 0;
  double norm_ = 0;
  bool binding_ = true;
  bool solved_ = false;
  std::optional<Known> before_;  ///< the last two points below rho
  std::optional<Known> low_;
  std::optional<Known> high_;  ///< the last point above rho
};

}  // namespace credence::svm
