#include "svm/strips.hpp"

#include <algorithm>
#include <vector>

#include "kernel/simd.hpp"

namespace credence::svm {

void turn(const double* rows, std::size_t count, std::size_t width, double* turned) {
  constexpr std::size_t tile = 16;
  if (count < strip_rows) std::fill(turned, turned + width * strip_rows, 0.0);
  for (std::size_t first = 0; first < width; first += tile) {
    const std::size_t last = std::min(first + tile, width);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t s = first; s < last; ++s) turned[s * strip_rows + r] = rows[r * width + s];
  }
}

void decide(const double* values, std::span<const std::uint32_t> support, const double* coefficients,
            std::span<const double> bias, std::size_t used, double* decisions) {
  for (std::size_t c = 0; c < bias.size(); ++c) std::fill_n(decisions + c * strip_rows, strip_rows, bias[c]);
  kernel::simd::add_terms(kernel::simd::Terms<double>{values, strip_rows, 0, support.data(), support.size(),
                                                      coefficients, bias.size(), used},
                          decisions);
}

void add_votes(const BinaryMachine& machine, const double* decisions, std::size_t count, int* votes) {
  int* positive = votes + static_cast<std::size_t>(machine.positive) * count;
  int* negative = votes + static_cast<std::size_t>(machine.negative) * count;
  for (std::size_t r = 0; r < count; ++r) {
    const int won = decisions[r] > 0 ? 1 : 0;
    positive[r] += won;
    negative[r] += 1 - won;
  }
}

void most_voted(const int* votes, std::size_t classes, std::size_t count, int* labels) {
  std::vector<int> most(votes, votes + count);
  std::fill_n(labels, count, 0);
  for (std::size_t c = 1; c < classes; ++c) {
    const int* own = votes + c * count;
    for (std::size_t r = 0; r < count; ++r) {
      labels[r] = own[r] > most[r] ? static_cast<int>(c) : labels[r];
      most[r] = std::max(own[r], most[r]);
    }
  }
}

}  // namespace credence::svm
