#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/core/describe.hpp"

/// What a choice is judged by. Rows are judged by models that have not seen them.
namespace credence::selection {

/// Scores of a classifier on rows with known classes. The second class is the positive one of two.
enum class Score {
  accuracy,           ///< share of rows with the right label
  balanced_accuracy,  ///< mean over the classes that occur of the share of their rows with the right label
  roc_auc,            ///< two classes: share of pairs of a positive and another row that the margins order rightly;
                      ///< ties count 1/2; undefined where one class does not occur
  f1,                 ///< two classes: 2 TP / (2 TP + FP + FN) of the positive class; 0 where it occurs nowhere
  f1_macro,           ///< mean of that over the classes that occur among the rows' classes or labels
  log_loss,           ///< mean of -log of the probability of the true class; the smaller the better
  cost,               ///< mean cost of the label (Options::label_costs); the smaller the better
};
constexpr auto words_of(Score) {
  return std::array{core::Word{"accuracy", Score::accuracy}, core::Word{"balanced_accuracy", Score::balanced_accuracy},
                    core::Word{"roc_auc", Score::roc_auc},   core::Word{"f1", Score::f1},
                    core::Word{"f1_macro", Score::f1_macro}, core::Word{"log_loss", Score::log_loss},
                    core::Word{"cost", Score::cost}};
}

/// As people write it: "balanced accuracy", "AUC", "log loss".
std::string title(Score score);
/// The title of the loss of a score: "error" for the accuracy, "log loss", "1 - balanced accuracy", ...
std::string loss_title(Score score);
/// Whether the score is itself a mean loss, which may be above 1, so that a smaller one is better.
constexpr bool is_mean_loss(Score score) {
  return score == Score::log_loss || score == Score::cost;
}
/// Converts a score to its loss, or back: 1 - score; a mean loss stays as it is.
inline double loss_of(Score score, double value) {
  return is_mean_loss(score) ? value : 1 - value;
}

/// The kind of number by which settings are compared (Setting::error), the smaller the better.
enum class ScoreKind {
  error,           ///< share of rows with a wrong label
  weighted_error,  ///< the same share, where errors count by class and sample weights
  complement,      ///< 1 - a score that is large where a setting is good
  soft_loss,       ///< mean soft loss, between 0 and 1
  log_loss,        ///< mean log loss
  cost,            ///< mean cost of the label
  squared_error,   ///< mean squared error of a regression
  loss_bound,      ///< upper bound on the expected soft loss
  log_evidence,    ///< minus a log evidence or a log validity
};
constexpr auto words_of(ScoreKind) {
  return std::array{core::Word{"error", ScoreKind::error},
                    core::Word{"weighted_error", ScoreKind::weighted_error},
                    core::Word{"complement", ScoreKind::complement},
                    core::Word{"soft_loss", ScoreKind::soft_loss},
                    core::Word{"log_loss", ScoreKind::log_loss},
                    core::Word{"cost", ScoreKind::cost},
                    core::Word{"squared_error", ScoreKind::squared_error},
                    core::Word{"loss_bound", ScoreKind::loss_bound},
                    core::Word{"log_evidence", ScoreKind::log_evidence}};
}
/// Returns the kind of the loss of a score.
constexpr ScoreKind kind_of(Score score) {
  if (score == Score::accuracy) return ScoreKind::error;
  if (score == Score::cost) return ScoreKind::cost;
  return score == Score::log_loss ? ScoreKind::log_loss : ScoreKind::complement;
}
/// Whether the number is 1 - a score: that of accuracy, weighted or not, or of any score that is not a mean loss.
constexpr bool is_one_minus_score(ScoreKind kind) {
  return kind == ScoreKind::error || kind == ScoreKind::weighted_error || kind == ScoreKind::complement;
}

/// Which setting is chosen.
enum class Rule {
  best,     ///< the one with the smallest error
  one_se,   ///< the most regularised one whose error is within a standard error of the smallest
  average,  ///< the average of those within a standard error of the smallest, at most the ten best (SettingAverage)
};
constexpr auto words_of(Rule) {
  return std::array{core::Word{"best", Rule::best}, core::Word{"one_se", Rule::one_se},
                    core::Word{"average", Rule::average}};
}

/// Weighted counts of classes and labels, of which accuracy, balanced accuracy and F1 are made.
class LabelCounts {
 public:
  explicit LabelCounts(std::size_t classes) : classes_(classes), sums_(3 * classes, 0.0) {}
  /// @param sums  as `sums` gives them, possibly those of several counts added up
  explicit LabelCounts(std::vector<double> sums);

  /// @param truth  the row's class; like the label, it is below the number of classes
  void add(std::size_t truth, std::size_t label, double weight = 1);
  /// Three weights of each class: of its rows with the right label, of all its rows, and of all rows with its label.
  const std::vector<double>& sums() const { return sums_; }
  /// NaN without rows. @throws Error invalid_argument for scores that are not made of labels
  double score(Score score) const;

 private:
  double f1(std::size_t positive) const;
  std::span<const double> hits() const { return std::span(sums_).first(classes_); }
  std::span<const double> rows() const { return std::span(sums_).subspan(classes_, classes_); }
  std::span<const double> predicted() const { return std::span(sums_).last(classes_); }

  std::size_t classes_;
  std::vector<double> sums_;
};

/// The area under the ROC curve of margins that are larger where the second class is likelier.
/// Cost: sorting the margins.
/// @param labels   0 or 1 of each margin
/// @param weights  >= 0, of each margin; empty: all 1
/// @return NaN where the rows are of one class
/// @throws Error invalid_argument for sizes that differ, or other labels
double roc_auc(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights = {});

/// An AUC with the variance that DeLong, DeLong and Clarke-Pearson give it (Biometrics 44, 1988, section 2), for rows
/// that are independent and had no part in the training or the choice.
struct AucEstimate {
  double auc = 0;
  double variance = 0;  ///< 0 where every pair is ordered rightly, or every one wrongly

  /// The normal interval of log(auc / (1 - auc)), transformed back to the AUC, because the AUC's own interval covers
  /// too seldom near 1 (Pepe, The Statistical Evaluation of Medical Tests, 2003, section 5.2.3). None where the
  /// variance is 0.
  /// @param delta  in (0, 1); the interval holds with probability about 1 - delta
  std::optional<bounds::Interval> interval(double delta) const;
};
/// Cost: sorting the margins.
/// @param labels  0 or 1 of each margin
/// @return none with fewer than two rows of a class, which have no variance
/// @throws Error invalid_argument as roc_auc
std::optional<AucEstimate> delong_auc(std::span<const double> margins, std::span<const int> labels);

/// A point of the ROC curve: what happens if rows with a margin of at least `threshold` are called positive.
struct RocPoint {
  double false_positive_rate = 0;
  double true_positive_rate = 0;
  double threshold = 0;  ///< infinite at the first point, where no row is called positive
};
/// The curve from (0, 0) to (1, 1), without points on the line between their neighbours.
/// Cost: sorting the margins.
/// @return empty where the rows are of one class
/// @throws Error invalid_argument as roc_auc
std::vector<RocPoint> roc_curve(std::span<const double> margins, std::span<const int> labels);

}  // namespace credence::selection
