#include <fmt/format.h>

#include <limits>

#include "credence/bounds/complexity.hpp"
#include "selection/in_sample/in_sample_labels.hpp"

namespace credence::selection {
namespace {

constexpr std::uint64_t rademacher_purpose = 0x5241'4445'0000'0000;

/// The vector whose signs are the bits of `number`.
Labels signs_of(std::size_t number, std::size_t n) {
  Labels signs(n);
  for (std::size_t i = 0; i < n; ++i) signs[i] = (number >> i & 1U) != 0 ? -1 : 1;
  return signs;
}

Labels random_signs(std::size_t n, core::RandomStream& random) {
  Labels signs(n);
  for (int& sign : signs) sign = random.below(2) == 0 ? 1 : -1;
  return signs;
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

std::vector<std::string> Rademacher::gaps(const data::Dataset&, const Selection& selection) const {
  const InSample& bound = *selection.in_sample();
  if (bound.enumerated || selection.options.in_sample.term != ComplexityTerm::exact) return {};
  return {fmt::format("{} label vectors stand for the mean over all (--term trials)", bound.trials)};
}

Selection Rademacher::select(const data::Dataset& dataset, const Options& options, const core::Context& context) const {
  return select_in_sample({"Rademacher complexity", false, draw_signs, rademacher_deviation}, dataset, options,
                          context);
}

}  // namespace credence::selection
