#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "credence/kernel/kernel.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/svm/model.hpp"

namespace credence::svm {

/// One binary SVM of one gamma, at all costs of the grid.
struct MachineCosts {
  std::vector<std::uint32_t> support;  ///< ascending rows of SvmFamily::support_vectors with beta != 0 at some cost
  data::DenseMatrix coefficients;      ///< support x cost_count: beta
};

/// All SVMs of a grid, trained on the same rows with the same preprocessing. All of them share the support vectors, and
/// the SVMs of one gamma share the kernel values. Model k = gamma index * cost_count + cost index.
///
/// The family can also hold relevance vector machines of several gammas: then the support vectors are the centres, and
/// the norms are 0, because they are not known. A family of fold models (model::Members) has the folds in place of the
/// costs.
///
/// The score of class y is the smallest signed decision value among the binary SVMs that y takes part in: y f(x) with
/// two classes. A model's label is LIBSVM's vote.
class SvmFamily final : public model::ClassifierFamily {
 public:
  kernel::Kernel kernel;       ///< `gammas` replaces its gamma
  std::vector<double> gammas;  ///< the single value 0 for kernels without gamma
  std::size_t cost_count = 0;
  std::size_t class_count = 0;     ///< 1: regressions, whose one score is the number that they predict
  data::Features support_vectors;  ///< preprocessed; empty for precomputed kernels
  std::vector<std::size_t>
      support_rows;  ///< training row of each support vector (column of a precomputed kernel), ascending
  std::vector<MachineCosts> machines;  ///< gamma x binary SVM, the SVMs fastest
  data::DenseMatrix bias;              ///< gamma x (cost_count * binary SVMs), the SVMs fastest
  data::DenseMatrix norm;              ///< |w| of each binary SVM, in the shape of `bias`
  bool relevance_vectors = false;      ///< RVMs; more than two classes: one against the rest
  bool geometric = false;              ///< decision values are divided by |w| (and are 0 if |w| = 0)
  /// Dense rows of a linear kernel are scored by the weights of the binary SVMs, if these are fewer than the support
  /// vectors. This is many times faster, and differs in the last bits. The choice does not depend on the rows, so that
  /// a row has the same score in whatever call it comes.
  bool by_weights = false;

  std::size_t models() const override { return gammas.size() * cost_count; }
  std::size_t classes() const override { return class_count; }
  std::string shared_parts() const override;
  std::size_t support_count() const override { return support_rows.size(); }
  /// Returns the w of each binary SVM of a linear kernel: a row for each SVM, in the order of `bias`, and a column for
  /// each feature.
  data::DenseMatrix linear_weights() const;
  bool is_precomputed() const override { return kernel.type == kernel::KernelType::precomputed; }
  /// Cost: each row takes one pass over the support vectors (d numbers each), and for each gamma one kernel function
  /// and cost_count * binary SVMs multiplications for each support vector. If a gamma of an rbf or laplacian kernel is
  /// 2, 4, 8 or 16 times the gamma before, its kernel values are powers of the values before, made by squaring: several
  /// times cheaper, and equal to the exponential to about 1e-12.
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

/// Returns how many times the kernel values of the previous gamma are squared to get those of each gamma; 0: the kernel
/// function gives them.
std::vector<int> doublings_of(const SvmFamily& family);

/// The binary SVMs of one model as a family of one gamma and one cost. The norms, which cost a pass over the support
/// vectors, are 0.
std::shared_ptr<SvmFamily> family_of(const SvmModel& model);

/// Computes scores[y] = min over binary SVMs m that y takes part in of (y positive ? 1 : -1) * decisions[m]. For
/// one-against-rest binary SVMs the score is the decision value of y's own binary SVM.
/// @param scores  `classes` numbers
void class_scores(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes,
                  double* scores);

}  // namespace credence::svm
