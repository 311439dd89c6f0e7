#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "blas/calls.hpp"
#include "rvm/likelihood.hpp"
#include "rvm/sparse_bayes/evidence_search.hpp"
#include "rvm/sparse_bayes/mode.hpp"

namespace credence::rvm {
namespace {

constexpr double smallest_gain = 1e-4;
constexpr double sequential_noise_tolerance = 1e-4;
constexpr int changes_between_noises = 5;
constexpr int changes_for_iteration = 20;
/// After this many changes without a gain in evidence the search is on a plateau.
constexpr int patience = 100;
/// A change is undone if the evidence falls by this much below its highest value so far.
constexpr double largest_fall = 1;
/// If S is at most this share of phi' B phi, the column lies in the span of the model up to rounding, and adds nothing.
constexpr double rounding_share = 1e-11;

/// Newton decrement of the mode between changes. With a coarser mode the gains mislead, and the search ends in worse
/// optima.
constexpr double search_tolerance = 1e-6;
/// A look inside the model is cheap, and a look at all columns is not. So the search changes columns inside the model
/// as long as one change gains at least this share of the best gain in the last look at all columns.
constexpr double worth_staying = 0.5;

/// S and Q of all columns of a basis at a mode (Tipping and Faul 2003, equations 24 and 25).
struct Factors {
  std::vector<double> sparsity;  ///< S_m = phi' B phi - |L^-1 Psi' B phi|^2
  std::vector<double> quality;   ///< Q_m = phi' g
  std::vector<double> square;    ///< phi' B phi
};

/// Number of columns for one task.
constexpr std::size_t columns_of_task = 32;

/// B^1/2 Psi of the mode's columns.
core::UninitializedVector<double> scaled_columns(const Basis& basis, const Mode& mode, std::span<const double> roots) {
  core::UninitializedVector<double> scaled(basis.rows * mode.size());
  for (std::size_t k = 0; k < mode.size(); ++k) {
    const double* phi = basis.column(mode.columns()[k]);
    const double whitening = 1 / std::sqrt(mode.alpha()[k]);
    double* out = scaled.data() + k * basis.rows;
    for (std::size_t n = 0; n < basis.rows; ++n) out[n] = phi[n] * roots[n] * whitening;
  }
  return scaled;
}

/// Computes the factors of all columns of the basis, in the model or not. B is that of the mode's factor, which must be
/// at hand, and g that of the present weights. Cost: 2 N A for each column, for A columns in the model.
Factors factors_of(const Basis& basis, const Mode& mode, const core::Context& context) {
  const blasint rows = blas::size(basis.rows);
  const blasint active = blas::size(mode.size());
  std::vector<double> roots(basis.rows);
  std::ranges::transform(mode.factor_curvatures(), roots.begin(), [](double h) { return std::sqrt(h); });
  const core::UninitializedVector<double> scaled = scaled_columns(basis, mode, roots);
  Factors factors{std::vector<double>(basis.columns), std::vector<double>(basis.columns),
                  std::vector<double>(basis.columns)};
  context.threads.for_each((basis.columns + columns_of_task - 1) / columns_of_task, [&](std::size_t part) {
    const std::size_t first = part * columns_of_task;
    const std::size_t count = std::min(columns_of_task, basis.columns - first);
    core::UninitializedVector<double> block(basis.rows * count);  // B^1/2 phi
    for (std::size_t k = 0; k < count; ++k) {
      const double* phi = basis.column(first + k);
      double* out = block.data() + k * basis.rows;
      for (std::size_t n = 0; n < basis.rows; ++n) out[n] = phi[n] * roots[n];
      factors.square[first + k] = blas::dot(rows, out, 1, out, 1);
      factors.quality[first + k] = blas::dot(rows, phi, 1, mode.slopes().data(), 1);
      factors.sparsity[first + k] = factors.square[first + k];
    }
    if (active == 0) return;
    core::UninitializedVector<double> products(mode.size() * count);
    blas::gemm(CblasColMajor, CblasTrans, CblasNoTrans, active, blas::size(count), rows, 1, scaled.data(), rows,
               block.data(), rows, 0, products.data(), active);
    blas::trsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, active, blas::size(count), 1,
               mode.factor().column(0), active, products.data(), active);
    for (std::size_t k = 0; k < count; ++k) {
      const double* inside = products.data() + k * mode.size();
      factors.sparsity[first + k] -= blas::dot(active, inside, 1, inside, 1);
    }
  });
  return factors;
}

struct Change {
  std::uint32_t column = 0;
  double alpha = std::numeric_limits<double>::infinity();  ///< infinite: delete the column
  double gain = 0;                                         ///< of log evidence
};

class Sequential {
 public:
  Sequential(const EvidenceProblem& problem, double alpha, const core::Context& context)
      : problem_(problem), context_(context), mode_(make_mode(problem, alpha, context)) {}

  std::optional<Fit> run(bool with_covariance) {
    const int most = changes_for_iteration * problem_.options.max_iterations;
    Status status = Status::iteration_limit;
    int changes = 0;
    for (; changes < most && status == Status::iteration_limit; ++changes) {
      if (!settle()) return std::nullopt;
      status = stopped_ ? Status::stopped : improve(changes);
    }
    // The last change has not been settled yet.
    if (status == Status::iteration_limit && !settle()) return std::nullopt;
    // The result is the best model seen, which need not be the last.
    if (status != Status::stopped && !stopped_ &&
        mode_.log_evidence() < highest_ - problem_.options.evidence_tolerance) {
      go_back();
      status = status == Status::converged ? Status::plateau : status;
    }
    if (mode_.size() == 0)  // a model is never empty
      mode_.add(0, problem_.options.alpha_max * problem_.units[0]);
    return finished(mode_, problem_, status, changes, with_covariance);
  }

 private:
  static Mode make_mode(const EvidenceProblem& problem, double alpha, const core::Context& context) {
    const std::vector<std::uint32_t> first{problem.bias ? 0U : best_single(problem)};
    const std::vector<double> alphas{alpha * problem.units[first[0]]};
    return {problem.basis, first, alphas, problem.likelihoods, problem.first_noise(), context};
  }

  /// The column along which the likelihood of the empty model rises most.
  static std::uint32_t best_single(const EvidenceProblem& problem) {
    std::uint32_t best = 0;
    double largest = -1;
    for (std::size_t m = 0; m < problem.basis.columns; ++m) {
      const double* phi = problem.basis.column(m);
      double along = 0;
      double square = 0;
      for (std::size_t n = 0; n < problem.basis.rows; ++n) {
        along += phi[n] * likelihood(problem.likelihoods.task, 0, problem.likelihoods.targets[n], 1).slope;
        square += phi[n] * phi[n];
      }
      if (square > 0 && along * along / square > largest) {
        largest = along * along / square;
        best = static_cast<std::uint32_t>(m);
      }
    }
    return best;
  }

  /// Moves to the mode of the present columns and factorises there. Every other member relies on this: slopes,
  /// curvatures and gammas belong to one mode. False if rounding makes the Hessian useless.
  bool settle() {
    const Mode::Search found = mode_.search(search_tolerance);
    stopped_ = found == Mode::Search::stopped;
    return found != Mode::Search::indefinite && mode_.factorise();
  }

  /// Makes the change that gains most. Re-estimates the noise after every few changes, and when no change gains.
  Status improve(int changes) {
    if (undo_if_worse()) return Status::iteration_limit;
    if (++since_ > patience) return Status::plateau;
    Change best = best_change_inside();
    if (best.gain < std::max(smallest_gain, worth_staying * promised_)) {
      best = best_change();
      promised_ = best.gain;
    }
    if (best.gain < smallest_gain) {
      const Status end = barred_.empty() ? Status::converged : Status::plateau;
      return re_estimate_noise() ? end : Status::iteration_limit;
    }
    if (changes % changes_between_noises == changes_between_noises - 1) re_estimate_noise();
    make(best);
    made_ = best.column;
    return Status::iteration_limit;
  }

  /// The predicted gains take the curvature B as fixed, so the evidence may fall after a change. After a large fall the
  /// best model so far is restored, and the column of the change is barred until a better model is found.
  bool undo_if_worse() {
    const double evidence = mode_.log_evidence();
    if (evidence > highest_ + problem_.options.evidence_tolerance) {
      highest_ = evidence;
      best_ = mode_.state();
      best_noise_ = mode_.noise_variance();
      since_ = 0;
      barred_.clear();
    }
    if (!made_ || evidence > highest_ - largest_fall) return false;
    barred_.push_back(*made_);
    made_.reset();
    go_back();
    return true;
  }

  void go_back() {
    mode_.set_noise_variance(best_noise_);
    mode_.restore(best_);
  }

  bool is_barred(std::uint32_t column) const { return std::ranges::find(barred_, column) != barred_.end(); }

  /// Whether the noise stayed nearly as it was.
  bool re_estimate_noise() {
    if (!problem_.regression() || problem_.fixed_noise()) return true;
    const double before = mode_.noise_variance();
    mode_.set_noise_variance(problem_.noise_at(mode_, mode_.gammas()));
    return std::abs(std::log(mode_.noise_variance() / before)) < sequential_noise_tolerance;
  }

  void make(const Change& change) {
    const auto& columns = mode_.columns();
    const auto found = std::ranges::lower_bound(columns, change.column);
    const auto at = static_cast<std::size_t>(found - columns.begin());
    if (found == columns.end() || *found != change.column) {
      mode_.add(change.column, change.alpha);
    } else if (std::isinf(change.alpha)) {
      std::vector<bool> keep(mode_.size(), true);
      keep[at] = false;
      mode_.keep(keep);
    } else {
      std::vector<double> alpha = mode_.alpha();
      alpha[at] = change.alpha;
      mode_.set_alpha(alpha);
    }
  }

  /// The best change of a column inside the model. Inside the model S = alpha gamma, so no column outside is touched.
  Change best_change_inside() const {
    const std::vector<double> gammas = mode_.gammas();
    Change best;
    for (std::size_t k = 0; k < mode_.size(); ++k) {
      const std::uint32_t m = mode_.columns()[k];
      const double alpha = mode_.alpha()[k];
      const double quality =
          blas::dot(blas::size(problem_.basis.rows), problem_.basis.column(m), 1, mode_.slopes().data(), 1);
      const Change change = change_inside(m, alpha, alpha * gammas[k], quality);
      if (change.gain > best.gain && !is_barred(m)) best = change;
    }
    return best;
  }

  Change best_change() const {
    const Factors factors = factors_of(problem_.basis, mode_, context_);
    const auto& columns = mode_.columns();
    Change best;
    std::size_t at = 0;
    for (std::uint32_t m = 0; m < problem_.basis.columns; ++m) {
      const bool inside = at < columns.size() && columns[at] == m;
      const Change change = inside ? change_inside(m, mode_.alpha()[at], factors.sparsity[m], factors.quality[m])
                                   : change_outside(m, factors);
      at += inside ? 1U : 0U;
      if (change.gain > best.gain && !is_barred(m)) best = change;
    }
    return best;
  }

  // A column outside the model has s = S and q = Q. Adding the column pays if Q^2 > S.
  Change change_outside(std::uint32_t m, const Factors& factors) const {
    const double s = factors.sparsity[m];
    const double square = factors.quality[m] * factors.quality[m];
    if (!(s > rounding_share * factors.square[m]) || square <= s) return {m};
    const double alpha = s * s / (square - s);
    const double unit = problem_.units[m];
    if (alpha >= problem_.options.alpha_max * unit) return {m};
    const double gain = 0.5 * ((square - s) / s + std::log(s / square));
    return {m, std::max(alpha, problem_.alpha_min * unit), gain};
  }

  /// Inside the model s and q follow from S and Q by taking the column's own share out: s = alpha S / (alpha - S), q =
  /// alpha Q / (alpha - S).
  /// @param inner, quality  S and Q
  Change change_inside(std::uint32_t m, double alpha, double inner, double quality) const {
    const double square = quality * quality;
    if (!(inner > 0) || inner >= alpha) return {m};  // rounding: nothing can be said
    const double s = alpha * inner / (alpha - inner);
    const double q = alpha * quality / (alpha - inner);
    const double unit = problem_.units[m];
    const double wanted = q * q > s ? s * s / (q * q - s) : std::numeric_limits<double>::infinity();
    if (wanted >= problem_.options.alpha_max * unit) {
      const double gain = 0.5 * (square / (inner - alpha) - std::log(1 - inner / alpha));
      return {m, std::numeric_limits<double>::infinity(), gain};
    }
    const double next = std::max(wanted, problem_.alpha_min * unit);
    const double change = 1 / next - 1 / alpha;
    return {m, next, 0.5 * (square * change / (inner * change + 1) - std::log1p(inner * change))};
  }

  const EvidenceProblem& problem_;
  const core::Context& context_;
  Mode mode_;
  bool stopped_ = false;
  double promised_ = 0;
  double highest_ = -std::numeric_limits<double>::infinity();
  Mode::State best_;  ///< where the evidence was highest
  double best_noise_ = 1;
  std::optional<std::uint32_t> made_;  ///< the column of the last change
  std::vector<std::uint32_t> barred_;
  int since_ = 0;
};

}  // namespace

std::optional<Fit> sequential_fit(const EvidenceProblem& problem, double alpha, bool with_covariance,
                                  const core::Context& context) {
  return Sequential(problem, alpha, context).run(with_covariance);
}

}  // namespace credence::rvm
