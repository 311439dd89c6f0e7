#pragma once

/// ```cpp
/// using namespace credence;
/// data::DenseMatrix held_out(4, 2);  // scores of two classes for four rows that the classifier was not trained on
/// held_out.values = {2, -2, 1, -1, -1, 1, 0.5, -0.5};
/// const std::vector<int> labels{0, 0, 1, 1};
/// const conformal::ScoreCalibration calibration(held_out, labels);
/// std::cout << conformal::p_value(calibration.rank(1.5, 0, false)) << '\n';   // prints 0.8
/// std::cout << conformal::p_value(calibration.rank(-1.5, 1, false)) << '\n';  // prints 0.2
/// ```

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/model/classifier_family.hpp"

namespace credence::conformal {

/// Scores of examples on which a classifier was not trained. The scores may come from any classifier. The larger a
/// score, the better the class fits; the nonconformity score is minus the score (margin_nonconformity).
class ScoreCalibration {
 public:
  /// @param scores  examples x classes  @param labels  label of each example, 0 .. classes - 1
  /// @throws Error invalid_argument for sizes, labels or weights that do not fit, or a NaN; invalid_data without an
  /// example
  ScoreCalibration(const data::DenseMatrix& scores, std::span<const int> labels, const RowWeights& weights = {});
  /// Takes the nonconformity score of each example under its own class.
  ScoreCalibration(std::span<const double> nonconformity, std::span<const int> labels, std::size_t classes,
                   const RowWeights& weights = {});

  const NonconformityTable& table() const { return table_; }
  std::vector<std::size_t> class_counts() const;
  /// Ranks one new example under a class. @param own  its weight  @throws Error invalid_argument for a NaN, or a class
  /// that does not exist
  Rank rank(double score, int label, bool label_conditional, double own = 1) const;
  /// Adds the ranks of new examples of weight 1 under a class, as `rank` gives them, at a fraction of its cost.
  /// @param sums  of example i: sums[i * stride]
  void add_ranks(std::span<const double> scores, int label, bool label_conditional, Rank* sums,
                 std::size_t stride) const;
  /// @param scores  rows x classes  @param own  weight of each row; empty: 1
  /// @throws Error invalid_argument for a wrong number of classes or weights, a NaN, or weights that are not above 0
  Ranks ranks(const data::DenseMatrix& scores, bool label_conditional, std::span<const double> own = {}) const;

 private:
  NonconformityTable table_;
};

/// Cross-conformal prediction from given scores: the scores of K classifiers, each of which was trained without one
/// fold of the examples. Counts are summed over the folds, p = (sum over k #{ i in fold k : alpha_i >= alpha_k(x, c) }
/// + 1) / (n + 1). What is proved of prediction sets is Validity::twice (cross_conformal_bound); Inductive names the
/// sources.
class CrossCalibration {
 public:
  /// @param folds  fold k: the scores that the k-th classifier gave to the examples that it was not trained on
  /// @throws Error invalid_argument without folds, or if they differ in classes
  explicit CrossCalibration(std::vector<ScoreCalibration> folds);

  const std::vector<ScoreCalibration>& folds() const { return folds_; }
  std::size_t classes() const { return folds_.front().table().classes(); }
  std::vector<std::size_t> class_counts() const;
  /// Ranks new rows.
  /// @param scores  one matrix for each fold, rows x classes: the scores that the k-th classifier gives to the new rows
  /// @param own     weight of each row; empty: 1
  /// @throws Error invalid_argument for a wrong number of matrices, rows or classes, or a NaN
  Ranks ranks(std::span<const data::DenseMatrix> scores, bool label_conditional,
              std::span<const double> own = {}) const;

 private:
  std::vector<ScoreCalibration> folds_;
};

/// A classifier and the examples that its training did not use.
struct CalibratedClassifier {
  std::shared_ptr<const model::ClassifierFamily> classifier;  ///< a family of one model
  std::vector<double> nonconformity_scores;  ///< nonconformity score of each held-out example under its true class
  std::vector<int> labels;                   ///< label of each held-out example
  std::vector<int> region_of{};    ///< region of the feature space of each; empty where the classifier has no regions
  std::vector<int> category_of{};  ///< category of each: rows are compared within it; empty: all are of one
  std::vector<double> weights{};   ///< known weight of each; empty: 1 (RowWeights)
  std::vector<int> groups{};       ///< group of each, any code; empty where rows count one by one (group_shares)
};

/// Categories and weights of new rows.
struct AskedRows {
  std::span<const int> categories{};  ///< of each, as CalibratedClassifier::category_of; empty: all are of one
  std::span<const double> weights{};  ///< of each; empty: 1
};

/// Returns the scores of a family's only model: rows x classes. @throws Error invalid_argument for more models
data::DenseMatrix scores_of(const model::ClassifierFamily& classifier, const data::Features& rows,
                            const core::Context& context);
/// Scores the held-out rows. @throws Error as ScoreCalibration and scores_of; invalid_argument without a classifier
CalibratedClassifier calibrate(std::shared_ptr<const model::ClassifierFamily> classifier, const data::Features& kept,
                               std::span<const int> labels, const core::Context& context);

/// Returns 2 eps + 2 (1 - eps) (K - 1) / (n + K), the bound on the error of cross-conformal prediction sets at
/// significance eps, for n examples in K folds. A bound of 1 or more says nothing. The sources are those of Inductive,
/// whose counts are K p-values merged by a weighted mean.
double cross_conformal_bound(double significance, std::size_t n, std::size_t folds);

/// The same bound where rows have known weights: 2 (eps + (K - 1) s) (1 + (K - 1) s), s the largest share that one row,
/// old or new, has of the weight of all. A bound of 1 or more says nothing. Why: given the rows of fold k and the new
/// row as a set, and all other rows, the p-value of fold k is valid, and V, the weight of all, is known. The p-value is
/// at most eps only if sum over k of m_k p_k <= e, where m_k is the share that fold k and the new row have of V, and e
/// = eps + (K - 1) s. Then 1 <= sum over k of m_k max(0, 2 - p_k / e), whose terms have a mean of at most 2 e m_k. So
/// the argument of Vovk and Wang holds with weights that are random, but known given those rows.
double weighted_cross_bound(double significance, double share, std::size_t folds);

/// Inductive (split) conformal prediction has one part and the validity `exact`. A classifier with an SVM for each
/// region of the feature space compares a new row with the held-out examples of the row's own region, so that the
/// validity holds in each region: the regions were made by training alone. Cross-conformal prediction has K parts, one
/// for each fold, and sums their counts: p = (sum over folds #{i in fold k : alpha_i >= alpha_k(x, c)} + 1) / (n + 1),
/// with the validity `twice`. Cost: the scores of the K classifiers. Source: Papadopoulos, Proedrou, Vovk, Gammerman,
/// ECML 2002; Vovk, Annals of Mathematics and AI 74 (2015); the bound: Vovk and Wang, Biometrika 107 (2020); Barber,
/// Candes, Ramdas, Tibshirani, Annals of Statistics 49 (2021).
class Inductive final : public Machine {
 public:
  /// @throws Error invalid_argument without parts, if the parts differ in classes, or if the sizes in a part differ;
  /// invalid_data if a part has no example. All parts have categories, weights or groups, or none has.
  explicit Inductive(std::vector<CalibratedClassifier> parts);

  const std::vector<CalibratedClassifier>& parts() const { return parts_; }
  std::vector<std::size_t> class_counts() const override;
  std::size_t folds() const override { return parts_.size(); }
  Validity validity() const override { return parts_.size() == 1 ? Validity::exact : Validity::twice; }
  std::string description(const model::TrainingRecord& record) const override;
  /// The smallest category, region or class decides how fine p-values are.
  std::vector<std::size_t> units(bool label_conditional) const override;
  std::optional<double> effective_rows() const override;
  /// Returns the largest share that one row has in the sum of the known weights of rows that are compared together.
  double heaviest_share(bool label_conditional) const;
  /// Whether p-values are of new groups, or weigh rows.
  bool has_groups() const { return !parts_.front().groups.empty(); }
  bool has_weights() const { return !parts_.front().weights.empty(); }
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const override {
    return ranks({&rows, 1}, label_conditional, context, {});
  }
  /// @param rows  as the classifiers take them: once for all, or for each part
  /// @throws Error also invalid_argument for a wrong number of features, categories or weights
  Ranks ranks(std::span<const data::Features> rows, bool label_conditional, const core::Context& context,
              const AskedRows& known) const;

 private:
  const ScoreCalibration* calibration_of(std::size_t part, int region, int category) const;

  std::vector<CalibratedClassifier> parts_;
  std::vector<std::map<int, ScoreCalibration>> kept_;  ///< of each part, by region or category; else all have code 0
};

}  // namespace credence::conformal
