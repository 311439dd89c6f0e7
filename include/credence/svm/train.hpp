#pragma once

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

/// Factors on C, per class.
struct ClassWeights {
  bool balanced = false;                ///< n / (k n_class), counted on the training rows
  std::map<std::string, double> named;  ///< class spelling -> factor > 0; others 1

  bool any() const { return balanced || !named.empty(); }
  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
};
/// "balanced", or factors as name:w,name:w; the empty text weighs all classes alike. @throws Error invalid_argument
ClassWeights parse_class_weights(std::string_view text);
/// The text that `parse_class_weights` reads.
std::string text_of(const ClassWeights& weights);

struct TrainOptions {
  double C = 1;
  std::optional<double> nu;  ///< in (0, 1]: trains a nu-SVC instead, see `nu_path`; C is then not looked at
  kernel::Shape kernel;
  kernel::GammaRule gamma;  ///< resolved on the preprocessed training rows
  data::Scaling scaling = data::Scaling::standard;
  data::Missing missing = data::Missing::error;  ///< recorded in the model
  ClassWeights class_weights;
  qp::Options solver;
  std::uint64_t seed = 0;  ///< recorded

  std::vector<std::string> validate() const;
};

struct TrainResult {
  SvmModel model;
  qp::Statistics statistics;  ///< summed over the machines; status is the worst
  double objective = 0;       ///< summed over the machines
};

/// Trains a C-SVC (or nu-SVC), one-against-one if there are more than two classes. Class and sample weights multiply C.
/// Rows of the kernel matrix are computed as the solver asks for them and cached within the memory budget.
/// @throws Error invalid_argument, invalid_data (one class only, a nu that some machine cannot have, ...), memory;
///         interrupted if the monitor says stop before the C of a nu is found
TrainResult train(const data::Dataset& dataset, const TrainOptions& options, const core::Context& context);

/// C_i / C for each row: class weight times sample weight. Counts for `balanced` are taken over rows where `training`
/// is true.
std::vector<double> box_factors(const data::Dataset& dataset, const ClassWeights& weights,
                                const std::vector<bool>& training);

/// The problem of one machine at C = 1: p = y, boxes by sign and factor; rows of other classes and rows with
/// factor 0 are held out.
qp::Problem machine_problem(std::span<const int> labels, const BinaryMachine& machine, std::span<const double> factors);

/// The solution at one C, as handed to the visitor of `c_path`.
struct PathPoint {
  std::size_t index;           ///< into the list of C
  double C;                    ///< of the boxes
  const qp::Problem& problem;  ///< with the boxes of this C
  const qp::State& state;      ///< solution, all n rows
  double bias;
  qp::Statistics statistics;  ///< of this C alone
  std::size_t support_count;  ///< beta != 0
};

/// Solves one machine for all C (ascending, each warm-started from the one before) on one kernel matrix.
/// Rows that are held out are left out of the solver's passes and get their gradient at the end of each C.
/// Stops early, without visiting the rest, if the monitor says so.
/// @param unit_problem  boxes for C = 1
void c_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> ascending_C,
            const qp::Options& options, const core::Monitor& monitor,
            const std::function<void(const PathPoint&)>& visit);

/// The largest nu that a nu-SVC can have on these rows: 2 min(w+, w-) / (w+ + w-), where w are the summed factors of
/// the machine's two classes. 0 if one of them has no row.
double largest_nu(const qp::Problem& unit_problem);

/// Solves one machine as a nu-SVC for all nu (descending, each warm-started from the one before) on one kernel matrix.
///
/// The nu-SVC with nu is the C-SVC at the C where sum|beta| = nu C sum(factors): that ratio falls continuously from
/// largest_nu to a limit as C grows (Chang and Lin, Neural Computation 13, 2001), and sum|beta| is linear in C while
/// no variable enters or leaves a bound; C is found by bracketing and secant steps along the warm-started path, to
/// |sum|beta| / (C sum(factors)) - nu| <= 1e-3 nu (mostly 1e-6 nu; where an indefinite kernel or rounding lets the
/// ratio jump over nu, at the jump). So there is one solver, and the decision values are those of LIBSVM's nu-SVC,
/// which divides by rho = 1 / C. At largest_nu, where every C up to some value will do, it is that value. A nu above
/// largest_nu is not visited. Neither is one below the limit, where no margin exists: the limit is the smallest mean
/// hinge loss (weighted by factors) of any w, and is taken to be reached when growing C 64 times has lowered the loss,
/// which is not below nu, by no more than 0.3 per cent (but not before C comes to 1 over a typical squared distance in
/// feature space), or when the solver's step limit is met. PathPoint::problem has the boxes of the C found; index is
/// into `descending_nu`; the counts of the statistics are sums over the search. Cost: some ten warm-started solves for
/// each nu, mostly short. Stops early, without visiting the rest, if the monitor says so.
void nu_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> descending_nu,
             const qp::Options& options, const core::Monitor& monitor,
             const std::function<void(const PathPoint&)>& visit);

}  // namespace credence::svm

template <>
struct credence::core::Conversion<credence::svm::ClassWeights> {
  static constexpr Kind kind = Kind::text;
  static Value to(const svm::ClassWeights& weights) { return {svm::text_of(weights)}; }
  static svm::ClassWeights from(const Value& value) { return svm::parse_class_weights(string_of(value)); }
};
