#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/core/list.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/qp/solver.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "credence/svm/train.hpp"

/// What a selection method chooses from: the axes of a grid, and how its models are trained.
namespace credence::selection {

/// The kind of models that are chosen from.
enum class Learner {
  svm,  ///< support vector machines
  knn,  ///< nearest neighbours
  rvm,  ///< relevance vector machines
};
constexpr auto words_of(Learner) {
  return std::array{core::Word{"svm", Learner::svm}, core::Word{"knn", Learner::knn}, core::Word{"rvm", Learner::rvm}};
}

/// Kernels of several functions and gammas.
struct KernelGrid {
  std::vector<kernel::KernelType> types{};  ///< empty: rbf; if Options::has_default_grid(), the rows decide
  double coef0 = 0;                         ///< polynomial and sigmoid
  int degree = 3;                           ///< polynomial; >= 1
  /// Empty: a default list. For SVMs it is LIBSVM's, 2^-15:2^3:x4; if has_default_grid(), the rows decide. For RVMs
  /// with an rbf kernel it has the gammas of `paper_sigmas`; where gamma changes nothing it is the one word `scale`.
  std::vector<kernel::GammaRule> gamma;
  bool by_sigma = false;  ///< reports say sigma instead of gamma; rbf only

  /// Widths of the paper on kernel validity.
  static constexpr std::array paper_sigmas{0.01, 0.1, 0.3, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0};
  static std::vector<kernel::GammaRule> default_gammas();
  /// Gammas of rbf kernels with these sigmas, ascending. @throws Error invalid_argument for a sigma that is not above 0
  static std::vector<kernel::GammaRule> of_sigmas(std::span<const double> sigmas);

  kernel::Shape shape() const { return {types.empty() ? kernel::KernelType::rbf : types.front(), coef0, degree}; }
  std::vector<std::string> validate() const;

  static void describe(auto&& field) {
    field("kernel", &KernelGrid::types,
          "the kernel functions; methods that judge SVMs by rows left out take several (by default rbf; for cv and "
          "regions rbf and laplacian where no gamma is given)");
    field("degree", &KernelGrid::degree, "degree of the polynomial kernel", core::from_to(1, 1000));
    field("coef0", &KernelGrid::coef0, "constant of the polynomial and sigmoid kernels");
    field("gamma", &KernelGrid::gamma,
          "gamma of the kernels: numbers, or the words scale = 1/(d var), auto = 1/d, median = 1/(median distance)^2, "
          "median*0.5; of laplacian scale = 1/(d sd) and median = 1/(median distance)");
    field.spelling("sigma", "gamma", core::Kind::numbers, "widths of rbf kernels: gamma = 1/(2 sigma^2)",
                   [](KernelGrid& grid, const core::Value& value) {
                     grid.gamma = of_sigmas(core::Conversion<std::vector<double>>::from(value));
                     grid.by_sigma = true;
                   });
    field("by_sigma", &KernelGrid::by_sigma, "reports say sigma instead of gamma");
  }
};

/// The other axis of a grid of SVMs, and their training.
struct SvmCosts {
  std::vector<double> C{};  ///< > 0, ascending; empty: 2^-5:2^15:x4; if has_default_grid(), the rows decide
  std::vector<double> nu;   ///< if not empty, nu-SVCs with these nu (in (0, 1], descending) instead of C-SVCs
  /// Limits of |w|^2 for methods that bound the error from the training rows alone; >= 0, ascending. In these methods
  /// only the hint uses C and the solver.
  std::vector<double> rho = rho_list();
  svm::ClassWeights class_weights;
  qp::Options solver;
  /// For cross-validation by errors with two classes: the path along C of one gamma and one fold is checked once it has
  /// taken more than this number of SMO steps for each training row. The larger C are given up if the last model does
  /// worse on the rows left out than one of smaller C by more than 3 standard errors, or if it met `solver.max_steps`
  /// (Setting::given_up). 0: never. Default: 10 above 5,000 rows, else 0.
  std::optional<std::size_t> give_up{};

  static std::vector<double> default_costs();  ///< as LIBSVM's grid.py
  /// 30 values from 10^-6 to 10^3, as in the paper.
  static std::vector<double> rho_list();
  /// The axis of a grid of C or nu, most regularised first: C ascending, or nu descending.
  const std::vector<double>& axis() const { return nu.empty() ? C : nu; }
  std::vector<std::string> validate() const;

  static void describe(auto&& field) {
    field("C", &SvmCosts::C,
          "costs of errors (by default 2^-5:2^15:x4; for cv and regions 2^-5, 2^-2, 1, 4, 32 and 512)", core::above(0));
    field("nu", &SvmCosts::nu, "nu-SVCs with these nu instead of C", core::above_to(0, 1));
    field("rho", &SvmCosts::rho, "upper limits of |w|^2", core::at_least(0));
    field("class_weight", &SvmCosts::class_weights,
          "balanced, or factors on C: name:w,name:w; they also weight the errors by which cv, loo and holdout choose");
    field.part(&SvmCosts::solver);
    field("give_up", &SvmCosts::give_up,
          "after this many SMO steps per training row, the larger C of a gamma and fold may be skipped. They are "
          "skipped if the last C did clearly worse than a smaller one or met the step limit. 0: never (by default 10 "
          "above 5000 rows, else 0)",
          core::at_least(0));
  }
};

/// Relevance vector machines over the list of gamma.
struct RvmCandidates {
  rvm::FitOptions fit;
  std::optional<std::size_t> centres{};  ///< candidate centres; default: rvm::default_centres of all rows
  /// How many values of gamma may be added beyond either end of the list while the best setting lies there; see
  /// Setting::added. Used by cv, kernel-validity and evidence. Default: 6 with the default list, else 0.
  std::optional<int> further{};

  std::vector<std::string> validate() const;

  static void describe(auto&& field) {
    field.part(&RvmCandidates::fit);
    field("centres", &RvmCandidates::centres,
          "how many randomly drawn rows may become kernels (by default all of up to 2000 rows, else 1000)",
          core::at_least(1));
    field("further", &RvmCandidates::further,
          "how many widths may be added beyond an end of the list while the best one lies there (by default 6 beyond "
          "the default list, else none)",
          core::at_least(0));
  }
};

}  // namespace credence::selection
