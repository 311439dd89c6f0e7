#include <algorithm>
#include <cmath>
#include <limits>

#include "rvm/sparse_bayes/evidence_search.hpp"

namespace credence::rvm {
namespace {

constexpr double smallest_square = 1e-300;
constexpr double largest_alpha = 1e30;
constexpr double smallest_gamma = 1e-15;
constexpr int calm_iterations = 3;
constexpr double batch_noise_tolerance = 1e-3;

/// One start of the batch algorithm.
class Batch {
 public:
  Batch(const EvidenceProblem& problem, double alpha, const core::Context& context)
      : problem_(problem), mode_(make_mode(problem, alpha, context)) {}

  std::optional<Fit> run(bool with_covariance) {
    Status status = Status::iteration_limit;
    int iteration = 0;
    while (iteration < problem_.options.max_iterations && status == Status::iteration_limit) {
      ++iteration;
      const Mode::Search found = mode_.search(problem_.options.inner_tolerance);
      if (found == Mode::Search::indefinite) return std::nullopt;
      status = found == Mode::Search::stopped ? Status::stopped : re_estimate();
    }
    return finished(mode_, problem_, status, iteration, with_covariance);
  }

 private:
  static Mode make_mode(const EvidenceProblem& problem, double alpha, const core::Context& context) {
    std::vector<std::uint32_t> columns(problem.basis.columns);
    std::vector<double> alphas(problem.basis.columns);
    for (std::size_t m = 0; m < columns.size(); ++m) {
      columns[m] = static_cast<std::uint32_t>(m);
      alphas[m] = alpha * problem.units[m];
    }
    return {problem.basis, columns, alphas, problem.likelihoods, problem.first_noise(), context};
  }

  /// Re-estimates the noise, then alpha by MacKay's update alpha <- gamma / w^2, prunes, and says whether the fit has
  /// ended.
  Status re_estimate() {
    // Gammas and evidence belong to the factor of the last search, so both are read before anything changes.
    const std::vector<double> gammas = mode_.gammas();
    const double evidence = mode_.log_evidence();
    const bool noise_calm = re_estimate_noise(gammas);
    const double moved = re_estimate_alpha(gammas);
    const bool pruned = prune();
    // The update takes the curvature as fixed, so the evidence may fall: the size of its change counts, not the sign.
    const bool calm = !pruned && noise_calm && std::abs(evidence - evidence_) < problem_.options.evidence_tolerance;
    calm_ = calm ? calm_ + 1 : 0;
    evidence_ = evidence;
    if (all_pruned_ || (!pruned && noise_calm && moved < problem_.options.alpha_tolerance)) return Status::converged;
    return calm_ == calm_iterations ? Status::plateau : Status::iteration_limit;
  }

  bool re_estimate_noise(std::span<const double> gammas) {
    if (!problem_.regression() || problem_.fixed_noise()) return true;
    const double before = mode_.noise_variance();
    mode_.set_noise_variance(problem_.noise_at(mode_, gammas));
    return std::abs(std::log(mode_.noise_variance() / before)) < batch_noise_tolerance;
  }

  /// Returns the largest |change of log alpha|.
  double re_estimate_alpha(std::span<const double> gammas) {
    std::vector<double> alpha(mode_.size());
    double moved = 0;
    for (std::size_t m = 0; m < alpha.size(); ++m) {
      const double unit = problem_.units[mode_.columns()[m]];
      const double square = mode_.weights()[m] * mode_.weights()[m];
      const double wanted = std::max(gammas[m], smallest_gamma) / std::max(square, smallest_square);
      alpha[m] = std::clamp(wanted, problem_.alpha_min * unit, std::max(largest_alpha, largest_alpha * unit));
      moved = std::max(moved, std::abs(std::log(alpha[m] / mode_.alpha()[m])));
    }
    mode_.set_alpha(alpha);
    return moved;
  }

  bool prune() {
    std::vector<bool> keep(mode_.size());
    std::size_t smallest = 0;
    const auto in_units = [&](std::size_t m) { return mode_.alpha()[m] / problem_.units[mode_.columns()[m]]; };
    for (std::size_t m = 0; m < keep.size(); ++m) {
      keep[m] = in_units(m) < problem_.options.alpha_max;
      smallest = in_units(m) < in_units(smallest) ? m : smallest;
    }
    const bool any = std::ranges::find(keep, true) != keep.end();
    if (!any) {
      keep[smallest] = true;  // a model is never empty
      all_pruned_ = true;
    }
    const std::size_t before = mode_.size();
    mode_.keep(keep);
    return mode_.size() < before;
  }

  const EvidenceProblem& problem_;
  Mode mode_;
  double evidence_ = -std::numeric_limits<double>::infinity();
  int calm_ = 0;
  bool all_pruned_ = false;
};

}  // namespace

std::optional<Fit> batch_fit(const EvidenceProblem& problem, double alpha, bool with_covariance,
                             const core::Context& context) {
  return Batch(problem, alpha, context).run(with_covariance);
}

}  // namespace credence::rvm
