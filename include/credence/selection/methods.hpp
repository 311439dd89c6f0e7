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

/// Every setting judged on the folds that its models have not seen. Where the data set brings splits of its own
/// (data::Dataset::splits), these take the place of folds.
struct CrossValidation {
  static constexpr const char* name = "cv";
  static constexpr const char* sentence = "cross-validation: averages the best settings' models";
  static constexpr MethodTraits traits{.relevance = true,
                                       .regression = true,
                                       .folds = true,
                                       .splits = true,
                                       .goes_on = true,
                                       .calibrates = true,
                                       .trains_setting = true,
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

/// Nested cross-validation: the inner one chooses, the outer one judges (Anguita et al., 2012, section III-A).
struct KFoldNested {
  static constexpr const char* name = "kfold-nested";
  static constexpr const char* sentence = "nested cross-validation, with bounds on the error";
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

/// Leave-one-out: the model of all other rows judges a row (Anguita et al., 2012, section III-B).
struct LeaveOneOut {
  static constexpr const char* name = "loo";
  static constexpr const char* sentence = "the setting with the smallest leave-one-out error";
  static constexpr MethodTraits traits{.trains_setting = true,
                                       .scales_once = true,
                                       .scores_at_once = true,
                                       .many_kernels = true,
                                       .looks_at = "loss final union score cost rule"};

  std::size_t resample_count(std::size_t n) const { return n; }
  std::string words(std::size_t n) const;
};

/// Which model is returned by a method that trains without the validation rows.
enum class Refit {
  all_rows,       ///< the chosen setting, trained on all rows
  training_rows,  ///< the model that was judged, trained without the validation rows
};
constexpr auto words_of(Refit) {
  return std::array{core::Word{"all", Refit::all_rows}, core::Word{"training", Refit::training_rows}};
}

/// Every setting judged on rows that are held out once.
struct HoldOut {
  static constexpr const char* name = "holdout";
  static constexpr const char* sentence = "the setting with the least error on rows held out once";
  static constexpr MethodTraits traits{.neighbours = true,
                                       .relevance = true,
                                       .calibrates = true,
                                       .trains_setting = true,
                                       .many_kernels = true,
                                       .looks_at = "validation refit score cost rule"};
};

/// The vote of all models with the smallest error on the rows held out.
struct HoldOutVote {
  static constexpr const char* name = "holdout-vote";
  static constexpr const char* sentence = "the vote of all models with the smallest hold-out error";
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

/// SVM-Linf: keeps all models; a row takes the label of the largest margin.
struct MaxMargin {
  static constexpr const char* name = "max-margin";
  static constexpr const char* sentence = "all models; a row takes the label of the largest margin";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Margin margin = Margin::functional;

  static void describe(auto&& field) { field("margin", &MaxMargin::margin, "the margin that is compared"); }
  std::string words(std::size_t n) const;
  std::vector<std::string> problems(const Options& options) const;
};

/// Keeps all models; a row takes the label of the surest model: see nonconformity.hpp.
struct Nonconformity {
  static constexpr const char* name = "nonconformity";
  static constexpr const char* sentence = "all models; a row takes the label of the surest model";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Tie tie = Tie::validation_error;
  PValue p_value = PValue::paper;

  static void describe(auto&& field) {
    field("tie", &Nonconformity::tie,
          core::ForPapers("which of the tied models decides (equation 4, Hardoon et al. 2009; there a random one)"));
    field("p_value", &Nonconformity::p_value,
          core::ForPapers("p-values as the paper's p_A (Hardoon et al. 2009), or conformal ones"));
  }
  std::string words(std::size_t n) const;
};

/// The bootstrap's score of a setting (Efron and Tibshirani, JASA 92, 1997).
enum class BootstrapError {
  out_of_bag,  ///< mean over rows of the mean loss in the resamples that left the row out
  e632,        ///< 0.368 training error + 0.632 out-of-bag error
  e632_plus,   ///< the same with the weight moved by the relative overfitting rate
};
constexpr auto words_of(BootstrapError) {
  return std::array{core::Word{"oob", BootstrapError::out_of_bag}, core::Word{"632", BootstrapError::e632},
                    core::Word{"632+", BootstrapError::e632_plus}};
}

/// Every setting judged on the rows that bootstrap samples leave out (Anguita et al., 2012, section III-C).
struct Bootstrap {
  static constexpr const char* name = "bootstrap";
  static constexpr const char* sentence = "the setting with the smallest out-of-bag error";
  static constexpr MethodTraits traits{.relevance = true,
                                       .calibrates = true,
                                       .trains_setting = true,
                                       .overlaps = true,
                                       .many_kernels = true,
                                       .looks_at = "loss final union rule race"};

  int resamples = 50;
  BootstrapError error = BootstrapError::out_of_bag;
  bool two_samples = false;  ///< a bootstrap sample of each sample chooses, and the rows out of bag only judge

  static void describe(auto&& field) {
    field("resamples", &Bootstrap::resamples, "bootstrap samples", core::at_least(2));
    field("bootstrap", &Bootstrap::error, "the error of a setting: out of bag, or one of the 0.632 rules");
    field("nested", &Bootstrap::two_samples,
          "within each bootstrap sample a second one chooses the setting; the rows outside the first only judge it");
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(resamples); }
  std::string words(std::size_t n) const;
  std::string against_race() const;
  std::vector<std::string> problems(const Options& options) const;
};

/// The norm with the smallest bound by Rademacher complexity: see in_sample.hpp.
struct Rademacher {
  static constexpr const char* name = "rademacher";
  static constexpr const char* sentence =
      "the upper limit of |w|^2 (rho), chosen by the smallest bound from Rademacher complexity; no rows are held out";
  static constexpr MethodTraits traits{.norms = true, .looks_at = "term"};
};

/// The norm with the smallest bound by maximal discrepancy: see in_sample.hpp.
struct MaximalDiscrepancy {
  static constexpr const char* name = "maximal-discrepancy";
  static constexpr const char* sentence =
      "the upper limit of |w|^2 (rho), chosen by the smallest bound from maximal discrepancy; no rows are held out";
  static constexpr MethodTraits traits{.norms = true};
};

/// What the methods share that choose a kernel by one fit to all rows.
struct OneFit {
  static constexpr MethodTraits traits{.relevance = true, .evidence = true, .regression = true};

  /// Folds that leave rows out of the chosen kernel's model, whose scores become the calibration (none: no
  /// calibration). Where an SVM takes the kernel: folds that choose its C (none: 10).
  std::optional<int> folds{};

  static void describe(auto&& field) {
    field("folds", &OneFit::folds,
          "folds that leave rows out of the chosen kernel's model, for intervals and p-values (by default none; for an "
          "SVM ten, which choose its C)",
          core::at_least(2));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds.value_or(0)); }
};

/// The kernel with the largest validity index of its relevance vector machine: see rvm/validity.hpp.
struct KernelValidity : OneFit {
  static constexpr const char* name = "kernel-validity";
  static constexpr const char* sentence =
      "the kernel whose relevance vector machine has a large evidence that changes little if kernel centres move";

  rvm::ValidityOptions index{};
  /// A kernel may win only if its log evidence is above that of the null model by more than this. The null model pays
  /// no penalty for unstable centres, and would win on weak data.
  double null_margin = 0.5;
  bool guard = true;  ///< false: any kernel may win

  static void describe(auto&& field) {
    OneFit::describe(field);
    field.part(&KernelValidity::index);
    field("null_margin", &KernelValidity::null_margin,
          core::ForPapers("a kernel may win only if its log evidence (equation 4, Kropotov et al. 2006) is this much "
                          "above that of the bias alone"));
    field("guard", &KernelValidity::guard,
          core::ForPapers("require of a kernel more evidence (equation 4, Kropotov et al. 2006) than the bias alone"));
  }
  std::vector<std::string> problems(const Options& options) const;
};

/// The kernel whose relevance vector machine has the largest evidence.
struct Evidence : OneFit {
  static constexpr const char* name = "evidence";
  static constexpr const char* sentence = "the kernel whose relevance vector machine has the largest evidence";
};

/// Cross-validation in each region of the feature space: the cost grows in proportion to the rows (partition.hpp).
struct Regions {
  static constexpr const char* name = "regions";
  static constexpr const char* sentence = "cross-validation in each region of the feature space";
  static constexpr MethodTraits traits{.folds = true,
                                       .calibrates = true,
                                       .scales_once = true,
                                       .many_kernels = true,
                                       .default_many = true,
                                       .looks_at = "loss score cost rule"};

  std::optional<std::size_t> region_size{};  ///< approximate rows of a region; none: chosen among 500 to 4000
  /// Partitions of the feature space, whose scores are averaged. None: as many as lower the out-of-fold loss by more
  /// than chance, at most most_partitions.
  std::optional<int> partitions{};
  int folds = 5;            ///< in each region
  bool by_default = false;  ///< chosen in place of `cv` (way_of); for the report alone

  static void describe(auto&& field) {
    field("region_size", &Regions::region_size,
          "rows in a region of the feature space: every region has a choice and SVMs of its own, so that the cost "
          "grows in proportion to the rows; with cv it takes the method regions (by default chosen among 500 to 4000 "
          "by the soft loss on a tenth of the rows)",
          core::at_least(least_rows));
    field("partitions", &Regions::partitions,
          "how many partitions of the feature space are averaged (by default one more as long as it lowers the loss by "
          "more than chance, at most 8)",
          core::at_least(1));
    field("folds", &Regions::folds, "folds of the rows of a region, stratified by class", core::at_least(2));
  }
  static constexpr std::size_t least_rows = 20;
  static constexpr std::size_t usual_rows = 1000;
  static constexpr int most_partitions = 8;
  static constexpr std::size_t default_from = 3000;  ///< from this number of rows on way_of may take regions

  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  std::size_t size() const { return region_size.value_or(usual_rows); }  ///< as asked for, or the usual size
  bool averages() const { return partitions.value_or(most_partitions) > 1; }
  /// Rows from which on Estimate::holdout is the default: least_rows, if partitions are averaged or the score is not
  /// the accuracy; otherwise five times the region size, but at most selection::holdout_from. The bootstrap correction
  /// in each region leaves some optimism, which the interval of all rows does not cover (docs/methods/regions.md).
  std::size_t holdout_from(const Options& options) const;
  std::vector<std::string> problems(const Options& options) const;
};

}  // namespace credence::selection
