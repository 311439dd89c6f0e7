#include "selection/judged_grid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "credence/svm/family.hpp"
#include "selection/choice.hpp"

namespace credence::selection {
namespace {

/// All costs of one (gamma, resample).
class Task {
 public:
  /// @param judged  the rows whose labels are wanted
  Task(const data::Dataset& dataset, const Options& options, const Resample& resample, std::vector<std::size_t> judged)
      : dataset_(dataset),
        options_(options),
        resample_(resample),
        judged_(std::move(judged)),
        machines_(svm::machine_layout(dataset.class_count())),
        costs_(options.grid.costs().size()),
        decisions_(costs_, data::DenseMatrix(judged_.size(), machines_.size())),
        is_support_(costs_, std::vector<bool>(dataset.rows(), false)),
        solved_(costs_, 0),
        results_(costs_) {}

  void solve(kernel::Rows& rows, const core::Monitor& monitor) {
    const std::vector<double> factors = factors_of(dataset_, options_, resample_);
    for (std::size_t m = 0; m < machines_.size() && !monitor.should_stop(); ++m) {
      const qp::Problem problem = svm::machine_problem(dataset_.labels, machines_[m], factors);
      solve_costs(rows, problem, options_, monitor, [&](const svm::PathPoint& point) { take(point, m); });
    }
    for (std::size_t c = 0; c < costs_; ++c) {
      const bool all = solved_[c] == machines_.size();
      results_[c].complete = all || !monitor.should_stop();
      results_[c].infeasible = !all && !monitor.should_stop();
      results_[c].support = static_cast<std::size_t>(std::count(is_support_[c].begin(), is_support_[c].end(), true));
    }
  }

  const TaskResult& result(std::size_t c) const { return results_[c]; }
  bool usable(std::size_t c) const { return results_[c].complete && !results_[c].infeasible; }
  /// Calls visit(row, label) for every judged row, at cost c.
  template <class Visit>
  void labels(std::size_t c, const Visit& visit) const {
    for (std::size_t h = 0; usable(c) && h < judged_.size(); ++h) {
      visit(judged_[h], svm::vote(decisions_[c].row(h), machines_, dataset_.class_count()));
    }
  }

  /// For each cost, the strangeness of each judged row under its true class; nothing for costs that are not usable.
  std::vector<std::vector<double>> strangeness() const {
    std::vector<std::vector<double>> values(costs_);
    std::vector<double> scores(dataset_.class_count());
    for (std::size_t c = 0; c < costs_; ++c) {
      for (std::size_t h = 0; usable(c) && h < judged_.size(); ++h) {
        svm::class_scores(decisions_[c].row(h), machines_, scores.size(), scores.data());
        values[c].push_back(-scores[static_cast<std::size_t>(dataset_.labels[judged_[h]])]);
      }
    }
    return values;
  }

 private:
  void take(const svm::PathPoint& point, std::size_t machine) {
    const std::size_t c = point.index;
    for (std::size_t h = 0; h < judged_.size(); ++h) {
      const std::size_t i = judged_[h];
      decisions_[c].row(h)[machine] = point.state.gradient[i] + point.problem.linear[i] + point.bias;
    }
    for (std::size_t i = 0; i < dataset_.rows(); ++i) {
      if (point.state.beta[i] != 0) {
        is_support_[c][i] = true;
      }
    }
    results_[c].steps += point.statistics.steps;
    results_[c].factorisations += point.statistics.factorisations;
    results_[c].unconverged += point.statistics.status != qp::Status::converged ? 1U : 0U;
    ++solved_[c];
  }

  const data::Dataset& dataset_;
  const Options& options_;
  const Resample& resample_;
  std::vector<std::size_t> judged_;
  std::vector<svm::BinaryMachine> machines_;
  std::size_t costs_;
  std::vector<data::DenseMatrix> decisions_;
  std::vector<std::vector<bool>> is_support_;
  std::vector<std::size_t> solved_;
  std::vector<TaskResult> results_;
};

/// The strangeness of rows at the costs of one gamma, added up in the order of the resamples, in whatever order they
/// come: a sum must not depend on threads.
class StrangenessSums {
 public:
  /// @param sums  (row, cell), cell fastest  @param first  cell of the first cost
  StrangenessSums(std::span<const Resample> resamples, std::size_t cells, std::size_t first, std::vector<double>& sums)
      : resamples_(resamples), cells_(cells), first_(first), sums_(sums) {}

  /// @param values  for each cost, of each row that the resample left out
  void add(std::size_t resample, std::vector<std::vector<double>> values) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(resample, std::move(values));
    for (auto next = waiting_.find(done_); next != waiting_.end(); next = waiting_.find(++done_)) {
      const std::vector<std::size_t> rows = resamples_[done_].held_out();
      for (std::size_t c = 0; c < next->second.size(); ++c) {
        for (std::size_t h = 0; h < next->second[c].size(); ++h) {
          sums_[rows[h] * cells_ + first_ + c] += next->second[c][h];
        }
      }
      waiting_.erase(next);
    }
  }

 private:
  std::span<const Resample> resamples_;
  std::size_t cells_;
  std::size_t first_;
  std::vector<double>& sums_;
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

LossTable JudgedGrid::losses() const {
  LossTable table(judged.size(), cells());
  for (std::size_t i = 0; i < judged.size(); ++i) {
    for (std::size_t k = 0; k < table.cells; ++k) {
      table.row(i)[k] = judged[i] == 0
                            ? std::numeric_limits<float>::quiet_NaN()
                            : static_cast<float>(errors[i * table.cells + k]) / static_cast<float>(judged[i]);
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

JudgedGrid judge_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      const core::Context& context) {
  const GridRun run(dataset, options, resamples, context);
  JudgedGrid judged;
  judged.judged.assign(dataset.rows(), 0);
  for (const Resample& resample : resamples) {
    const std::vector<std::size_t> held_out = resample.held_out();
    judged.held_out.push_back(held_out.size());
    for (const std::size_t i : held_out) {
      ++judged.judged[i];
    }
  }
  judged.results.resize(run.cells() * resamples.size());
  judged.errors.assign(dataset.rows() * run.cells(), 0);
  judged.strangeness.assign(dataset.rows() * run.cells(), 0);
  std::vector<std::unique_ptr<StrangenessSums>> sums;
  for (std::size_t gamma = 0; gamma < run.gammas(); ++gamma) {
    sums.push_back(std::make_unique<StrangenessSums>(resamples, run.cells(), gamma * run.costs(), judged.strangeness));
  }
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t resample) {
    Task task(dataset, options, resamples[resample], resamples[resample].held_out());
    task.solve(rows, context.monitor);
    for (std::size_t c = 0; c < run.costs(); ++c) {
      const std::size_t cell = gamma * run.costs() + c;
      TaskResult& result = judged.results[cell * resamples.size() + resample];
      result = task.result(c);
      task.labels(c, [&](std::size_t i, int label) {
        if (label != dataset.labels[i]) {
          ++result.errors;
          // Other resamples of the same cell may leave the same row out.
          std::atomic_ref(judged.errors[i * run.cells() + cell]).fetch_add(1, std::memory_order_relaxed);
        }
      });
    }
    sums[gamma]->add(resample, task.strangeness());
  });
  return judged;
}

TrainingLabels training_labels(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const Resample whole = all_rows(dataset.rows());
  const GridRun run(dataset, options, std::span(&whole, 1), context);
  TrainingLabels table{run.cells(), std::vector<int>(dataset.rows() * run.cells(), 0),
                       std::vector<std::uint8_t>(run.cells(), 0)};
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t) {
    Task task(dataset, options, whole, whole.training_rows());
    task.solve(rows, context.monitor);
    for (std::size_t c = 0; c < run.costs(); ++c) {
      const std::size_t cell = gamma * run.costs() + c;
      table.complete[cell] = task.usable(c) ? 1 : 0;
      task.labels(c, [&](std::size_t i, int label) { table.labels[i * run.cells() + cell] = label; });
    }
  });
  return table;
}

std::vector<Cell> cells_of(const JudgedGrid& judged, const data::Dataset& dataset, const Options& options) {
  std::vector<Cell> cells = named_cells(reported_gammas(dataset, options), options);
  const std::size_t held_out = std::accumulate(judged.held_out.begin(), judged.held_out.end(), std::size_t{0});
  for (std::size_t k = 0; k < cells.size(); ++k) {
    Cell& cell = cells[k];
    const std::span<const TaskResult> results = judged.of_cell(k);
    std::vector<double> rates;
    std::size_t errors = 0;
    cell.infeasible = std::any_of(results.begin(), results.end(), [](const TaskResult& r) { return r.infeasible; });
    cell.complete =
        !cell.infeasible && std::all_of(results.begin(), results.end(), [](const TaskResult& r) { return r.complete; });
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (judged.held_out[r] > 0) {
        rates.push_back(static_cast<double>(results[r].errors) / static_cast<double>(judged.held_out[r]));
      }
      errors += results[r].errors;
      cell.n_sv += static_cast<double>(results[r].support) / static_cast<double>(results.size());
      cell.steps += results[r].steps;
      cell.factorisations += results[r].factorisations;
      cell.unconverged += results[r].unconverged;
    }
    cell.error = static_cast<double>(errors) / static_cast<double>(held_out);
    cell.error_std = deviation(rates);
  }
  return cells;
}

Selection select_by_left_out_errors(const data::Dataset& dataset, const Options& options,
                                    std::span<const Resample> resamples, const std::string& score,
                                    const core::Context& context) {
  Selection selection = describe(dataset, options, context);
  selection.score = score;
  selection.folds = static_cast<int>(resamples.size());
  const JudgedGrid judged = judge_grid(dataset, options, resamples, context);
  selection.grid = cells_of(judged, dataset, options);
  finish(dataset, options, context, judged.losses(), selection);
  calibrate(dataset, judged, "out-of-fold", selection);
  return selection;
}

}  // namespace credence::selection
