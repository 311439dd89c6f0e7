#include <fmt/format.h>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/splits.hpp"
#include "credence/rvm/model.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/ensemble/fold_models.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/methods/methods.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

/// Every two folds left out together, in the order (0,1), (0,2), ..., (1,2), ...
struct Pairs {
  std::vector<std::pair<std::size_t, std::size_t>> folds;
  std::vector<Resample> resamples;

  Pairs(std::span<const int> fold_of, std::size_t count) {
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        folds.emplace_back(a, b);
        Resample& resample = resamples.emplace_back(all_rows(fold_of.size()));
        for (std::size_t i = 0; i < fold_of.size(); ++i) {
          const auto fold = static_cast<std::size_t>(fold_of[i]);
          resample.drawn[i] = fold == a || fold == b ? 0 : 1;
        }
      }
    }
  }
};

/// Sums of validation losses: setting by test fold by validation fold.
class InnerLosses {
 public:
  InnerLosses(std::size_t settings, std::size_t folds)
      : settings_(settings), folds_(folds), sums_(settings * folds * folds, 0.0) {}

  double& at(std::size_t setting, std::size_t test, std::size_t validation) {
    return sums_[(setting * folds_ + test) * folds_ + validation];
  }

  /// Of each setting, for one test fold; NaN for settings that some pair with that fold does not have.
  std::vector<double> of_test_fold(std::size_t test, const JudgedGrid& judged, const Pairs& pairs) {
    std::vector<double> losses(settings_, 0.0);
    for (std::size_t setting = 0; setting < settings_; ++setting) {
      for (std::size_t v = 0; v < folds_; ++v) losses[setting] += at(setting, test, v);
      for (std::size_t p = 0; p < pairs.folds.size(); ++p) {
        const TaskResult& result = judged.of_setting(setting)[p];
        const bool counts = pairs.folds[p].first == test || pairs.folds[p].second == test;
        if (counts && !result.usable()) losses[setting] = core::nan;
      }
    }
    return losses;
  }

 private:
  std::size_t settings_;
  std::size_t folds_;
  std::vector<double> sums_;
};

/// Nested k-fold cross-validation (Anguita et al., 2012, section III-B). For each test fold, cross-validation over the
/// other folds chooses a setting, which is trained on all of them and judged on the test fold. The model without folds
/// a and b validates on b where a is the test fold, and on a where b is: there are k (k - 1) / 2 of them.
class KFoldNestedRun {
 public:
  explicit KFoldNestedRun(const Options& options) : options_(options), own_(options.as<KFoldNested>()) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const {
    check_data(dataset, options_);
    const bool by_class = options_.p_values != model::PValues::nested;
    const std::vector<int> folds = data::folds_of(dataset, own_.folds, options_.seed, 3, own_.name, by_class);
    const std::vector<Resample> tests = resamples_of_folds(folds);
    check_folds(dataset, tests);
    Selection selection = begin_report(dataset, options_, context);
    selection.score = score_name("inner CV", selection);
    selection.resamples = static_cast<int>(tests.size());
    const Pairs pairs(folds, tests.size());
    InnerLosses inner(named_settings(reported_gammas(dataset, options_), options_).size(), tests.size());
    const JudgedGrid judged =
        judge_grid(dataset, options_, pairs.resamples, context,
                   [&](std::size_t pair, std::size_t setting, std::size_t row, bool error, double soft) {
                     const auto validation = static_cast<std::size_t>(folds[row]);
                     const auto [a, b] = pairs.folds[pair];
                     const double loss = judging_loss(options_) == Loss::soft ? soft : error ? 1.0 : 0.0;
                     inner.at(setting, validation == a ? b : a, validation) += loss;
                   });
    selection.grid = settings_of(judged, dataset, options_);
    choose(options_, selection);
    conclude(dataset, context, selection);
    if (selection.best && selection.stopped == core::StopReason::none)
      judge(dataset, tests, choices(inner, judged, pairs, tests.size(), selection), context, selection);
    if (!selection.predictor && selection.fold_models.empty())
      calibrate(dataset, options_, judged, "out-of-fold", pairs.resamples, context, selection);
    if (dataset.is_regression()) keep_regression(dataset, options_, context, selection);
    return selection;
  }

 private:
  static void check_folds(const data::Dataset& dataset, std::span<const Resample> tests) {
    for (std::size_t j = 0; j < tests.size(); ++j) {
      if (tests[j].held_out().empty()) {
        refuse_data(fmt::format("the folds must be numbered 0, 1, ... without gaps; there is no row in fold {}", j),
                    {dataset.source});
      }
    }
  }

  /// The setting of each test fold. None for a fold where no nu can be had.
  std::vector<Chosen> choices(InnerLosses& inner, const JudgedGrid& judged, const Pairs& pairs, std::size_t folds,
                              const Selection& selection) const {
    const std::vector<std::size_t> order = preference(selection, options_, false);
    std::vector<Chosen> chosen;
    for (std::size_t test = 0; test < folds; ++test)
      if (const auto k = smallest(inner.of_test_fold(test, judged, pairs), order)) chosen.push_back({test, *k});
    return chosen;
  }

  /// Retrains, judges, and keeps the classifiers if one of them is to be drawn, or if rows are compared by them.
  void judge(const data::Dataset& dataset, std::span<const Resample> tests, const std::vector<Chosen>& chosen,
             const core::Context& context, Selection& selection) const {
    const double begun = context.monitor.seconds();
    const bool draws = options_.final_classifier == FinalClassifier::random;
    const bool keep = draws || options_.p_values == model::PValues::nested;
    ChosenModels trained = train_chosen(dataset, options_, tests, chosen, keep, context);
    if (!trained.complete) {
      selection.stopped = context.monitor.stop_reason();
      return;
    }
    std::erase_if(trained.judgements, [](const Judgement& judgement) { return judgement.rows == 0; });
    if (trained.judgements.size() < tests.size()) {
      selection.warnings.push_back(
          fmt::format("{} of {} test folds are not judged: no nu can be had on their training rows",
                      tests.size() - trained.judgements.size(), tests.size()));
    }
    if (trained.judgements.empty()) return;
    HonestEstimate honest = estimate_of(trained.judgements, dataset);
    if (!dataset.is_regression()) {
      selection.found = estimation_of(fmt::format("nested {}-fold cross-validation", tests.size()),
                                      std::move(trained.judgements), true, options_);
    }
    if (draws) selection.predictor = random_predictor(dataset, trained, options_, selection);
    if (keep && !draws) keep_fold_models(dataset, trained, context, selection);
    honest.seconds = context.monitor.seconds() - begun;
    selection.seconds += honest.seconds;
    selection.honest = honest;
  }

  HonestEstimate estimate_of(const std::vector<Judgement>& judgements, const data::Dataset& dataset) const {
    if (dataset.is_regression()) {
      const auto mean = [](const Judgement& one) { return FoldMean{one.rows, one.soft}; };
      return estimate_of_fold_means(core::mapped(judgements, mean), options_.delta);
    }
    const auto errors = core::mapped(judgements, [](const Judgement& one) { return FoldErrors{one.rows, one.errors}; });
    return estimate_of_folds(errors, !dataset.clusters().empty() && !dataset.copies_count_once, options_.delta,
                             dataset.share_that_counts());
  }

  /// Each fold's machine has the setting that was chosen without the fold (PValues::nested).
  void keep_fold_models(const data::Dataset& dataset, const ChosenModels& trained, const core::Context& context,
                        Selection& selection) const {
    const std::vector<int> folds = data::folds_of(dataset, own_.folds, options_.seed, 3, own_.name, false);
    if (trained.members.size() != static_cast<std::size_t>(selection.resamples)) {
      refuse_data("p_values: a fold has no model, as no nu can be had on its training rows, so that nothing is proved",
                  {dataset.source});
    }
    selection.fold_models.parts = trained.members;
    const auto fold_model = [&](std::size_t k) { return model::Members{{selection.fold_models.parts[k]}, {}}; };
    selection.calibration =
        judged_by_fold_models(dataset, fold_model, *trained.members.front().preprocessing, folds, context);
    selection.calibration.p_values = model::PValues::nested;
  }

  const Options& options_;
  const KFoldNested& own_;
};

}  // namespace

std::vector<std::string> gaps_of(const KFoldNested&, const data::Dataset& dataset, const Selection& selection) {
  const bool by_class = selection.options.p_values != model::PValues::nested;
  if (!by_class || !dataset.folds.empty() || !dataset.groups.empty()) return {};
  return {
      "the folds were drawn by class, so that they depend on the labels (--fold-column with folds that ignore the "
      "labels avoids it)"};
}

Selection select_by(const KFoldNested&, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  return KFoldNestedRun(options).select(dataset, context);
}

}  // namespace credence::selection
