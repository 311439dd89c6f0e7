#include "svm/ivanov/fixed_norm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "credence/core/error.hpp"

namespace credence::svm {
namespace {

/// Largest C, in units of 1 over the mean of the diagonal. A norm that still grows there is taken as it is.
constexpr double largest_cost = 1e9;
constexpr int most_attempts = 60;
constexpr double largest_hint = 1e9;
/// Relative rounding of a gradient, in units of C times a kernel value. The solver cannot close the gap below it.
constexpr double rounding = 3e-13;
constexpr double rounding_of_step = 1e-9;
/// Relative rounding of kernel values, which are floats.
constexpr double rounding_of_kernel = 6e-8;
/// Steps of a solve for each row. A solve that takes more steps fails to converge because of rounding.
constexpr std::uint64_t steps_per_row = 10'000;
/// Shares of rounding noise in the norm of w: with much noise larger C bring nothing, with more the norm means nothing.
constexpr double much_noise = 1e-2;
constexpr double nothing_but_noise = 0.1;

qp::Problem unit_problem(const kernel::Rows& rows, const IvanovData& data, std::span<const RowLoss> losses) {
  qp::Problem unit;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool positive = data.labels[i] > 0;
    const bool given_up = losses[i] == RowLoss::given_up;
    const double width = losses[i] == RowLoss::none ? 0 : 1;
    unit.linear.push_back(data.labels[i] - data.hint[i]);
    unit.lower.push_back(positive == given_up ? -width : 0);
    unit.upper.push_back(positive == given_up ? 0 : width);
  }
  if (rows.size() > data.size()) {
    // The origin's variable never meets a bound, because it takes up at most the sum of all others.
    const double room = 2 * static_cast<double>(data.size()) + 1;
    unit.linear.push_back(0);
    unit.lower.push_back(-room);
    unit.upper.push_back(room);
  }
  return unit;
}

/// Returns where the straight line from one solution to another has norm rho, as a share of the way; the result may lie
/// beyond the second solution. On the line the norm is the quadratic with these two ends and this product of the two w.
double crossing(double norm_from, double norm_to, double product, double rho) {
  const double a = norm_from - 2 * product + norm_to;
  const double b = 2 * (product - norm_from);
  const double c = norm_from - rho;
  const double root = std::sqrt(std::max(0.0, b * b - 4 * a * c));
  return b + root > 0 ? -2 * c / (b + root) : std::numeric_limits<double>::infinity();
}

}  // namespace

IvanovData::IvanovData(std::size_t n, std::span<const int> given_labels, std::span<const double> given_hint)
    : labels(given_labels.begin(), given_labels.end()), hint(given_hint.begin(), given_hint.end()) {
  std::vector<std::string> problems;
  if (labels.size() != n || n == 0) problems.push_back(fmt::format("{} labels do not fit {} rows", labels.size(), n));
  if (std::ranges::any_of(labels, [](double label) { return label != 1 && label != -1; }))
    problems.emplace_back("the labels must be -1 or +1");
  if (!hint.empty() && hint.size() != n)
    problems.push_back(fmt::format("a hint for {} rows does not fit {} rows", hint.size(), n));
  if (!std::ranges::all_of(hint, [](double value) { return std::abs(value) <= largest_hint; })) {
    problems.push_back(
        fmt::format("the hint has a value that is not finite or beyond {:g}, where a margin of 1 is lost in rounding",
                    largest_hint));
  }
  throw_if_any(problems);
  hint.resize(n, 0);
}

FixedNorm::FixedNorm(kernel::Rows& rows, const IvanovData& data, std::vector<RowLoss> losses,
                     const IvanovOptions& options, const core::Monitor& monitor, IvanovWork& work)
    : rows_(rows),
      data_(data),
      losses_(std::move(losses)),
      options_(options),
      work_(work),
      unit_(unit_problem(rows, data, losses_)),
      solver_(options.solver),
      path_(rows, unit_, solver_, monitor) {
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const double own = std::max(0.0, double{rows_.diagonal()[i]});
    trace_ += own;
    largest_diagonal_ = std::max(largest_diagonal_, own);
  }
  largest_C_ = largest_cost * static_cast<double>(data_.size()) / trace_;
  if (solver_.max_steps == 0) solver_.max_steps = steps_per_row * std::max<std::size_t>(data_.size(), 100);
}

void FixedNorm::start_from(const FixedNorm& other) {
  WarmPath::Point point = other.path_.point();
  if (point.C == 0) return;
  qp::Problem boxes = other.path_.problem();
  for (std::size_t i = 0; i < losses_.size(); ++i)
    if (losses_[i] != other.losses_[i] && !qp::close_box(rows_, boxes, point.state, i)) return;
  if (!other.binding_) {
    // The other C may be far larger than its point needs. The smallest C whose boxes hold the point is enough.
    point.C = 0;
    for (std::size_t i = 0; i < losses_.size(); ++i) point.C = std::max(point.C, std::abs(point.state.beta[i]));
  }
  // If nearly everything was given away, the rest is rounding and no point to start from.
  if (point.C > 1e-6 * other.C()) path_.adopt(std::move(point));
}

void FixedNorm::allow_rounding(double C) {
  solver_.tolerance = std::max(options_.solver.tolerance, rounding * C * largest_diagonal_);
}

void FixedNorm::require(bool solved) {
  const qp::Statistics& statistics = path_.statistics();
  ++work_.solves;
  work_.steps += statistics.steps;
  work_.factorisations += statistics.factorisations;
  work_.unconverged += qp::is_approximate(statistics.status) ? 1U : 0U;
  if (!solved) throw Error(ErrorCode::interrupted, "the search for a function of the given norm was stopped");
  norm_ = norm_of(path_.point().state);
}

void FixedNorm::solve_at(double C) {
  allow_rounding(C);
  require(path_.go_to(C));
}

double FixedNorm::norm_of(const qp::State& state) const {
  const std::vector<double>& linear = path_.problem().linear;
  double sum = 0;
  for (std::size_t i = 0; i < state.beta.size(); ++i) sum += state.beta[i] * (state.gradient[i] + linear[i]);
  return std::max(0.0, sum);
}

/// Whether the present point is optimal at rho although its norm is below rho. Its dual value proves that no function
/// of norm rho has a mean hinge loss that is smaller by more than (sqrt(rho |w|^2) - |w|^2) / (n C).
bool FixedNorm::is_least(double rho) const {
  const double equal = std::max(1e-12, 1e-4 * options_.norm_tolerance);
  return norm_ < rho && std::sqrt(rho * norm_) - norm_ <= equal * static_cast<double>(data_.size()) * C();
}

bool FixedNorm::touches_bound() const {
  const qp::State& state = path_.point().state;
  const qp::Problem& problem = path_.problem();
  for (std::size_t i = 0; i < state.beta.size(); ++i)
    if (state.beta[i] != 0 && (state.beta[i] == problem.lower[i] || state.beta[i] == problem.upper[i])) return true;
  return false;
}

/// Returns the part of the norm of w that may come from the rounding of kernel values.
double FixedNorm::noise(std::span<const double> coefficients) const {
  const float* diagonal = path_.solved_rows().diagonal();
  double sum = 0;
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    sum += coefficients[i] * coefficients[i] * std::abs(double{diagonal[i]});
  return rounding_of_kernel * sum;
}

/// Whether w is constant from the last point to this one, and the motion of the variables proves that w has the least
/// loss of all. sigma = ds / dC has sum sigma_i phi_i = 0, so sigma is a feasible point of the dual of the loss alone,
/// and no w has a loss below its value p'sigma.
bool FixedNorm::is_least_of_all() const {
  // Over a shorter stretch every w seems constant.
  if (!low_ || !(1.01 * low_->point.C < C())) return false;
  const qp::State& state = path_.point().state;
  const qp::Problem& problem = path_.problem();
  const double width = C() - low_->point.C;
  std::vector<double> step(state.beta.size());
  double moved = 0;
  double value = 0;
  double best = 0;
  for (std::size_t i = 0; i < step.size(); ++i) {
    step[i] = state.beta[i] - low_->point.state.beta[i];
    moved += step[i] * (state.gradient[i] - low_->point.state.gradient[i]);
    value += problem.linear[i] * state.beta[i] / C();
    best += problem.linear[i] * step[i] / width;
    const double sigma = step[i] / width;
    if (sigma < problem.lower[i] / C() - rounding_of_step || sigma > problem.upper[i] / C() + rounding_of_step)
      return false;
  }
  const double loss = value - norm_ / C();
  return moved <= 1e-10 * norm_ + noise(step) &&
         loss - best <= (1e-9 + solver_.tolerance) * static_cast<double>(data_.size());
}

/// Returns the share of the norm of w that may be rounding.
double FixedNorm::share_of_noise() const {
  const double rounded = noise(path_.point().state.beta);
  return norm_ > 0 ? rounded / norm_ : rounded > 0 ? std::numeric_limits<double>::infinity() : 0;
}

/// Whether a larger C changes nothing, or nothing that rounding lets us see.
bool FixedNorm::is_last() const {
  return !touches_bound() || C() >= largest_C_ || share_of_noise() > much_noise || is_least_of_all();
}

/// Makes the present point a new end of the bracket: low_ has a norm below rho, high_ a norm of at least rho.
void FixedNorm::look(double rho) {
  if (norm_ < rho)
    before_ = std::exchange(low_, Known{path_.point(), norm_});
  else
    high_ = Known{path_.point(), norm_};
}

/// w is linear in C while no variable enters or leaves a bound, so the next C lies on the line through two solutions. A
/// single solution is joined with w = 0 at C = 0, because the norm grows no faster than C^2.
double FixedNorm::next_C(double rho) const {
  const Known& to = high_ ? *high_ : *low_;
  const Known* from = high_ ? &*low_ : before_ && before_->point.C < to.point.C ? &*before_ : nullptr;
  if (from == nullptr)
    return to.norm > 0 ? to.point.C * std::sqrt(rho / to.norm) : std::numeric_limits<double>::infinity();
  double product = 0;
  for (std::size_t i = 0; i < to.point.state.beta.size(); ++i)
    product += from->point.state.beta[i] * (to.point.state.gradient[i] + path_.problem().linear[i]);
  return from->point.C + crossing(from->norm, to.norm, product, rho) * (to.point.C - from->point.C);
}

void FixedNorm::advance(double rho, int attempt) {
  if (low_ && high_) {
    const double low = low_->point.C;
    const double high = high_->point.C;
    // Every third step halves the bracket in log C, because breakpoints can hold the line near one end.
    double C = attempt % 3 == 2 ? std::sqrt(low * high) : next_C(rho);
    if (!(C > low && C < high)) C = std::sqrt(low * high);
    allow_rounding(C);
    require(path_.solve_between(low_->point, high_->point, C));
    return;
  }
  if (high_) {
    const double slowest = attempt == 0 ? 1 : attempt < 3 ? 0.3 : 0.01;
    solve_at(high_->point.C * std::clamp(rho / high_->norm, 1e-3, slowest));
    return;
  }
  const double C = low_->point.C;
  const double fastest = C * (attempt < 8 ? 30 : 900);
  solve_at(std::min(largest_C_, std::clamp(next_C(rho), 1.02 * C, fastest)));
}

/// Goes halfway (in log C) back to the last point whose norm was not noise, and never beyond the present C again.
/// @return true if that point is near enough to stand for all larger C
bool FixedNorm::back_from_noise() {
  largest_C_ = C();
  path_.adopt(low_->point);
  norm_ = low_->norm;
  binding_ = largest_C_ > 2 * C();
  if (binding_) solve_at(std::sqrt(largest_C_ * C()));
  return !binding_;
}

void FixedNorm::solve(double rho) {
  ++work_.convex_steps;
  if (solved_ && !binding_) return;
  high_.reset();
  if (!(trace_ > 0)) {
    solve_at(1);
    solved_ = true;
    binding_ = false;
    return;
  }
  if (!solved_) {
    // |w|^2 <= C^2 n trace(K), so this C is not too large.
    const auto n = static_cast<double>(data_.size());
    solve_at(C() > 0 ? C() : std::min(std::sqrt(rho / (n * trace_)), n / trace_));
    solved_ = true;
  }
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (low_ && low_->point.C < C() && low_->norm > 0 && share_of_noise() > nothing_but_noise) {
      if (back_from_noise()) return;
      continue;
    }
    binding_ = !(norm_ < rho && is_last());
    if (!binding_ || std::abs(norm_ / rho - 1) <= options_.norm_tolerance || is_least(rho)) return;
    look(rho);
    if (low_ && high_ && std::log(high_->point.C / low_->point.C) < 1e-12) break;
    advance(rho, attempt);
  }
  // If the attempts end above rho, the low end guarantees |w|^2 <= rho.
  if (low_ && norm_ > rho * (1 + options_.norm_tolerance)) {
    path_.adopt(low_->point);
    norm_ = low_->norm;
  }
}

void FixedNorm::read(std::vector<double>& beta, std::vector<double>& offsets, double& bias) const {
  beta.resize(data_.size());
  offsets.resize(data_.size());
  path_.show(0, path_.statistics(), [&](const PathPoint& point) {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      beta[i] = point.state.beta[i];
      offsets[i] = point.state.gradient[i] + data_.labels[i];
    }
    bias = options_.bias ? point.bias : 0;
  });
}

double FixedNorm::dual_value(double rho) const {
  const qp::State& state = path_.point().state;
  double sum = 0;
  for (std::size_t i = 0; i < state.beta.size(); ++i) sum += state.beta[i] * path_.problem().linear[i];
  const double value = sum - std::sqrt(rho * (norm_ + 4 * noise(state.beta)));
  return std::max(0.0, value / (static_cast<double>(data_.size()) * path_.point().C));
}

}  // namespace credence::svm
