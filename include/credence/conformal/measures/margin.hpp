#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/measure_parts.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/qp/solver.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "credence/svm/train.hpp"

namespace credence::conformal {

/// Strangeness of a class under a classifier's score for that class: minus the score. With an SVM's decision value f,
/// class 1 has the score f and class 0 the score -f. So the strangeness is -y f(x), the signed distance to the
/// hyperplane in units of the margin. With more classes the score is the worst of the class's duels
/// (svm::class_scores).
/// Source: Proedrou et al., ECML 2002, section 5; Hardoon, Hussain, Shawe-Taylor (2009), section 2.
inline double margin_strangeness(double score) {
  return -score;
}

/// The kernel of a machine whose margins are compared.
struct MarginKernel {
  kernel::Shape shape;                                         ///< not precomputed
  kernel::GammaRule gamma{kernel::GammaRule::Kind::scale, 0};  ///< resolved on the preprocessed training rows
  bool by_sigma = false;                                       ///< gamma was given by the width of an rbf kernel

  void add_problems(std::vector<std::string>& problems) const;
  /// Whether gamma depends on the values of the rows.
  bool looks_at_rows() const;
  void set_sigma(double sigma);

  static void describe(auto&& field) {
    field.part(&MarginKernel::shape);
    field("gamma", &MarginKernel::gamma,
          "kernel width: a number, or the word scale = 1/(d var), auto = 1/d, median (distance), median*0.5");
    field.spelling("sigma", "gamma", core::Kind::number, "width of the rbf kernel: gamma = 1/(2 sigma^2)",
                   [](MarginKernel& kernel, const core::Value& value) { kernel.set_sigma(core::number_of(value)); });
  }
};

/// Margins of support vector machines.
struct SvmMargin {
  static constexpr const char* name = "margin";
  static constexpr const char* model = "svm";
  static constexpr const char* sentence =
      "minus the signed decision value of an SVM or RVM, the worst of the class's duels";
  static data::Scaling default_scaling() { return data::Scaling::standard; }

  double C = 1;
  MarginKernel kernel;
  svm::ClassWeights class_weights;  ///< not in the transductive mode
  qp::Options solver;

  static void describe(auto&& field) {
    field("C", &SvmMargin::C, "cost of errors", core::above(0));
    field.part(&SvmMargin::kernel);
    field("class_weight", &SvmMargin::class_weights, "balanced, or factors on C: name:w,name:w");
    field.part(&SvmMargin::solver);
  }
  std::vector<std::string> problems(const Mode& mode, data::Scaling scaling) const;
  void check(const data::Dataset& dataset, const Mode& mode) const;
  bool looks_at_rows() const { return kernel.looks_at_rows(); }
  std::shared_ptr<const Machine> machine(const data::Features& rows, const data::Dataset& dataset,
                                         model::TrainingRecord& record, const core::Context& context) const;
  Train training(const Preparation& preparation) const;
};

/// Margins of relevance vector machines. They have no transductive mode, which would train them anew for every row and
/// class.
struct RvmMargin {
  static constexpr const char* name = SvmMargin::name;
  static constexpr const char* model = "rvm";
  static constexpr const char* sentence = SvmMargin::sentence;
  static data::Scaling default_scaling() { return data::Scaling::minmax; }

  MarginKernel kernel;
  rvm::ClassifierFit fit;
  std::optional<std::size_t> centres;  ///< candidates; default: rvm::default_centres of the training rows

  static void describe(auto&& field) {
    field.part(&RvmMargin::kernel);
    field.part(&RvmMargin::fit);
    field("centres", &RvmMargin::centres,
          "rows that may become kernels, drawn at random (by default all up to 2000 rows, else 1000)",
          core::at_least(1));
  }
  std::vector<std::string> problems(const Mode& mode, data::Scaling scaling) const;
  void check(const data::Dataset& dataset, const Mode& mode) const;
  bool looks_at_rows() const { return kernel.looks_at_rows(); }
  Train training(const Preparation& preparation) const;
};

}  // namespace credence::conformal
