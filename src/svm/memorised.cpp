#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/svm/model.hpp"

namespace credence::svm {
namespace {

/// Support vectors of the model, evenly taken.
std::vector<std::size_t> some_support(const SvmModel& model) {
  constexpr std::size_t most = 200;
  const std::size_t all = model.support_vectors.rows();
  const std::size_t count = std::min(all, most);
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = i * all / count;
  return rows;
}

/// @param decisions  of the rows `some` of the support vectors, in column m
bool is_memorised(const BinaryMachine& machine, std::size_t m, const std::vector<std::size_t>& some,
                  const data::DenseMatrix& decisions) {
  std::vector<double> others;
  double own = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto found = std::ranges::lower_bound(machine.support, static_cast<std::uint32_t>(some[i]));
    if (found == machine.support.end() || *found != some[i]) continue;
    const double coefficient = machine.coefficients[static_cast<std::size_t>(found - machine.support.begin())];
    others.push_back(decisions.row(i)[m] - coefficient);  // K(x, x) = 1
    own += std::abs(coefficient);
  }
  if (others.empty()) return false;
  const auto count = static_cast<double>(others.size());
  const double mean = std::accumulate(others.begin(), others.end(), 0.0) / count;
  double squares = 0;
  for (const double value : others) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count) < 0.5 * own / count;
}

}  // namespace

bool memorised(const SvmModel& model, const core::Context& context) {
  const kernel::KernelType type = model.kernel.type;
  const bool local = type == kernel::KernelType::rbf || type == kernel::KernelType::laplacian;
  if (!local || model.hint || model.support_vectors.rows() == 0) return false;
  const std::vector<std::size_t> some = some_support(model);
  const data::DenseMatrix decisions =
      model.predict_preprocessed(model.support_vectors.select_rows(some), context).decision;
  for (std::size_t m = 0; m < model.machines.size(); ++m)
    if (!is_memorised(model.machines[m], m, some, decisions)) return false;
  return true;
}

}  // namespace credence::svm
