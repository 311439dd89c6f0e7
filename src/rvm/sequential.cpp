#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lapack.hpp"
#include "rvm/evidence_search.hpp"
#include "rvm/likelihood.hpp"

namespace credence::rvm {
namespace {

constexpr double smallest_gain = 1e-4;
constexpr double noise_tolerance = 1e-4;
constexpr int changes_between_noises = 5;
constexpr int changes_for_iteration = 20;
/// Changes without a gain in evidence, after which the search is on a plateau.
constexpr int patience = 100;
/// A column whose share outside of the model is rounding adds nothing.
constexpr double rounding_share = 1e-11;

/// S and Q of every column (Tipping and Faul, equations 24 and 25).
struct Factors {
  std::vector<double> sparsity;  ///< S_m = phi' B phi - |L^-1 Psi' B phi|^2
  std::vector<double> quality;   ///< Q_m = phi' g
  std::vector<double> square;    ///< phi' B phi
};

struct Change {
  std::uint32_t column = 0;
  double alpha = std::numeric_limits<double>::infinity();  ///< infinite: delete
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
      if (!settle()) {
        return std::nullopt;
      }
      status = stopped_ ? Status::stopped : improve(changes);
    }
    if (mode_.size() == 0) {  // a model is never empty
      mode_.add(0, problem_.options.alpha_max * problem_.units[0]);
    }
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

  /// The mode of the columns at hand, and its factor. False if rounding makes the Hessian useless.
  bool settle() {
    const Mode::Search found = mode_.search(problem_.options.final_tolerance);
    stopped_ = found == Mode::Search::stopped;
    return found != Mode::Search::indefinite && mode_.factorise();
  }

  /// Makes the change that gains most; the noise, now and then and where nothing gains.
  Status improve(int changes) {
    const Change best = best_change();
    const double evidence = mode_.log_evidence();
    if (evidence > highest_ + problem_.options.evidence_tolerance) {
      highest_ = evidence;
      since_ = 0;
    } else if (++since_ > patience) {
      return Status::plateau;
    }
    if (best.gain < smallest_gain) {
      return re_estimate_noise() ? Status::converged : Status::iteration_limit;
    }
    if (changes % changes_between_noises == changes_between_noises - 1) {
      re_estimate_noise();
    }
    make(best);
    return Status::iteration_limit;
  }

  /// Whether it stayed as it was.
  bool re_estimate_noise() {
    if (!problem_.regression() || problem_.fixed_noise()) {
      return true;
    }
    const double before = mode_.noise_variance();
    mode_.set_noise_variance(problem_.noise_at(mode_, mode_.gammas()));
    return std::abs(std::log(mode_.noise_variance() / before)) < noise_tolerance;
  }

  void make(const Change& change) {
    const auto& columns = mode_.columns();
    const auto found = std::lower_bound(columns.begin(), columns.end(), change.column);
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

  Change best_change() const {
    const Factors factors = factors_of_columns();
    const auto& columns = mode_.columns();
    Change best;
    std::size_t at = 0;
    for (std::uint32_t m = 0; m < problem_.basis.columns; ++m) {
      const bool inside = at < columns.size() && columns[at] == m;
      const Change change = inside ? change_inside(m, mode_.alpha()[at], factors) : change_outside(m, factors);
      at += inside ? 1U : 0U;
      if (change.gain > best.gain) {
        best = change;
      }
    }
    return best;
  }

  Change change_outside(std::uint32_t m, const Factors& factors) const {
    const double s = factors.sparsity[m];
    const double square = factors.quality[m] * factors.quality[m];
    if (!(s > rounding_share * factors.square[m]) || square <= s) {
      return {m};
    }
    const double alpha = s * s / (square - s);
    const double unit = problem_.units[m];
    if (alpha >= problem_.options.alpha_max * unit) {
      return {m};
    }
    const double gain = 0.5 * ((square - s) / s + std::log(s / square));
    return {m, std::max(alpha, problem_.alpha_min * unit), gain};
  }

  Change change_inside(std::uint32_t m, double alpha, const Factors& factors) const {
    const double inner = factors.sparsity[m];
    const double square = factors.quality[m] * factors.quality[m];
    if (!(inner > 0) || inner >= alpha) {
      return {m};  // rounding: nothing can be said
    }
    const double s = alpha * inner / (alpha - inner);
    const double q = alpha * factors.quality[m] / (alpha - inner);
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

  Factors factors_of_columns() const;
  void add_inner_products(std::span<const double> curvature, Factors& factors) const;

  const EvidenceProblem& problem_;
  const core::Context& context_;
  Mode mode_;
  bool stopped_ = false;
  double highest_ = -std::numeric_limits<double>::infinity();
  int since_ = 0;
};

Factors Sequential::factors_of_columns() const {
  const std::size_t rows = problem_.basis.rows;
  std::vector<double> slope(rows);
  std::vector<double> curvature(rows);
  for (std::size_t n = 0; n < rows; ++n) {
    const Likelihood l = likelihood(problem_.likelihoods.task, mode_.values()[n], problem_.likelihoods.targets[n],
                                    mode_.noise_variance());
    slope[n] = l.slope;
    curvature[n] = l.curvature;
  }
  const std::size_t columns = problem_.basis.columns;
  Factors factors{std::vector<double>(columns), std::vector<double>(columns), std::vector<double>(columns)};
  context_.threads.for_each(columns, [&](std::size_t m) {
    const double* phi = problem_.basis.column(m);
    double square = 0;
    double along = 0;
    for (std::size_t n = 0; n < rows; ++n) {
      square += curvature[n] * phi[n] * phi[n];
      along += phi[n] * slope[n];
    }
    factors.square[m] = factors.sparsity[m] = square;
    factors.quality[m] = along;
  });
  if (mode_.size() > 0) {
    add_inner_products(curvature, factors);
  }
  return factors;
}

/// S_m less |L^-1 Psi' B phi_m|^2.
void Sequential::add_inner_products(std::span<const double> curvature, Factors& factors) const {
  const std::size_t rows = problem_.basis.rows;
  const std::size_t columns = problem_.basis.columns;
  const std::size_t size = mode_.size();
  core::AlignedVector<double> weighted(rows * size);
  for (std::size_t k = 0; k < size; ++k) {
    const double* phi = problem_.basis.column(mode_.columns()[k]);
    const double root = std::sqrt(mode_.alpha()[k]);
    for (std::size_t n = 0; n < rows; ++n) {
      weighted[k * rows + n] = curvature[n] * phi[n] / root;
    }
  }
  constexpr std::size_t share = 256;
  context_.threads.for_each((columns + share - 1) / share, [&](std::size_t part) {
    const std::size_t first = part * share;
    const std::size_t count = std::min(share, columns - first);
    core::AlignedVector<double> products(size * count);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(size), static_cast<blasint>(count),
                static_cast<blasint>(rows), 1, weighted.data(), static_cast<blasint>(rows),
                problem_.basis.column(first), static_cast<blasint>(rows), 0, products.data(),
                static_cast<blasint>(size));
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, static_cast<blasint>(size),
                static_cast<blasint>(count), 1, mode_.factor().column(0), static_cast<blasint>(size), products.data(),
                static_cast<blasint>(size));
    for (std::size_t m = 0; m < count; ++m) {
      const double* column = products.data() + m * size;
      factors.sparsity[first + m] -= cblas_ddot(static_cast<blasint>(size), column, 1, column, 1);
    }
  });
}

}  // namespace

std::optional<Fit> sequential_fit(const EvidenceProblem& problem, double alpha, bool with_covariance,
                                  const core::Context& context) {
  return Sequential(problem, alpha, context).run(with_covariance);
}

}  // namespace credence::rvm
