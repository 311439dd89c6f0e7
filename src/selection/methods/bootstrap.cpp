#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/methods/methods.hpp"
#include "selection/race/race.hpp"

namespace credence::selection {
namespace {

/// Mean over rows (each as often as it was drawn) of the loss of a setting; rows without one do not count. NaN if none
/// has.
double mean_loss(const LossTable& losses, std::size_t setting, std::span<const std::uint32_t> drawn) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < losses.rows; ++i) {
    const float loss = losses.row(i)[setting];
    if (drawn[i] > 0 && !std::isnan(loss)) {
      sum += double{loss} * drawn[i];
      count += drawn[i];
    }
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

double e632(double training, double out_of_bag) {
  return 0.368 * training + 0.632 * out_of_bag;
}

/// The .632+ estimator (Efron and Tibshirani, JASA 92, 1997, equation 32).
/// @param no_information  error expected if features and labels were independent
double e632_plus(double training, double out_of_bag, double no_information) {
  const double bounded = std::min(out_of_bag, no_information);
  const double overfitting =
      out_of_bag > training && no_information > training ? (bounded - training) / (no_information - training) : 0.0;
  return e632(training, out_of_bag) + (bounded - training) * 0.368 * 0.632 * overfitting / (1 - 0.368 * overfitting);
}

/// Selection by the loss on the rows that bootstrap samples leave out. A sample of one class only makes a classifier
/// that knows no other: its decision value is 1 for that class, everywhere.
class BootstrapRun {
 public:
  explicit BootstrapRun(const Options& options) : options_(options), own_(options.as<Bootstrap>()) {}

  Selection select(const data::Dataset& dataset, const core::Context& context, const Forecast* forecast) const {
    check_data(dataset, options_);
    Selection selection = begin_report(dataset, options_, context);
    selection.score = score_of_settings(selection);
    selection.resamples = own_.resamples;
    const std::vector<Resample> outer = samples(dataset);
    const std::vector<Resample> inner = own_.two_samples ? samples_within(dataset, outer) : outer;
    PlannedGrid planned(dataset, options_, inner, context, forecast);
    const JudgedGrid judged = planned.judge();
    if (std::ranges::all_of(judged.judged, [](std::uint32_t times) { return times == 0; }))
      refuse_data("no bootstrap sample left a row out; there are too few rows or samples", {dataset.source});
    selection.grid = settings_of(judged, dataset, options_);
    Tables tables{judged.losses(), {}, {}};
    if (own_.error != BootstrapError::out_of_bag) add_training_errors(dataset, context, selection, tables);
    const std::vector<std::uint32_t> once(dataset.rows(), 1);
    for (std::size_t k = 0; k < selection.grid.size(); ++k) {
      selection.grid[k].error = score(tables, k, once);
      if (options_.rule_or_best() != Rule::best && selection.grid[k].complete)
        selection.grid[k].error_se = loss_over_rows(judged.predictions, k).standard_error;
    }
    planned.report(judged, selection);
    choose(options_, selection);
    add_average(judged.predictions, options_, context, selection);
    if (selection.best) {
      const std::vector<std::size_t> order = preference(selection, options_, true);
      add_bbc(
          options_, context, dataset.rows(), dataset.clusters(),
          [&](const core::Context& part) {
            return planned.races() ? planned.estimate(estimate_options(), judged.predictions, part)
                                   : estimate(dataset, judged, tables, order, part);
          },
          selection);
    }
    conclude(dataset, context, selection);
    if (selection.best && selection.stopped == core::StopReason::none) {
      const double begun = context.monitor.seconds();
      add_estimation(dataset, outer, judged, context, selection);
      selection.seconds += context.monitor.seconds() - begun;
    }
    if (!selection.predictor) calibrate(dataset, options_, judged, "out-of-bag", inner, context, selection);
    return selection;
  }

 private:
  struct Tables {
    LossTable out_of_bag;
    LossTable training;                  ///< empty unless the score needs it
    std::vector<double> no_information;  ///< per setting
  };

  std::string score_of_settings(const Selection& selection) const {
    if (own_.error == BootstrapError::out_of_bag) return score_name("out-of-bag", selection);
    return own_.error == BootstrapError::e632 ? "0.632 bootstrap error" : "0.632+ bootstrap error";
  }

  /// Fixed folds and groups are drawn whole, so that none stands on both sides.
  std::vector<Resample> samples(const data::Dataset& dataset) const {
    const std::vector<int> unit_of = units(dataset);
    const auto count = static_cast<std::size_t>(*std::ranges::max_element(unit_of) + 1);
    return core::made(static_cast<std::size_t>(own_.resamples), [&](std::size_t b) {
      return sample_of_units(unit_of, data::bootstrap(count, seed_of(bootstrap_purpose, b)));
    });
  }

  /// A bootstrap sample of each bootstrap sample: as many draws from its draws. Rows that the first did not draw are
  /// kept apart.
  std::vector<Resample> samples_within(const data::Dataset& dataset, std::span<const Resample> outer) const {
    const std::vector<int> unit_of = units(dataset);
    std::vector<Resample> resamples;
    for (std::size_t b = 0; b < outer.size(); ++b) {
      std::vector<std::uint32_t> times(static_cast<std::size_t>(*std::ranges::max_element(unit_of) + 1));
      for (std::size_t i = 0; i < unit_of.size(); ++i) times[static_cast<std::size_t>(unit_of[i])] = outer[b].drawn[i];
      const std::vector<std::uint32_t> again =
          data::bootstrap(std::accumulate(times.begin(), times.end(), std::size_t{0}), seed_of(nested_purpose, b));
      std::size_t draw = 0;
      for (std::uint32_t& of_unit : times) {
        const std::uint32_t draws = std::exchange(of_unit, 0U);
        for (std::uint32_t d = 0; d < draws; ++d) of_unit += again[draw++];
      }
      Resample& resample = resamples.emplace_back(sample_of_units(unit_of, times));
      for (const std::uint32_t drawn : outer[b].drawn) resample.apart.push_back(drawn == 0);
    }
    return resamples;
  }

  /// What is drawn as a whole: the row's fixed fold or group, the copies of a row, or each row alone.
  static std::vector<int> units(const data::Dataset& dataset) {
    if (!dataset.together().empty()) return dataset.together();
    return core::made(dataset.rows(), [](std::size_t i) { return static_cast<int>(i); });
  }

  static Resample sample_of_units(const std::vector<int>& unit_of, const std::vector<std::uint32_t>& drawn) {
    return {core::mapped(unit_of, [&](int unit) { return drawn[static_cast<std::size_t>(unit)]; })};
  }

  std::uint64_t seed_of(std::uint64_t purpose, std::size_t sample) const {
    return core::random_choice(options_.seed, purpose, sample, ~std::uint64_t{0});
  }

  /// The setting of each sample that has rows out of bag: the chosen one or, nested, the one with the smallest loss on
  /// the rows that the sample within left out.
  std::vector<Chosen> choices(std::span<const Resample> outer, const JudgedGrid& judged,
                              const Selection& selection) const {
    const std::vector<std::size_t> order = preference(selection, options_, false);
    std::vector<Chosen> chosen;
    for (std::size_t b = 0; b < outer.size(); ++b) {
      if (outer[b].held_out().empty() || judged.held_out[b] == 0) continue;
      if (!own_.two_samples) {
        chosen.push_back({b, *selection.best});
        continue;
      }
      const std::vector<double> losses = core::made(judged.settings(), [&](std::size_t setting) {
        const TaskResult& result = judged.of_setting(setting)[b];
        return result.usable() ? result.loss(options_.loss) : core::nan;
      });
      if (const auto setting = smallest(losses, order)) chosen.push_back({b, *setting});
    }
    return chosen;
  }

  /// What each sample's classifier says of the rows out of bag, and the classifiers if one of them is to be drawn.
  void add_estimation(const data::Dataset& dataset, std::span<const Resample> outer, const JudgedGrid& judged,
                      const core::Context& context, Selection& selection) const {
    const bool keep = options_.final_classifier == FinalClassifier::random;
    const std::vector<Chosen> chosen = choices(outer, judged, selection);
    ChosenModels trained;
    if (keep || own_.two_samples) {
      trained = train_chosen(dataset, options_, outer, chosen, keep, context);
      if (!trained.complete) {
        selection.stopped = context.monitor.stop_reason();
        return;
      }
    }
    std::vector<Judgement> judgements = std::move(trained.judgements);
    std::erase_if(judgements, [](const Judgement& judgement) { return judgement.rows == 0; });
    if (!own_.two_samples)
      judgements = selection.average ? judgements_of_average(judged, *selection.average, chosen)
                                     : judgements_of_best(judged, chosen);
    if (judgements.size() < outer.size()) {
      selection.warnings.push_back(fmt::format("{} of {} bootstrap samples judge no classifier: they leave no row out",
                                               outer.size() - judgements.size(), outer.size()));
    }
    if (judgements.empty()) return;
    selection.found = estimation_of(own_.two_samples ? "nested bootstrap, out of bag" : "bootstrap, out of bag",
                                    std::move(judgements), own_.two_samples, options_);
    if (keep) selection.predictor = random_predictor(dataset, trained, options_, selection);
  }

  static std::vector<Judgement> judgements_of_average(const JudgedGrid& judged, const SettingAverage& average,
                                                      const std::vector<Chosen>& chosen) {
    const Predictions of_average = averaged(judged.predictions, average.members);
    std::vector<Judgement> judgements;
    for (const Chosen& one : chosen) {
      Judgement& judgement = judgements.emplace_back();
      for (std::size_t p = of_average.starts[one.resample]; p < of_average.starts[one.resample + 1]; ++p) {
        ++judgement.rows;
        judgement.errors += of_average.error(0, p) ? 1U : 0U;
        judgement.soft += svm::soft_loss(of_average.scores[p]);
      }
      judgement.soft /= static_cast<double>(judgement.rows);
    }
    return judgements;
  }

  static std::vector<Judgement> judgements_of_best(const JudgedGrid& judged, const std::vector<Chosen>& chosen) {
    return core::mapped(chosen, [&](const Chosen& one) {
      const TaskResult& result = judged.of_setting(one.setting)[one.resample];
      const std::size_t rows = judged.held_out[one.resample];
      return Judgement{rows, result.errors, result.soft / static_cast<double>(rows), one.setting};
    });
  }

  /// Trains once more, on all rows, and asks what the models say of them.
  void add_training_errors(const data::Dataset& dataset, const core::Context& context, Selection& selection,
                           Tables& tables) const {
    const Predictions predicted = training_labels(dataset, options_, context, selection.grid);
    const std::size_t settings = selection.grid.size();
    const std::size_t classes = dataset.class_count();
    const double n = static_cast<double>(dataset.rows());
    tables.training = LossTable(dataset.rows(), settings);
    for (std::size_t k = 0; k < settings; ++k) {
      std::vector<double> share(classes, 0.0);
      for (std::size_t i = 0; i < dataset.rows(); ++i) {
        const int label = int{predicted.labels[predicted.at(k, i)]};
        share[static_cast<std::size_t>(label)] += 1 / n;
        tables.training.row(i)[k] = label != dataset.labels[i] ? 1.0F : 0.0F;
      }
      double no_information = 0;
      for (std::size_t c = 0; c < classes; ++c)
        no_information += static_cast<double>(selection.class_counts[c]) / n * (1 - share[c]);
      tables.no_information.push_back(no_information);
    }
  }

  double score(const Tables& tables, std::size_t setting, std::span<const std::uint32_t> drawn) const {
    const double out_of_bag = mean_loss(tables.out_of_bag, setting, drawn);
    if (own_.error == BootstrapError::out_of_bag) return out_of_bag;
    const double training = mean_loss(tables.training, setting, drawn);
    return own_.error == BootstrapError::e632 ? e632(training, out_of_bag)
                                              : e632_plus(training, out_of_bag, tables.no_information[setting]);
  }

  HonestEstimate estimate(const data::Dataset& dataset, const JudgedGrid& judged, const Tables& tables,
                          const std::vector<std::size_t>& order, const core::Context& context) const {
    if (options_.rule_or_best() != Rule::best) {
      return bbc_of_scores(judged.predictions, dataset.rows(), order, options_.rule_or_best(), dataset.clusters(),
                           estimate_options(), context);
    }
    if (own_.error == BootstrapError::out_of_bag)
      return bbc_of_smallest_loss(tables.out_of_bag, order, dataset.clusters(), estimate_options(), context);
    const auto rule = [&](std::span<const std::uint32_t> drawn) { return resampled_error(tables, order, drawn); };
    HonestEstimate result =
        bootstrap_bias_corrected(dataset.rows(), dataset.clusters(), rule, estimate_options(), context);
    result.rows = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      result.rows += std::isnan(tables.out_of_bag.row(i)[order.front()]) ? 0U : 1U;
    return result;
  }

  /// The setting with the smallest score on the drawn rows, judged out of bag on the others. NaN where no row tells.
  double resampled_error(const Tables& tables, const std::vector<std::size_t>& order,
                         std::span<const std::uint32_t> drawn) const {
    const auto scores = core::mapped(order, [&](std::size_t setting) { return score(tables, setting, drawn); });
    if (std::isnan(scores.front())) return scores.front();  // rows without a loss are the same for all settings
    const std::size_t chosen = order[static_cast<std::size_t>(std::ranges::min_element(scores) - scores.begin())];
    const auto left_out = core::mapped(drawn, [](std::uint32_t times) { return times == 0 ? 1U : 0U; });
    return mean_loss(tables.out_of_bag, chosen, left_out);
  }

  BbcOptions estimate_options() const {
    BbcOptions bbc = bbc_options(options_);
    bbc.worth = worth_of_a_row_refitted;
    return bbc;
  }

  static constexpr std::uint64_t bootstrap_purpose = 632;
  static constexpr std::uint64_t nested_purpose = 633;
  const Options& options_;
  const Bootstrap& own_;
};

}  // namespace

Selection select_by(const Bootstrap&, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast* forecast) {
  return BootstrapRun(options).select(dataset, context, forecast);
}

}  // namespace credence::selection
