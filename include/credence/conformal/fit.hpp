#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/neighbours/metric.hpp"
#include "credence/qp/solver.hpp"
#include "credence/rvm/train.hpp"
#include "credence/svm/model.hpp"
#include "credence/svm/train.hpp"

/// From a data set to a conformal predictor: strangeness measures by name, and the ways to use them.
namespace credence::conformal {

enum class Mode {
  transductive,  ///< all rows are compared with, and learnt from; nothing is held out (full conformal prediction)
  inductive,     ///< a classifier is trained on some rows, and new ones are compared with the others (split)
  cross,         ///< inductive over folds, whose counts are summed
};

/// Names of the registered strangeness measures.
std::vector<std::string> measures();
/// What a measure is, in one line for people. @throws Error invalid_argument for an unknown measure
std::string describe_measure(const std::string& name);

struct FitOptions {
  std::string measure = "nn-ratio";  ///< a name of the registry
  Mode mode = Mode::transductive;
  // Nearest neighbours.
  int k = 1;  ///< >= 1
  neighbours::Metric metric = neighbours::Metric::euclidean;
  // SVM.
  double C = 1;                                                ///< > 0
  kernel::Shape kernel;                                        ///< not precomputed
  kernel::GammaRule gamma{kernel::GammaRule::Kind::scale, 0};  ///< resolved on the preprocessed training rows
  svm::ClassWeights class_weights;                             ///< not transductive
  /// If given, the measure margin is that of relevance vector machines with this kernel and gamma (not transductive);
  /// of these options their fit, centres and validity are taken.
  std::optional<rvm::TrainOptions> relevance_vectors;
  qp::Options solver;
  // Which rows are compared with.
  double calibration = 0.3;  ///< inductive: share of rows held out, in (0, 1)
  int folds = 5;             ///< cross: >= 2; not used where the data set brings fixed folds
  std::uint64_t seed = 0;    ///< of hold-outs, folds and smoothing
  // Rows and p-values.
  /// default: none for nearest neighbours, as in the paper; minmax for relevance vector machines; standard
  std::optional<data::Scaling> scaling;
  data::Missing missing = data::Missing::error;  ///< recorded in the predictor
  bool label_conditional = false;
  bool smoothed = false;

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
  data::Scaling resolved_scaling() const;
};

/// Fits a conformal predictor.
///
/// Transductive and cross: the preprocessing is fitted on all rows (labels are never seen). Inductive: on the rows that
/// the classifier is trained on, so that held-out and new rows are treated alike and validity is exact.
///
/// Hold-outs and folds do not look at labels, as exact validity asks; label-conditional ones are stratified, which is
/// as exact for p-values of that kind. With groups whole groups are held out, and fixed folds of the data set are taken
/// as they are.
/// @throws Error invalid_argument (options; sample weights or precomputed distances where they do not fit),
/// invalid_data
///         (one class only, a class without a row to train on, ...), memory; interrupted if the monitor says stop, or
///         an SVM does not converge
std::shared_ptr<ConformalPredictor> fit(const data::Dataset& dataset, const FitOptions& options,
                                        const core::Context& context);

/// A classifier with its preprocessing, as inductive conformal prediction needs it.
struct TrainedClassifier {
  data::Preprocessing preprocessing;
  std::shared_ptr<const model::ClassifierFamily> classifier;  ///< a family of one model
  model::TrainingRecord record;
};
using Train = std::function<TrainedClassifier(const data::Dataset& training, const core::Context& context)>;

/// Inductive conformal prediction around whatever `train` makes of the rows that are not held out: training may choose
/// among models as it likes, validity stays exact. Of the options it takes calibration, seed, missing and those of
/// p-values.
/// @throws Error as `fit`, and what `train` throws
std::shared_ptr<ConformalPredictor> fit_inductive(const data::Dataset& dataset, const FitOptions& options,
                                                  const Train& train, const core::Context& context);

/// A single SVM with its preprocessing. Its kernel must not be precomputed.
/// Cost: that of its own decision values on its support vectors.
TrainedClassifier classifier_of(const svm::SvmModel& model);
/// A relevance vector machine (a classifier) with its preprocessing.
TrainedClassifier classifier_of(const rvm::RvmModel& model);
/// One of these. @throws Error also invalid_argument for another kind of predictor
TrainedClassifier classifier_of(const model::Predictor& model);

}  // namespace credence::conformal
