#include "credence/bounds/discovery.hpp"
#include "credence/bounds/split_conformal.hpp"
#include "selfcheck/bounds.hpp"
#include "selfcheck/check.hpp"
#include "selfcheck/decisions.hpp"
#include "selfcheck/p_values.hpp"
#include "selfcheck/selected.hpp"

namespace credence::selfcheck {
namespace {

using conformal::Validity;
using enum Promise;

constexpr Style plain{};
constexpr Style smoothed{.smoothed = true};
constexpr Style in_classes{.label_conditional = true};
constexpr Style smoothed_in_classes{.smoothed = true, .label_conditional = true};
/// Machines that need rows of each class, of which no subset of all rows but one is then without.
constexpr Style with_two(Style style) {
  style.least = 2;
  return style;
}
/// Machines that hold rows out, and may find no row of a class among the rows to train on.
constexpr Style with_training(Style style) {
  style.least = 2;
  style.redraw = true;
  return style;
}

const std::vector<Place> few{{"clouds", 5}, {"ties", 5},    {"ties", 19},        {"rare 1:50", 60},    {"bits", 12},
                             {"noise", 19}, {"copies", 19}, {"heavy tails", 12}, {"three classes", 19}};
const std::vector<Place> for_svms{{"clouds", 9}, {"ties", 20},        {"rare 1:50", 60}, {"bits", 12},
                                  {"noise", 20}, {"heavy tails", 12}, {"copies", 19},    {"three classes", 20}};
const std::vector<Place> of_two_classes{{"clouds", 9}, {"ties", 19}, {"rare 1:50", 60}, {"noise", 12}};
const std::vector<Place> for_rvms{{"clouds", 16}, {"ties", 30}, {"noise", 30}};
const std::vector<Place> streams{{"ties", 60}, {"rare 1:50", 60}, {"noise", 60}, {"copies", 60}, {"three classes", 60}};
const std::vector<Place> for_cells{{"chessboard", 130}, {"ties", 130}};
const std::vector<Place> for_selection{{"clouds", 60}, {"noise", 60}, {"ties", 60}};
const std::vector<Place> held_out{{"clouds", 30}, {"ties", 30}, {"noise", 30}};

const conformal::Mode whole = conformal::mode::Transductive{};
const conformal::Mode split = conformal::mode::Inductive{.calibration = 0.5};
const conformal::Mode folds = conformal::mode::Cross{.folds = 3};

/// The bound is about the p-values that settle no ties at random. Draws without a row of a class in some fold's
/// training are made again, which depends on all known rows; the bound has room for that.
std::vector<Setting> cross(const std::vector<Place>& places, const conformal::Measure& measure) {
  return for_true_class(places, with_training(plain), fitted(measure, folds, Validity::twice, data::Scaling::none));
}

constexpr const char* ecml = "conformal/neighbours.hpp; Proedrou et al. (2002)";
constexpr const char* svm_source = "conformal/transductive_svm.hpp; Proedrou et al. (2002), section 5";
constexpr const char* split_source = "conformal/inductive.hpp; Papadopoulos et al. (2002)";
constexpr const char* mondrian = "conformal/p_value.hpp; Vovk, Gammerman, Shafer (2005), section 4.5";
constexpr const char* new_group_source = "conformal/p_value.hpp; Dunn, Wasserman, Ramdas (2022)";
constexpr const char* weights_source = "conformal/p_value.hpp; Tibshirani et al. (2019)";
constexpr const char* cross_source = "conformal/inductive.hpp; Vovk and Wang (2020), Barber et al. (2021)";
constexpr const char* online_source = "conformal/online.hpp; Vovk, Gammerman, Shafer (2005), Theorem 2.1";
constexpr const char* regression_source = "conformal/regression.hpp; Papadopoulos et al. (2002)";
constexpr const char* confidence_source = "conformal/confidence.hpp";
constexpr const char* honest_source = "selection/honest_estimate.hpp";
constexpr const char* paper_2012 = "selection/in_sample.hpp; Anguita et al. (2012)";

/// A row of the list of p-values.
Check p_value(const char* name, const char* what, Promise promise, const char* source, Effort trials,
              std::vector<Setting> settings) {
  return {name, std::string("p-value: ") + what, source, promise, trials, std::move(settings)};
}

/// A limit or an interval.
Check limit(const char* name, const char* what, Promise promise, const char* source, Effort trials,
            std::vector<Setting> settings, std::vector<double> levels = {all_levels.begin(), all_levels.end()}) {
  return {name, what, source, promise, trials, std::move(settings), std::move(levels), false};
}

/// Several rows are judged by one model.
Check dependent(Check check) {
  check.independent = false;
  check.curve = false;
  return check;
}

}  // namespace

std::vector<Check> checks() {
  const conformal::Measure ratio = conformal::NeighbourRatio{};
  const conformal::Measure own = conformal::OwnClassDistance{};
  const conformal::Measure svm = svm_margin();
  const conformal::Measure rvm = rvm_margin();
  const auto cv = [](selection::Estimate estimate, selection::Score score = selection::Score::accuracy) {
    selection::Options options = small_grid(selection::CrossValidation{.folds = 5});
    options.score = score;
    options.estimate = estimate;
    return options;
  };
  const auto bootstrap = [](selection::Estimate estimate) {
    selection::Options options = small_grid(selection::Bootstrap{.resamples = 10});
    options.estimate = estimate;
    return options;
  };
  const auto hold_out = [](selection::Estimate estimate) {
    selection::Options options = small_grid(selection::HoldOut{});
    options.estimate = estimate;
    return options;
  };
  selection::Options in_regions = small_grid(selection::Regions{.region_size = 30, .partitions = 1, .folds = 3});

  std::vector<Check> list = registry_checks();
  const auto add = [&](Check check) { list.push_back(std::move(check)); };

  // ---- limits beside those of the registry of bounds
  add(limit("dkw", "distance of a distribution function, DKW", conservative, "bounds/uniform.hpp; Massart (1990)",
            {3000, 100'000}, of_deviations(Deviation::dkw)));
  add(limit("vc", "frequencies over all half-lines, VC", conservative,
            "bounds/uniform.hpp; Devroye, Gyorfi, Lugosi (1996)", {3000, 100'000}, of_deviations(Deviation::vc)));
  add(limit("hoeffding", "deviation of one mean, Hoeffding", conservative, "bounds/uniform.hpp; Hoeffding (1963)",
            {3000, 100'000}, of_deviations(Deviation::hoeffding)));
  add(limit("counts", "limits of a binomial count", conservative, "bounds/binomial.hpp", {3000, 100'000},
            of_central_counts()));
  add(limit("clusters", "interval of a proportion from clusters", approximate,
            "bounds/binomial.hpp; Korn and Graubard (1998)", {1000, 100'000}, of_clusters()));
  add(limit("nonconformity-dkw", "share as strange as a row, DKW over models", conservative,
            "selection/nonconformity.hpp", {600, 50'000}, of_nonconformity(true)));
  add(limit("nonconformity-vc", "share as strange as a row, Proposition 4.2", conservative,
            "selection/nonconformity.hpp; Hardoon et al. (2009)", {300, 20'000}, of_nonconformity(false)));
  add(limit("held-out-interval", "Clopper-Pearson interval of a model judged on rows held out", conservative,
            "bounds/binomial.hpp; Clopper and Pearson (1934)", {600, 50'000}, of_held_out_intervals({40, 100})));
  add(limit("rademacher", "error by Rademacher complexity, --union --term trials --scale none", conservative,
            paper_2012, {4, 300}, of_error_bounds({12, 60}, in_sample(selection::Rademacher{}), true)));
  add(limit("maximal-discrepancy", "error by maximal discrepancy, --union --scale none", conservative, paper_2012,
            {4, 300}, of_error_bounds({12, 60}, in_sample(selection::MaximalDiscrepancy{}), true)));
  add(limit("kfold-nested", "error by nested folds without a look at labels, --union --final random", conservative,
            "selection/error_estimation.hpp; Anguita et al. (2012), section III", {100, 3000},
            of_error_bounds({60}, nested_estimation(true), true)));
  add(limit("kfold-nested-apart", "error by stratified nested folds, a mean of bounds", approximate,
            "selection/error_estimation.hpp; Anguita et al. (2012), equations 23 and 24", {100, 3000},
            of_error_bounds({60}, nested_estimation(false), false)));

  // ---- decisions
  const auto list_with = [](bounds::Dependence dependence) {
    return [dependence](std::span<const double> p, double q) { return bounds::discoveries(p, q, dependence); };
  };
  add(limit("limits", "a class ruled out at its limit, class shares turned", conservative,
            "conformal/decision.hpp; Vovk (2013)", {600, 15'000}, of_limits({20, 2000})));
  add(limit("limits-certainty", "one draw of the rows set aside misses more than the limit", conservative,
            "bounds/split_conformal.hpp; Tong, Feng, Li (2018)", {2000, 50'000},
            of_certainty(bounds::level_with_certainty)));
  add(limit("list-find", "a row of a list by split p-values is false (--find)", conservative,
            "bounds/discovery.hpp; Bates et al. (2023)", {3000, 50'000},
            of_split_lists({60, 300}, list_with(bounds::Dependence::positive)), {discovery_rate}));
  add(limit("list-unfamiliar", "a row of a list by familiarity is false (--unfamiliar)", conservative,
            "bounds/discovery.hpp; Benjamini and Yekutieli (2001)", {300, 10'000},
            of_unfamiliar_lists({200}, list_with(bounds::Dependence::any)), {discovery_rate}));
  add(limit("group-intervals", "some interval of the groups of evaluate --by misses its share", conservative,
            "report/decisions/parts_report.hpp; Clopper and Pearson (1934), Bonferroni", {600, 20'000},
            of_group_intervals({60, 600}), {group_delta}));

  // ---- p-values that are proved
  const Effort quickest{3000, 80'000};
  const Effort quick{2000, 50'000};
  const Effort middle{600, 15'000};
  const Effort slow{200, 4000};
  const TrueClass whole_ratio = fitted(ratio, whole, Validity::exact, data::Scaling::none);
  add(p_value("nn", "transductive, nearest neighbours", conservative, ecml, quickest,
              for_true_class(few, with_two(plain), whole_ratio)));
  add(p_value("nn-smoothed", "the same, smoothed", exact, ecml, quickest,
              for_true_class(few, with_two(smoothed), whole_ratio)));
  add(p_value("nn-classes", "the same, label-conditional", conservative, mondrian, quickest,
              for_true_class(few, with_two(in_classes), whole_ratio)));
  add(p_value("nn-classes-smoothed", "the same, label-conditional and smoothed", exact, mondrian, quickest,
              for_true_class(few, with_two(smoothed_in_classes), whole_ratio)));
  add(p_value("nn-own-class-smoothed", "transductive, own-class distance, smoothed", exact, ecml, quickest,
              for_true_class(few, with_two(smoothed), fitted(own, whole, Validity::exact, data::Scaling::none))));
  add(p_value("nn-apart-smoothed", "transductive, nearest neighbours, scaled by rows apart, smoothed", exact,
              "conformal/fit.hpp (mode::Transductive::apart)", quickest,
              for_true_class(for_svms, with_two(smoothed), fitted(ratio, whole, Validity::exact, {}))));
  const TrueClass whole_svm = fitted(svm, whole, Validity::exact, data::Scaling::none);
  add(p_value("svm", "transductive, SVM", conservative, svm_source, quick,
              for_true_class(for_svms, with_two(plain), whole_svm)));
  add(p_value("svm-smoothed", "the same, smoothed", exact, svm_source, quick,
              for_true_class(for_svms, with_two(smoothed), whole_svm)));
  add(p_value("svm-classes-smoothed", "the same, label-conditional and smoothed", exact, mondrian, quick,
              for_true_class(for_svms, with_two(smoothed_in_classes), whole_svm)));
  add(p_value("split-svm", "split, SVM", conservative, split_source, quick,
              for_true_class(for_svms, with_training(plain), fitted(svm, split, Validity::exact, {}))));
  add(p_value("split-svm-smoothed", "the same, smoothed", exact, split_source, quick,
              for_true_class(for_svms, with_training(smoothed), fitted(svm, split, Validity::exact, {}))));
  add(p_value("split-svm-classes", "the same, label-conditional and smoothed", exact, mondrian, quick,
              for_true_class(for_svms, with_training(smoothed_in_classes), fitted(svm, split, Validity::exact, {}))));
  add(p_value("split-nn-smoothed", "split, nearest neighbours, smoothed", exact, split_source, quickest,
              for_true_class(for_svms, with_training(smoothed), fitted(ratio, split, Validity::exact, {}))));
  add(p_value("split-rvm-smoothed", "split, relevance vector machine, smoothed", exact, split_source, middle,
              for_true_class(for_rvms, with_training(smoothed), fitted(rvm, split, Validity::exact, {}))));
  add(p_value("split-scores", "split, scores from outside", conservative, split_source, quickest,
              for_true_class(of_two_classes, plain, outside_scores())));
  add(p_value("split-scores-classes", "the same, label-conditional and smoothed", exact, mondrian, quickest,
              for_true_class(of_two_classes, smoothed_in_classes, outside_scores())));
  add(p_value("groups-first", "by groups of rows, the first group, smoothed", exact, mondrian, quickest,
              for_true_class(of_two_classes, smoothed, grouped_scores(0))));
  add(p_value("groups-second", "the same, the second group", exact, mondrian, quickest,
              for_true_class(of_two_classes, smoothed, grouped_scores(1))));
  add(p_value("new-groups", "of a row of a new group", conservative, new_group_source, quickest,
              of_weighted(Weighted::new_groups, plain)));
  add(p_value("new-groups-classes", "the same, label-conditional and smoothed", conservative, new_group_source,
              quickest, of_weighted(Weighted::new_groups, smoothed_in_classes)));
  add(p_value("known-weights", "of rows with known weights", conservative, weights_source, quickest,
              of_weighted(Weighted::known_weights, plain)));
  add(p_value("known-weights-smoothed", "the same, smoothed", exact, weights_source, quickest,
              of_weighted(Weighted::known_weights, smoothed)));
  add(p_value("new-groups-nn", "of a row of a new group, transductive, own-class distance, smoothed", exact,
              new_group_source, quick, of_weighted(Weighted::new_groups_transductive, smoothed)));
  add(p_value("known-weights-nn", "of rows with known weights, transductive, own-class distance, smoothed", exact,
              weights_source, quick, of_weighted(Weighted::known_weights_transductive, smoothed)));
  add(p_value("class-shares", "label-conditional, class shares change, smoothed", exact,
              "conformal/p_value.hpp; Podkopaev and Ramdas (2021)", quickest,
              of_weighted(Weighted::class_shares, smoothed)));
  add(p_value("cross-nn", "cross, nearest neighbours, against the bound that is proved", conservative, cross_source,
              quick, against_cross_bound(cross(for_svms, ratio), 3)));
  add(p_value("cross-svm", "cross, SVM, against the bound that is proved", conservative, cross_source, quick,
              against_cross_bound(cross(for_svms, svm), 3)));
  add(p_value("selected-proved", "of selected models of the grade proved, against the bound that is proved",
              conservative, "conformal/confidence.hpp; Barber et al. (2021)", slow,
              against_cross_bound(for_true_class(for_selection, with_training(plain), proved_grade(3)), 3)));
  add(p_value("familiarity", "of a row being like the known rows", conservative, "conformal/familiarity.hpp", quickest,
              for_true_class(few, plain, familiarity_of_rows())));
  add(p_value("online", "on-line, nearest neighbours", conservative, online_source, {300, 8000},
              of_streams(streams, {}, Stream::steps)));
  add(p_value("online-smoothed", "the same, smoothed", exact, online_source, {300, 8000},
              of_streams(streams, {.smoothed = true}, Stream::steps)));
  add(p_value("online-uniform", "Kolmogorov-Smirnov test of each smoothed stream", exact, online_source, {600, 8000},
              of_streams(streams, {.smoothed = true}, Stream::uniformity)));
  add(p_value("online-pairs", "each two smoothed steps in a row, by Fisher's method", exact, online_source, {300, 8000},
              of_streams(streams, {.smoothed = true}, Stream::pairs)));
  add(limit("watch", "false alarms of a watched stream of 10,000 rows, ever", conservative,
            "conformal/watch.hpp; Vovk et al. (2021), Ville", {20, 1000}, of_watched_streams(10'000)));
  add(p_value("online-classes", "on-line, label-conditional and smoothed, the last class", exact, mondrian, {300, 8000},
              of_streams(streams, {.smoothed = true, .label_conditional = true}, Stream::rare_class)));
  add(p_value("held-out", "a model judged on rows held out, nothing chosen", conservative, confidence_source, middle,
              for_true_class(held_out, with_training(plain), held_out_model())));
  add(p_value("held-out-smoothed", "the same, smoothed", exact, confidence_source, middle,
              for_true_class(held_out, with_training(smoothed), held_out_model())));
  add(p_value("in-regions", "split, around a selection in regions", conservative, "conformal/fit.hpp (fit_inductive)",
              slow, for_true_class(for_cells, with_training(plain), around_cells())));
  add(p_value("in-regions-smoothed", "the same, smoothed", exact, "conformal/fit.hpp (fit_inductive)", slow,
              for_true_class(for_cells, with_training(smoothed), around_cells())));
  add(p_value("nonconformity-one", "the rule of nonconformity over one model", conservative,
              "selection/nonconformity.hpp (PValue::conformal)", quickest,
              for_true_class(of_two_classes, plain, nonconformity_of_one(selection::PValue::conformal))));
  add(limit("interval", "split regression interval, absolute residuals", conservative, regression_source,
            {3000, 100'000}, of_regressions({4, 19, 60}, Residuals::absolute, false)));
  add(limit("interval-normalised", "split regression interval, normalised residuals", conservative, regression_source,
            {3000, 100'000}, of_regressions({4, 19, 60}, Residuals::normalised, false)));
  add(limit("interval-groups", "split regression interval, by groups", conservative, "conformal/grouped.hpp",
            {3000, 100'000}, of_regressions({19, 60}, Residuals::grouped, false)));
  add(p_value("target-smoothed", "of a target, absolute residuals, smoothed", exact, regression_source, quickest,
              of_regressions({4, 19, 60}, Residuals::absolute, true)));
  add(p_value("uniformity-test", "Kolmogorov-Smirnov, two-sided", exact, "conformal/evaluation.hpp", quickest,
              of_uniformity_tests(false)));
  add(p_value("uniformity-test-above", "Kolmogorov-Smirnov, one-sided", exact, "conformal/evaluation.hpp", quickest,
              of_uniformity_tests(true)));
  add(p_value("paired-test", "corrected resampled t-test, under its model", exact,
              "selection/honest_estimate.hpp; Nadeau and Bengio (2003)", quickest, of_paired_tests()));

  // ---- approximate: measured, with nothing proved
  add(p_value("cross-nn-measured", "cross, nearest neighbours, against the level itself", approximate, cross_source,
              quick, cross(for_svms, ratio)));
  add(p_value("svm-scaled", "transductive, SVM, scaled by the rows compared with, smoothed", approximate,
              "conformal/predictor.hpp (fitted_on_compared)", quick,
              for_true_class(for_svms, with_two(smoothed),
                             fitted(svm, conformal::mode::Transductive{.apart = 0}, Validity::approximate,
                                    data::Scaling::standard))));
  add(p_value("nonconformity-paper", "the paper's, over one model", approximate,
              "selection/nonconformity.hpp (PValue::paper)", quickest,
              for_true_class(of_two_classes, plain, nonconformity_of_one(selection::PValue::paper))));
  add(dependent(p_value("selected-cv", "of selected models of the grade measured, cv, smoothed", approximate,
                        confidence_source, slow, of_selected(for_selection, cv(selection::Estimate::none)))));
  add(dependent(p_value("selected-cv-classes", "the same, label-conditional", approximate, confidence_source, slow,
                        of_selected(for_selection, cv(selection::Estimate::none), true))));
  add(dependent(p_value("selected-loo", "of selected models, loo, smoothed", approximate, confidence_source, slow,
                        of_selected(for_selection, small_grid(selection::LeaveOneOut{})))));
  add(dependent(p_value("selected-bootstrap", "of selected models, bootstrap, smoothed", approximate, confidence_source,
                        slow, of_selected(for_selection, bootstrap(selection::Estimate::none)))));
  add(dependent(p_value("selected-holdout", "of selected models, holdout, smoothed", approximate, confidence_source,
                        slow, of_selected(for_selection, hold_out(selection::Estimate::none)))));
  add(dependent(p_value("selected-nonconformity", "of the model that nonconformity chooses for a row", approximate,
                        "selection/nonconformity.hpp", slow,
                        of_selected(for_selection, small_grid(selection::Nonconformity{})))));
  add(dependent(p_value("selected-in-regions", "of a selection in regions, smoothed", approximate, confidence_source,
                        slow, of_selected(for_cells, in_regions))));
  add(dependent(p_value("selected-regression", "of targets, from the residuals of a selected regression", approximate,
                        regression_source, {60, 1000}, of_selected_regressions({60}))));
  const std::vector<double> usual{0.05};
  add(limit("honest-cv", "honest interval of cv, bias-corrected", approximate, honest_source, slow,
            of_honest_intervals(for_selection, cv(selection::Estimate::bbc)), usual));
  add(limit("honest-nested", "honest interval of cv, nested", approximate, honest_source, {60, 3000},
            of_honest_intervals(for_selection, cv(selection::Estimate::nested)), usual));
  add(limit("honest-bootstrap", "honest interval of bootstrap, bias-corrected", approximate, honest_source, slow,
            of_honest_intervals(for_selection, bootstrap(selection::Estimate::bbc)), usual));
  add(limit("honest-holdout", "honest interval of holdout, bias-corrected", approximate, honest_source, slow,
            of_honest_intervals(for_selection, hold_out(selection::Estimate::bbc)), usual));
  add(limit("honest-set-aside", "honest interval of cv, a tenth set aside", approximate, honest_source, slow,
            of_honest_intervals(for_selection, cv(selection::Estimate::holdout)), usual));
  add(limit("percentile-balanced", "percentile interval of cv by balanced accuracy", approximate, honest_source, slow,
            of_honest_intervals(for_selection, cv(selection::Estimate::bbc, selection::Score::balanced_accuracy)),
            usual));
  add(limit("percentile-squared", "percentile interval of a regression's mean squared error", approximate,
            honest_source, {60, 1000}, of_squared_errors({60}), usual));
  return list;
}

}  // namespace credence::selfcheck
