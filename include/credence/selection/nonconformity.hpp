#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/model/predictor.hpp"

/// Nonconformity model selection (Hardoon, Hussain, Shawe-Taylor, 2009), over any list of classifiers.
///
/// Given scores s_k(x, y) of K classifiers (y f_k(x) for an SVM) and n validation rows with m_kj = s_k(x_j, y_j):
///
///     p_k(x, y) = #{ j : m_kj <= s_k(x, y) } / n                                 (their p_A)
///     eps_k(x)  = the second largest of p_k(x, y) over y                          (with two classes: the smaller)
///     eps_crit  = min over k of eps_k(x), attained by k_crit                      (their equation 4)
///     label     = the class with the largest p_k(x, .) for k = k_crit
///     prediction set    = { y : p_k(x, y) > eps } for k = k_crit
///
/// The pairs (k, y) with eps_k(x) = eps_crit and the largest p_k(x, .) at y are tied; a Tie decides. Where several
/// classes of a model attain its largest p, each of them is a pair.
///
/// eps_crit is the smallest eps at which some model's prediction set is a single class (or none). With two classes all
/// this is Algorithm 1.
///
/// Bounds: with probability >= 1 - delta over the validation rows, for all k and all thresholds at once,
/// P(s_k(X, Y) <= threshold) is at most its frequency plus a deviation: vc_deviation(n, 1, delta / K) (Prop. 4.2)
/// or dkw_deviation(n, delta / K). They bound the share of new rows that are as strange as this one under their TRUE
/// class under the same model. They do not condition on x, so they are no bounds on the error of this row, or
/// of the rows whose bound is small, though Prop. 4.2 is worded so (docs/methods/nonconformity.md, "The limits do
/// not bound the error"). as_strange.hpp counts that share.
namespace credence::selection {

/// Which of the tied (model, class) pairs decides. Ties are frequent: p-values are counts out of n.
enum class Tie {
  random,            ///< uniformly, by seed and row number (the paper's)
  validation_error,  ///< the model with the fewest validation errors; then the first model; then the larger score
  vote,              ///< the class that most tied pairs give; ties and k_crit as with validation_error
};
constexpr auto words_of(Tie) {
  return std::array{core::Word{"validation_error", Tie::validation_error}, core::Word{"random", Tie::random},
                    core::Word{"vote", Tie::vote}};
}

enum class PValue {
  paper,      ///< #{m_kj <= s} / n
  conformal,  ///< (#{m_kj <= s} + 1) / (n + 1), a conformal p-value of one fixed model
};
constexpr auto words_of(PValue) {
  return std::array{core::Word{"paper", PValue::paper}, core::Word{"conformal", PValue::conformal}};
}

struct NonconformityOptions {
  Tie tie = Tie::validation_error;
  PValue p_value = PValue::paper;
  double delta = 0.05;     ///< in (0, 1): of the bounds
  std::uint64_t seed = 0;  ///< for random ties

  std::vector<std::string> validate() const;
};

/// The sorted validation margins of K classifiers, and what they say of new rows.
class NonconformityRule {
 public:
  /// @param validation  scores of the n >= 1 validation rows
  /// @param labels  their classes
  /// @throws Error invalid_argument for options, sizes or labels out of range, scores that are NaN
  NonconformityRule(const model::Scores& validation, std::span<const int> labels, const NonconformityOptions& options);
  /// Makes a rule from its parts, e.g. as read from a file.
  /// @param margins  models x n, each row ascending
  /// @throws Error invalid_argument if it is inconsistent
  NonconformityRule(data::DenseMatrix margins, std::vector<std::size_t> validation_errors, std::size_t classes,
                    const NonconformityOptions& options);

  /// Fills label, p_value, chosen, eps_crit, bound_vc and bound_dkw of the block's rows in the prediction (made by
  /// `prepare`). Rows of one prediction may be filled from several threads. With PValue::conformal, p_value and
  /// eps_crit are conformal p-values; the bounds use the paper's.
  /// Cost: models * classes binary searches a row, without branches on the data (110 models, 2 classes, n = 50: 3 to
  /// 4 microseconds a row).
  /// @param first  index of the block's first row in the prediction, which random ties depend on
  /// @throws Error invalid_argument if the block has other models or classes, or a score that is NaN
  void predict(const model::Scores& block, std::size_t first, model::Prediction& prediction) const;
  /// Returns a prediction of `rows` rows, still to be filled.
  model::Prediction prepare(std::size_t rows) const;

  /// #{ j : m_kj <= score }, from 0 to n: the paper's p-value of a class with this score, times n.
  std::size_t rank(std::size_t model, double score) const;

  std::size_t models() const { return margins_.rows; }
  std::size_t classes() const { return classes_; }
  std::size_t validation_rows() const { return margins_.columns; }
  const data::DenseMatrix& margins() const { return margins_; }  ///< models x n, each row ascending
  const std::vector<std::size_t>& validation_errors() const { return validation_errors_; }
  const NonconformityOptions& options() const { return options_; }

 private:
  data::DenseMatrix margins_;
  std::vector<std::size_t> validation_errors_;
  std::size_t classes_ = 0;
  NonconformityOptions options_;
};

/// The whole method as a function of scores: for users' own classifiers.
/// @throws Error invalid_argument as the constructor, or if the two sets of scores differ in models or classes
model::Prediction nonconformity(const model::Scores& validation, std::span<const int> labels, const model::Scores& rows,
                                const NonconformityOptions& options = {});

}  // namespace credence::selection
