#include "credence/selection/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/core/recall.hpp"
#include "credence/core/version.hpp"
#include "credence/data/fingerprint.hpp"
#include "credence/data/splits.hpp"
#include "selection/choose/choose.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/fit/kept_parts.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {
namespace {

void check_fixed_folds(const data::Dataset& dataset) {
  const std::set<int> used(dataset.folds.begin(), dataset.folds.end());
  if (used.size() < 2 || *used.begin() != 0 || *used.rbegin() + 1 != static_cast<int>(used.size())) {
    refuse_data(fmt::format("the fixed folds must be numbered 0, 1, ... without gaps, and at least two; there are {}",
                            used.size()),
                {dataset.source});
  }
}

/// Whether a class with two rows or more lies in one fold, so that the other folds cannot teach it.
bool hides_a_class(std::span<const int> labels, std::span<const int> folds, std::size_t classes) {
  std::vector<std::set<int>> folds_of_class(classes);
  std::vector<std::size_t> rows(classes, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    folds_of_class[label].insert(folds[i]);
    ++rows[label];
  }
  for (std::size_t c = 0; c < classes; ++c)
    if (rows[c] > 1 && folds_of_class[c].size() == 1) return true;
  return false;
}

/// Folds that do not look at labels, but for the draws that are given up because they hide a class.
std::vector<int> plain_splits(const data::Dataset& dataset, const ComparisonOptions& options) {
  constexpr std::uint64_t purpose = 0x4e45'5354;
  constexpr std::uint64_t draws = 20;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const std::uint64_t seed = core::random_choice(options.seed, purpose, draw, ~std::uint64_t{0});
    std::vector<int> folds = data::folds_of(dataset, options.outer_folds, seed, 2, "a comparison", false);
    if (!hides_a_class(dataset.labels, folds, dataset.class_count())) return folds;
  }
  return data::folds_of(dataset, options.outer_folds, options.seed, 2, "a comparison");
}

std::vector<int> outer_splits(const data::Dataset& dataset, const ComparisonOptions& options) {
  if (!dataset.folds.empty()) check_fixed_folds(dataset);
  const bool dealt = dataset.clusters().empty() || dataset.copies_count_once;
  return dealt && !options.stratified ? plain_splits(dataset, options)
                                      : data::folds_of(dataset, options.outer_folds, options.seed, 2, "a comparison");
}

/// Whether two draws have the same folds, whatever their numbers.
bool same_folds(const std::vector<int>& one, const std::vector<int>& other) {
  std::map<int, int> there;
  std::map<int, int> back;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (there.try_emplace(one[i], other[i]).first->second != other[i]) return false;
    if (back.try_emplace(other[i], one[i]).first->second != one[i]) return false;
  }
  return true;
}

/// @param first  the folds of the first repeat
void check_repeats(const data::Dataset& dataset, const ComparisonOptions& options, const std::vector<int>& first) {
  if (options.repeats == 1) return;
  if (!dataset.folds.empty())
    refuse("repeats: the outer folds are fixed by the data, and each repeat would have the same ones");
  constexpr std::uint64_t few = 5;  // draws of little data may be equal by chance
  ComparisonOptions other = options;
  for (std::uint64_t draw = 1; draw <= few; ++draw) {
    other.seed = options.seed + draw;
    if (!same_folds(first, outer_splits(dataset, other))) return;
  }
  refuse(fmt::format("repeats: {} outer folds of these {} {} can be drawn in one way only", options.outer_folds,
                     dataset.units(), dataset.groups.empty() ? "rows" : "groups"));
}

/// Rows in (or out of) a fold.
data::Dataset part(const data::Dataset& dataset, const std::vector<int>& splits, int fold, bool held_out) {
  return dataset.select_rows(data::rows_where(splits, [&](int other) { return (other == fold) == held_out; }));
}

std::size_t count_errors(const model::Prediction& prediction, const data::Dataset& truth) {
  std::size_t errors = 0;
  for (std::size_t i = 0; i < truth.rows(); ++i) errors += prediction.label[i] != truth.labels[i] ? 1U : 0U;
  return errors;
}

/// Balanced weights are those of the rows that the selection saw.
ScoreSums weighted_errors(const data::Dataset& training, const Options& options, const model::Prediction& prediction,
                          const data::Dataset& test) {
  const auto losses =
      core::made(test.rows(), [&](std::size_t i) { return prediction.label[i] != test.labels[i] ? 1.0 : 0.0; });
  return sums_of_losses(losses, error_costs(test, class_costs(training, options)));
}

/// What the method says of the error rate by rows that chose nothing; see OuterFold.
std::optional<double> honest_error(const Selection& selection) {
  if (selection.honest) return selection.honest->error;
  const auto& estimation = selection.estimation();
  return estimation && estimation->independent ? std::optional<double>(estimation->hard) : std::nullopt;
}

/// Selects and trains on the training rows, and judges the choice on the test rows.
/// @return a fold that is not complete if the monitor stopped the work
OuterFold select_and_judge(const Contestant& contestant, const data::Dataset& training, const data::Dataset& test,
                           const core::Context& context) {
  const core::Stopwatch watch;
  OuterFold fold;
  fold.rows = test.rows();
  const Selection selection = Selector(contestant.options).select(training, context);
  if (selection.stopped != core::StopReason::none) return fold;
  const auto predictor = model_without_folds(training, selection, context);
  const model::Prediction prediction = predictor->predict(test, context);
  fold.errors = count_errors(prediction, test);
  fold.sums = selection.weighted ? weighted_errors(training, contestant.options, prediction, test)
                                 : outer_sums(contestant.options, *predictor, prediction, test);
  fold.loss =
      contestant.options.score == Score::accuracy ? fold.error() : loss_of_sums(contestant.options.score, fold.sums);
  if (selection.best) {
    fold.chosen = selection.grid[*selection.best];
    if (!selection.in_sample() && !selection.evidence()) fold.selected_score = selection.chosen_error();
  }
  fold.honest = honest_error(selection);
  fold.bound = selection.error_bound();
  fold.warnings = selection.warnings;
  fold.seconds = watch.seconds() - (selection.honest ? selection.honest->seconds : 0);
  fold.complete = true;
  return fold;
}

/// What a run's result depends on.
core::Fingerprint key_of(const Contestant& contestant, const data::Dataset& training, const data::Dataset& test) {
  core::Fingerprint sum;
  sum.add("outer, with sums");
  data::add_with_columns(sum, training);
  data::add_with_columns(sum, test);
  add_to(sum, contestant.options);
  return sum;
}

/// The same, unless the checkpoint has the run.
OuterFold run(const Contestant& contestant, const data::Dataset& outer_training, const data::Dataset& test,
              const core::Context& context) {
  const data::Dataset narrowed = contestant.narrow ? contestant.narrow(outer_training) : data::Dataset{};
  const data::Dataset& training = contestant.narrow ? narrowed : outer_training;
  if (context.checkpoint == nullptr) return select_and_judge(contestant, training, test, context);
  const core::Fingerprint key = key_of(contestant, training, test);
  if (auto known = core::recalled<OuterFold>(context, key, [](const OuterFold& fold) { return fold.complete; })) {
    context.monitor.expect(1);
    context.monitor.advance(1);
    return *known;
  }
  OuterFold fold = select_and_judge(contestant, training, test, context);
  if (fold.complete) core::keep(context, key, fold);
  return fold;
}

/// Runs a fold as `run` does. If the work ends in an Error because the monitor stopped it, the fold is not complete.
/// @param where  names method and fold in messages
OuterFold run_unless_stopped(const Contestant& contestant, const data::Dataset& training, const data::Dataset& test,
                             const std::string& where, const core::Context& context) {
  OuterFold unfinished;
  unfinished.rows = test.rows();
  if (context.monitor.should_stop()) return unfinished;
  core::Monitor monitor(context.monitor, OuterRuns::units_of_a_run);
  try {
    return run(contestant, training, test, context.with(monitor));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted && context.monitor.should_stop()) return unfinished;
    const char* within =
        training.folds.empty() ? "" : " (within an outer fold only the other fixed folds of the file are left)";
    throw Error(error.code(), fmt::format("{}: {}{}", where, error.sentence(), within), error.location());
  }
}

/// The mean of a number that every complete fold has; none if one of them lacks it.
std::optional<double> mean_over_folds(const std::vector<OuterFold>& folds, std::optional<double> OuterFold::*member) {
  double sum = 0;
  std::size_t count = 0;
  for (const OuterFold& fold : folds) {
    if (!fold.complete) continue;
    if (!(fold.*member)) return std::nullopt;
    sum += *(fold.*member);
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional<double>(sum / static_cast<double>(count));
}

/// What each fold adds to the mean over folds: its error rate, or its part in the score of a repeat (PooledLoss). NaN
/// for folds that are not complete or have no score.
std::vector<double> fold_values(const MethodResult& result, Score score, int folds_of_repeat) {
  std::vector<double> values;
  for (std::size_t first = 0; first < result.folds.size(); first += static_cast<std::size_t>(folds_of_repeat)) {
    const std::size_t end = std::min(first + static_cast<std::size_t>(folds_of_repeat), result.folds.size());
    std::vector<ScoreSums> parts;
    for (std::size_t f = first; f < end; ++f)
      parts.push_back(result.folds[f].complete ? result.folds[f].sums : ScoreSums{});
    const PooledLoss pooled = pooled_loss(score, parts);
    for (std::size_t f = first; f < end; ++f) {
      const bool by_error = score == Score::accuracy && result.folds[f].complete;
      values.push_back(by_error ? result.folds[f].loss : pooled.values[f - first]);
    }
  }
  return values;
}

void summarise(Score score, int folds_of_repeat, MethodResult& result) {
  std::vector<double> errors = fold_values(result, score, folds_of_repeat);
  std::erase_if(errors, [](double value) { return std::isnan(value); });
  for (const OuterFold& fold : result.folds) {
    if (fold.complete) result.seconds += fold.seconds;
    for (const std::string& warning : fold.warnings)
      if (std::ranges::find(result.warnings, warning) == result.warnings.end()) result.warnings.push_back(warning);
  }
  if (!errors.empty()) result.mean_error = core::mean_of(errors);
  result.error_std = deviation(errors);
  result.mean_selected_score = mean_over_folds(result.folds, &OuterFold::selected_score);
  result.mean_honest = mean_over_folds(result.folds, &OuterFold::honest);
  result.mean_bound = mean_over_folds(result.folds, &OuterFold::bound);
}

/// The test over the folds that both methods completed.
std::optional<PairedTest> paired_test(const Comparison& comparison, const MethodResult& a, const MethodResult& b) {
  const std::vector<double> of_a = fold_values(a, comparison.score, comparison.outer_folds);
  const std::vector<double> of_b = fold_values(b, comparison.score, comparison.outer_folds);
  std::vector<double> first;
  std::vector<double> second;
  double test_rows = 0;
  double training_rows = 0;
  for (std::size_t f = 0; f < a.folds.size(); ++f) {
    if (std::isnan(of_a[f]) || std::isnan(of_b[f])) continue;
    first.push_back(of_a[f]);
    second.push_back(of_b[f]);
    test_rows += static_cast<double>(a.folds[f].rows);
    training_rows += static_cast<double>(comparison.n - a.folds[f].rows);
  }
  if (first.size() < 2) return std::nullopt;
  return corrected_resampled_t_test(first, second, test_rows / training_rows);
}

void add_tests(Comparison& comparison) {
  const std::size_t count = comparison.methods.size();
  comparison.tests.assign(count * count, std::nullopt);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const auto test = paired_test(comparison, comparison.methods[a], comparison.methods[b]);
      comparison.tests[a * count + b] = test;
      if (test)
        comparison.tests[b * count + a] = PairedTest{-test->mean_difference, -test->t, test->p_value, test->half_width};
    }
  }
}

void check_contestants(const data::Dataset& dataset, const std::vector<Contestant>& contestants) {
  if (contestants.empty()) refuse("a comparison needs at least one method");
  if (dataset.is_regression())
    refuse("methods are compared by the rows that they misclassify, and a regression has no classes", {dataset.source});
  if (!dataset.splits.empty()) {
    refuse("outer folds are drawn anew, and would tear apart what the splits of the data keep together",
           {dataset.source});
  }
  for (const Contestant& contestant : contestants) {
    const Score shared = contestants.front().options.score;
    if (contestant.options.score != shared) {
      refuse(fmt::format("methods are compared by one score, but {} chooses by the {} and {} by the {}",
                         contestants.front().name, title(shared), contestant.name, title(contestant.options.score)));
    }
    if (contestant.options.label_costs != contestants.front().options.label_costs) {
      refuse(fmt::format("methods are compared by the same costs, but {} has others than {}", contestant.name,
                         contestants.front().name));
    }
    if (is_precomputed(Selector(contestant.options).options()))  // which finds wrong options before any work
      refuse("a comparison runs selections on parts of the rows, and takes no precomputed kernel");
  }
  data::check_trainable(dataset);
}

/// As many outer folds as the method itself has; 10, or one for each row (group), for methods without.
int nested_folds(const data::Dataset& dataset, const Options& options) {
  return static_cast<int>(options.traits().folds ? options.resample_count(dataset.rows())
                                                 : std::clamp<std::size_t>(dataset.units(), 2, 10));
}

}  // namespace

std::vector<std::string> ComparisonOptions::validate() const {
  constexpr std::int64_t most_folds = 100'000;
  ComparisonOptions checked = *this;
  std::vector<std::string> problems = core::problems_of(core::fields_of(checked));
  if (problems.empty() && repeats > 1 && std::int64_t{repeats} * outer_folds > most_folds)
    problems.push_back(
        fmt::format("repeats: {} times {} outer folds are more than {}", repeats, outer_folds, most_folds));
  return problems;
}

OuterRuns::OuterRuns(const data::Dataset& dataset, std::vector<Contestant> contestants,
                     const ComparisonOptions& options)
    : contestants_(std::move(contestants)), options_(options) {
  check_contestants(dataset, contestants_);
  throw_if_any(options.validate());
  RowsInUse used = rows_in_use(dataset, contestants_.front().options);
  dataset_ = std::move(used.rows);
  note_ = std::move(used.note);
  for (Contestant& contestant : contestants_) {
    contestant.options.copies = used.options.copies;
    contestant.options.looks_at_columns = false;
  }
  const std::vector<int> splits = outer_splits(*dataset_, options);
  check_repeats(*dataset_, options, splits);
  folds_ = *std::ranges::max_element(splits) + 1;
}

OuterFold OuterRuns::run(std::size_t which, const core::Context& context) const {
  context.monitor.expect(units_of_a_run);
  const std::size_t contestant = which % contestants_.size();
  return run_fold(static_cast<int>(which / contestants_.size()), std::span(&contestant, 1), context).front();
}

std::vector<OuterFold> OuterRuns::run_fold(int fold, std::span<const std::size_t> contestants,
                                           const core::Context& context) const {
  const int repeat = fold / folds_;
  ComparisonOptions of_repeat = options_;
  of_repeat.seed += static_cast<std::uint64_t>(repeat);
  const std::vector<int> splits = outer_splits(*dataset_, of_repeat);
  if (context.monitor.should_stop()) {
    OuterFold unfinished;
    unfinished.rows = static_cast<std::size_t>(std::ranges::count(splits, fold % folds_));
    return std::vector<OuterFold>(contestants.size(), unfinished);
  }
  const data::Dataset training = part(*dataset_, splits, fold % folds_, false);
  const data::Dataset test = part(*dataset_, splits, fold % folds_, true);
  const std::string where = (options_.repeats > 1 ? fmt::format("repeat {}, ", repeat + 1) : std::string()) +
                            fmt::format("fold {}", fold % folds_ + 1);
  return core::mapped(contestants, [&](std::size_t m) {
    const Contestant& contestant = contestants_[m];
    return run_unless_stopped(contestant, training, test, fmt::format("{}, {}", where, contestant.name), context);
  });
}

Comparison OuterRuns::merged(std::vector<OuterFold> runs, double seconds, const core::Context& context) const {
  Comparison comparison;
  comparison.n = dataset_->rows();
  comparison.score = contestants_.front().options.score;
  comparison.outer_folds = folds_;
  comparison.options = options_;
  comparison.threads = context.threads.count();
  comparison.version = version();
  for (const Contestant& contestant : contestants_) {
    MethodResult& method = comparison.methods.emplace_back();
    method.name = contestant.name;
    method.options = contestant.options.resolved_for(*dataset_);
  }
  for (std::size_t k = 0; k < runs.size(); ++k)
    comparison.methods[k % contestants_.size()].folds.push_back(std::move(runs[k]));
  bool complete = true;
  for (MethodResult& method : comparison.methods) {
    if (!note_.empty() && method.options.copies != data::Copies::keep) method.warnings.push_back(note_);
    summarise(comparison.score, comparison.outer_folds, method);
    complete = complete && std::ranges::all_of(method.folds, [](const OuterFold& f) { return f.complete; });
  }
  add_tests(comparison);
  comparison.stopped = complete ? core::StopReason::none : context.monitor.stop_reason();
  comparison.seconds = seconds;
  return comparison;
}

namespace {

Comparison run_all(const OuterRuns& runs, const core::Stopwatch& watch, const core::Context& context) {
  context.monitor.expect(OuterRuns::units_of_a_run * runs.size());
  const auto folds = static_cast<std::size_t>(runs.folds());
  const std::vector<std::size_t> contestants = core::numbers_below(runs.size() / folds);
  std::vector<OuterFold> done;
  for (std::size_t fold = 0; fold < folds; ++fold)
    for (OuterFold& run : runs.run_fold(static_cast<int>(fold), contestants, context)) done.push_back(std::move(run));
  return runs.merged(std::move(done), watch.seconds(), context);
}

}  // namespace

Comparison compare(const data::Dataset& dataset, const std::vector<Contestant>& contestants,
                   const ComparisonOptions& options, const core::Context& context) {
  const core::Stopwatch watch;
  return run_all(OuterRuns(dataset, contestants, options), watch, context);
}

OuterRuns nested_runs(const data::Dataset& dataset, const Options& options) {
  Contestant contestant{std::string(options.name()), options};
  contestant.options.estimate = Estimate::none;  // an estimate within the estimate would never end
  if (options.traits().evidence && options.learner() == Learner::rvm) {  // whose folds make p-values alone
    std::visit(
        [](auto& method) {
          if constexpr (requires { method.folds.reset(); }) method.folds.reset();
        },
        contestant.options.method);
  }
  return {dataset, {std::move(contestant)}, {nested_folds(dataset, options), options.seed, false}};
}

HonestEstimate nested_estimate(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const core::Stopwatch watch;
  return nested_estimate_of(dataset, options, run_all(nested_runs(dataset, options), watch, context));
}

HonestEstimate nested_estimate_of(const data::Dataset& dataset, const Options& options, const Comparison& comparison) {
  std::vector<FoldErrors> folds;
  std::vector<FoldScore> scores;
  for (const OuterFold& fold : comparison.methods.front().folds) {
    if (!fold.complete) continue;
    folds.push_back({fold.rows, fold.errors});
    scores.push_back({fold.rows, fold.sums});
  }
  const bool weighted = weighs_errors(dataset, options);
  HonestEstimate estimate = comparison.score == Score::accuracy && !weighted
                                ? estimate_of_folds(folds, !dataset.clusters().empty() && !dataset.copies_count_once,
                                                    options.delta, dataset.share_that_counts())
                                : estimate_of_fold_scores(scores, comparison.score, options.delta);
  if (weighted) estimate.score = "weighted error";
  estimate.seconds = comparison.seconds;
  return estimate;
}

}  // namespace credence::selection
