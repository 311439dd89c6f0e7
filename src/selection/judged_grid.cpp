#include "selection/judged_grid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "credence/svm/loss.hpp"
#include "selection/choice.hpp"

namespace credence::selection {
namespace {

/// Strangeness and soft losses of rows at the costs of one gamma, added up in the order of the resamples, in whatever
/// order they come: a sum must not depend on threads.
class OrderedSums {
 public:
  /// @param first  cell of the first cost  @param judged  whose sums, (row, cell), are added to
  OrderedSums(std::span<const Resample> resamples, std::size_t cells, std::size_t first, JudgedGrid& judged)
      : resamples_(resamples), cells_(cells), first_(first), judged_(judged) {}

  /// @param scores  for each cost, of the true class of each row that the resample left out; nothing if not usable
  void add(std::size_t resample, std::vector<std::vector<double>> scores) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(resample, std::move(scores));
    for (auto next = waiting_.find(done_); next != waiting_.end(); next = waiting_.find(++done_)) {
      add_next(next->second);
      waiting_.erase(next);
    }
  }

 private:
  void add_next(const std::vector<std::vector<double>>& scores) {
    const std::vector<std::size_t> rows = resamples_[done_].held_out();
    for (std::size_t c = 0; c < scores.size(); ++c) {
      for (std::size_t h = 0; h < scores[c].size(); ++h) {
        const std::size_t at = rows[h] * cells_ + first_ + c;
        judged_.strangeness[at] -= scores[c][h];
        judged_.soft[at] += svm::soft_loss(scores[c][h]);
      }
    }
  }

  std::span<const Resample> resamples_;
  std::size_t cells_;
  std::size_t first_;
  JudgedGrid& judged_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::map<std::size_t, std::vector<std::vector<double>>> waiting_;
};

double deviation(const std::vector<double>& rates) {
  if (rates.size() < 2) {
    return 0;
  }
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  double squares = 0;
  for (const double rate : rates) {
    squares += (rate - mean) * (rate - mean);
  }
  return std::sqrt(squares / static_cast<double>(rates.size() - 1));
}

}  // namespace

LossTable JudgedGrid::losses(Loss loss) const {
  LossTable table(judged.size(), cells());
  for (std::size_t i = 0; i < judged.size(); ++i) {
    for (std::size_t k = 0; k < table.cells; ++k) {
      const std::size_t at = i * table.cells + k;
      if (judged[i] == 0) {
        table.row(i)[k] = std::numeric_limits<float>::quiet_NaN();
      } else {
        table.row(i)[k] = loss == Loss::soft ? static_cast<float>(soft[at] / judged[i])
                                             : static_cast<float>(errors[at]) / static_cast<float>(judged[i]);
      }
    }
  }
  return table;
}

model::Calibration JudgedGrid::calibration(std::size_t cell, std::span<const int> labels,
                                           const std::string& source) const {
  model::Calibration result;
  result.source = source;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (judged[i] > 0) {
      result.strangeness.push_back(strangeness[i * cells() + cell] / judged[i]);
      result.labels.push_back(labels[i]);
    }
  }
  return result;
}

void calibrate(const data::Dataset& dataset, const JudgedGrid& judged, const std::string& source,
               Selection& selection) {
  if (selection.best && selection.stopped == core::StopReason::none) {
    selection.calibration = judged.calibration(*selection.best, dataset.labels, source);
  }
}

JudgedGrid empty_grid(std::span<const Resample> resamples, std::size_t rows, std::size_t cells) {
  JudgedGrid judged;
  judged.judged.assign(rows, 0);
  for (const Resample& resample : resamples) {
    const std::vector<std::size_t> held_out = resample.held_out();
    judged.held_out.push_back(held_out.size());
    for (const std::size_t i : held_out) {
      ++judged.judged[i];
    }
  }
  judged.results.resize(cells * resamples.size());
  judged.errors.assign(rows * cells, 0);
  judged.soft.assign(rows * cells, 0);
  judged.strangeness.assign(rows * cells, 0);
  return judged;
}

JudgedGrid judge_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      const core::Context& context, const JudgementVisitor& visit) {
  const GridRun run(dataset, options, resamples, context);
  JudgedGrid judged = empty_grid(resamples, dataset.rows(), run.cells());
  std::vector<std::unique_ptr<OrderedSums>> sums;
  for (std::size_t gamma = 0; gamma < run.gammas(); ++gamma) {
    sums.push_back(std::make_unique<OrderedSums>(resamples, run.cells(), gamma * run.costs(), judged));
  }
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t resample) {
    GridTask task(dataset, options, resamples[resample], resamples[resample].held_out());
    task.solve(rows, context.monitor);
    std::vector<std::vector<double>> scores(run.costs());
    for (std::size_t c = 0; c < run.costs(); ++c) {
      const std::size_t cell = gamma * run.costs() + c;
      judged.results[cell * resamples.size() + resample] = task.judge(c, [&](std::size_t i, bool error, double score) {
        scores[c].push_back(score);
        // Other resamples of the same cell may leave the same row out.
        std::atomic_ref(judged.errors[i * run.cells() + cell]).fetch_add(error ? 1U : 0U, std::memory_order_relaxed);
        if (visit) {
          visit(resample, cell, i, error, svm::soft_loss(score));
        }
      });
    }
    sums[gamma]->add(resample, std::move(scores));
  });
  return judged;
}

TrainingLabels training_labels(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const Resample whole = all_rows(dataset.rows());
  const GridRun run(dataset, options, std::span(&whole, 1), context);
  TrainingLabels table{run.cells(), std::vector<int>(dataset.rows() * run.cells(), 0),
                       std::vector<std::uint8_t>(run.cells(), 0)};
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t) {
    GridTask task(dataset, options, whole, whole.training_rows());
    task.solve(rows, context.monitor);
    for (std::size_t c = 0; c < run.costs(); ++c) {
      const std::size_t cell = gamma * run.costs() + c;
      table.complete[cell] = task.usable(c) ? 1 : 0;
      for (std::size_t i = 0; task.usable(c) && i < dataset.rows(); ++i) {
        table.labels[i * run.cells() + cell] = task.label(c, i);
      }
    }
  });
  return table;
}

std::vector<Cell> cells_of(const JudgedGrid& judged, const data::Dataset& dataset, const Options& options) {
  std::vector<Cell> cells = named_cells(reported_gammas(dataset, options), options);
  const auto held_out =
      static_cast<double>(std::accumulate(judged.held_out.begin(), judged.held_out.end(), std::size_t{0}));
  for (std::size_t k = 0; k < cells.size(); ++k) {
    Cell& cell = cells[k];
    const std::span<const TaskResult> results = judged.of_cell(k);
    std::vector<double> rates;
    double sum = 0;
    cell.infeasible = std::any_of(results.begin(), results.end(), [](const TaskResult& r) { return r.infeasible; });
    cell.complete =
        !cell.infeasible && std::all_of(results.begin(), results.end(), [](const TaskResult& r) { return r.complete; });
    for (std::size_t r = 0; r < results.size(); ++r) {
      const double loss = results[r].loss(options.loss);
      if (judged.held_out[r] > 0) {
        rates.push_back(loss / static_cast<double>(judged.held_out[r]));
      }
      sum += loss;
      cell.n_sv += static_cast<double>(results[r].support) / static_cast<double>(results.size());
      cell.steps += results[r].steps;
      cell.factorisations += results[r].factorisations;
      cell.unconverged += results[r].unconverged;
    }
    cell.error = sum / held_out;
    cell.error_std = deviation(rates);
  }
  return cells;
}

std::string score_name(const std::string& procedure, const Options& options) {
  return procedure + (options.loss == Loss::soft ? " soft loss" : " error");
}

Selection select_by_left_out_losses(const data::Dataset& dataset, const Options& options,
                                    std::span<const Resample> resamples, const std::string& score,
                                    const core::Context& context) {
  Selection selection = describe(dataset, options, context);
  selection.score = score;
  selection.folds = static_cast<int>(resamples.size());
  const JudgedGrid judged = judge_grid(dataset, options, resamples, context);
  selection.grid = cells_of(judged, dataset, options);
  finish(dataset, options, context, judged.losses(options.loss), selection);
  calibrate(dataset, judged, "out-of-fold", selection);
  return selection;
}

}  // namespace credence::selection
