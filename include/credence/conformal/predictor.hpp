#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/model/predictor.hpp"

namespace credence::conformal {

/// The proved property of the prediction sets, if examples are exchangeable. The probability is an average over the
/// examples for comparison: bounds/split_conformal.hpp says what one model may miss.
enum class Validity {
  exact,        ///< a prediction set misses the true class with probability <= eps
  twice,        ///< ... with probability <= 2 eps + 2 (1 - eps) (K - 1) / (n + K), K folds (cross-conformal)
  approximate,  ///< nothing for finite n
};

/// A method that ranks new examples, under each class that they might have, among the examples that it knows: nearest
/// neighbours or an SVM over all examples (transductive), or a classifier with held-out scores (inductive).
class Machine {
 public:
  virtual ~Machine() = default;
  /// Returns for each class the number of examples with which new examples are compared.
  virtual std::vector<std::size_t> class_counts() const = 0;
  /// Returns how many units (examples, or groups of examples) p-values compare with. If label_conditional there is a
  /// number for each class, else the numbers add up to all units. Of several categories the smallest number is taken.
  virtual std::vector<std::size_t> units(bool /*label_conditional*/) const { return class_counts(); }
  /// Returns the property that is proved if new rows are preprocessed as the rows for comparison were.
  /// ConformalPredictor::validity checks this condition.
  virtual Validity validity() const = 0;
  /// The number of classifiers whose counts are summed: the folds of cross-conformal prediction, otherwise 1.
  virtual std::size_t folds() const { return 1; }
  /// The effective number of examples, (sum w)^2 / sum w^2, where p-values weigh them by known weights; else none.
  virtual std::optional<double> effective_rows() const { return std::nullopt; }
  /// For people: "nn-ratio, k = 1, euclidean distance; transductive".
  virtual std::string description(const model::TrainingRecord& record) const;
  /// Ranks preprocessed rows. The ranks of a row depend on that row alone; its weight is 1 (Rank::own).
  /// @throws Error invalid_data for a column count that differs; interrupted if the monitor says stop
  virtual Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const = 0;
};

/// A raw column whose values are categories: rows are compared with rows of their own category alone (Mondrian).
struct CategoryColumn {
  std::size_t column = 0;      ///< 0-based, among Schema::columns
  std::vector<double> values;  ///< of the rows for comparison, as in raw features, ascending; NaN (missing) is last

  /// Takes the values of rows. @throws Error invalid_argument for sparse rows
  static CategoryColumn of(const data::Features& raw, std::size_t column);
  /// Returns the place of each row's value among `values`; -1 for another value.
  /// @throws Error invalid_argument for sparse rows
  std::vector<int> codes(const data::Features& raw) const;
};

/// A method that ranks new examples (`machine`), with the reading and preprocessing of rows for it (model::Predictor).
/// A prediction has label, p_value, confidence and credibility; that of a TransductiveSvm also has solver_cost.
/// Smoothing takes the key of the preprocessed row (data::row_key), so that the prediction of a row depends on the seed
/// and that row alone.
struct ConformalPredictor final : model::Predictor {
  std::shared_ptr<const Machine> machine;
  PValueOptions options;
  /// The preprocessing (scaling, medians, a gamma by rule) was fitted on the rows with which new rows are compared, but
  /// not on the new row. A row that stretches its own scale is then less strange than a new row with the same values,
  /// and errors can exceed eps.
  bool fitted_on_compared = false;
  /// The rows for comparison were held out class by class, so label-conditional p-values alone are exact.
  bool stratified = false;
  /// In the mode transductive, new rows are compared with one row of each group: these rows and one of a new group are
  /// exchangeable, if groups are. The other modes compare with all rows of the groups (RowWeights).
  bool one_of_each_group = false;
  std::size_t rows_apart = 0;          ///< rows that only the preprocessing was fitted on; not in model files
  std::optional<CategoryColumn> by{};  ///< the categories, if rows are compared within them
  /// The preprocessing of each fold of a cross-conformal predictor, fitted on the rows that trained its classifier;
  /// empty: rows are preprocessed once, by `preprocessing`.
  std::vector<data::Preprocessing> of_folds{};
  std::string weight_column{};  ///< the name of the column of weights, if p-values weigh rows; else empty

  /// Returns the proved property of prediction sets with these options. @throws Error invalid_argument without a
  /// `machine`, or if it and the schema differ in the number of classes
  Validity validity() const;
  /// Whether p-values hold for rows of new groups.
  bool is_of_new_groups() const;
  /// The effective number of rows for comparison, where p-values weigh rows; else none.
  std::optional<double> effective_rows() const;
  /// Whether new rows are compared with one set of rows that had no part in training (split conformal prediction).
  bool is_split() const;
  /// @throws Error as predict_preprocessed; invalid_data without weights where p-values weigh rows
  model::Prediction predict(const data::Dataset& rows, const core::Context& context) const override;
  /// @throws Error as `machine`; invalid_argument without a `machine`, for other classes than the schema has, and if
  /// the model needs raw rows for their categories, their weights or the preprocessing of each fold
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;

 private:
  /// @param own  weights of the rows; empty: each weighs 1
  model::Prediction compared_with_all(const data::Features& rows, std::span<const double> own,
                                      const core::Context& context) const;
};

/// Returns 1 / (m + 1), m being the number of examples for comparison: the smallest p-value that can occur. If p-values
/// are label-conditional, m is the size of the smallest class, and this is the smallest p-value of that class.
/// Prediction sets at a significance below it hold every class (label-conditional: that class).
double smallest_p_value(std::span<const std::size_t> class_counts, bool label_conditional);
/// Returns how many more examples are needed before a p-value can leave a class out of a prediction set; 0 if there are
/// enough, no value if no number is enough (significance 0).
std::optional<std::size_t> examples_missing(std::size_t compared, double significance);

}  // namespace credence::conformal
