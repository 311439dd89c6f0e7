#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/score.hpp"

/// What several selection methods have in common: facts that others ask, and options that more than one looks at.
namespace credence::selection {

struct Options;
struct Selection;

/// What the rest of the house asks of a method, instead of its name.
struct MethodTraits {
  bool neighbours = false;           ///< chooses among nearest neighbours too
  bool relevance = false;            ///< chooses among relevance vector machines too
  bool norms = false;                ///< chooses the norm of an SVM, from the training rows alone; takes a hint
  bool evidence = false;             ///< chooses a kernel by what one fit of a relevance vector machine says
  bool regression = false;           ///< chooses for regressions too
  bool holds_out = false;            ///< holds rows out once: scaling is fitted without them
  bool folds = false;                ///< holds out folds of the rows: the data's own where there are some
  bool splits = false;               ///< uses the splits that the data bring
  bool by_gamma = false;             ///< the gammas of its grid may be judged apart from each other, on other machines
  bool calibrates = false;           ///< keeps scores of rows left out, for p-values or intervals
  bool bounds = false;               ///< bounds the error by the rows left out (ErrorEstimation)
  bool trains_cell = false;          ///< hands over its best cell, trained on all rows
  bool nests = false;                ///< chooses a cell for each fold without that fold
  bool scales_once = false;          ///< fits the scaling on all rows by default
  bool overlaps = false;             ///< resamples judge some rows twice: their spread gives no standard error
  bool weighs = false;               ///< errors that choose count by class and sample weights (weighs_errors)
  bool scores_at_once = false;       ///< computes a score once, over all rows, and not in each resample
  const char* in_regions = nullptr;  ///< the method that does the same in regions of the feature space
};

// What a method may answer beside its traits, by members of these names (selection/asked.hpp):
//
//     std::vector<std::string> problems(const Options&) const;  // what of the other options the method cannot have
//     std::size_t resample_count(std::size_t n) const;          // how many times it leaves rows out of n
//     std::string words(std::size_t n) const;                   // how it uses n rows, or its rule, for the report
//     std::string against_race() const;                         // why its options do not race; empty: they do
//     std::size_t holdout_from() const;                         // rows from which on Estimate::holdout is the default
//     std::vector<std::string> gaps(const data::Dataset&, const Selection&) const;  // from its bound to the theorem

/// The loss by which out-of-sample methods choose and judge. With more than two classes the soft loss of a row is that
/// of the score of its class (svm::class_scores).
enum class Loss { hard, soft };
constexpr auto words_of(Loss) {
  return std::array{core::Word{"hard", Loss::hard}, core::Word{"soft", Loss::soft}};
}

/// What a method that estimates the error hands over.
enum class FinalClassifier {
  retrained,  ///< the chosen cell trained on all rows, as people do: the bounds are not about this classifier
  random,     ///< one of the resamples' classifiers, drawn for each row predicted: the bounds are about this one
};
constexpr auto words_of(FinalClassifier) {
  return std::array{core::Word{"retrained", FinalClassifier::retrained}, core::Word{"random", FinalClassifier::random}};
}

/// Options of the methods that bound the error by rows left out.
struct Estimation {
  Loss loss = Loss::hard;
  FinalClassifier final_classifier = FinalClassifier::retrained;
  bool united = false;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("loss", &Estimation::loss, "the loss by which a cell is chosen");
    field("final", &Estimation::final_classifier,
          "what is handed over: the chosen cell retrained on all rows, or one of the resamples' classifiers, drawn at "
          "random for each row, which the bounds are about");
    field("union", &Estimation::united, "the bounds hold for all cells or resamples at once: delta is divided");
  }
};

/// Options of the methods that choose by any score.
struct Scoring {
  Score score = Score::accuracy;
  std::string cost{};  ///< of Score::cost, which needs it, as model::DecisionCosts::parse takes it; else empty

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("score", &Scoring::score,
          "the score by which a cell is chosen and judged; roc_auc and f1 are of two classes, the second of which is "
          "positive, log_loss is of models with probabilities and of SVMs of two classes, and cost is the mean cost "
          "of a label");
    field("cost", &Scoring::cost,
          {"what a wrong label costs, with the score cost: sick:well=50,well:sick=1 (truth:label; a pair that is not "
           "named costs 1)",
           "COSTS"});
  }
};

/// What Rule is, for people.
inline constexpr const char* rule_sentence =
    "which cell is chosen: the best one, the most regularised one within a standard error of the best, or the average "
    "of the ten best within a standard error";

/// Rows that are held out of n by default: min(n / 5, 50), as the nonconformity paper has for hundreds of rows, for n
/// <= 500; then n / 10, at most 10,000, whose error is known to half a point at confidence 95 %.
std::size_t default_validation_rows(std::size_t n);

/// Options of the methods that hold rows out once.
struct Validation {
  std::optional<std::size_t> rows{};  ///< held out; default: default_validation_rows

  template <class Visitor>
  static void describe(Visitor&& field) {
    field(
        "validation", &Validation::rows,
        "rows held out (by default a fifth of up to 500 rows, but at most 50, and a tenth of more, but at most 10000)",
        core::at_least(1));
  }
};

}  // namespace credence::selection
