#pragma once

/// ```cpp
/// using namespace credence;
/// const core::Threads threads;
/// core::Monitor monitor;
/// const core::Context context{.threads = threads, .monitor = monitor};
/// const std::vector<std::string> labels{"left", "left", "right", "right"};
/// data::DenseMatrix rows(4, 1);
/// rows.values = {-3, -1, 1, 3};
/// svm::TrainOptions options;
/// options.C = 10;
/// options.kernel.type = kernel::KernelType::linear;
/// options.scaling = data::Scaling::none;
/// const data::Dataset dataset = data::make_dataset(rows, labels);
/// const svm::SvmModel model = svm::train(dataset, options, context).model;
/// std::cout << model.support_count() << " support vectors\n";               // prints 2 support vectors
/// std::cout << model.predict(dataset, context).decision.row(3)[0] << '\n';  // prints 3
/// ```

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "credence/qp/solver.hpp"
#include "credence/svm/model.hpp"

namespace credence::svm {

/// Factors on C for each class.
struct ClassWeights {
  bool balanced = false;                ///< n / (k n_class); n and n_class are summed sample weights
  std::map<std::string, double> named;  ///< class spelling -> factor > 0; other classes have 1

  bool any() const { return balanced || !named.empty(); }
  /// Returns all problems at once; the list is empty if there are none.
  std::vector<std::string> validate() const;
};
/// "balanced", or factors as name:w,name:w; the empty text weighs all classes alike. @throws Error invalid_argument
ClassWeights parse_class_weights(std::string_view text);

struct TrainOptions {
  double C = 1;
  std::optional<double> nu;  ///< in (0, 1]: trains a nu-SVC, see `nu_path`; C is then ignored
  kernel::Shape kernel;
  kernel::GammaRule gamma;  ///< resolved on the preprocessed training rows
  data::Scaling scaling = data::Scaling::standard;
  data::Missing missing = data::Missing::error;  ///< recorded in the model
  ClassWeights class_weights;
  qp::Options solver;
  std::uint64_t seed = 0;  ///< recorded in the model

  std::vector<std::string> validate() const;
};

struct TrainResult {
  SvmModel model;
  qp::Statistics statistics;  ///< summed over the binary SVMs; status is the worst
  double objective = 0;       ///< summed over the binary SVMs
};

/// Trains a C-SVC or a nu-SVC, one-against-one if there are more than two classes. Class and sample weights multiply C.
/// A row of sample weight w counts as w rows everywhere: in the scaling, in a gamma given by a word, in balanced class
/// weights and in the limits of alpha. Rows of the kernel matrix are computed when the solver asks for them, and cached
/// within the memory budget.
/// @throws Error invalid_argument, invalid_data (one class only, a nu that some binary SVM cannot have, ...), memory;
///         interrupted if the monitor says stop before the C of a nu is found
TrainResult train(const data::Dataset& dataset, const TrainOptions& options, const core::Context& context);

/// Returns C_i / C for each row: class weight times sample weight. `balanced` sums the
/// sample weights of the rows where `training` is true.
std::vector<double> box_factors(const data::Dataset& dataset, const ClassWeights& weights,
                                const std::vector<bool>& training);

/// Returns the problem of one binary SVM at C = 1: p = y, boxes by sign and factor. Rows of other classes and rows with
/// factor 0 are held out.
qp::Problem machine_problem(std::span<const int> labels, const BinaryMachine& machine, std::span<const double> factors);

/// The solution at one C, as `c_path` and `nu_path` give it to their visitor.
struct PathPoint {
  std::size_t index;           ///< index into the list of C or nu
  double C;                    ///< C of the boxes
  const qp::Problem& problem;  ///< with the boxes of this C
  const qp::State& state;      ///< solution over all n rows
  double bias;
  qp::Statistics statistics;  ///< statistics of this C alone
  std::size_t support_count;  ///< number of rows with beta != 0
};

/// Solves one binary SVM for all C on one kernel matrix. The C ascend, and each solve starts from the solution before.
/// The solver's passes skip held-out rows, whose gradient is computed at the end of each C. If the monitor says stop,
/// the path ends without the remaining visits.
/// @param unit_problem  the problem with the boxes for C = 1
/// @param visit  after it returns false, the larger C are not solved
void c_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> ascending_C,
            const qp::Options& options, const core::Monitor& monitor,
            const std::function<bool(const PathPoint&)>& visit);

/// Returns the largest nu that a nu-SVC can have on these rows: 2 min(w+, w-) / (w+ + w-), where w+ and w- are the
/// summed factors of the binary SVM's two classes. The result is 0 if one of the classes has no row.
double largest_nu(const qp::Problem& unit_problem);

/// Solves one binary SVM as a nu-SVC for all nu on one kernel matrix. The nu descend, and each solve starts from the
/// solution before.
///
/// The nu-SVC with nu is the C-SVC at the C where sum|beta| = nu C sum(factors). As C grows, the ratio
/// sum|beta| / (C sum(factors)) falls continuously from largest_nu to a limit (Chang and Lin, Neural Computation 13,
/// 2001). sum|beta| is linear in C while no variable enters or leaves a bound. The function brackets C and then takes
/// secant steps along the warm-started path, until |sum|beta| / (C sum(factors)) - nu| <= 1e-3 nu (mostly 1e-6 nu). An
/// indefinite kernel or rounding may let the ratio jump over nu; the C at the jump is then the result. The C-SVC solver
/// thus serves nu too. The decision values are those of LIBSVM's nu-SVC, which divides by rho = 1 / C.
///
/// At nu = largest_nu every C up to some value is a solution; the result is that value. No solution exists for a nu
/// above largest_nu, nor for a nu below the smallest mean hinge loss (weighted by factors) of any w; the visitor does
/// not see such a nu. The function decides that nu lies below this loss after three steps in a row from C to 4 C that
/// lower the mean loss too little: by at most 0.1 per cent, and not below 0.99 nu. Steps count if 4 C exceeds
/// 1 / (typical squared distance in feature space). If a solve ends above the tolerance while C grows, the visitor sees
/// that point with its status.
///
/// PathPoint::problem has the boxes of the C found; PathPoint::index is an index into `descending_nu`; the counts of
/// PathPoint::statistics are sums over the search. If the monitor says stop, the path ends without the remaining
/// visits. Cost: about ten warm-started solves for each nu, most of them short.
void nu_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> descending_nu,
             const qp::Options& options, const core::Monitor& monitor,
             const std::function<void(const PathPoint&)>& visit);

}  // namespace credence::svm

/// A text, or a list with an item for each class, whose name may then have commas.
template <>
struct credence::core::Conversion<credence::svm::ClassWeights> {
  static constexpr Kind kind = Kind::text;
  static Value to(const svm::ClassWeights& weights);
  static svm::ClassWeights from(const Value& value);
};
