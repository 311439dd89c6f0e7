#include <array>

#include "libsvm_nodes.hpp"

namespace credence::bench {
namespace {

/// One model of a family in LIBSVM's own form, with the support vectors that it uses.
class Model {
 public:
  Model(const svm::SvmFamily& family, std::size_t gamma, std::size_t cost, const Nodes& support)
      : rho_(-family.bias.row(gamma)[cost]) {
    const svm::MachineCosts& machine = family.machines[gamma];
    for (std::size_t s = 0; s < machine.support.size(); ++s) {
      if (const double beta = machine.coefficients.row(s)[cost]; beta != 0) {
        vectors_.push_back(support.row(machine.support[s]));
        coefficients_.push_back(beta);
      }
    }
    model_.param = parameters(1, family.gammas[gamma]);
    model_.nr_class = 2;
    model_.l = static_cast<int>(vectors_.size());
    counts_[0] = model_.l;  // LIBSVM adds the terms class after class; it does not look at which is which
    model_.SV = vectors_.data();
    row_of_coefficients_ = coefficients_.data();
    model_.sv_coef = &row_of_coefficients_;
    model_.rho = &rho_;
    model_.label = labels_.data();
    model_.nSV = counts_.data();
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  double decision(const svm_node* row) const {
    double value = 0;
    svm_predict_values(&model_, row, &value);
    return value;
  }

 private:
  std::vector<svm_node*> vectors_;
  std::vector<double> coefficients_;
  double* row_of_coefficients_ = nullptr;
  double rho_;
  std::array<int, 2> labels_{1, 0};
  std::array<int, 2> counts_{0, 0};
  svm_model model_{};
};

}  // namespace

FamilyRun libsvm_family(const svm::SvmFamily& family, const data::Features& rows) {
  const Nodes support(family.support_vectors);
  const Nodes nodes(rows);
  FamilyRun run;
  run.decisions = data::DenseMatrix(nodes.size(), family.models());
  for (std::size_t k = 0; k < family.models(); ++k) {
    const Model model(family, k / family.cost_count, k % family.cost_count, support);
    const Stopwatch stopwatch;
    for (std::size_t i = 0; i < nodes.size(); ++i) run.decisions.row(i)[k] = model.decision(nodes.row(i));
    run.seconds += stopwatch.elapsed();
  }
  return run;
}

}  // namespace credence::bench
