#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/fold_models.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

/// Changing it changes everyone's folds in regions.
constexpr std::uint64_t region_purpose = 0x5041'5254'0000'0001;

/// The classes that the region tells apart: those with rows, or folds, enough, or the most frequent one (ties to the
/// first).
std::vector<int> known_classes(const RegionTask& task, const RegionResult& region) {
  std::vector<std::size_t> counts = region.class_counts;
  if (!task.fold_of.empty()) {
    std::vector<std::set<int>> folds(counts.size());
    for (std::size_t i = 0; i < task.rows.rows(); ++i)
      folds[static_cast<std::size_t>(task.rows.labels[i])].insert(task.fold_of[i]);
    for (std::size_t c = 0; c < counts.size(); ++c) counts[c] = folds[c].size();
  }
  std::vector<int> known;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] >= least_rows_of_class) known.push_back(static_cast<int>(c));
  const auto most = std::ranges::max_element(region.class_counts) - region.class_counts.begin();
  return known.empty() ? std::vector<int>{static_cast<int>(most)} : known;
}

bool equal_rows(const data::Features& rows) {
  const auto differs = [&](std::size_t i) {
    if (!rows.is_sparse()) return !std::ranges::equal(rows.dense().row(i), rows.dense().row(0));
    return !std::ranges::equal(rows.sparse().row_indices(i), rows.sparse().row_indices(0)) ||
           !std::ranges::equal(rows.sparse().row_values(i), rows.sparse().row_values(0));
  };
  for (std::size_t i = 1; i < rows.rows(); ++i)
    if (differs(i)) return false;
  return true;
}

/// A data set of the known classes alone, and where its rows and the others are in the region.
struct KnownRows {
  data::Dataset dataset;
  std::vector<int> classes;              ///< that are known
  std::vector<std::string> all_classes;  ///< names of the others too
  std::vector<std::size_t> rows;
  std::vector<std::size_t> others;
  /// Of folds that are the same in all partitions, the place of each among those that the rows have; folds without a
  /// row have the last.
  std::vector<std::uint32_t> place_of_fold;
};

/// Gives the known rows the folds of the task, numbered without gaps.
void keep_folds(const RegionTask& task, std::size_t folds, KnownRows& known) {
  std::vector<bool> there(folds, false);
  for (const std::size_t i : known.rows) there[static_cast<std::size_t>(task.fold_of[i])] = true;
  std::uint32_t next = 0;
  for (const bool has_rows : there) known.place_of_fold.push_back(has_rows ? next++ : UINT32_MAX);
  std::ranges::replace(known.place_of_fold, UINT32_MAX, next - 1);
  known.dataset.folds.clear();
  for (const std::size_t i : known.rows)
    known.dataset.folds.push_back(static_cast<int>(known.place_of_fold[static_cast<std::size_t>(task.fold_of[i])]));
}

KnownRows known_rows(const data::Dataset& region, const std::vector<int>& classes) {
  std::vector<int> code(region.class_count(), -1);
  for (std::size_t c = 0; c < classes.size(); ++c) code[static_cast<std::size_t>(classes[c])] = static_cast<int>(c);
  KnownRows known{{}, classes, region.schema.classes, {}, {}, {}};
  for (std::size_t i = 0; i < region.rows(); ++i)
    (code[static_cast<std::size_t>(region.labels[i])] >= 0 ? known.rows : known.others).push_back(i);
  known.dataset = region.select_rows(known.rows);
  known.dataset.schema.classes.clear();
  for (const int c : classes)
    known.dataset.schema.classes.push_back(region.schema.classes[static_cast<std::size_t>(c)]);
  for (int& label : known.dataset.labels) label = code[static_cast<std::size_t>(label)];
  return known;
}

/// Folds of the rows of one region, or of their groups.
std::vector<int> own_folds(const Options& options, const data::Dataset& known) {
  const std::size_t folds = std::min(options.resample_count(known.rows()), known.units());
  return data::folds_of(known, static_cast<int>(folds), options.seed, 2, options.name());
}

Options judged_by_errors(Options options) {
  options.score = Score::accuracy;
  options.label_costs.clear();
  return options;
}

/// The costs of labels, of the known classes alone.
std::string costs_among(const Options& options, const KnownRows& known) {
  const model::DecisionCosts costs = label_costs(options, known.all_classes);
  const std::vector<std::string>& names = known.dataset.schema.classes;
  std::vector<std::string> named;
  for (std::size_t t = 0; t < names.size(); ++t)
    for (std::size_t l = 0; l < names.size(); ++l)
      if (t != l)
        named.push_back(fmt::format("{}:{}={}", names[t], names[l], costs.at(known.classes[t], known.classes[l])));
  return fmt::format("{}", fmt::join(named, ","));
}

/// The options of one region: no preprocessing, its own seed, and the class weights and costs of its classes.
Options own_options(const Options& options, const KnownRows& known, std::size_t region) {
  Options own = options;
  own.estimate = options.estimate.value_or(Estimate::bbc);
  own.preparation.scalings = {data::Scaling::none};
  own.preparation.scope = ScaleScope::all;
  own.seed = seed_of_region(options.seed, region);
  std::erase_if(own.costs.class_weights.named, [&](const auto& named) {
    const std::vector<std::string>& names = known.dataset.schema.classes;
    return std::ranges::find(names, named.first) == names.end();
  });
  if (own.score == Score::cost) own.label_costs = costs_among(options, known);
  return own;
}

/// Rows x classes of the whole from those of the known classes, as svm::Region fills them.
void put_scores(std::span<const double> known, const std::vector<int>& classes, std::span<double> all) {
  std::ranges::fill(all, *std::ranges::min_element(known) - 1);
  for (std::size_t c = 0; c < classes.size(); ++c) all[static_cast<std::size_t>(classes[c])] = known[c];
}

/// Keeps what models said of a row that they had not seen. @param scores  of all classes
void keep_loss(const data::Dataset& region, Loss loss, std::size_t row, bool error, std::span<const double> scores,
               RegionResult& result) {
  const double own = scores[static_cast<std::size_t>(region.labels[row])];
  result.losses.resize(region.rows());
  result.losses[row] = static_cast<float>(loss == Loss::soft ? svm::soft_loss(own) : error ? 1 : 0);
}

/// The rows `which` as the machine of the region sees them, which was not trained on them.
void judge_by_machine(const data::Dataset& region, const std::vector<std::size_t>& which, Loss loss,
                      const core::Context& context, RegionResult& result) {
  if (which.empty()) return;
  const model::Scores scores =
      result.machine.score(1, region.class_count(), region.features.select_rows(which), context);
  for (std::size_t a = 0; a < which.size(); ++a)
    keep_loss(region, loss, which[a], scores.label(a, 0) != region.labels[which[a]], {scores.at(a, 0), scores.classes},
              result);
}

/// Out-of-fold judgements of the chosen setting, for the rows of known classes.
void take_known(const data::Dataset& region, const KnownRows& known, const std::vector<int>& classes,
                const std::vector<bool>& errors, const model::Calibration& calibration, Loss loss,
                RegionResult& result) {
  std::vector<double> own(classes.size());
  std::vector<double> all(region.class_count());
  for (std::size_t a = 0; a < known.rows.size(); ++a) {
    if (classes.size() > 2) {
      std::ranges::copy(calibration.scores.row(a), own.begin());
    } else {
      const auto label = static_cast<std::size_t>(known.dataset.labels[a]);
      own[label] = -calibration.nonconformity_scores[a];
      own[1 - label] = calibration.nonconformity_scores[a];
    }
    put_scores(own, classes, all);
    keep_loss(region, loss, known.rows[a], errors[a], all, result);
  }
}

std::optional<WantedSettings> wanted_settings(const Options& options, std::span<const std::uint8_t> wanted) {
  if (wanted.empty()) return std::nullopt;
  const std::size_t costs = options.costs.C.size();
  return WantedSettings({wanted.begin(), wanted.end()}, costs, core::numbers_below(wanted.size() / costs));
}

/// Cross-validation of the candidates on the known rows: the grid, the choice, and the honest estimate.
struct Crossed {
  Selection selection;
  std::vector<bool> errors;  ///< of the chosen setting, on each known row
  ModelMachines machines;
};

/// Settings are judged by what their errors add to the balanced accuracy of all rows. @param balance  by known class
void judge_by_balance(const data::Dataset& known, std::span<const double> balance, Predictions& predictions) {
  const std::vector<double> weights = error_costs(known, balance);
  predictions.score = Score::accuracy;  // a weighted one
  predictions.weights.clear();
  for (const std::uint32_t row : predictions.rows) predictions.weights.push_back(weights[row]);
}

/// @param wanted  as RegionTask::wanted  @param balance  as RegionTask::balance, of the known classes
Crossed cross_validate_region(const data::Dataset& known, const Options& options, std::span<const std::uint8_t> wanted,
                              std::span<const double> balance, const core::Context& context) {
  const std::vector<Resample> resamples = resamples_of_folds(own_folds(options, known));
  Crossed crossed{begin_report(known, options, context), {}, {}};
  Selection& selection = crossed.selection;
  const bool keep = !wanted.empty();  // machines of few settings take little room
  JudgedGrid judged = judge_grid(known, options, resamples, context, {}, ScoredSettings::if_they_fit,
                                 wanted_settings(options, wanted), keep);
  if (context.monitor.should_stop()) return crossed;
  if (!balance.empty()) judge_by_balance(known, balance, judged.predictions);
  selection.grid = settings_of(judged, known, options);
  choose(options, selection);
  if (!selection.best && options.score != Score::accuracy)
    return cross_validate_region(known, judged_by_errors(options), wanted, {}, context);
  if (!selection.best) return crossed;
  for (std::size_t i = 0; i < known.rows(); ++i)
    crossed.errors.push_back(judged.predictions.error(*selection.best, judged.place_of[i]));
  add_bbc(
      options, context, known.rows(), known.clusters(),
      [&](const core::Context& work) { return bbc_of_choice(known, options, judged, selection, work); }, selection);
  calibrate(known, options, judged, "out-of-fold", resamples, context, selection);
  crossed.machines = std::move(judged.machines);
  return crossed;
}

/// The one setting of a grid that is trained without a look at rows left out.
Selection first_setting(const data::Dataset& known, const Options& options, const core::Context& context) {
  Selection selection = begin_report(known, options, context);
  selection.grid = named_settings(reported_gammas(known, options), options);
  selection.best = 0;
  return selection;
}

void check_judged_groups(const data::Dataset& known, bool judged) {
  if (!judged || known.groups.empty()) return;
  if (std::ranges::adjacent_find(known.groups, std::not_equal_to<>{}) != known.groups.end()) return;
  refuse_data(
      "a region of the feature space holds rows of one group alone, so that nothing can be left out in it: give "
      "more rows to a region, or no groups",
      {known.source});
}

/// Trains the chosen setting on all known rows.
void fit_known_region(const data::Dataset& known, const std::vector<int>& classes, const Selection& selection,
                      const core::Context& context, RegionResult& result) {
  svm::TrainResult trained = retrain(known, selection, context);
  result.steps += trained.statistics.steps;
  result.factorisations += trained.statistics.factorisations;
  result.converged = trained.statistics.status == qp::Status::converged;
  if (!result.converged) ++result.unconverged;
  result.violation = trained.model.record.violation;
  const auto family = svm::family_of(trained.model);
  family->by_weights = family->kernel.type == kernel::KernelType::linear;
  result.machine = {classes, family};
}

/// Compares by the machines of the folds: the scores of each row by the one that left it out. Rows of classes that the
/// region does not know took part in no machine, so that the first judges them, or that of their fold.
/// @param folds  that are the same in all partitions, or 0  @param fold_model_of  of each known row
void compare_by_folds(const RegionTask& task, std::size_t folds, const KnownRows& known,
                      const std::vector<int>& fold_model_of, const core::Context& context, RegionResult& result) {
  const data::Dataset& rows = task.rows;
  const bool dealt = task.fold_of.empty();
  const std::size_t count = !dealt ? folds : result.folds.family ? result.folds.family->models() : 1;
  const model::Scores scores = result.folds.score(count, rows.class_count(), rows.features, context);
  model::Calibration& kept = result.calibration;
  kept.source = "out-of-fold";
  kept.labels = rows.labels;
  kept.fold_model_of = dealt ? std::vector<int>(rows.rows(), 0) : task.fold_of;
  for (std::size_t a = 0; dealt && a < fold_model_of.size(); ++a)
    kept.fold_model_of[known.rows[a]] = std::max(fold_model_of[a], 0);
  if (rows.class_count() > 2) kept.scores = data::DenseMatrix(rows.rows(), rows.class_count());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto fold_model = static_cast<std::size_t>(kept.fold_model_of[i]);
    const std::span own(scores.at(i, fold_model), scores.classes);
    result.labels.push_back(scores.label(i, fold_model));
    kept.nonconformity_scores.push_back(-own[static_cast<std::size_t>(rows.labels[i])]);
    if (kept.scores.rows > 0) std::ranges::copy(own, kept.scores.row(i).begin());
  }
}

/// What errors on the rows of a region count.
class RowWeights {
 public:
  RowWeights(const RegionTask& task, const Options& options) {
    if (!task.balance.empty())
      weights_ = error_costs(task.rows, task.balance);
    else if (weighs_errors(task.rows, options))
      weights_ = error_costs(task.rows, class_costs(task.rows, options));
  }

  double of(std::size_t row) const { return weights_.empty() ? 1 : weights_[row]; }
  double of_all(std::span<const std::size_t> rows) const {
    return std::accumulate(rows.begin(), rows.end(), 0.0, [&](double sum, std::size_t i) { return sum + of(i); });
  }
  double of_losses(std::span<const std::size_t> rows, std::span<const float> losses) const {
    return std::accumulate(rows.begin(), rows.end(), 0.0,
                           [&](double sum, std::size_t i) { return sum + of(i) * static_cast<double>(losses[i]); });
  }

 private:
  std::vector<double> weights_;
};

/// @param se  standard error of the mean over the known rows  @param known  what errors on them count
void set_error(const RowWeights& weights, double se, double known, std::span<const std::size_t> all,
               RegionResult& result) {
  if (result.weight == 0) return;
  result.error = weights.of_losses(all, result.losses) / result.weight;
  result.error_se = se * known / result.weight;
}

void run_one_class(const RegionTask& task, int label, const Options& options, const core::Context& context, bool judged,
                   RegionResult& result) {
  const data::Dataset& rows = task.rows;
  result.machine = {{label}};
  if (judged) {
    const std::vector<std::size_t> all = core::numbers_below(rows.rows());
    judge_by_machine(rows, all, judging_loss(options), context, result);
    result.folds.classes = {label};
    compare_by_folds(task, options.resample_count(rows.rows()), {}, {}, context, result);
    const auto n = static_cast<double>(rows.rows());
    set_error(RowWeights(task, options), 0, result.weight, all, result);
    result.error_se = n > 1 ? std::sqrt(result.error * (1 - std::min(result.error, 1.0)) / (n - 1)) : 0;
  }
  context.monitor.expect(1);
  context.monitor.advance();
  result.complete = true;
}

void run_known(const RegionTask& task, const std::vector<int>& classes, const Options& options,
               const core::Context& context, bool judged, RegionResult& result) {
  const data::Dataset& rows = task.rows;
  const std::size_t folds = options.resample_count(rows.rows());
  KnownRows known = known_rows(rows, classes);
  if (!task.fold_of.empty()) keep_folds(task, folds, known);
  check_judged_groups(known.dataset, judged);
  const Options own = own_options(options, known, result.region);
  std::vector<double> balance;
  for (const int c : classes)
    if (!task.balance.empty()) balance.push_back(task.balance[static_cast<std::size_t>(c)]);
  Crossed crossed = judged ? cross_validate_region(known.dataset, own, task.wanted, balance, context)
                           : Crossed{first_setting(known.dataset, own, context), {}, {}};
  if (context.monitor.should_stop() || crossed.selection.stopped != core::StopReason::none) return;
  if (!crossed.selection.best)
    refuse_data("no choice has a finite score in a region of the feature space", {rows.source});
  fit_known_region(known.dataset, classes, crossed.selection, context, result);
  if (context.monitor.should_stop()) return;
  const Setting& best = crossed.selection.grid[*crossed.selection.best];
  result.C = best.C;
  result.gamma = best.gamma;
  result.setting_count = task.wanted.empty() ? crossed.selection.grid.size()
                                             : static_cast<std::size_t>(std::ranges::count(task.wanted, 1));
  result.n_sv = best.n_sv;
  for (const Setting& setting : crossed.selection.grid) {
    if (judged)
      result.setting_losses.push_back(setting.complete ? setting.error : std::numeric_limits<double>::quiet_NaN());
    add_work(setting, result);
  }
  if (judged) {
    const Loss loss = judging_loss(options);
    take_known(rows, known, classes, crossed.errors, crossed.selection.calibration, loss, result);
    judge_by_machine(rows, known.others, loss, context, result);
    FoldModelRows fold_models = fold_model_rows(known.dataset, own);
    result.folds = {classes,
                    fold_model_family(known.dataset, crossed.selection,
                                      data::Preprocessing::fit(known.dataset, data::Scaling::none), context,
                                      fold_models, std::move(crossed.machines)),
                    known.place_of_fold};
    compare_by_folds(task, folds, known, fold_models.fold_model_of, context, result);
    const RowWeights weights(task, options);
    const double known_weight = weights.of_all(known.rows);
    const bool of_errors = own.score == Score::accuracy || !balance.empty();
    set_error(weights, of_errors ? best.error_se : 0, known_weight, core::numbers_below(rows.rows()), result);
    result.honest = crossed.selection.honest;
    if (result.honest && result.weight > 0) {
      const double others = weights.of_losses(known.others, result.losses);
      result.honest->error = (result.honest->error * known_weight + others) / result.weight;
    }
  }
  result.complete = true;
}

}  // namespace

RegionResult retrain_region(const data::Dataset& rows, const RegionReport& chosen, const Options& options,
                            const core::Context& context) {
  RegionResult result;
  result.region = chosen.region;
  result.machine = {chosen.classes};
  if (chosen.classes.size() == 1) return result;
  const KnownRows known = known_rows(rows, chosen.classes);
  Options own = own_options(options, known, chosen.region);
  own.kernels.types = {chosen.kernel};
  own.costs.C = {chosen.C};
  if (chosen.gamma > 0) own.kernels.gamma = {{kernel::GammaRule::Kind::value, chosen.gamma}};
  fit_known_region(known.dataset, chosen.classes, first_setting(known.dataset, own, context), context, result);
  return result;
}

std::uint64_t seed_of_region(std::uint64_t seed, std::size_t region) {
  return core::mixed(core::mixed(seed ^ region_purpose) + region);
}

RegionResult run_region(const RegionTask& task, const Options& given, const core::Context& context, bool judged) {
  const Options options = spaces_of(given)[task.space];
  const data::Dataset& rows = task.rows;
  RegionResult result;
  result.region = task.region;
  result.rows = rows.rows();
  result.class_counts = core::counts_of(rows.labels, rows.class_count());
  result.weight = RowWeights(task, options).of_all(core::numbers_below(rows.rows()));
  if (context.monitor.should_stop()) return result;
  const std::vector<int> classes = known_classes(task, result);
  try {
    if (classes.size() == 1 || equal_rows(rows.features)) {
      const auto most = std::ranges::max_element(result.class_counts) - result.class_counts.begin();
      run_one_class(task, static_cast<int>(most), options, context, judged, result);
    } else {
      run_known(task, classes, options, context, judged, result);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;  // the result is then not complete
  }
  return result;
}

}  // namespace credence::selection
