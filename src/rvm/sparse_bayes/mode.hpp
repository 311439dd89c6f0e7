#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "rvm/sparse_bayes/dense.hpp"

namespace credence::rvm {

/// The data of a likelihood, without alpha and noise.
struct Likelihoods {
  data::Task task = data::Task::classification;
  std::span<const double> targets;
};

/// Counts of work.
struct Work {
  std::uint64_t newton_steps = 0;
  std::uint64_t factorisations = 0;
  double full_factorisations = 0;
};

/// Finds the most probable weights of some columns of a basis while alpha changes and columns join and leave: Newton's
/// method in the whitened form u = A^1/2 w, with Psi = Phi A^-1/2 and the Hessian I + Psi' B Psi.
class Mode {
 public:
  /// Starts with all weights 0. The arguments must outlive the object.
  /// @param columns  ascending
  Mode(const Basis& basis, std::span<const std::uint32_t> columns, std::span<const double> alpha,
       const Likelihoods& likelihoods, double noise_variance, const core::Context& context);

  enum class Search { found, stopped, indefinite };
  /// Takes Newton steps, at least one, until the decrement before a step is below the tolerance. One step is exact for
  /// a regression; a second step removes the rounding of the first. `indefinite` means that rounding has made the
  /// Hessian useless, because Psi is too large.
  Search search(double tolerance);
  /// Computes the factor at the present weights. `search` leaves the factor of the weights before its last step.
  bool factorise();

  std::size_t size() const { return columns_.size(); }
  const std::vector<std::uint32_t>& columns() const { return columns_; }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& alpha() const { return alpha_; }
  double noise_variance() const { return noise_variance_; }
  const Triangle& factor() const { return factor_; }
  const Work& work() const { return work_; }
  /// g_n and h_n at y = Phi w.
  const std::vector<double>& slopes() const { return at_.slopes; }
  const std::vector<double>& curvatures() const { return at_.curvatures; }
  /// h_n at the weights that the factor belongs to.
  const std::vector<double>& factor_curvatures() const { return factor_curvatures_; }

  /// Returns gamma of each column, in [0, 1], from the factor at hand.
  std::vector<double> gammas() const;
  /// Returns sum l_n - 0.5 u'u - sum log L_ii from the factor at hand. All terms of alpha and 2 pi cancel.
  double log_evidence() const;
  /// ||t - Phi w||^2.
  double squared_residual() const;

  /// Sets the alpha of the columns and keeps the weights.
  void set_alpha(std::span<const double> alpha) { alpha_.assign(alpha.begin(), alpha.end()); }
  void set_noise_variance(double value);
  /// Removes the columns for which keep is false, with their weights.
  void keep(const std::vector<bool>& keep);
  /// Adds a column of the basis with this alpha and weight 0. @return its place among the columns
  std::size_t add(std::uint32_t column, double alpha);

  /// All but the noise. A state serves to undo a change.
  struct State {
    std::vector<std::uint32_t> columns;
    std::vector<double> alpha;
    std::vector<double> weights;
  };
  State state() const { return {columns_, alpha_, weights_}; }
  void restore(State state);

  /// Returns the posterior at the present weights. The factor must belong to these weights.
  Posterior posterior(bool with_covariance) const;

 private:
  struct NewtonStep {
    std::vector<double> direction;  ///< in u
    double decrement = 0;
  };

  Search search_weights(double tolerance);
  NewtonStep newton_step() const;
  bool regression() const { return likelihoods_.task == data::Task::regression; }
  void set_hessian();
  bool keeps_products() const;
  void set_products(std::span<const double> factors, Triangle& products);
  void grow_products(std::size_t at);
  std::vector<double> gradient() const;
  bool worth_searching_values() const;
  Search search_values(double tolerance);
  /// The likelihood and its derivatives at some weights.
  struct Evaluation {
    std::vector<double> values;  ///< y = Phi w
    std::vector<double> slopes;
    std::vector<double> curvatures;
    double log_likelihood = 0;
  };
  Evaluation evaluate(std::vector<double> values) const;
  void move_to(Evaluation there);
  std::vector<double> values_at(std::span<const double> weights) const;
  double half_penalty(std::span<const double> weights) const;
  bool step_along(const NewtonStep& newton);
  const double* phi(std::size_t m) const { return basis_.column(columns_[m]); }

  const Basis& basis_;
  Likelihoods likelihoods_;
  const core::Context& context_;
  std::size_t rows_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> alpha_;
  double noise_variance_;
  std::vector<double> weights_;
  Evaluation at_;                             ///< evaluation at the present weights
  core::UninitializedVector<double> scaled_;  ///< room for set_products()
  Triangle products_;  ///< Phi' B Phi of the columns at hand, at the weights at hand; regression: Phi'Phi
  bool has_products_ = false;
  Triangle factor_;
  std::vector<double> factor_curvatures_;
  Work work_;
};

}  // namespace credence::rvm
