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

/// What several selection methods have in common: their properties, and options that more than one of them reads.
namespace credence::selection {

// Racing: the settings of a grid are judged on growing, nested subsets of the rows. A setting that is worse than the
// best one by more than two standard errors is dropped, except where more rows may favour it.

/// Whether a method races.
enum class Race {
  automatic,  ///< where the exact grid would cost more than Forecast::stated_cost; see way_of
  yes,
  no,  ///< every setting is judged on all rows
};
constexpr auto words_of(Race) {
  return std::array{core::Word{"auto", Race::automatic}, core::Word{"yes", Race::yes}, core::Word{"no", Race::no}};
}

/// One step of a race: a subset of the rows, or some of the resamples of all rows, on which the remaining settings were
/// judged.
struct Rung {
  std::size_t rows = 0;
  std::size_t resamples = 0;  ///< resamples that had judged the settings by then
  std::size_t judged = 0;     ///< settings
  std::size_t survived = 0;   ///< settings within two standard errors of the best; on early rungs at most the best few
  double seconds = 0;
};

/// What a race did. The last rung has all rows, unless the run was stopped before.
struct RaceReport {
  std::vector<Rung> rungs;
  bool asked_for = false;  ///< Race::yes; false: the forecast of the exact grid was above the stated cost
};

struct Options;
struct Selection;

/// Properties of a method.
struct MethodTraits {
  bool neighbours = false;      ///< chooses among nearest neighbours too
  bool relevance = false;       ///< chooses among relevance vector machines too
  bool norms = false;           ///< chooses the norm of an SVM, from the training rows alone; takes a hint
  bool evidence = false;        ///< chooses a kernel by one fit of a relevance vector machine to all rows
  bool regression = false;      ///< takes regressions too
  bool folds = false;           ///< holds out folds of the rows: the data's own where there are some
  bool splits = false;          ///< uses the splits that the data bring
  bool goes_on = false;         ///< tries further gammas while the best setting lies on the border of its grid
  bool calibrates = false;      ///< keeps scores of rows left out, for p-values or intervals
  bool trains_setting = false;  ///< its model is the best setting, trained on all rows
  bool nests = false;           ///< chooses a setting for each fold without that fold
  bool scales_once = false;     ///< fits the scaling on all rows by default
  bool overlaps = false;        ///< resamples judge some rows twice: their spread gives no standard error
  bool scores_at_once = false;  ///< computes a score once, over all rows, and not in each resample
  bool many_kernels = false;    ///< takes lists of kernels and scalings to choose SVMs from
  bool default_many = false;    ///< has such lists by default (Options::has_default_grid)
  /// Names of the options that it shares with other methods (Options::describe_shared), with a space between them.
  std::string_view looks_at{};
  const char* in_regions = nullptr;  ///< the method that does the same in regions of the feature space
};

// A method may have these members beside its traits (selection/asked.hpp):
//
//     std::vector<std::string> problems(const Options&) const;  // why the method refuses some of the other options
//     std::size_t resample_count(std::size_t n) const;          // how many resamples of n rows it has
//     std::string words(std::size_t n) const;                   // for the report: how it uses n rows, or its rule
//     std::string against_race() const;                         // why its options do not race; empty: they do
//     std::size_t holdout_from(const Options&) const;           // rows from which on Estimate::holdout is the default

/// The loss by which out-of-sample methods choose and judge. With more than two classes the soft loss of a row is that
/// of the score of its class (svm::class_scores).
enum class Loss { hard, soft };
constexpr auto words_of(Loss) {
  return std::array{core::Word{"hard", Loss::hard}, core::Word{"soft", Loss::soft}};
}

/// The model that an error-estimating method returns.
enum class FinalClassifier {
  retrained,  ///< the chosen setting trained on all rows, as usual: the bounds are not about this classifier
  random,     ///< one of the resamples' classifiers, drawn for each row predicted: the bounds are about this one
};
constexpr auto words_of(FinalClassifier) {
  return std::array{core::Word{"retrained", FinalClassifier::retrained}, core::Word{"random", FinalClassifier::random}};
}

/// Rows that are held out of n by default: min(n / 5, 50) up to n = 500, as in the nonconformity paper, then
/// min(n / 10, 10,000). On 10,000 rows an error of 7 % is known to half a point at confidence 95 %.
std::size_t default_validation_rows(std::size_t n);

}  // namespace credence::selection
