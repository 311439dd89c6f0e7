#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/conformal/measure.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/rvm/model.hpp"
#include "credence/svm/model.hpp"

/// From a data set to a conformal predictor: a nonconformity measure, and the mode in which it is used.
namespace credence::conformal {

struct FitOptions {
  Measure measure = NeighbourRatio{};
  Mode mode = mode::Transductive{};
  /// default: minmax for relevance vector machines, none for the cosine and given distances, else standard
  std::optional<data::Scaling> scaling{};
  data::Missing missing = data::Missing::error;  ///< recorded in the predictor
  PValueOptions p_values{};                      ///< the seed is that of hold-outs and folds too

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
  data::Scaling resolved_scaling() const;

  /// What is common to all measures and modes.
  static void describe(auto&& field) {
    field("scale", &FitOptions::scaling,
          "how columns are scaled (by default minmax for relevance vector machines, none for the metrics cosine and "
          "precomputed, else standard)");
    field.part(&FitOptions::p_values);
  }
};

/// The fields of the measure, of the mode and of the rest. The options must outlive the fields, and neither the measure
/// nor the mode may become another meanwhile.
std::vector<core::Field> fields_of(FitOptions& options);
/// The field of that name.  @throws Error invalid_argument that names the measures or modes which use such a field
const core::Field& field_named(const FitOptions& options, const std::vector<core::Field>& fields,
                               std::string_view name);

/// Fits a conformal predictor.
///
/// Transductive: the preprocessing is fitted on rows that nothing is compared with (mode::Transductive::apart), so that
/// prediction sets have Validity::exact; with a share of 0 on all rows. It never sees labels. Inductive and cross: the
/// preprocessing is fitted on the rows that train the classifier, in each fold anew. So held-out and new rows are
/// treated alike, and prediction sets have Validity::exact or Validity::twice.
///
/// Hold-outs and folds ignore labels, as exact validity requires. For label-conditional p-values they are stratified,
/// and these p-values stay exact. Fixed folds of the data set are used as they are.
///
/// With groups, whole groups are held out, drawn without looking at their sizes, and p-values are those of a row of a
/// new group (group_shares), in the modes inductive and cross. The mode transductive compares with one row of each
/// group, drawn by the seed, and p-values are those of a row of a new group too.
/// @throws Error invalid_argument (options; sample weights or precomputed distances where they do not fit),
/// invalid_data
///         (one class only, a class without a row to train on, ...), memory; interrupted if the monitor says stop, or
///         an SVM does not converge
std::shared_ptr<ConformalPredictor> fit(const data::Dataset& dataset, const FitOptions& options,
                                        const core::Context& context);

/// Fits an inductive conformal predictor around the classifier that `train` makes from the rows that are not held out.
/// Training may choose among models in any way. Prediction sets keep Validity::exact, if the rows held out and new rows
/// are exchangeable.
/// @throws Error as `fit`, and what `train` throws
std::shared_ptr<ConformalPredictor> fit_inductive(const data::Dataset& dataset, const mode::Inductive& split,
                                                  const PValueOptions& p_values, const Train& train,
                                                  const core::Context& context);

/// Fits a cross-conformal predictor around the classifiers that `train` makes, each without one fold. Training may
/// choose among models in any way, in each fold anew; prediction sets keep Validity::twice.
/// @throws Error as `fit`, and what `train` throws
std::shared_ptr<ConformalPredictor> fit_cross(const data::Dataset& dataset, const mode::Cross& split,
                                              const PValueOptions& p_values, const Train& train,
                                              const core::Context& context);

/// Makes a TrainedClassifier of an SVM, a relevance vector machine that is a classifier, or SVMs in regions.
/// Cost: of an SVM, one computation of its decision values on its support vectors.
/// @throws Error invalid_argument for other kinds, and for a regression
TrainedClassifier classifier_of(const model::Predictor& model);

}  // namespace credence::conformal
