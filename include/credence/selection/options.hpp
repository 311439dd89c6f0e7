#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/core/fingerprint.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/repeats.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/candidates.hpp"
#include "credence/selection/methods.hpp"

/// How a selection is made: a method, what it chooses from, and what is common to all methods.
namespace credence::selection {

/// Every selection method. A new one is a struct in a header, its source, and its name here.
using Method = std::variant<CrossValidation, Nonconformity, MaxMargin, HoldOut, HoldOutVote, KFoldNested, LeaveOneOut,
                            Rademacher, MaximalDiscrepancy, Bootstrap, KernelValidity, Evidence, Regions>;

/// Where the preprocessing is fitted.
enum class ScaleScope {
  fold,  ///< on the training rows of each resample: nothing leaks
  all,   ///< once on all training rows, labels never seen; one Gram serves all resamples
};
constexpr auto words_of(ScaleScope) {
  return std::array{core::Word{"fold", ScaleScope::fold}, core::Word{"all", ScaleScope::all}};
}

/// The honest estimate beside the selected score. With `holdout` a tenth of the rows (at most 10,000, drawn within the
/// classes; groups and fixed folds as wholes) is set aside. The method selects on the others, and the choice is judged
/// on the rows set aside. The chosen setting is then trained on all rows. Regions of the feature space keep their
/// partition and choices, and their SVMs are trained on all of their rows. Methods that return several models return
/// those that were judged.
enum class Estimate { none, bbc, nested, holdout };
constexpr auto words_of(Estimate) {
  return std::array{core::Word{"bbc", Estimate::bbc}, core::Word{"nested", Estimate::nested},
                    core::Word{"holdout", Estimate::holdout}, core::Word{"none", Estimate::none}};
}

/// Rows from which on Estimate::holdout is the default.
inline constexpr std::size_t holdout_from = 20000;

/// What happens to the columns before a kernel sees them.
struct Preparation {
  /// Default: minmax where relevance vector machines take part, else standard. If has_default_grid(), the rows decide
  /// (Options::resolved_for).
  std::vector<data::Scaling> scalings{};
  /// Default: all for leave-one-out, fold for the others. Methods that hold rows out once fit on the training rows.
  std::optional<ScaleScope> scope{};
  data::Missing missing = data::Missing::error;  ///< what the reader did with missing values; recorded in the model

  data::Scaling scaling() const { return scalings.empty() ? data::Scaling::standard : scalings.front(); }

  static void describe(auto&& field) {
    field(
        "scale", &Preparation::scalings,
        "how columns are scaled; methods that judge SVMs by rows left out take several (by default minmax where "
        "relevance vector machines take part, none for a precomputed kernel, standard and quantile for cv and regions, "
        "else standard)");
    field("scale_scope", &Preparation::scope,
          "the rows that the scaling is fitted on: those of each resample, or all (the default of loo)");
  }
};

struct Options {
  Method method = CrossValidation{};
  data::Task task = data::Task::classification;
  // The candidates. A member that the method and its kind of models do not read must keep its default.
  std::optional<Learner> model{};  ///< default: rvm for kernel-validity, evidence and regressions, else svm
  KernelGrid kernels{};            ///< of SVMs and relevance vector machines
  RvmCandidates rvms{};
  SvmCosts costs{};
  std::vector<int> k{1, 3, 5, 7, 9, 11, 13, 15};  ///< numbers of nearest neighbours, ascending
  // Options that several methods share. A member that the method does not read must keep its default, too.
  std::optional<std::size_t> validation_rows{};  ///< held out once; default: default_validation_rows
  Loss loss = Loss::hard;                        ///< by which a setting is chosen
  FinalClassifier final_classifier = FinalClassifier::retrained;
  bool united = false;  ///< the bounds hold for all settings or resamples at once
  Refit refit = Refit::all_rows;
  Score score = Score::accuracy;
  std::string label_costs{};   ///< of Score::cost, in the form of model::DecisionCosts::parse; else empty
  std::optional<Rule> rule{};  ///< default: best; if has_default_grid(), the rows decide (resolved_for)
  Race race = Race::automatic;
  InSampleOptions in_sample{};  ///< of rademacher and maximal-discrepancy
  Preparation preparation{};
  /// Default: `bbc`. From holdout_from rows on (regions: from Regions::holdout_from on) it is `holdout`, if all of
  /// these hold: the method trains its choice on all rows (cv, loo, holdout, bootstrap and regions do); there are at
  /// least 10 groups or fixed folds, or none; the caller gave no splits; the kernel is not precomputed.
  std::optional<Estimate> estimate{};
  std::size_t estimate_samples = 1000;  ///< of the bootstrap correction
  /// Where p-values and intervals come from. `nested` needs the models of kfold-nested; `split` sets rows aside from
  /// choice and training, which also make the honest estimate (Estimate::holdout).
  model::PValues p_values = model::PValues::cross;
  /// What becomes of rows that are equal in all features and the label. Default: if they are 1 % of the rows or more
  /// and a column is continuous (not data::is_of_few_values), they share a fold, else each counts alone. From 5 % on,
  /// honest estimates count the distinct rows. Groups, fixed folds and splits of the data overrule it.
  std::optional<data::Copies> copies{};
  double delta = 0.05;  ///< bounds and intervals hold with probability 1 - delta
  std::uint64_t seed = 0;
  /// Not in describe(): what resolved_for filled in by default; `cv` reduces this if memory is short.
  struct ByDefault {
    bool kernels = false;
    bool scalings = false;
    bool average = false;
  } by_default{};
  bool looks_at_columns = true;  ///< not in describe(): comparisons leave out the checks of Selector::select

  /// Returns the options with all defaults that depend on other options. If has_default_grid(), those that depend on
  /// the rows stay empty.
  Options resolved() const;
  /// Returns the options with the defaults that depend on the rows too, as in Selection::options.
  Options resolved_for(const data::Dataset& rows) const;
  /// Whether resolved_for fills the grid by the rows: for cv and regions of SVM classifiers. It then takes several
  /// kernels and scalings, but one of each for sparse or precomputed rows, a single setting or one partition.
  bool has_default_grid() const;
  /// If has_default_grid(), fills what was not given so that one SVM is chosen, as by LIBSVM's grid.py: rbf kernel,
  /// standard scaling, 110 settings, Rule::best. Otherwise nothing changes.
  void choose_one_svm();
  Rule rule_or_best() const { return rule.value_or(Rule::best); }
  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;

  std::string_view name() const;  ///< of the method
  const MethodTraits& traits() const;
  bool looks_at(std::string_view name) const;  ///< whether the method reads an option that it shares with others
  Learner learner() const;                     ///< `model`, or its default
  bool has_costs() const;                      ///< SVMs with C or nu take part
  /// The method returns its best setting trained on all rows: not a model of its own, and not the model that was judged
  /// on rows left out.
  bool trains_best_setting() const;
  bool has_rvms() const;  ///< relevance vector machines take part, also where they choose the kernel of an SVM
  /// Whether gamma makes no difference, because it only rescales the columns of relevance vector machines.
  bool is_free_of_gamma() const;
  /// Sets the kind of models, and the candidates to their defaults. Without a kind: the default of method and task.
  /// @throws Error invalid_argument if the method does not choose from that kind
  void choose_from(std::optional<Learner> kind);
  /// The same options for another method. Those that it does not read get their defaults.
  Options with(Method other) const;

  template <class M>
  bool is() const {
    return std::holds_alternative<M>(method);
  }
  /// The options of the method, which must be M.
  template <class M>
  M& as() {
    return std::get<M>(method);
  }
  template <class M>
  const M& as() const {
    return std::get<M>(method);
  }

  std::size_t resample_count(std::size_t n) const;  ///< how many times the method leaves rows out of n
  std::string words(std::size_t n) const;           ///< for the report: how it uses n rows, or its rule; may be empty

  static void describe(auto&& field) {
    field.part(&Options::preparation);
    field("estimate", &Options::estimate,
          "the honest estimate of the error: bbc (bootstrap bias correction), nested (nested cross-validation), "
          "holdout (rows held out) or none (by default bbc; mostly holdout for regions, and from 20000 rows on for "
          "methods that train the chosen setting on all rows)");
    field("estimate_samples", &Options::estimate_samples, "samples of the bootstrap correction", core::at_least(2));
    field("p_values", &Options::p_values, model::p_value_sentences());
    field("copies", &Options::copies,
          "what becomes of rows equal in all features and the label: they share a fold, all are kept as they are, or "
          "all but the first are dropped (by default fold where they are 1 % of the rows or more and a column is "
          "continuous, else keep)");
    field("delta", &Options::delta, "bounds and intervals hold with probability 1 - delta", core::inside(0, 1));
    field("seed", &Options::seed, "seed of all random choices");
  }
  static void describe_shared(auto&& field) {
    field("validation", &Options::validation_rows,
          "rows held out (by default n / 5 and at most 50 for n up to 500, else n / 10 and at most 10000)",
          core::at_least(1));
    field("loss", &Options::loss, "the loss by which a setting is chosen");
    field("final", &Options::final_classifier,
          "the chosen setting retrained on all rows, or for each row predicted a random one of the resamples' "
          "classifiers, which the bounds are about");
    field(
        "union", &Options::united,
        core::ForPapers("all bounds hold at once: each (equations 18 to 24, Anguita et al. 2012) is computed at delta "
                        "divided by the number of bounds"));
    field("refit", &Options::refit, "train the chosen setting on all rows, or keep the model that was judged");
    field(
        "score", &Options::score,
        "the score by which a setting is chosen and judged; roc_auc and f1 need two classes, the second of which is "
        "positive; log_loss needs models with probabilities, or SVMs of two classes; cost is the mean cost of a label");
    field("cost", &Options::label_costs,
          {"what a wrong label costs, with the score cost: sick:well=50,well:sick=1 (truth:label; a pair that is not "
           "named costs 1)",
           "COSTS"});
    field("rule", &Options::rule,
          "which setting is chosen: the best one, the most regularised one within a standard error of the best, or the "
          "average of those within a standard error, at most the ten best (by default average for cv with several "
          "settings of SVMs on dense rows, else best)");
    field("race", &Options::race,
          "judge the settings on growing subsets of the rows, and drop most of those more than two standard errors "
          "worse than the best. auto races an exact grid of more than 1e11 updates (about a minute), but cv of SVMs "
          "with 3000 rows or more then takes the method regions",
          {}, core::implied(Race::yes));
  }
  static void describe_candidates(auto&& field) {
    field.part(&Options::kernels);
    field.part(&Options::rvms);
    field.part(&Options::costs);
    field("k", &Options::k, "numbers of nearest neighbours", core::from_to(1, 1e6));
  }
};

/// Adds every option, resolved.
void add_to(core::Fingerprint& sum, const Options& options);

/// Names of the methods.
std::vector<std::string> methods();
/// The method of that name with its defaults. @throws Error invalid_argument for an unknown name
Method method_named(std::string_view name);
/// A line for people that says what the method does. @throws Error invalid_argument for an unknown name
std::string sentence_of_method(std::string_view name);

/// Returns the method that does the same in regions of the feature space, as `region_size` asks for; the name itself if
/// there is no such method.  @throws Error invalid_argument for an unknown name
std::string in_regions(const std::string& name);

/// Whether the method chooses from models of that kind.
bool chooses_from(const Method& method, Learner learner);

/// The fields that these options use: of the method, of the candidates and of the rest, in this order. The options
/// must outlive the fields, and neither the method nor the kind of models may change meanwhile.
std::vector<core::Field> fields_of(Options& options);
std::vector<core::Field> method_fields(Options& options);     ///< its own, and the shared ones that it uses
std::vector<core::Field> candidate_fields(Options& options);  ///< those of the candidates

/// Fields that exclude each other: both set one thing, or one of them leaves nothing for the other.
inline constexpr std::array<std::array<const char*, 2>, 4> exclusive_fields{
    {{"C", "nu"}, {"gamma", "sigma"}, {"null_margin", "guard"}, {"noise", "noise_variance"}}};

/// The methods or kinds of models that read a field: "bootstrap", "svm and rvm models"; empty if the name is unknown.
std::string owners_of_field(std::string_view name);
/// The field of that name among those of the options.
/// @throws Error invalid_argument: "cv with svm models does not use it; bootstrap does", or for an unknown name
const core::Field& field_named(const Options& options, const std::vector<core::Field>& fields, std::string_view name);

}  // namespace credence::selection
