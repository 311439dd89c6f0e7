#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>

#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/chosen/chosen_models.hpp"
#include "selection/frame/conclude.hpp"
#include "selection/frame/head.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/grid/task_visits.hpp"
#include "selection/kept/kept_parts.hpp"
#include "selection/methods/left_out_machine.hpp"
#include "selection/score/averaged.hpp"
#include "selection/score/error_weights.hpp"

namespace credence::selection {
namespace {

/// The rows of one share of n.
std::vector<std::size_t> rows_of_share(std::size_t n, std::size_t share) {
  std::vector<std::size_t> rows;
  for (std::size_t i = share; i < n; i += shares_of_gamma) rows.push_back(i);
  return rows;
}

/// What is said of the rows of one share when they are left out, at one gamma.
struct LeftOutResult {
  std::vector<TaskResult> costs;
  std::vector<std::uint16_t> labels;  ///< (cost, row of the share), the row fastest; 0 where a cost is not complete
  std::vector<double> scores;         ///< of the true class, likewise
  std::vector<float> class_scores;    ///< of all classes, class fastest; empty unless they are wanted

  /// Whether the sizes are those of so many costs, rows and classes.
  /// @param all_classes  whether the scores of all classes are wanted
  bool fits(std::size_t cost_count, std::size_t rows, std::size_t classes, bool all_classes) const {
    return costs.size() == cost_count && labels.size() == cost_count * rows && scores.size() == labels.size() &&
           class_scores.size() == (all_classes ? labels.size() * classes : 0) &&
           std::ranges::all_of(labels, [&](std::uint16_t label) { return label < classes; });
  }
  bool complete() const { return std::all_of(costs.begin(), costs.end(), std::mem_fn(&TaskResult::complete)); }
};

template <class Bytes>
void visit(Bytes& bytes, LeftOutResult& result) {
  bytes(result.costs, result.labels, result.scores, result.class_scores);
}

/// All machines of one gamma and one share of the rows, whose decision values are wanted.
class LeftOutTask {
 public:
  LeftOutTask(const data::Dataset& dataset, const Options& options, LeftOutRows wanted, std::size_t share)
      : dataset_(dataset),
        options_(options),
        wanted_(wanted),
        share_(share),
        machines_(svm::machine_layout(dataset.class_count())),
        decisions_(machines_, dataset.class_count(), options.costs.C.size(), rows_of_share(dataset.rows(), share)),
        labels_(options.costs.C.size()),
        is_support_(options.costs.C.size(), std::vector<bool>(dataset.rows(), false)),
        results_(options.costs.C.size()),
        solved_(options.costs.C.size(), 0) {}

  void run(kernel::Rows& rows, const core::Monitor& monitor) {
    const std::vector<double> factors = factors_of(dataset_, options_, all_rows(dataset_.rows()));
    const svm::MachineParts parts(rows, dataset_.labels, factors, machines_, dataset_.class_count());
    std::vector<std::vector<LeftOut>> left_out(machines_.size());
    for (std::size_t m = 0; m < machines_.size() && !monitor.should_stop(); ++m) {
      const svm::MachinePart part = parts.part(m);
      LeftOutMachine(part, options_, wanted_, monitor)
          .run(share_, [&](const svm::PathPoint& point, const std::vector<double>& decisions, const TaskResult& cost) {
            decisions_.take(point, m, part, parts);
            keep_own(point.index, part, decisions, left_out[m]);
            take(point, part, cost);
          });
    }
    // decisions_ holds the values of the machines with all rows; then the values of rows left out replace their own.
    judged_ = decisions_.finish(rows, parts, monitor);
    for (std::size_t m = 0; m < machines_.size(); ++m)
      for (const LeftOut& one : left_out[m]) decisions_.replace(one.cost, m, one.judged, one.decision);
    for (std::size_t c = 0; c < labels_.size(); ++c)
      if (complete(c)) labels_[c] = decisions_.labels(c);
  }

  /// The rows that have decision values. The members below take h, a position in this list.
  const std::vector<std::size_t>& rows() const { return decisions_.judged(); }
  bool complete(std::size_t c) const { return judged_ && solved_[c] == machines_.size(); }
  std::vector<double> scores(std::size_t c) const { return decisions_.scores(c); }
  std::size_t label(std::size_t h) const { return static_cast<std::size_t>(dataset_.labels[rows()[h]]); }
  /// @param all_classes  also the scores of all classes
  LeftOutResult result(bool all_classes) const {
    const std::size_t size = rows().size();
    const std::size_t classes = dataset_.class_count();
    LeftOutResult result{results_, std::vector<std::uint16_t>(labels_.size() * size, 0),
                         std::vector<double>(labels_.size() * size, 0),
                         std::vector<float>(all_classes ? labels_.size() * size * classes : 0, 0)};
    for (std::size_t c = 0; c < labels_.size(); ++c) {
      result.costs[c].complete = complete(c);
      result.costs[c].support =
          static_cast<std::size_t>(std::count(is_support_[c].begin(), is_support_[c].end(), true));
      if (!complete(c)) continue;
      const std::vector<double> said = scores(c);
      for (std::size_t h = 0; h < size; ++h) {
        result.labels[c * size + h] = static_cast<std::uint16_t>(labels_[c][h]);
        result.scores[c * size + h] = said[label(h) * size + h];
        for (std::size_t k = 0; all_classes && k < classes; ++k)
          result.class_scores[(c * size + h) * classes + k] = static_cast<float>(said[k * size + h]);
      }
    }
    return result;
  }

 private:
  /// The decision value of a row by a machine trained without that row.
  struct LeftOut {
    std::size_t cost;
    std::size_t judged;
    double decision;
  };

  void keep_own(std::size_t cost, const svm::MachinePart& part, const std::vector<double>& decisions,
                std::vector<LeftOut>& left_out) const {
    for (std::size_t a = 0; a < decisions.size(); ++a)
      if (part.rows[a] % shares_of_gamma == share_)
        left_out.push_back({cost, part.rows[a] / shares_of_gamma, decisions[a]});
  }

  void take(const svm::PathPoint& point, const svm::MachinePart& part, const TaskResult& cost) {
    const std::size_t c = point.index;
    for (std::size_t a = 0; a < part.rows.size(); ++a)
      if (point.state.beta[a] != 0) is_support_[c][part.rows[a]] = true;
    TaskResult& result = results_[c];
    // The path itself is counted once.
    result.steps += cost.steps + (share_ == 0 ? point.statistics.steps : 0);
    result.factorisations += cost.factorisations + (share_ == 0 ? point.statistics.factorisations : 0);
    result.unconverged += cost.unconverged;
    ++solved_[c];
  }

  const data::Dataset& dataset_;
  const Options& options_;
  LeftOutRows wanted_;
  std::size_t share_;
  std::vector<svm::BinaryMachine> machines_;
  svm::JudgedDecisions decisions_;
  std::vector<std::vector<int>> labels_;  ///< per complete cost, of the judged rows
  std::vector<std::vector<bool>> is_support_;
  std::vector<TaskResult> results_;
  std::vector<std::size_t> solved_;
  bool judged_ = false;
};

/// Whether cells are compared by the scores of rows, not by their labels alone.
bool compares_scores(const Options& options) {
  if (options.rule == Rule::average) return true;
  if (options.score == Score::cost) return false;
  return options.loss == Loss::soft || kept_of(options) == Kept::margins || kept_of(options) == Kept::losses;
}

/// Makes all rows one resample, over which a score is taken at once.
void pool(OutOfSample& said) {
  if (!said.empty()) said.starts = {0, said.places()};
}

/// Leave-one-out with the preprocessing fitted once. Support vectors alone are left out, each from the solution with
/// all rows. Soft losses and strangeness are computed if the selection compares scores of rows.
JudgedGrid leave_out_each(GridRun run, const data::Dataset& dataset, const Options& options,
                          const core::Context& context) {
  JudgedGrid judged;
  judged.judged.assign(dataset.rows(), 1);
  judged.held_out.resize(shares_of_gamma);
  for (std::size_t i = 0; i < dataset.rows(); ++i) ++judged.held_out[i % shares_of_gamma];
  const bool by_score = compares_scores(options);
  judged.results.resize(run.cells() * shares_of_gamma);
  judged.errors.assign(dataset.rows() * run.cells(), 0);
  if (weighs_errors(dataset, options)) judged.weights = error_weights(dataset, class_costs(dataset, options));
  const bool weighted = !judged.weights.empty();
  judged.soft.assign(by_score || weighted ? judged.errors.size() : 0, 0);
  judged.strangeness.assign(by_score ? judged.errors.size() : 0, 0);
  std::vector<std::size_t> every(dataset.rows());
  std::iota(every.begin(), every.end(), std::size_t{0});
  OutOfSample& said = judged.said =
      room_for(options, std::span(&every, 1), dataset.labels, dataset.weights, dataset.schema.classes, run.cells());
  if (options.rule == Rule::average) make_room_for_average(dataset, context, judged);
  const std::size_t classes = said.clipped.classes();
  const auto take = [&](const LeftOutResult& found, std::size_t gamma, std::size_t share) {
    const std::vector<std::size_t> rows = rows_of_share(dataset.rows(), share);
    for (std::size_t c = 0; c < run.costs(); ++c) {
      const std::size_t cell = gamma * run.costs() + c;
      TaskResult& result = judged.results[cell * shares_of_gamma + share];
      result = found.costs[c];
      for (std::size_t h = 0; result.complete && h < rows.size(); ++h) {
        const std::size_t at = rows[h] * run.cells() + cell;
        const int label = found.labels[c * rows.size() + h];
        const double score = found.scores[c * rows.size() + h];
        judged.errors[at] = label != dataset.labels[rows[h]] ? 1 : 0;
        result.errors += judged.errors[at];
        if (said.takes_labels()) said.set_label(cell, rows[h], static_cast<std::size_t>(label));
        if (by_score) judged.strangeness[at] = -score;
        if (by_score || weighted) {
          judged.soft[at] = options.loss == Loss::soft || !weighted ? svm::soft_loss(score) : judged.errors[at];
          if (weighted) judged.soft[at] *= judged.weights[rows[h]];
          result.soft += judged.soft[at];
        }
        const double margin = dataset.labels[rows[h]] == 1 ? score : -score;
        if (said.kept == Kept::losses && said.score == Score::accuracy)
          said.values[cell * said.places() + rows[h]] =
              judging_loss(options, judged) == Loss::soft ? judged.soft[at] : judged.errors[at];
        else if ((said.kept == Kept::margins || said.kept == Kept::losses) && !said.takes_labels())
          said.values[cell * said.places() + rows[h]] = margin;
        if (classes == 2) said.clipped.set(rows[h], cell, 1, margin);
        for (std::size_t k = 0; classes > 2 && k < classes; ++k) {
          const float own = found.class_scores[(c * rows.size() + h) * classes + k];
          said.clipped.set(rows[h], cell, k, double{own});
        }
      }
    }
  };
  const bool all_classes = classes > 2;
  const char* const what = all_classes ? "left out, all classes"
                           : by_score  ? "left out, all support vectors"
                                       : "left out";
  const KeptParts kept(what, dataset, options, context);
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (std::uint64_t gamma = 0; kept.any() && gamma < run.gammas(); ++gamma) {
    for (std::uint64_t share = 0; share < shares_of_gamma; ++share) {
      const std::size_t rows = rows_of_share(dataset.rows(), share).size();
      const auto found = kept.recall<LeftOutResult>(std::array{gamma, share}, [&](const LeftOutResult& result) {
        return result.fits(run.costs(), rows, dataset.class_count(), all_classes);
      });
      if (!found) continue;
      take(*found, gamma, share);
      known.emplace(gamma, share);
    }
  }
  run.leave_out(std::move(known));
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t share) {
    LeftOutTask task(dataset, options, by_score ? LeftOutRows::scores : LeftOutRows::errors, share);
    task.run(rows, context.monitor);
    LeftOutResult found = task.result(all_classes);
    take(found, gamma, share);
    if (found.complete()) kept.keep(std::array<std::uint64_t, 2>{gamma, share}, found);
  });
  if (said.score == Score::log_loss && !context.monitor.should_stop()) judge_by_sigmoids(options.seed, context, said);
  return judged;
}

/// Computes the scores of all rows when they are left out, for the chosen cell. The grid did not leave out
/// misclassified support vectors; here they are left out too, along the same path to the C of the cell. Empty if the
/// monitor says stop.
model::Calibration left_out_margins(const data::Dataset& dataset, const Options& options, const Selection& selection,
                                    std::span<const Resample> parts, const core::Context& context) {
  const std::size_t costs = options.costs.C.size();
  const std::size_t chosen = *selection.best % costs;
  const Options to_cell = narrowed(options, *selection.best / costs, chosen + 1);
  model::Calibration result{"left-one-out", model::Trust::measured, std::vector<double>(dataset.rows()),
                            dataset.labels};
  if (dataset.class_count() > 2) result.scores = data::DenseMatrix(dataset.rows(), dataset.class_count());
  GridRun(dataset, to_cell, parts, context).run([&](kernel::Rows& rows, std::size_t, std::size_t share) {
    LeftOutTask task(dataset, to_cell, LeftOutRows::margins, share);
    task.run(rows, context.monitor);
    if (!task.complete(chosen)) return;
    const std::vector<double> said = task.scores(chosen);
    for (std::size_t h = 0, size = task.rows().size(); h < size; ++h) {
      const std::size_t i = task.rows()[h];
      result.strangeness[i] = -said[task.label(h) * size + h];
      for (std::size_t k = 0; k < result.scores.columns; ++k) result.scores.row(i)[k] = said[k * size + h];
    }
  });
  return context.monitor.should_stop() ? model::Calibration{} : result;
}

class LeaveOneOutRun {
 public:
  explicit LeaveOneOutRun(const Options& options) : options_(options) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const {
    check_data(dataset, options_);
    Selection selection = begin_report(dataset, options_, context);
    selection.score = score_name("leave-one-out", selection);
    selection.resamples = static_cast<int>(dataset.rows());
    const std::vector<Resample> parts(shares_of_gamma, all_rows(dataset.rows()));
    const bool fast = leaves_boxes_only(dataset, parts, context);
    const JudgedGrid judged =
        fast ? leave_out_each(GridRun(dataset, options_, parts, context), dataset, options_, context)
             : refit_each(dataset, context);
    selection.grid = cells_of(judged, dataset, options_);
    set_spreads(judged, selection.grid);
    add_average(judged.said, options_, context, selection);
    Options concluding = options_;
    if (!dataset.clusters().empty()) {
      const bool copies = dataset.copies_count_once;
      const char* cluster = dataset.folds.empty() ? "group" : "fixed fold";
      selection.warnings.push_back(
          fmt::format("leave-one-out does not know {}: {} judge each other, so that bootstrap correction has no honest "
                      "estimate, and no margins are kept for p-values",
                      copies ? "copies" : fmt::format("{}s", cluster),
                      copies ? "copies of a row" : fmt::format("rows of a {}", cluster)));
      concluding.estimate = options_.estimate == Estimate::bbc ? Estimate::none : options_.estimate;
    }
    finish(
        dataset, concluding, context, [&] { return judged.losses(judging_loss(options_, judged)); }, judged.said,
        selection);
    if (selection.best && selection.stopped == core::StopReason::none) {
      const double begun = context.monitor.seconds();
      // A grid that leaves support vectors out one by one keeps the scores of the true classes alone.
      const bool margins_missing = fast && (!compares_scores(options_) || dataset.class_count() > 2);
      if (selection.average)
        add_estimation_of_average(dataset, judged, selection);
      else
        add_estimation(dataset, judged, margins_missing, parts, context, selection);
      if (!dataset.clusters().empty()) selection.calibration = {};
      selection.seconds += context.monitor.seconds() - begun;
    }
    return selection;
  }

 private:
  /// Whether leaving a row out closes its box and changes nothing else. A fitted preprocessing, balanced weights and a
  /// nu would change too, because they depend on all rows.
  bool leaves_boxes_only(const data::Dataset& dataset, std::span<const Resample> parts,
                         const core::Context& context) const {
    return GridRun(dataset, options_, parts, context).same_preprocessing() && !options_.costs.class_weights.balanced &&
           options_.costs.nu.empty();
  }

  /// The n losses of a cell, whose mean is its error; none where the error is no mean.
  std::vector<double> losses_of(const JudgedGrid& judged, std::size_t cell) const {
    if (judged.said.kept == Kept::losses) {
      const std::span<const double> losses = judged.said.values_of(cell);
      return {losses.begin(), losses.end()};
    }
    std::vector<double> losses;
    for (std::size_t at = cell; judged.said.empty() && at < judged.errors.size(); at += judged.cells())
      losses.push_back(judging_loss(options_, judged) == Loss::soft ? judged.soft[at] : judged.errors[at]);
    return losses;
  }

  /// Spreads over the rows; the shares in which rows were left out are no resamples.
  void set_spreads(const JudgedGrid& judged, std::vector<Cell>& cells) const {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::vector<double> losses = losses_of(judged, k);
      set_spread(losses, cells[k]);
      if (losses.empty() && options_.rule_or_best() != Rule::best && cells[k].complete)
        cells[k].error_se = error_over_rows(judged.said, k);
      cells[k].split_scores.clear();
      cells[k].fit_seconds.clear();
      cells[k].score_seconds.clear();
    }
  }

  /// The same as `add_estimation`, of the average of cells.
  void add_estimation_of_average(const data::Dataset& dataset, const JudgedGrid& judged, Selection& selection) const {
    const std::vector<std::size_t>& members = selection.average->members;
    selection.calibration = judged.calibration_of_average(members, dataset.labels, "left-one-out");
    std::vector<Judgement> judgements;
    for (const RowLosses& row : losses_of_average(judged.said, members))
      judgements.push_back({1, row.error ? std::size_t{1} : std::size_t{0}, row.soft, std::nullopt});
    selection.found = estimation_of("leave-one-out", std::move(judgements), false, options_);
  }

  /// Adds what the chosen cell says of each row: scores as the calibration, losses as n judgements, models as
  /// classifiers to draw from.
  /// @param margins_missing  the grid did not leave out all support vectors, or did not keep all scores
  void add_estimation(const data::Dataset& dataset, const JudgedGrid& judged, bool margins_missing,
                      std::span<const Resample> parts, const core::Context& context, Selection& selection) const {
    const std::size_t best = *selection.best;
    model::Calibration left_out = margins_missing
                                      ? left_out_margins(dataset, options_, selection, parts, context)
                                      : chosen_calibration(dataset, options_, judged, "left-one-out",
                                                           each_left_out(dataset.rows()), context, selection);
    if (left_out.empty()) {
      selection.stopped = context.monitor.stop_reason();
      return;
    }
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      judgements.push_back({1, judged.errors[i * judged.cells() + best], svm::soft_loss(-left_out.strangeness[i]),
                            std::optional<std::size_t>(best)});
    }
    if (options_.final_classifier == FinalClassifier::retrained)
      selection.calibration = std::move(left_out);
    else if (!draw_from_all(dataset, context, selection))
      return;
    // The judgements are not independent, because every row took part in the choice of the cell.
    selection.found = estimation_of("leave-one-out", std::move(judgements), false, options_);
  }

  /// @return false if the monitor said stop
  bool draw_from_all(const data::Dataset& dataset, const core::Context& context, Selection& selection) const {
    const std::vector<Resample> resamples = each_left_out(dataset.rows());
    std::vector<Chosen> choices;
    for (std::size_t i = 0; i < resamples.size(); ++i) choices.push_back({i, *selection.best});
    const ChosenModels models = train_chosen(dataset, options_, resamples, choices, true, context);
    if (!models.complete) {
      selection.stopped = context.monitor.stop_reason();
      return false;
    }
    selection.predictor = random_predictor(dataset, models, options_, selection);
    return true;
  }

  static std::vector<Resample> each_left_out(std::size_t n) {
    std::vector<int> folds(n);
    std::iota(folds.begin(), folds.end(), 0);
    return resamples_of_folds(folds);
  }

  /// Fits n times, each time without one row, preprocessing included.
  JudgedGrid refit_each(const data::Dataset& dataset, const core::Context& context) const {
    JudgedGrid judged = judge_grid(dataset, options_, each_left_out(dataset.rows()), context);
    pool(judged.said);
    return judged;
  }

  const Options& options_;
};

}  // namespace

std::string LeaveOneOut::words(std::size_t n) const {
  return fmt::format("each of {} rows left out once", n);
}

Selection LeaveOneOut::select(const data::Dataset& dataset, const Options& options,
                              const core::Context& context) const {
  return LeaveOneOutRun(options).select(dataset, context);
}

}  // namespace credence::selection
