#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/rvm/validity.hpp"
#include "credence/selection/in_sample.hpp"
#include "credence/selection/method_parts.hpp"
#include "credence/selection/nonconformity.hpp"

/// The selection methods, each as a struct: its name, what it needs, and its options. selection::Selector runs them.
namespace credence::selection {

/// Every cell judged on the folds that its machines have not seen. Where the data set brings splits of its own
/// (data::Dataset::splits), these take the place of folds.
struct CrossValidation {
  static constexpr const char* name = "cv";
  static constexpr const char* sentence = "the ten best cells by cross-validation, or the best one";
  static constexpr MethodTraits traits{.relevance = true,
                                       .regression = true,
                                       .folds = true,
                                       .splits = true,
                                       .goes_on = true,
                                       .calibrates = true,
                                       .trains_cell = true,
                                       .many_kernels = true,
                                       .default_many = true,
                                       .looks_at = "loss score cost rule race",
                                       .in_regions = "regions"};

  int folds = 10;  ///< not used where the data set brings splits or fixed folds

  static void describe(auto&& field) {
    field("folds", &CrossValidation::folds, "folds of the rows, stratified by class", core::at_least(2));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
};

/// Cross-validation that chooses within cross-validation that judges (Anguita et al., 2012, section III-A).
struct KFoldNested {
  static constexpr const char* name = "kfold-nested";
  static constexpr const char* sentence =
      "cross-validation that chooses within cross-validation that judges, with bounds on the error";
  static constexpr MethodTraits traits{.relevance = true,
                                       .regression = true,
                                       .folds = true,
                                       .calibrates = true,
                                       .nests = true,
                                       .many_kernels = true,
                                       .looks_at = "loss final union"};

  int folds = 10;  ///< not used where the data set brings fixed folds

  static void describe(auto&& field) {
    field("folds", &KFoldNested::folds, "folds of the rows, stratified by class", core::at_least(3));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  std::vector<std::string> problems(const Options& options) const;
};

/// Each row judged by the machine of the others (Anguita et al., 2012, section III-B).
struct LeaveOneOut {
  static constexpr const char* name = "loo";
  static constexpr const char* sentence = "the cell with the smallest leave-one-out error";
  static constexpr MethodTraits traits{.trains_cell = true,
                                       .scales_once = true,
                                       .scores_at_once = true,
                                       .many_kernels = true,
                                       .looks_at = "loss final union score cost rule"};

  std::size_t resample_count(std::size_t n) const { return n; }
  std::string words(std::size_t n) const;
};

/// What is handed over by a method whose models were trained without the validation rows.
enum class Refit {
  all_rows,       ///< the chosen cell, trained on all rows
  training_rows,  ///< the model that was judged, trained without the validation rows
};
constexpr auto words_of(Refit) {
  return std::array{core::Word{"all", Refit::all_rows}, core::Word{"training", Refit::training_rows}};
}

/// Every cell judged on rows that are held out once.
struct HoldOut {
  static constexpr const char* name = "holdout";
  static constexpr const char* sentence = "the cell with the smallest error on rows held out once";
  static constexpr MethodTraits traits{.neighbours = true,
                                       .relevance = true,
                                       .calibrates = true,
                                       .trains_cell = true,
                                       .many_kernels = true,
                                       .looks_at = "validation refit score cost rule"};
};

/// The vote of all models with the smallest error on the rows held out.
struct HoldOutVote {
  static constexpr const char* name = "holdout-vote";
  static constexpr const char* sentence = "the vote of all models with the smallest error on rows held out once";
  static constexpr MethodTraits traits{
      .neighbours = true, .relevance = true, .many_kernels = true, .looks_at = "validation"};
};

/// Which margin the maximum-margin method compares.
enum class Margin {
  functional,  ///< |f(x)|, as in the paper
  geometric,   ///< |f(x)| / |w|
};
constexpr auto words_of(Margin) {
  return std::array{core::Word{"functional", Margin::functional}, core::Word{"geometric", Margin::geometric}};
}

/// SVM-Linf: all models, each row with the one that has the largest margin.
struct MaxMargin {
  static constexpr const char* name = "max-margin";
  static constexpr const char* sentence = "all models; for each row the one with the largest margin";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Margin margin = Margin::functional;

  static void describe(auto&& field) { field("margin", &MaxMargin::margin, "the margin that is compared"); }
  std::string words(std::size_t n) const;
  /// What of the options beside these the method cannot have.
  std::vector<std::string> problems(const Options& options) const;
};

/// All models, each row with the one that is surest of it: see nonconformity.hpp.
struct Nonconformity {
  static constexpr const char* name = "nonconformity";
  static constexpr const char* sentence = "all models; for each row the one that is surest of it";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Tie tie = Tie::validation_error;
  PValue p_value = PValue::paper;

  static void describe(auto&& field) {
    field("tie", &Nonconformity::tie, "which of the tied models decides; random is the paper's");
    field("p_value", &Nonconformity::p_value, "p-values as in the paper, or conformal ones");
  }
  std::string words(std::size_t n) const;
};

/// The bootstrap's score of a cell (Efron and Tibshirani, JASA 92, 1997).
enum class BootstrapError {
  out_of_bag,  ///< mean over rows of the mean loss in the resamples that left the row out
  e632,        ///< 0.368 training error + 0.632 out-of-bag error
  e632_plus,   ///< the same with the weight moved by the relative overfitting rate
};
constexpr auto words_of(BootstrapError) {
  return std::array{core::Word{"oob", BootstrapError::out_of_bag}, core::Word{"632", BootstrapError::e632},
                    core::Word{"632+", BootstrapError::e632_plus}};
}

/// Every cell judged on the rows that bootstrap samples leave out (Anguita et al., 2012, section III-C).
struct Bootstrap {
  static constexpr const char* name = "bootstrap";
  static constexpr const char* sentence = "the cell with the smallest error on rows that bootstrap samples leave out";
  static constexpr MethodTraits traits{.relevance = true,
                                       .calibrates = true,
                                       .trains_cell = true,
                                       .overlaps = true,
                                       .many_kernels = true,
                                       .looks_at = "loss final union rule race"};

  int resamples = 50;
  BootstrapError error = BootstrapError::out_of_bag;
  bool two_samples = false;  ///< a second sample in each one chooses, the rows out of bag only judge

  static void describe(auto&& field) {
    field("resamples", &Bootstrap::resamples, "bootstrap samples", core::at_least(2));
    field("bootstrap", &Bootstrap::error, "the error of a cell: out of bag, or one of the 0.632 rules");
    field("nested", &Bootstrap::two_samples,
          "a second sample in each sample chooses, and the rows out of bag only judge");
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(resamples); }
  std::string words(std::size_t n) const;
  std::string against_race() const;
  /// What of the options beside these the method cannot have.
  std::vector<std::string> problems(const Options& options) const;
};

/// The norm with the smallest bound by Rademacher complexity: see in_sample.hpp.
struct Rademacher {
  static constexpr const char* name = "rademacher";
  static constexpr const char* sentence =
      "the norm with the smallest bound by Rademacher complexity, from the training rows alone";
  static constexpr MethodTraits traits{.norms = true, .looks_at = "term"};
};

/// The norm with the smallest bound by maximal discrepancy: see in_sample.hpp.
struct MaximalDiscrepancy {
  static constexpr const char* name = "maximal-discrepancy";
  static constexpr const char* sentence =
      "the norm with the smallest bound by maximal discrepancy, from the training rows alone";
  static constexpr MethodTraits traits{.norms = true};
};

/// The kernel with the largest validity index of its relevance vector machine: see rvm/validity.hpp.
struct KernelValidity {
  static constexpr const char* name = "kernel-validity";
  static constexpr const char* sentence =
      "the kernel whose relevance vector machine is likely and stays so when its centres move";
  static constexpr MethodTraits traits{.relevance = true, .evidence = true, .regression = true};

  /// Folds that leave rows out of the chosen kernel's machine, whose scores become the calibration (none: no
  /// calibration). Where an SVM takes the kernel: folds that choose its C (none: 10).
  std::optional<int> folds{};
  rvm::ValidityOptions index{};
  /// A kernel may win only if its log evidence is above that of the null model by more than this. The null model pays
  /// no penalty for unstable centres, and would win on weak data.
  double null_margin = 0.5;
  bool guard = true;  ///< false: any kernel may win

  static void describe(auto&& field) {
    field("folds", &KernelValidity::folds,
          "folds that leave rows out of the chosen kernel's machine, for intervals and p-values (by default none)",
          core::at_least(2));
    field.part(&KernelValidity::index);
    field("null_margin", &KernelValidity::null_margin,
          "a kernel may win only if its log evidence is above that of the bias alone by this");
    field("guard", &KernelValidity::guard, "only kernels above the null model may win");
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds.value_or(0)); }
  /// What of the options beside these the method cannot have.
  std::vector<std::string> problems(const Options& options) const;
};

/// The kernel whose relevance vector machine has the largest evidence.
struct Evidence {
  static constexpr const char* name = "evidence";
  static constexpr const char* sentence = "the kernel whose relevance vector machine has the largest evidence";
  static constexpr MethodTraits traits{.relevance = true, .evidence = true, .regression = true};

  std::optional<int> folds{};  ///< as KernelValidity::folds

  static void describe(auto&& field) {
    field("folds", &Evidence::folds,
          "folds that leave rows out of the chosen kernel's machine, for intervals and p-values (by default none)",
          core::at_least(2));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds.value_or(0)); }
};

/// Cross-validation in each region of the feature space, so that the cost grows like the rows
/// (selection/partition.hpp).
struct Regions {
  static constexpr const char* name = "regions";
  static constexpr const char* sentence = "cross-validation in each region of the feature space";
  static constexpr MethodTraits traits{.folds = true,
                                       .calibrates = true,
                                       .scales_once = true,
                                       .many_kernels = true,
                                       .default_many = true,
                                       .looks_at = "loss score cost rule"};

  std::optional<std::size_t> region_size{};  ///< a region has about so many at most; none: chosen among 500 to 4000
  /// Of the feature space, whose scores are averaged; none: as many as lower the out-of-fold loss by more than chance,
  /// and most_partitions at most.
  std::optional<int> partitions{};
  int folds = 5;            ///< in each region
  bool by_default = false;  ///< taken in place of `cv` (way_of): says so in the report, and changes nothing else

  static void describe(auto&& field) {
    field(
        "region_size", &Regions::region_size,
        "rows in a region of the feature space: every region has a choice and SVMs of its own, so that the cost grows "
        "like the rows; with cv it means the method regions (by default chosen among 500 to 4000 by the soft loss on a "
        "tenth of the rows)",
        core::at_least(least_rows));
    field("partitions", &Regions::partitions,
          "partitions of the feature space, whose scores are averaged (by default as many as lower the loss by more "
          "than chance, at most 8)",
          core::at_least(1));
    field("folds", &Regions::folds, "folds of the rows of a region, stratified by class", core::at_least(2));
  }
  static constexpr std::size_t least_rows = 20;
  static constexpr std::size_t usual_rows = 1000;
  static constexpr int most_partitions = 8;
  static constexpr std::size_t default_from = 3000;  ///< rows: from here on way_of may take regions

  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  std::size_t size() const { return region_size.value_or(usual_rows); }  ///< rows of a region, where none was chosen
  bool averages() const { return partitions.value_or(most_partitions) > 1; }
  /// All, where partitions are averaged, or the score is no error. Of one partition five times the rows of a region,
  /// and at most selection::holdout_from: the bootstrap correction in each region keeps the optimism of one region's
  /// rows, which the interval of all rows does not cover (docs/methods/regions.md).
  std::size_t holdout_from(const Options& options) const;
  std::vector<std::string> problems(const Options& options) const;
};

}  // namespace credence::selection
