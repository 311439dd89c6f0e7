#include "kernel/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "qp/sweep.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "qp/sweep.hpp"

HWY_BEFORE_NAMESPACE();
namespace credence::qp::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes of float and 8 of double: rows are padded to 16, so there are no tails.
using Floats = hn::CappedTag<float, 16>;
using FloatVector = hn::Vec<Floats>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The largest value of each lane and its position.
struct LaneBest {
  FloatVector value;
  FloatVector position;

  HWY_INLINE void take(hn::Mask<Floats> better, FloatVector candidate, FloatVector at) {
    value = hn::IfThenElse(better, candidate, value);
    position = hn::IfThenElse(better, at, position);
  }
};

struct Best {
  float value;
  std::size_t position;  ///< `none` if nothing was taken
};

/// Returns the best of all lanes of two streams. Among equal values of a stream the first position wins.
HWY_INLINE Best reduce(LaneBest first, const LaneBest& second) {
  const Floats tag;
  first.take(hn::Gt(second.value, first.value), second.value, second.position);
  const FloatVector best = hn::MaxOfLanes(tag, first.value);
  const auto is_best = hn::Eq(first.value, best);
  // Mostly one lane alone has the best value, which is read sooner than a minimum over all.
  const float position =
      hn::CountTrue(tag, is_best) == 1
          ? hn::ExtractLane(first.position, hn::FindKnownFirstTrue(tag, is_best))
          : hn::GetLane(hn::MinOfLanes(tag, hn::IfThenElse(is_best, first.position, hn::Set(tag, infinity))));
  return {hn::GetLane(best), position >= 0 && position < infinity ? static_cast<std::size_t>(position) : none};
}

struct Extremes {
  Best grow;         ///< largest of -slope among those that may grow
  float shrinkable;  ///< largest slope among those that may shrink
};

/// Visits two vectors at a time, so that the chains of comparisons overlap, and the rest one at a time. Each of the two
/// streams counts positions of its own.
HWY_INLINE void for_vectors(std::size_t width, const auto& look) {
  const Floats tag;
  const std::size_t lanes = hn::Lanes(tag);
  FloatVector first = hn::Iota(tag, 0.0F);
  FloatVector second = hn::Iota(tag, static_cast<float>(lanes));
  const FloatVector advance = hn::Set(tag, static_cast<float>(2 * lanes));
  std::size_t i = 0;
  for (; i + 2 * lanes <= width; i += 2 * lanes) {
    look(i, 0, first);
    look(i + lanes, 1, second);
    first = hn::Add(first, advance);
    second = hn::Add(second, advance);
  }
  if (i < width) look(i, 0, first);
}

/// The fused pass adds step (row_grow - row_shrink) to the slope and finds the extremes of the new slopes.
HWY_INLINE Extremes update_pass(Iterate& iterate, const float* HWY_RESTRICT row_grow,
                                const float* HWY_RESTRICT row_shrink, float step) {
  const Floats tag;
  float* HWY_RESTRICT slope = iterate.slope.data();
  const float* HWY_RESTRICT growing = iterate.growing.data();
  const float* HWY_RESTRICT shrinking = iterate.shrinking.data();
  const FloatVector steps = hn::Set(tag, step);
  const FloatVector worst = hn::Set(tag, -infinity);
  const FloatVector nowhere = hn::Set(tag, -1.0F);
  LaneBest grow[2] = {{worst, nowhere}, {worst, nowhere}};
  FloatVector shrink[2] = {worst, worst};
  for_vectors(iterate.width(), [&](std::size_t at, std::size_t stream, FloatVector position) HWY_ATTR {
    const FloatVector difference = hn::Sub(hn::Load(tag, row_grow + at), hn::Load(tag, row_shrink + at));
    const FloatVector s = hn::MulAdd(steps, difference, hn::Load(tag, slope + at));
    hn::Store(s, tag, slope + at);
    const FloatVector fall = hn::Sub(hn::Load(tag, growing + at), s);
    grow[stream].take(hn::Gt(fall, grow[stream].value), fall, position);
    shrink[stream] = hn::Max(shrink[stream], hn::Add(hn::Load(tag, shrinking + at), s));
  });
  return {reduce(grow[0], grow[1]), hn::GetLane(hn::MaxOfLanes(tag, hn::Max(shrink[0], shrink[1])))};
}

/// Returns the partner of `grow` with the largest promised decrease, (s_j - s_i)^2 / (K_ii + K_jj - 2 K_ij), among the
/// variables that may shrink and have a larger slope (Fan, Chen, Lin 2005, WSS 2). The reciprocal is approximate,
/// because it only chooses.
/// @param same_diagonal  all K_jj are the same, as of kernels of distances, and need not be read
template <bool same_diagonal>
HWY_INLINE std::size_t partner_pass(const Iterate& iterate, std::size_t grow, const float* HWY_RESTRICT row,
                                    const float* HWY_RESTRICT diagonal) {
  const Floats tag;
  const float* HWY_RESTRICT slope = iterate.slope.data();
  const float* HWY_RESTRICT shrinking = iterate.shrinking.data();
  const FloatVector own = hn::Set(tag, slope[grow]);
  const FloatVector own_diagonal = hn::Set(tag, diagonal[grow]);
  const FloatVector twice_own = hn::Add(own_diagonal, own_diagonal);
  const FloatVector least_curvature = hn::Set(tag, 1e-12F);
  const FloatVector minus_two = hn::Set(tag, -2.0F);
  const FloatVector zero = hn::Zero(tag);
  const FloatVector nowhere = hn::Set(tag, -1.0F);
  LaneBest best[2] = {{zero, nowhere}, {zero, nowhere}};
  for_vectors(iterate.width(), [&](std::size_t at, std::size_t stream, FloatVector position) HWY_ATTR {
    const FloatVector difference = hn::Sub(hn::Load(tag, slope + at), own);
    const FloatVector ascent = hn::Max(hn::Add(difference, hn::Load(tag, shrinking + at)), zero);
    const FloatVector sum = same_diagonal ? twice_own : hn::Add(own_diagonal, hn::Load(tag, diagonal + at));
    const FloatVector curvature = hn::Max(hn::MulAdd(minus_two, hn::Load(tag, row + at), sum), least_curvature);
    const FloatVector gain = hn::Mul(hn::Mul(ascent, ascent), hn::ApproximateReciprocal(curvature));
    best[stream].take(hn::Gt(gain, best[stream].value), gain, position);
  });
  return reduce(best[0], best[1]).position;
}

/// Moves beta_i up and beta_j down by the best feasible step for the difference of their slopes. The variable that
/// limits the step gets exactly the value of its bound.
HWY_INLINE double take_step(Iterate& iterate, std::size_t i, std::size_t j, double difference, double curvature) {
  const double room_i = iterate.upper[i] - iterate.beta[i];
  const double room_j = iterate.beta[j] - iterate.lower[j];
  const double step = std::min({difference / curvature, room_i, room_j});
  iterate.beta[i] = step == room_i ? iterate.upper[i] : iterate.beta[i] + step;
  iterate.beta[j] = step == room_j ? iterate.lower[j] : iterate.beta[j] - step;
  // A pass would wait for numbers that were just written.
  if (iterate.side_changes(i)) iterate.update_side(i);
  if (iterate.side_changes(j)) iterate.update_side(j);
  return step;
}

template <bool same_diagonal>
HWY_INLINE std::uint64_t smo_steps(kernel::Rows& rows, Iterate& iterate, const Violation& violation, double tolerance,
                                   std::uint64_t most_steps) {
  const float* diagonal = rows.diagonal();
  std::size_t i = violation.grow;
  for (std::uint64_t steps = 1;; ++steps) {
    const float* row_i = rows.row(i);
    std::size_t j = partner_pass<same_diagonal>(iterate, i, row_i, diagonal);
    if (j == none) {
      if (steps > 1) return steps - 1;
      j = violation.shrink;  // a difference below the resolution of float
    }
    const float* row_j = rows.row(j);
    const double curvature = std::max(1e-12, double{diagonal[i]} + double{diagonal[j]} - 2.0 * double{row_i[j]});
    const double difference =
        steps == 1 ? iterate.gradient[j] - iterate.gradient[i] : double{iterate.slope[j]} - double{iterate.slope[i]};
    const double step = take_step(iterate, i, j, difference, curvature);
    const Extremes extremes = update_pass(iterate, row_i, row_j, static_cast<float>(step));
    if (steps == most_steps || extremes.grow.position == none ||
        !(double{extremes.shrinkable} + double{extremes.grow.value} > tolerance)) {
      return steps;
    }
    i = extremes.grow.position;
  }
}

std::uint64_t SmoSteps(kernel::Rows& rows, Iterate& iterate, const Violation& violation, double tolerance,
                       std::uint64_t most_steps) {
  const float* diagonal = rows.diagonal();
  const bool same = std::all_of(diagonal, diagonal + iterate.n, [&](float value) { return value == diagonal[0]; });
  return same ? smo_steps<true>(rows, iterate, violation, tolerance, most_steps)
              : smo_steps<false>(rows, iterate, violation, tolerance, most_steps);
}

using Doubles = hn::CappedTag<double, 8>;

template <std::size_t count>
HWY_INLINE void add_block(const float* const* rows, const double* factors, double* HWY_RESTRICT target,
                          std::size_t width) {
  const Doubles tag;
  const hn::Rebind<float, Doubles> half;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t i = 0; i < width; i += lanes) {
    hn::Vec<Doubles> sum = hn::Load(tag, target + i);
    for (std::size_t k = 0; k < count; ++k)
      sum = hn::MulAdd(hn::Set(tag, factors[k]), hn::PromoteTo(tag, hn::Load(half, rows[k] + i)), sum);
    hn::Store(sum, tag, target + i);
  }
}

/// Returns the first variable with the smallest gradient that may grow, and the first with the largest that may shrink.
Violation FindViolation(const Iterate& iterate) {
  const Doubles tag;
  const hn::Rebind<float, Doubles> half;
  using DoubleVector = hn::Vec<Doubles>;
  constexpr double endless = std::numeric_limits<double>::infinity();
  const DoubleVector zero = hn::Zero(tag);
  const DoubleVector advance = hn::Set(tag, static_cast<double>(hn::Lanes(tag)));
  DoubleVector smallest = hn::Set(tag, endless);
  DoubleVector largest = hn::Set(tag, -endless);
  DoubleVector grow = zero;
  DoubleVector shrink = zero;
  DoubleVector position = hn::Iota(tag, 0.0);
  for (std::size_t i = 0; i < iterate.width(); i += hn::Lanes(tag)) {
    const DoubleVector gradient = hn::Load(tag, iterate.gradient.data() + i);
    const DoubleVector low = hn::Sub(gradient, hn::PromoteTo(tag, hn::Load(half, iterate.growing.data() + i)));
    const DoubleVector high = hn::Add(gradient, hn::PromoteTo(tag, hn::Load(half, iterate.shrinking.data() + i)));
    const auto less = hn::Lt(low, smallest);
    const auto more = hn::Gt(high, largest);
    smallest = hn::IfThenElse(less, low, smallest);
    grow = hn::IfThenElse(less, position, grow);
    largest = hn::IfThenElse(more, high, largest);
    shrink = hn::IfThenElse(more, position, shrink);
    position = hn::Add(position, advance);
  }
  const DoubleVector least = hn::MinOfLanes(tag, smallest);
  const DoubleVector most = hn::MaxOfLanes(tag, largest);
  const DoubleVector far = hn::Set(tag, endless);
  const bool any_grows = hn::GetLane(least) < endless;
  const bool any_shrinks = hn::GetLane(most) > -endless;
  Violation violation{0, 0, -endless};
  if (any_grows) {
    violation.grow =
        static_cast<std::size_t>(hn::GetLane(hn::MinOfLanes(tag, hn::IfThenElse(hn::Eq(smallest, least), grow, far))));
  }
  if (any_shrinks) {
    violation.shrink =
        static_cast<std::size_t>(hn::GetLane(hn::MinOfLanes(tag, hn::IfThenElse(hn::Eq(largest, most), shrink, far))));
  }
  if (any_grows && any_shrinks) violation.gap = hn::GetLane(most) - hn::GetLane(least);
  return violation;
}

/// Adds factors[k] rows[k] to the target for at most three rows, which is the number that Rows keeps valid.
void AddRows(const float* const* rows, const double* factors, std::size_t count, double* target, std::size_t width) {
  switch (count) {
    case 3:
      return add_block<3>(rows, factors, target, width);
    case 2:
      return add_block<2>(rows, factors, target, width);
    case 1:
      return add_block<1>(rows, factors, target, width);
    default:
      return;
  }
}

}  // namespace credence::qp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credence::qp {

HWY_EXPORT(SmoSteps);
HWY_EXPORT(AddRows);
HWY_EXPORT(FindViolation);

void Iterate::resize(std::size_t size) {
  if (size == n && !beta.empty()) return;
  n = size;
  const std::size_t padded = kernel::padded(size);
  for (core::AlignedVector<double>* numbers : {&beta, &gradient, &lower, &upper, &before}) numbers->assign(padded, 0.0);
  for (core::AlignedVector<float>* sides : {&growing, &shrinking})
    sides->assign(padded, -std::numeric_limits<float>::infinity());
  slope.assign(padded, 0.0F);
}

Violation find_violation(const Iterate& iterate) {
  return HWY_DYNAMIC_DISPATCH(FindViolation)(iterate);
}

std::uint64_t smo_burst(kernel::Rows& rows, Iterate& iterate, const Violation& violation, double tolerance,
                        std::uint64_t most_steps) {
  // Free variables have nearly equal gradients near the solution. Less a common centre, float keeps the digits in which
  // they differ.
  const double centre = (iterate.gradient[violation.grow] + iterate.gradient[violation.shrink]) / 2;
  for (std::size_t i = 0; i < iterate.n; ++i) iterate.slope[i] = static_cast<float>(iterate.gradient[i] - centre);
  iterate.before = iterate.beta;
  const std::uint64_t steps = HWY_DYNAMIC_DISPATCH(SmoSteps)(rows, iterate, violation, tolerance, most_steps);
  move_gradient(rows, iterate, iterate.before);
  return steps;
}

void move_gradient(kernel::Rows& rows, Iterate& iterate, const core::AlignedVector<double>& before) {
  const auto add = HWY_DYNAMIC_DISPATCH(AddRows);
  list_where(iterate.n, iterate.changed, [&](std::size_t i) { return iterate.beta[i] != before[i]; });
  constexpr std::size_t at_once = kernel::Rows::expected_at_once;
  for (std::size_t k = 0; k < iterate.changed.size(); k += 3) {
    if (k % at_once == 0)
      rows.expect(std::span(iterate.changed).subspan(k, std::min(at_once, iterate.changed.size() - k)));
    const std::size_t count = std::min<std::size_t>(3, iterate.changed.size() - k);
    const float* some[3] = {nullptr, nullptr, nullptr};
    double factors[3] = {0, 0, 0};
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t i = iterate.changed[k + c];
      some[c] = rows.row(i);
      factors[c] = iterate.beta[i] - before[i];
    }
    add(some, factors, count, iterate.gradient.data(), iterate.width());
  }
}

}  // namespace credence::qp
#endif
