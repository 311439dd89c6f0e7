#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/core/list.hpp"
#include "credence/svm/model.hpp"

namespace credence::svm {
namespace {

/// Support vectors of the model, evenly spaced.
std::vector<std::size_t> some_support(const SvmModel& model) {
  constexpr std::size_t most = 200;
  const std::size_t all = model.support_vectors.rows();
  const std::size_t count = std::min(all, most);
  return core::made(count, [&](std::size_t i) { return i * all / count; });
}

/// Support vectors of one machine: what all other rows say of each, its own term, and its side.
struct Terms {
  std::vector<double> others;
  std::vector<double> own;

  /// The correlation of the others' values with the sides is at least that large.
  bool side_with_classes(double least) const {
    const double mean = mean_of(others);
    double sum = 0;
    double squares = 0;
    double sides = 0;
    for (const double term : own) sides += term > 0 ? 1 : -1;
    sides /= static_cast<double>(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double side = (own[i] > 0 ? 1 : -1) - sides;
      sum += side * (others[i] - mean);
      squares += side * side;
    }
    return sum > 0 && sum >= least * std::sqrt(squares * squares_of(others));
  }
  /// Whether the others' values vary by less than half of the own terms.
  bool are_alike() const {
    double sum = 0;
    for (const double term : own) sum += std::abs(term);
    const auto count = static_cast<double>(own.size());
    return std::sqrt(squares_of(others) / count) < 0.5 * sum / count;
  }

 private:
  static double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  static double squares_of(const std::vector<double>& values) {
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return squares;
  }
};

/// @param decisions  of the rows `some` of the support vectors, in column m
bool is_memorised(const BinaryMachine& machine, std::size_t m, const std::vector<std::size_t>& some,
                  const data::DenseMatrix& decisions) {
  Terms terms;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto found = std::ranges::lower_bound(machine.support, static_cast<std::uint32_t>(some[i]));
    if (found == machine.support.end() || *found != some[i]) continue;
    const double coefficient = machine.coefficients[static_cast<std::size_t>(found - machine.support.begin())];
    terms.others.push_back(decisions.row(i)[m] - coefficient);  // K(x, x) = 1
    terms.own.push_back(coefficient);
  }
  return !terms.own.empty() && terms.are_alike() && !terms.side_with_classes(0.2);
}

}  // namespace

bool memorised(const SvmModel& model, const core::Context& context) {
  const kernel::KernelType type = model.kernel.type;
  const bool local = kernel::falls_with_distance(type);
  if (!local || model.hint || model.support_vectors.rows() == 0) return false;
  const std::vector<std::size_t> some = some_support(model);
  const data::DenseMatrix decisions =
      model.predict_preprocessed(model.support_vectors.select_rows(some), context).decision;
  for (std::size_t m = 0; m < model.machines.size(); ++m)
    if (!is_memorised(model.machines[m], m, some, decisions)) return false;
  return true;
}

}  // namespace credence::svm
