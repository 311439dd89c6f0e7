#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/kernel/kernel.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/svm/model.hpp"

namespace credence::svm {

/// One machine of one gamma, at all costs of the grid.
struct MachineCosts {
  std::vector<std::uint32_t> support;  ///< rows of SvmFamily::support_vectors that support it at any cost, ascending
  data::DenseMatrix coefficients;      ///< support x cost_count: beta
};

/// All SVMs of a grid, trained on the same rows with the same preprocessing: they share their support vectors, and
/// those of one gamma share their kernel values. Model k = gamma index * cost_count + cost index.
///
/// Relevance vector machines of several gammas are kept in the same way: their support vectors are centres, and their
/// norms are not known (0).
///
/// The score of class y is the smallest of the signed decision values of the machines that y takes part in:
/// y f(x) with two classes, the worst of its duels with more. A model's label is LIBSVM's vote.
class SvmFamily final : public model::ClassifierFamily {
 public:
  kernel::Kernel kernel;       ///< its gamma is not looked at
  std::vector<double> gammas;  ///< one 0 for kernels without gamma
  std::size_t cost_count = 0;
  std::size_t class_count = 0;
  data::Features support_vectors;         ///< preprocessed; empty for precomputed kernels
  std::vector<std::size_t> support_rows;  ///< their training rows (columns of a precomputed kernel), ascending
  std::vector<MachineCosts> machines;     ///< gamma x machine, machine fastest
  data::DenseMatrix bias;                 ///< gamma x (cost_count * machines), machine fastest
  data::DenseMatrix norm;                 ///< |w| of each machine, same shape
  bool relevance_vectors = false;         ///< RVMs, one cost; with more than two classes each against the rest
  bool geometric = false;                 ///< decision values divided by |w| (0 where |w| = 0)

  std::size_t models() const override { return gammas.size() * cost_count; }
  std::size_t classes() const override { return class_count; }
  std::string shared_parts() const override;
  bool is_precomputed() const override { return kernel.type == kernel::KernelType::precomputed; }
  /// Cost: for each row one pass over the support vectors (d numbers each), then for each gamma one kernel function
  /// and cost_count * machines multiplications a support vector. Where a gamma of an rbf or laplacian kernel is 2 to 16
  /// times the one before, a power of two, its kernel values are those of the one before, squared: ascending
  /// gammas in powers of two are several times cheaper, and agree with the exponential to about 1e-12.
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

/// scores[y] = min over machines m that y takes part in of (y positive ? 1 : -1) * decisions[m]; one-against-rest: the
/// decision value of y's own machine.
/// @param scores  `classes` numbers
void class_scores(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes,
                  double* scores);

}  // namespace credence::svm
