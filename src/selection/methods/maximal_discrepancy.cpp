#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "credence/bounds/mean.hpp"
#include "credence/core/list.hpp"
#include "selection/in_sample/in_sample_problem.hpp"
#include "selection/methods/methods.hpp"

namespace credence::selection {

namespace {

constexpr std::uint64_t discrepancy_purpose = 0x4d44'4953'0000'0000;

/// Ways to choose `half` of n rows, or `most` + 1 if there are more than `most`.
std::size_t count_halves(std::size_t n, std::size_t half, std::size_t most) {
  double count = 1;
  for (std::size_t k = 1; k <= half && count <= static_cast<double>(most); ++k)
    count *= static_cast<double>(n - half + k) / static_cast<double>(k);
  return count < static_cast<double>(most) + 0.5 ? static_cast<std::size_t>(std::llround(count)) : most + 1;
}

/// Changes the labels of the rows whose mask is not 0.
Labels flipped(std::span<const int> labels, const std::vector<char>& mask) {
  return core::made(labels.size(), [&](std::size_t i) { return mask[i] != 0 ? -labels[i] : labels[i]; });
}

Labels with_random_half_flipped(std::span<const int> labels, core::RandomStream& random) {
  std::vector<char> mask(labels.size(), 0);
  std::fill_n(mask.begin(), labels.size() / 2, 1);
  random.shuffle(mask);
  return flipped(labels, mask);
}

/// The true labels with those of floor(n / 2) rows changed: all choices of these rows, or as many as asked for.
LabelVectors draw_flipped_halves(std::span<const int> labels, bool /*even*/, std::size_t trials, std::uint64_t seed) {
  const std::size_t half = labels.size() / 2;
  LabelVectors drawn;
  if (count_halves(labels.size(), half, trials) <= trials) {
    drawn.enumerated = true;
    std::vector<char> mask(labels.size(), 0);
    std::fill_n(mask.begin(), half, 1);
    do {
      drawn.vectors.push_back(flipped(labels, mask));
    } while (std::prev_permutation(mask.begin(), mask.end()));
  } else {
    drawn.vectors = distinct_labels(trials, false, seed, discrepancy_purpose, [&](core::RandomStream& random) {
      return with_random_half_flipped(labels, random);
    });
  }
  return drawn;
}

/// The mean over shuffles is bounded as each of them is: their number does not enter.
double discrepancy_deviation(std::size_t n, const LabelVectors& /*drawn*/, ComplexityTerm /*term*/, double delta) {
  return bounds::complexity_deviation(n, delta);
}

}  // namespace

Selection select_by(const MaximalDiscrepancy&, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  return select_in_sample({"maximal discrepancy", true, draw_flipped_halves, discrepancy_deviation}, dataset, options,
                          context);
}

namespace {

constexpr std::uint64_t rademacher_purpose = 0x5241'4445'0000'0000;

/// The vector whose signs are the bits of `number`.
Labels signs_of(std::size_t number, std::size_t n) {
  return core::made(n, [&](std::size_t i) { return (number >> i & 1U) != 0 ? -1 : 1; });
}

Labels random_signs(std::size_t n, core::RandomStream& random) {
  return core::made(n, [&](std::size_t) { return random.below(2) == 0 ? 1 : -1; });
}

/// All 2^n vectors of signs, or those with t_n = 1 where t and -t are alike; else as many as asked for.
LabelVectors draw_signs(std::span<const int> labels, bool even, std::size_t trials, std::uint64_t seed) {
  const std::size_t n = labels.size();
  const std::size_t bits = even ? n - 1 : n;
  LabelVectors drawn;
  if (bits < std::numeric_limits<std::size_t>::digits && std::size_t{1} << bits <= trials) {
    drawn.enumerated = true;
    for (std::size_t number = 0; number < std::size_t{1} << bits; ++number)
      drawn.vectors.push_back(signs_of(number, n));
  } else {
    drawn.vectors = distinct_labels(trials, even, seed, rademacher_purpose,
                                    [&](core::RandomStream& random) { return random_signs(n, random); });
  }
  return drawn;
}

/// A mean over all vectors has no error of its own.
double rademacher_deviation(std::size_t n, const LabelVectors& drawn, ComplexityTerm term, double delta) {
  return term == ComplexityTerm::trials && !drawn.enumerated
             ? bounds::complexity_deviation_of_trials(n, drawn.vectors.size(), delta)
             : bounds::complexity_deviation(n, delta);
}

}  // namespace

std::vector<std::string> gaps_of(const Rademacher&, const data::Dataset&, const Selection& selection) {
  const InSample& bound = *selection.in_sample();
  if (bound.enumerated || selection.options.in_sample.term != ComplexityTerm::exact) return {};
  return {fmt::format("the complexity averages only {} label vectors (--term trials accounts for this)", bound.trials)};
}

Selection select_by(const Rademacher&, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  return select_in_sample({"Rademacher complexity", false, draw_signs, rademacher_deviation}, dataset, options,
                          context);
}

}  // namespace credence::selection
