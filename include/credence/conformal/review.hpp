#pragma once

/// ```cpp
/// using namespace credence;
/// model::Prediction said;  // of three rows, each called the first of two classes
/// said.label = {0, 0, 0};
/// said.probability = data::DenseMatrix(3, 2);
/// said.probability.values = {0.99, 0.01, 0.6, 0.4, 0.9, 0.1};
/// const conformal::Review review = conformal::review(said, {.share = 0.3});
/// std::cout << review.rows[0] << ", " << core::word(review.reasons[1]) << '\n';  // prints 1, between classes
/// ```

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/model/predictor.hpp"

/// Which predictions a person should look at, and why.
namespace credence::conformal {

struct ReviewOptions {
  std::string review{};  ///< a share of the rows, or "limit"; empty: no row is marked
  std::string only{};    ///< "review": the rows that are marked, and no others

  static void describe(auto&& field) {
    field("review", &ReviewOptions::review,
          {"the share of rows to mark, such as 0.1: those whose labels are least probable, with a reason in the column "
           "review. The word limit marks the rows that --limit (0.05 if it is not given) leaves to a person",
           "SHARE"},
          {}, core::implied(std::string("limit")));
    field("only", &ReviewOptions::only,
          {"write only the rows that --review marks, the most doubtful one first", "review"});
  }
};

/// Why a row is marked. If several reasons hold, the last of them is given.
enum class ReviewReason {
  none,             ///< the row is not marked
  between_classes,  ///< a low probability of the label, or several classes left, and no reason below
  fits_no_class,    ///< every class has a p-value of at most its level
  unlike_training,  ///< its familiarity is at most 0.01
};
constexpr auto words_of(ReviewReason) {
  return std::array{core::Word{"", ReviewReason::none}, core::Word{"between classes", ReviewReason::between_classes},
                    core::Word{"fits no class", ReviewReason::fits_no_class},
                    core::Word{"unlike the training rows", ReviewReason::unlike_training}};
}

/// Which rows are marked.
struct ReviewRule {
  static constexpr double usual_limit = 0.05;
  static constexpr double usual_share = 0.1;  ///< of the rows, in usual_review

  /// Of all rows, those whose labels are least probable; at least one row where the share is above 0. None: the rows
  /// with no class left or several, which a limit leaves to a person (conformal::decide).
  std::optional<double> share{};
  std::vector<double> levels{};  ///< at which each class is ruled out; empty: usual_limit for each

  /// @param text    as ReviewOptions::review, not empty
  /// @param levels  see above
  /// @throws Error invalid_argument for a text that is neither "limit" nor a number above 0 and at most 1; for a model
  /// without probabilities; for "limit" and a model without p-values of each class
  static ReviewRule of(const model::Predictor& model, const std::string& text, std::vector<double> levels = {});
};

struct Review {
  std::vector<ReviewReason> reasons;  ///< of each row
  std::vector<std::size_t> rows;      ///< that are marked, the most doubtful first; of equal ones the first
  std::vector<double> probability;    ///< of the label of each of these rows
};

/// Returns which rows are most worth a look: those whose labels are least probable. On ten data sets no p-value,
/// familiarity or interval of a probability found clearly more errors among as many rows (benchmarks/review.py).
/// @param prediction  with probabilities; p-values and familiarity give reasons where it has them
Review review(const model::Prediction& prediction, const ReviewRule& rule);
/// Marks a tenth of the rows, by the probabilities of the prediction or of a sigmoid; none if the model has neither.
std::optional<Review> usual_review(const model::Predictor& model, model::Prediction prediction);

}  // namespace credence::conformal
