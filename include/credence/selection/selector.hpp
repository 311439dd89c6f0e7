#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/grid.hpp"
#include "credence/svm/train.hpp"

namespace credence::selection {

/// Where the preprocessing is fitted.
enum class ScaleScope {
  fold,  ///< on the training rows of each resample: nothing leaks (default)
  all,   ///< once on all training rows, labels never seen; one Gram serves all resamples
};

struct Options {
  std::string method = "cv";  ///< a name of the registry
  Grid grid;
  kernel::Kernel kernel;  ///< type, coef0, degree; gamma comes from the grid
  int folds = 10;         ///< >= 2; not used where the data set brings fixed folds
  data::Scaling scaling = data::Scaling::standard;
  ScaleScope scale_scope = ScaleScope::fold;
  data::Missing missing = data::Missing::error;
  svm::ClassWeights class_weights;
  qp::Options solver;
  std::uint64_t seed = 0;

  std::vector<std::string> validate() const;
};

/// One cell of the grid and what the method found there.
struct Cell {
  double C = 0;
  double gamma = 0;         ///< as asked, or resolved on all training rows for the words; 0 for kernels without
  bool complete = false;    ///< false if the computation was stopped before
  double cv_error = 0;      ///< held-out rows that were misclassified, over n
  double cv_std = 0;        ///< standard deviation (n - 1) of the folds' error rates
  double n_sv = 0;          ///< support vectors, mean over folds
  std::uint64_t steps = 0;  ///< SMO steps, all folds and machines
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< solves that met the step limit
};

struct Selection {
  std::string method;
  std::vector<Cell> grid;           ///< gamma-major, C ascending
  std::optional<std::size_t> best;  ///< smallest error; ties to smaller C, then smaller gamma
  std::optional<std::size_t> runner_up;
  bool best_on_border = false;                        ///< of an axis with more than one value
  core::StopReason stopped = core::StopReason::none;  ///< other than none: a partial result
  std::size_t n = 0;
  std::size_t features = 0;  ///< raw columns
  std::vector<std::string> classes;
  std::vector<std::size_t> class_counts;
  int folds = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  double seconds = 0;
  std::string version;
  std::vector<std::string> warnings;
};

/// A method that chooses a cell of the grid.
class Selector {
 public:
  virtual ~Selector() = default;
  /// @throws Error invalid_data, invalid_argument, memory
  virtual Selection select(const data::Dataset& dataset, const core::Context& context) const = 0;
};

/// Names of the registered methods.
std::vector<std::string> methods();
/// @throws Error invalid_argument for an unknown method or invalid options
std::unique_ptr<Selector> make_selector(const Options& options);

/// Trains the chosen cell on all rows, with preprocessing fitted on all rows, and records the selection in the model.
/// @throws Error invalid_argument if nothing was chosen
svm::TrainResult retrain(const data::Dataset& dataset, const Options& options, const Selection& selection,
                         const core::Context& context);

}  // namespace credence::selection
