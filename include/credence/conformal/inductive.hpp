#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/model/classifier_family.hpp"

namespace credence::conformal {

/// Scores of examples that a classifier was not trained on, in whatever way it came to be: scores may be given from
/// outside. The larger a score, the better the class fits; strangeness is minus the score (measures/margin.hpp).
class ScoreCalibration {
 public:
  /// @param scores  examples x classes  @param labels  of each, 0 .. classes - 1
  /// @throws Error invalid_argument for sizes or labels that do not fit, or a NaN; invalid_data without an example
  ScoreCalibration(const data::DenseMatrix& scores, std::span<const int> labels);
  /// From the strangeness of each example under its own class.
  ScoreCalibration(std::span<const double> strangeness, std::span<const int> labels, std::size_t classes);

  const StrangenessTable& table() const { return table_; }
  std::vector<std::size_t> class_counts() const;
  /// Of one new example under a class. @throws Error invalid_argument for a NaN, or another class
  Rank rank(double score, int label, bool label_conditional) const;
  /// @param scores  rows x classes  @throws Error invalid_argument for another number of classes, or a NaN
  Ranks ranks(const data::DenseMatrix& scores, bool label_conditional) const;

 private:
  StrangenessTable table_;
};

/// A classifier and the examples that were kept from its training.
struct CalibratedClassifier {
  std::shared_ptr<const model::ClassifierFamily> classifier;  ///< a family of one model
  std::vector<double> strangeness;                            ///< of each example kept from training, true class
  std::vector<int> labels;                                    ///< of each
};

/// Scores of a family's only model: rows x classes. @throws Error invalid_argument for another number of models
data::DenseMatrix scores_of(const model::ClassifierFamily& classifier, const data::Features& rows,
                            const core::Context& context);
/// Scores the kept rows. @throws Error as ScoreCalibration and scores_of; invalid_argument without a classifier
CalibratedClassifier calibrate(std::shared_ptr<const model::ClassifierFamily> classifier, const data::Features& kept,
                               std::span<const int> labels, const core::Context& context);

/// What bounds the error of cross-conformal regions at eps, n examples in K folds: 2 eps + 2 (1 - eps) (K - 1) / (n +
/// K). From 1 on it says nothing. Sources as of Inductive, whose counts are K p-values merged by a weighted mean.
double cross_conformal_bound(double eps, std::size_t n, std::size_t folds);

/// Inductive (split) conformal prediction: one part, with validity `exact`. Cross-conformal prediction: K parts, one a
/// fold, whose counts are summed: p = (sum over folds #{i in fold k : alpha_i >= alpha_k(x, c)} + 1) / (n + 1), with
/// validity `twice`. Cost: that of the K classifiers' scores.
/// Source: Papadopoulos, Proedrou, Vovk, Gammerman, ECML 2002; Vovk, Annals of Mathematics and AI 74 (2015); the bound:
/// Vovk and Wang, Biometrika 107 (2020); Barber, Candes, Ramdas, Tibshirani, Annals of Statistics 49 (2021).
class Inductive final : public Machine {
 public:
  /// @throws Error invalid_argument without parts, or if they differ in classes, or one does not fit together;
  ///         invalid_data if a part kept no example
  explicit Inductive(std::vector<CalibratedClassifier> parts);

  const std::vector<CalibratedClassifier>& parts() const { return parts_; }
  std::vector<std::size_t> class_counts() const override;
  std::size_t folds() const override { return parts_.size(); }
  Validity validity() const override { return parts_.size() == 1 ? Validity::exact : Validity::twice; }
  std::string description(const model::TrainingRecord& record) const override;
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const override;

 private:
  std::vector<CalibratedClassifier> parts_;
  std::vector<ScoreCalibration> calibrations_;
};

}  // namespace credence::conformal
