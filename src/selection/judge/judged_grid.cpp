#include "selection/judge/judged_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "selection/choose/choose.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// Changing it changes everyone's out-of-bag scores.
constexpr std::uint64_t witness_purpose = 634;

}  // namespace

LossTable JudgedGrid::losses() const {
  LossTable table(judged.size(), settings());
  for (std::size_t i = 0; i < judged.size(); ++i) {
    for (std::size_t k = 0; k < table.settings; ++k) {
      table.row(i)[k] =
          judged[i] == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum(i, k) / judged[i]);
    }
  }
  return table;
}

namespace {

/// The score of the true class at a place; fills the scores of all classes.
using ScoreAt = std::function<double(std::size_t place, std::span<double> all)>;

/// @param scored  the scores of all classes are kept
model::Calibration calibration_by(const JudgedGrid& judged, const ScoreAt& score_at, bool scored,
                                  const std::string& source) {
  const Predictions& predictions = judged.predictions;
  const std::vector<std::size_t> rows = data::rows_where(judged.judged, [](auto times) { return times > 0; });
  model::Calibration result;
  result.source = source;
  data::DenseMatrix scores(scored ? rows.size() : 1, predictions.classes);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t place = judged.place_of[rows[r]];
    result.nonconformity_scores.push_back(-score_at(place, scores.row(scored ? r : 0)));
    if (!predictions.truth.empty()) result.labels.push_back(predictions.truth[place]);
  }
  if (scored) result.scores = std::move(scores);
  return result;
}

}  // namespace

model::Calibration JudgedGrid::calibration(std::size_t setting, const std::string& source) const {
  const bool scored = predictions.class_scores.has(setting);
  const auto score_at = [&](std::size_t place, std::span<double> all) {
    const double own = predictions.scores[predictions.at(setting, place)];
    if (scored) std::ranges::copy(predictions.class_scores.at(setting, place), all.begin());
    if (scored) all[static_cast<std::size_t>(predictions.truth[place])] = own;
    return own;
  };
  return calibration_by(*this, score_at, scored, source);
}

model::Calibration JudgedGrid::calibration_of_average(std::span<const std::size_t> members,
                                                      const std::string& source) const {
  const auto score_at = [&](std::size_t place, std::span<double> all) {
    predictions.mean_scores(place, members, all);
    return all[static_cast<std::size_t>(predictions.truth[place])];
  };
  return calibration_by(*this, score_at, predictions.classes > 2, source);
}

namespace {

/// The options of the chosen setting, with the costs before it, along which its machines are trained.
Options path_to_chosen(const Options& options, std::size_t settings, const Selection& selection) {
  const bool has_costs = options.learner() == Learner::svm;
  const std::size_t costs = costs_of(options);
  const Setting& best = selection.grid[*selection.best];
  Options path = options_of_setting(options, best);
  if (path.kernels.shape().uses_gamma()) {
    // A grid that went on has widths that are no words, and another first one.
    const std::vector<GridKernel> kernels = kernels_of(options);
    const bool went_on = settings > kernels.size() * costs;
    const kernel::GammaRule value{kernel::GammaRule::Kind::value, best.gamma};
    path.kernels.gamma = {went_on ? value : *kernels[*selection.best / costs].gamma};
  }
  if (has_costs) {
    const std::size_t first = *selection.best / costs * costs;
    path = with_costs(path, core::numbers_where(*selection.best % costs + 1,
                                                [&](std::size_t c) { return is_on_path(selection.grid[first + c]); }));
  }
  return path;
}

}  // namespace

model::Calibration chosen_calibration(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
                                      const std::string& source, std::span<const Resample> resamples,
                                      const core::Context& context, const Selection& selection) {
  if (dataset.is_regression() || dataset.class_count() <= 2 || judged.predictions.class_scores.has(*selection.best))
    return judged.calibration(*selection.best, source);
  const Options path = path_to_chosen(options, judged.settings(), selection);
  const JudgedGrid again = judge_grid(dataset, path, resamples, context, {}, ScoredSettings::last);
  if (context.monitor.should_stop()) return {};
  return again.calibration(again.settings() - 1, source);
}

void calibrate(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
               const std::string& source, std::span<const Resample> resamples, const core::Context& context,
               Selection& selection) {
  if (!selection.best || selection.stopped != core::StopReason::none) return;
  if (selection.average) {
    selection.calibration = judged.calibration_of_average(selection.average->members, source);
    return;
  }
  selection.calibration = chosen_calibration(dataset, options, judged, source, resamples, context, selection);
  if (selection.calibration.empty()) selection.stopped = context.monitor.stop_reason();
}

JudgedGrid joined(JudgedGrid first, const JudgedGrid& second) {
  core::append(first.sums, second.sums);
  core::append(first.results, second.results);
  append(second.predictions, first.predictions);
  return first;
}

namespace {

/// The rows of each resample whose predictions are kept, and the resample whose prediction each row's p-value rests on.
struct KeptRows {
  std::vector<std::vector<std::size_t>> of_resample;
  std::vector<std::size_t> witness;
};

/// Fills the counts of rows left out.
KeptRows kept_rows(const Options& options, std::span<const Resample> resamples, std::size_t rows, JudgedGrid& judged) {
  KeptRows kept;
  std::vector<std::vector<std::uint32_t>> left_out_by(rows);
  for (std::size_t r = 0; r < resamples.size(); ++r) {
    kept.of_resample.push_back(resamples[r].held_out());
    judged.held_out.push_back(kept.of_resample.back().size());
    for (const std::size_t i : kept.of_resample.back()) left_out_by[i].push_back(static_cast<std::uint32_t>(r));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<std::uint32_t>& by = left_out_by[i];
    judged.judged.push_back(static_cast<std::uint32_t>(by.size()));
    kept.witness.push_back(by.empty() ? 0 : by[core::random_choice(options.seed, witness_purpose, i, by.size())]);
  }
  if (!resamples.front().one_by_one.empty())  // all resamples are one, with the rows in their order
    kept.of_resample = {data::rows_where(judged.judged, [](auto) { return true; })};
  else if (compares_sums(options))
    for (std::size_t r = 0; r < resamples.size(); ++r)
      std::erase_if(kept.of_resample[r], [&](std::size_t row) { return kept.witness[row] != r; });
  return kept;
}

/// Room for the scores of all classes of the places.
void make_room_for_classes(const data::Dataset& dataset, const Options& options, ScoredSettings scored,
                           std::size_t memory_budget, Predictions& predictions) {
  const std::size_t places = predictions.places();
  const std::size_t settings = predictions.settings;
  const std::size_t classes = dataset.class_count();
  if (const std::size_t bytes = Predictions::bytes_of(places, settings, classes);
      options.rule == Rule::average && bytes > memory_budget)
    throw Error(ErrorCode::memory, fmt::format("the rule average keeps the scores of {} settings for each row left "
                                               "out, which take {} MB; {} MB are allowed",
                                               settings, bytes >> 20U, memory_budget >> 20U));
  if (dataset.is_regression() || classes <= 2) return;
  const bool fits = settings == 1 || places * settings * classes * sizeof(float) <= memory_budget / ClassScores::share;
  if (options.rule == Rule::average || (scored == ScoredSettings::if_they_fit && fits))
    predictions.class_scores = ClassScores(places, 0, settings, classes);
  else if (scored == ScoredSettings::last)
    predictions.class_scores = ClassScores(places, settings - 1, settings, classes);
}

}  // namespace

JudgedGrid empty_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      std::size_t settings, ScoredSettings scored, std::size_t memory_budget) {
  JudgedGrid judged;
  const KeptRows kept = kept_rows(options, resamples, dataset.rows(), judged);
  judged.results.resize(settings * resamples.size());
  if (weighs_errors(dataset, options))
    judged.weights = error_weights(dataset, class_costs(dataset, options), judged.judged);
  if (std::ranges::any_of(judged.judged, [](std::uint32_t times) { return times > 1; }))
    judged.sums.assign(dataset.rows() * settings, 0);
  // Rows that are left out one by one have no scores where their labels alone are compared (LeftOutRows::errors).
  const bool has_scores = resamples.front().one_by_one.empty() || compares_scores(options);
  judged.predictions = room_for(options, kept.of_resample, dataset.labels, dataset.weights, dataset.schema.classes,
                                settings, has_scores);
  judged.place_of.resize(dataset.rows());
  for (std::size_t r = 0; r < judged.predictions.resamples(); ++r)
    for (std::size_t p = judged.predictions.starts[r]; p < judged.predictions.starts[r + 1]; ++p)
      if (judged.predictions.resamples() == 1 || kept.witness[judged.predictions.rows[p]] == r)
        judged.place_of[judged.predictions.rows[p]] = static_cast<std::uint32_t>(p);
  if (!judged.weights.empty())
    for (const std::uint32_t row : judged.predictions.rows)
      judged.predictions.error_weights.push_back(judged.weights[row]);
  make_room_for_classes(dataset, options, scored, memory_budget, judged.predictions);
  return judged;
}

Loss judging_loss(const Options& options, const JudgedGrid& judged) {
  return judged.weights.empty() ? judging_loss(options) : Loss::soft;
}

std::vector<Setting> settings_of(const JudgedGrid& judged, const data::Dataset& dataset, const Options& options) {
  std::vector<Setting> settings = named_settings(reported_gammas(dataset, options), options);
  const auto held_out =
      static_cast<double>(std::accumulate(judged.held_out.begin(), judged.held_out.end(), std::size_t{0}));
  for (std::size_t k = 0; k < settings.size(); ++k) {
    Setting& setting = settings[k];
    const std::span<const TaskResult> results = judged.of_setting(k);
    std::vector<double> rates;
    double sum = 0;
    setting.infeasible = std::ranges::any_of(results, &TaskResult::infeasible);
    for (const TaskResult& result : results) setting.given_up = std::max(setting.given_up, result.given_up);
    setting.complete = !setting.infeasible && std::ranges::all_of(results, &TaskResult::complete);
    for (std::size_t r = 0; r < results.size(); ++r) {
      const double loss = results[r].loss(judging_loss(options, judged));
      rates.push_back(loss / static_cast<double>(judged.held_out[r]));  // NaN where nothing is held out
      sum += loss;
      setting.fit_seconds.push_back(results[r].fit_seconds);
      setting.score_seconds.push_back(results[r].score_seconds);
      setting.n_sv += static_cast<double>(results[r].support) / static_cast<double>(results.size());
      add_work(results[r], setting);
    }
    setting.error = setting.given_up == GivenUp::no ? sum / held_out : std::numeric_limits<double>::quiet_NaN();
    set_spread(rates, setting);
    for (const double rate : rates)
      setting.split_scores.push_back(judging_loss(options) == Loss::soft ? rate : 1 - rate);
    if (options.score != Score::accuracy && setting.complete) set_score(judged.predictions, k, setting);
  }
  return settings;
}

}  // namespace credence::selection
