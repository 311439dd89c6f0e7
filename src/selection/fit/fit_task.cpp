#include "selection/fit/fit_task.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "credence/svm/loss.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/resample/error_weights.hpp"

namespace credence::selection {

namespace {

/// With its norm in feature space if that is wanted.
svm::SparseMachine machine_at(const svm::PathPoint& point, const std::vector<std::size_t>& rows, bool norm) {
  svm::SparseMachine machine = svm::sparse_machine(point.state.beta, rows, point.bias);
  double squared_norm = 0;
  for (std::size_t i = 0; norm && i < point.state.beta.size(); ++i) {
    const double beta = point.state.beta[i];
    if (beta != 0) squared_norm += beta * (point.state.gradient[i] + point.problem.linear[i]);
  }
  if (norm) machine.norm = std::sqrt(std::max(squared_norm, 0.0));
  return machine;
}

/// Room for what is said of the judged rows at so many costs.
void make_room(std::size_t costs, std::size_t classes, const TaskWants& wants, FittedTask& found) {
  found.costs.resize(costs);
  found.labels.assign(costs * wants.judged.size(), 0);
  found.scores.assign(found.labels.size(), 0);
  if (wants.class_scores) found.class_scores.assign(found.labels.size() * classes, 0);
  if (!wants.machines.empty()) found.machines.resize(costs);
  found.judged = wants.judged;
}

}  // namespace

std::size_t machines_of_setting(const data::Dataset& dataset, const Options& options) {
  if (dataset.is_regression()) return 1;
  const std::size_t classes = dataset.class_count();
  return (options.learner() == Learner::rvm ? svm::one_against_rest(classes) : svm::machine_layout(classes)).size();
}

SvmFit::SvmFit(const data::Dataset& dataset, const Options& options, const Resample& resample, TaskWants wants)
    : dataset_(dataset),
      options_(options),
      resample_(resample),
      wants_(std::move(wants)),
      layout_(svm::machine_layout(dataset.class_count())),
      costs_(wants_.costs == 0 ? options.costs.axis().size() : wants_.costs),
      decisions_(layout_, dataset.class_count(), costs_, wants_.judged),
      is_support_(costs_, std::vector<std::uint8_t>(dataset.rows(), 0)),
      solved_(costs_, 0),
      leaves_out_(resample.one_by_one.empty() ? 0 : dataset.rows(), 0) {
  make_room(costs_, dataset.class_count(), wants_, found_);
  for (const std::size_t i : resample.one_by_one) leaves_out_[i] = 1;
}

void SvmFit::may_give_up(SharedEnd* shared) {
  if (layout_.size() > 1 || !leaves_out_.empty()) return;  // a pair of many classes says little of a whole cell
  watch_ = PathWatch(path_budget(options_, dataset_.rows(), resample_.training_rows().size()), shared);
  if (watch_.watches() && weighs_errors(dataset_, options_))
    weights_ = error_weights(dataset_, class_costs(dataset_, options_));
}

/// The losses of the judged rows at one point of the path of two classes.
std::vector<double> SvmFit::losses(kernel::Rows& rows, const svm::PathPoint& point,
                                   const svm::MachinePart& part) const {
  const std::vector<std::size_t>& judged = wants_.judged;
  const std::vector<double>& beta = point.state.beta;
  std::vector<double> values(judged.size(), point.bias);
  if (beta.size() == dataset_.rows()) {
    for (std::size_t h = 0; h < judged.size(); ++h)
      values[h] += point.state.gradient[judged[h]] + point.problem.linear[judged[h]];
  } else {
    for (std::size_t a = 0; a < beta.size(); ++a) {
      if (beta[a] == 0) continue;
      const float* row = rows.row(part.rows[a]);
      for (std::size_t h = 0; h < judged.size(); ++h) values[h] += beta[a] * double{row[judged[h]]};
    }
  }
  for (std::size_t h = 0; h < judged.size(); ++h) {
    const double score = dataset_.labels[judged[h]] == layout_.front().positive ? values[h] : -values[h];
    values[h] = judging_loss(options_) == Loss::soft ? svm::soft_loss(score) : score > 0 ? 0 : 1;
    if (!weights_.empty()) values[h] *= weights_[judged[h]];
  }
  return values;
}

bool SvmFit::take(kernel::Rows& rows, const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part,
                  const svm::MachineParts& parts, const core::Monitor& monitor) {
  const std::size_t c = point.index;
  if (c >= costs_) return false;  // a path along nu goes to its end
  found_.costs[c].fit_seconds += lap();
  if (!leaves_out_.empty() && !leave_out(point, machine, part, monitor)) return true;
  if (!wants_.judged.empty()) decisions_.take(point, machine, part, parts);
  count(point, part);
  if (!wants_.machines.empty() && wants_.machines[c]) {
    found_.machines[c].resize(layout_.size());
    found_.machines[c][machine] = machine_at(point, part.rows, wants_.norms);
  }
  if (watch_.watches()) return watch_.take(point.statistics, losses(rows, point, part));
  return c + 1 < costs_;
}

/// @return false if the monitor said stop
bool SvmFit::leave_out(const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part,
                       const core::Monitor& monitor) {
  if (point.index == 0) left_out_of_.emplace(part, options_.costs.solver, wants_.left_out, costs_);
  const std::vector<double> decisions = left_out_of_->decisions(point, leaves_out_, monitor, found_.costs[point.index]);
  if (monitor.should_stop()) return false;
  for (std::size_t a = 0; a < decisions.size(); ++a) {
    if (leaves_out_[part.rows[a]] == 0) continue;
    const auto place = std::ranges::lower_bound(wants_.judged, part.rows[a]) - wants_.judged.begin();
    left_out_.push_back({point.index, machine, static_cast<std::size_t>(place), decisions[a]});
  }
  return true;
}

void SvmFit::count(const svm::PathPoint& point, const svm::MachinePart& part) {
  const std::vector<double>& beta = point.state.beta;
  std::uint8_t* const is_support = is_support_[point.index].data();
  const std::size_t* const row = part.rows.data();
  for (std::size_t a = 0, n = beta.size(); a < n; ++a)
    if (beta[a] != 0) is_support[row[a]] = 1;
  ++solved_[point.index];
  // Resamples that leave rows out one by one follow the same path, which counts once.
  if (!leaves_out_.empty() && leaves_out_.front() == 0) return;
  TaskResult& cost = found_.costs[point.index];
  cost.steps += point.statistics.steps;
  cost.factorisations += point.statistics.factorisations;
  cost.unconverged += point.statistics.status != qp::Status::converged ? 1U : 0U;
}

void SvmFit::finish(kernel::Rows& rows, const svm::MachineParts& parts, const core::Monitor& monitor) {
  lap();
  const bool judged = wants_.judged.empty() || decisions_.finish(rows, parts, monitor);
  // The values are those of the machines of all training rows; rows left out one by one replace theirs.
  for (const LeftOut& one : left_out_) decisions_.replace(one.cost, one.machine, one.judged, one.decision);
  const double decided = lap() / static_cast<double>(costs_);
  for (std::size_t c = 0; c < costs_; ++c) {
    TaskResult& cost = found_.costs[c];
    const bool all = judged && solved_[c] == layout_.size();
    cost.skipped = watch_.ended() && solved_[c] < layout_.size();
    cost.given_up = cost.skipped ? watch_.reason() : GivenUp::no;
    cost.complete = all || (!cost.skipped && !monitor.should_stop());
    cost.infeasible = cost.complete && !all;
    cost.support = static_cast<std::size_t>(std::count(is_support_[c].begin(), is_support_[c].end(), 1));
    cost.score_seconds = decided;
    if (!cost.usable() && c < found_.machines.size()) found_.machines[c].clear();
    if (cost.usable() && !wants_.judged.empty()) keep_scores(c);
  }
}

void SvmFit::keep_scores(std::size_t c) {
  const std::size_t size = wants_.judged.size();
  const std::size_t classes = dataset_.class_count();
  const auto at = [&](auto& list, std::size_t cost, std::size_t of_row) {
    return list.begin() + static_cast<std::ptrdiff_t>(cost * size * of_row);
  };
  if (left_out_.empty() && decisions_.same_as_before(c) && found_.costs[c - 1].usable()) {
    std::copy_n(at(found_.labels, c - 1, 1), size, at(found_.labels, c, 1));
    std::copy_n(at(found_.scores, c - 1, 1), size, at(found_.scores, c, 1));
    if (wants_.class_scores)
      std::copy_n(at(found_.class_scores, c - 1, classes), size * classes, at(found_.class_scores, c, classes));
    return;
  }
  std::ranges::copy(decisions_.labels(c), at(found_.labels, c, 1));
  const std::vector<double> scores = decisions_.scores(c);  // (class, row)
  for (std::size_t h = 0; h < size; ++h) {
    const auto truth = static_cast<std::size_t>(dataset_.labels[wants_.judged[h]]);
    found_.scores[c * size + h] = scores[truth * size + h];
    for (std::size_t k = 0; wants_.class_scores && k < classes; ++k)
      found_.class_scores[(c * size + h) * classes + k] = scores[k * size + h];
  }
}

double SvmFit::lap() {
  const auto before = std::exchange(mark_, std::chrono::steady_clock::now());
  return std::chrono::duration<double>(mark_ - before).count();
}

namespace {

/// Kernel values of some rows with others.
data::DenseMatrix kernel_values(const kernel::Kernel& kernel, const data::Features& features,
                                std::span<const std::size_t> rows, std::span<const std::size_t> columns) {
  if (kernel.type != kernel::KernelType::precomputed)
    return kernel::kernel_block(kernel, features.select_rows(rows), features.select_rows(columns));
  const data::DenseMatrix given = features.select_rows(rows).to_dense();
  data::DenseMatrix values(rows.size(), columns.size());
  for (std::size_t h = 0; h < rows.size(); ++h)
    for (std::size_t a = 0; a < columns.size(); ++a) values.row(h)[a] = given.row(h)[columns[a]];
  return values;
}

bool all_equal(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>{}) == values.end();
}

/// What a machine says whose targets are all equal.
double constant_value(const std::vector<double>& targets, data::Task task) {
  if (task == data::Task::regression) return targets.front();
  const double never = rvm::constant_fit(targets.size(), false).weights.front();
  return targets.front() > 0.5 ? -never : never;
}

/// Fits the machines on some rows, repeats allowed, as weights of rows of the data set.
std::vector<svm::SparseMachine> train_rows(const data::Dataset& dataset, const data::Features& features,
                                           const kernel::Kernel& kernel, const Options& options,
                                           const std::vector<std::size_t>& rows, const core::Context& context,
                                           TaskResult& result) {
  const data::Dataset training = dataset.select_rows(rows);
  const std::vector<std::vector<double>> targets = rvm::machine_targets(training);
  std::vector<svm::SparseMachine> machines(targets.size());
  if (std::ranges::all_of(targets, all_equal)) {
    for (std::size_t m = 0; m < targets.size(); ++m)
      machines[m].bias = constant_value(targets[m], training.schema.task);
    result.complete = true;
    return machines;
  }
  const rvm::Problem problem = rvm::make_problem(training, svm::own_problem(features, rows, kernel.type), kernel.type,
                                                 resolved_centres(dataset.rows(), options), options.seed);
  const FittedRvms fitted = fitted_rvms(problem, kernel, options, context);
  if (!fitted.complete) return machines;
  result.complete = true;
  result.steps = fitted.newton_steps;
  result.factorisations = fitted.factorisations;
  result.unconverged = fitted.unconverged;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    machines[m] = rvm::sparse_machine(fitted.fit.machines[m]);
    for (std::uint32_t& row : machines[m].rows) row = static_cast<std::uint32_t>(rows[problem.centre_rows[row]]);
  }
  return machines;
}

/// y of each machine: rows x machines.
data::DenseMatrix decisions_of(std::span<const svm::SparseMachine> machines, std::span<const std::size_t> used,
                               const kernel::Kernel& kernel, const data::Features& features,
                               std::span<const std::size_t> rows) {
  const data::DenseMatrix values = kernel_values(kernel, features, rows, used);
  data::DenseMatrix result(rows.size(), machines.size());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const svm::SparseMachine& machine = machines[m];
    const std::vector<std::uint32_t> position = svm::positions_in(used, machine.rows);
    for (std::size_t h = 0; h < rows.size(); ++h) {
      double y = machine.bias;
      for (std::size_t a = 0; a < position.size(); ++a) y += machine.coefficients[a] * values.row(h)[position[a]];
      result.row(h)[m] = y;
    }
  }
  return result;
}

/// What the machines say of one row.
RowJudgement judged_row(const data::Dataset& dataset, std::size_t row, std::span<const double> y,
                        std::span<const std::size_t> class_counts) {
  if (dataset.is_regression()) {
    const double residual = dataset.targets[row] - y[0];
    return {false, -std::abs(residual), residual * residual};
  }
  const int own = dataset.labels[row];
  const int label = rvm::label_of(y, class_counts);
  const double score = dataset.class_count() == 2 ? (own == 1 ? y[0] : -y[0]) : y[static_cast<std::size_t>(own)];
  return {label != own, score, svm::soft_loss(score), label, -rvm::log_probability(y, own)};
}

}  // namespace

FittedRvms fitted_rvms(const rvm::Problem& problem, const kernel::Kernel& kernel, const Options& options,
                       const core::Context& context) {
  FittedRvms result;
  result.fit = rvm::fit_machines(problem, kernel, options.machines.fit, false, context);
  result.complete = !result.fit.stopped();
  for (const rvm::Fit& machine : result.fit.machines) {
    result.newton_steps += machine.newton_steps;
    result.factorisations += machine.factorisations;
    result.unconverged += machine.status == rvm::Status::iteration_limit ? 1U : 0U;
  }
  return result;
}

FittedTask fit_rvms(const data::Dataset& dataset, const data::Features& features, const kernel::Kernel& kernel,
                    const Options& options, const Resample& resample, TaskWants wants, const core::Context& context) {
  FittedTask found;
  make_room(1, dataset.class_count(), wants, found);
  TaskResult& result = found.costs.front();
  const double begun = context.monitor.seconds();
  const std::vector<std::size_t> rows = resample.training_rows();
  std::vector<svm::SparseMachine> machines = train_rows(dataset, features, kernel, options, rows, context, result);
  if (!result.complete) return found;
  const double fitted = context.monitor.seconds();
  const std::vector<std::size_t> support = svm::support_of(machines);
  const data::DenseMatrix decisions = decisions_of(machines, support, kernel, features, found.judged);
  result.fit_seconds = fitted - begun;
  result.score_seconds = context.monitor.seconds() - fitted;
  result.support = support.size();
  found.soft.resize(found.judged.size());
  found.log_losses.resize(found.judged.size());
  std::vector<std::size_t> class_counts(dataset.class_count(), 0);
  for (std::size_t i = 0; !dataset.is_regression() && i < rows.size(); ++i)
    ++class_counts[static_cast<std::size_t>(dataset.labels[rows[i]])];
  for (std::size_t h = 0; h < found.judged.size(); ++h) {
    const RowJudgement said = judged_row(dataset, found.judged[h], decisions.row(h), class_counts);
    found.labels[h] = static_cast<std::uint16_t>(said.label);
    found.scores[h] = said.score;
    found.soft[h] = said.soft;
    found.log_losses[h] = said.log_loss;
    if (wants.class_scores)
      std::ranges::copy(decisions.row(h),
                        found.class_scores.begin() + static_cast<std::ptrdiff_t>(h * decisions.columns));
  }
  if (!wants.machines.empty()) found.machines.front() = std::move(machines);
  return found;
}

namespace {

/// Below this number of rows, every cell is solved unless the options say otherwise.
constexpr std::size_t rows_solved_whole = 5000;
constexpr std::uint64_t default_steps_of_a_row = 10;
constexpr double standard_errors = 3;
constexpr std::size_t fewest_rows = 30;  // of a comparison by standard errors

/// Whether the losses exceed those of another machine on the same rows by more than chance.
bool clearly_worse(const std::vector<double>& losses, const std::vector<double>& others) {
  const auto rows = static_cast<double>(losses.size());
  double sum = 0;
  double squares = 0;
  for (std::size_t h = 0; h < losses.size(); ++h) {
    const double difference = losses[h] - others[h];
    sum += difference;
    squares += difference * difference;
  }
  const double mean = sum / rows;
  const double variance = (squares - rows * mean * mean) / (rows - 1);
  return losses.size() >= fewest_rows && mean > standard_errors * std::sqrt(std::max(variance, 0.0) / rows);
}

}  // namespace

std::uint64_t path_budget(const Options& options, std::size_t rows, std::size_t training_rows) {
  // More errors do not mean a worse score of another kind.
  if (!options.costs.nu.empty() || options.score != Score::accuracy) return 0;
  const std::size_t by_default = rows > rows_solved_whole ? default_steps_of_a_row : 0;
  return options.costs.give_up.value_or(by_default) * training_rows;
}

void SharedEnd::end_at(std::size_t cost) {
  std::size_t before = last();
  while (cost < before && !last_.compare_exchange_weak(before, cost, std::memory_order_relaxed)) {
  }
}

bool PathWatch::take(const qp::Statistics& statistics, std::vector<double> losses) {
  const std::size_t cost = taken_++;
  if (!watches()) return true;
  reason_ = judge(statistics, std::move(losses));
  if (shared_ != nullptr && reason_ != GivenUp::no) shared_->end_at(cost);
  ended_ = reason_ != GivenUp::no || (shared_ != nullptr && cost >= shared_->last());
  return !ended_;
}

GivenUp PathWatch::judge(const qp::Statistics& statistics, std::vector<double> losses) {
  steps_ += statistics.steps;
  if (statistics.status == qp::Status::step_limit) return GivenUp::step_limit;
  const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
  if (least_.empty() || sum < least_sum_) {
    least_sum_ = sum;
    least_ = std::move(losses);
    return GivenUp::no;
  }
  return steps_ > most_steps_ && clearly_worse(losses, least_) ? GivenUp::step_budget : GivenUp::no;
}

}  // namespace credence::selection
