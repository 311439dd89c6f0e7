#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/data/splits.hpp"
#include "selection/choice.hpp"
#include "selection/methods.hpp"
#include "selection/shared_gram.hpp"

namespace credence::selection {
namespace {

/// What one fold says about one cell.
struct FoldResult {
  bool complete = false;
  std::size_t errors = 0;
  std::size_t support = 0;
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;
};

std::vector<int> folds_of(const data::Dataset& dataset, const Options& options) {
  if (!dataset.folds.empty()) {
    return dataset.folds;
  }
  return dataset.groups.empty() ? data::stratified_k_fold(dataset.labels, options.folds, options.seed)
                                : data::grouped_k_fold(dataset.groups, options.folds, options.seed);
}

std::vector<std::size_t> rows_where(const std::vector<bool>& wanted) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) {
      rows.push_back(i);
    }
  }
  return rows;
}

/// k-fold cross-validation of the whole grid: every fold is a list of closed boxes on a shared kernel matrix, and
/// the decision values of its held-out rows come with the solution.
class CrossValidation final : public Selector {
 public:
  explicit CrossValidation(Options options) : options_(std::move(options)) {}
  Selection select(const data::Dataset& dataset, const core::Context& context) const override;

 private:
  struct Work {
    const data::Dataset& dataset;
    const core::Context& context;
    std::vector<std::vector<bool>> training;  ///< per fold
    std::vector<std::size_t> fold_rows;       ///< held-out rows per fold
    std::vector<FoldResult> results;          ///< (gamma, C, fold), fold fastest
  };

  Work plan(const data::Dataset& dataset, const core::Context& context) const;
  data::Features prepare(const Work& work, std::size_t fold, bool all_rows) const;
  void solve_fold(Work& work, kernel::Rows& rows, std::size_t gamma, std::size_t fold) const;
  void count_errors(const Work& work, const std::vector<std::size_t>& held_out, const data::DenseMatrix& decisions,
                    std::span<const svm::BinaryMachine> machines, FoldResult& result) const;
  void summarise(const Work& work, std::span<const double> gammas, Selection& selection) const;
  bool same_for_all_folds(const data::Dataset& dataset) const;
  std::size_t gamma_count() const { return options_.kernel.uses_gamma() ? options_.grid.gamma.size() : 1; }
  kernel::Kernel kernel_at(const Work& work, std::size_t gamma, std::size_t fold, const data::Features& features) const;

  Options options_;
};

/// A gamma that is asked for by a word is fitted like the preprocessing: on the training rows of the fold, or on all
/// rows if that was asked for.
kernel::Kernel CrossValidation::kernel_at(const Work& work, std::size_t gamma, std::size_t fold,
                                          const data::Features& features) const {
  kernel::Kernel kernel = options_.kernel;
  if (kernel.uses_gamma()) {
    const kernel::GammaRule& rule = options_.grid.gamma[gamma];
    const bool all_rows = rule.kind == kernel::GammaRule::Kind::value || options_.scale_scope == ScaleScope::all;
    kernel.gamma = kernel::resolve_gamma(rule, kernel.type,
                                         all_rows ? features : features.select_rows(rows_where(work.training[fold])));
  }
  return kernel;
}

/// Whether every fold's preprocessing is the same map: fitted on all rows by request, or nothing to be fitted.
bool CrossValidation::same_for_all_folds(const data::Dataset& dataset) const {
  if (options_.scale_scope == ScaleScope::all || options_.kernel.type == kernel::KernelType::precomputed) {
    return true;
  }
  const auto& values =
      dataset.features.is_sparse() ? dataset.features.sparse().values : dataset.features.dense().values;
  const auto& columns = dataset.schema.columns;
  const auto& gammas = options_.grid.gamma;
  return options_.scaling == data::Scaling::none &&
         std::all_of(gammas.begin(), gammas.end(),
                     [](const kernel::GammaRule& rule) { return rule.kind == kernel::GammaRule::Kind::value; }) &&
         std::all_of(columns.begin(), columns.end(),
                     [](const data::Column& column) { return column.kind == data::ColumnKind::numeric; }) &&
         std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

CrossValidation::Work CrossValidation::plan(const data::Dataset& dataset, const core::Context& context) const {
  const std::vector<int> folds = folds_of(dataset, options_);
  const int count = *std::max_element(folds.begin(), folds.end()) + 1;
  if (count < 2) {
    throw Error(ErrorCode::invalid_data, "the fold column holds one fold only; cross-validation needs at least two",
                {dataset.source, 0, ""});
  }
  Work work{dataset, context, {}, std::vector<std::size_t>(static_cast<std::size_t>(count), 0), {}};
  work.training.assign(static_cast<std::size_t>(count), std::vector<bool>(dataset.rows(), true));
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const auto fold = static_cast<std::size_t>(folds[i]);
    work.training[fold][i] = false;
    ++work.fold_rows[fold];
  }
  work.results.resize(gamma_count() * options_.grid.C.size() * static_cast<std::size_t>(count));
  return work;
}

data::Features CrossValidation::prepare(const Work& work, std::size_t fold, bool all_rows) const {
  if (options_.kernel.type == kernel::KernelType::precomputed) {
    return data::Preprocessing::fit(work.dataset, data::Scaling::none).apply(work.dataset);
  }
  const auto fitted = all_rows
                          ? data::Preprocessing::fit(work.dataset, options_.scaling)
                          : data::Preprocessing::fit(work.dataset, rows_where(work.training[fold]), options_.scaling);
  return fitted.apply(work.dataset, data::UnknownLevel::ignore);
}

void CrossValidation::count_errors(const Work& work, const std::vector<std::size_t>& held_out,
                                   const data::DenseMatrix& decisions, std::span<const svm::BinaryMachine> machines,
                                   FoldResult& result) const {
  for (std::size_t h = 0; h < held_out.size(); ++h) {
    const int label = svm::vote(decisions.row(h), machines, work.dataset.class_count());
    result.errors += label != work.dataset.labels[held_out[h]] ? 1U : 0U;
  }
}

/// All C of one (gamma, fold).
void CrossValidation::solve_fold(Work& work, kernel::Rows& rows, std::size_t gamma, std::size_t fold) const {
  const std::vector<double>& C = options_.grid.C;
  const std::size_t n = work.dataset.rows();
  std::vector<bool> closed = work.training[fold];
  closed.flip();
  const std::vector<std::size_t> held_out = rows_where(closed);
  const std::vector<double> factors = svm::box_factors(work.dataset, options_.class_weights, work.training[fold]);
  const std::vector<svm::BinaryMachine> machines = svm::machine_layout(work.dataset.class_count());
  std::vector<data::DenseMatrix> decisions(C.size(), data::DenseMatrix(held_out.size(), machines.size()));
  std::vector<std::size_t> solved(C.size(), 0);
  std::vector<std::vector<bool>> is_support(C.size(), std::vector<bool>(n, false));
  FoldResult* results = &work.results[gamma * C.size() * work.training.size()];
  const auto result_of = [&](std::size_t c) -> FoldResult& { return results[c * work.training.size() + fold]; };

  for (std::size_t m = 0; m < machines.size(); ++m) {
    const qp::Problem problem = svm::machine_problem(work.dataset.labels, machines[m], factors);
    svm::c_path(rows, problem, C, options_.solver, work.context.monitor, [&](const svm::PathPoint& point) {
      for (std::size_t h = 0; h < held_out.size(); ++h) {
        const std::size_t i = held_out[h];
        decisions[point.index].row(h)[m] = point.state.gradient[i] + point.problem.linear[i] + point.bias;
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (point.state.beta[i] != 0) {
          is_support[point.index][i] = true;
        }
      }
      FoldResult& result = result_of(point.index);
      result.steps += point.statistics.steps;
      result.factorisations += point.statistics.factorisations;
      result.unconverged += point.statistics.status != qp::Status::converged ? 1U : 0U;
      ++solved[point.index];
    });
  }
  for (std::size_t c = 0; c < C.size(); ++c) {
    FoldResult& result = result_of(c);
    result.complete = solved[c] == machines.size();
    result.support = static_cast<std::size_t>(std::count(is_support[c].begin(), is_support[c].end(), true));
    count_errors(work, held_out, decisions[c], machines, result);
  }
}

void CrossValidation::summarise(const Work& work, std::span<const double> gammas, Selection& selection) const {
  const std::size_t folds = work.training.size();
  const std::vector<double>& C = options_.grid.C;
  for (std::size_t k = 0; k < gammas.size() * C.size(); ++k) {
    const std::span<const FoldResult> results(&work.results[k * folds], folds);
    Cell cell;
    cell.C = C[k % C.size()];
    cell.gamma = gammas[k / C.size()];
    cell.complete = std::all_of(results.begin(), results.end(), [](const FoldResult& r) { return r.complete; });
    std::size_t errors = 0;
    std::vector<double> rates;
    for (std::size_t f = 0; f < folds; ++f) {
      errors += results[f].errors;
      rates.push_back(static_cast<double>(results[f].errors) / static_cast<double>(work.fold_rows[f]));
      cell.n_sv += static_cast<double>(results[f].support) / static_cast<double>(folds);
      cell.steps += results[f].steps;
      cell.factorisations += results[f].factorisations;
      cell.unconverged += results[f].unconverged;
    }
    cell.error = static_cast<double>(errors) / static_cast<double>(work.dataset.rows());
    const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(folds);
    double squares = 0;
    for (const double rate : rates) {
      squares += (rate - mean) * (rate - mean);
    }
    cell.error_std = std::sqrt(squares / static_cast<double>(folds - 1));
    selection.grid.push_back(cell);
  }
}

Selection CrossValidation::select(const data::Dataset& dataset, const core::Context& context) const {
  const auto start = std::chrono::steady_clock::now();
  data::check_trainable(dataset);
  Work work = plan(dataset, context);
  const bool same_preprocessing = same_for_all_folds(dataset);
  SharedGrams grams(work.training.size(), gamma_count(), same_preprocessing, dataset.rows(), options_.kernel.type,
                    context, [&](std::size_t fold) { return prepare(work, fold, same_preprocessing); });
  context.monitor.expect(grams.tasks());
  context.threads.for_each(grams.tasks(), [&](std::size_t task) {
    if (context.monitor.should_stop()) {
      return;
    }
    grams.with_rows(
        task,
        [&](const data::Features& features) {
          return kernel_at(work, grams.gamma(task), grams.resample(task), features);
        },
        [&](kernel::Rows& rows) { solve_fold(work, rows, grams.gamma(task), grams.resample(task)); });
    context.monitor.advance();
  });

  Selection selection = describe(dataset, options_, context);
  selection.folds = static_cast<int>(work.training.size());
  summarise(work, reported_gammas(dataset, options_), selection);
  choose(options_, selection);
  add_warnings(dataset, options_, selection);
  const bool complete =
      std::all_of(selection.grid.begin(), selection.grid.end(), [](const Cell& c) { return c.complete; });
  selection.stopped = complete ? core::StopReason::none : context.monitor.stop_reason();
  selection.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return selection;
}

}  // namespace

std::unique_ptr<Selector> make_cross_validation(const Options& options) {
  return std::make_unique<CrossValidation>(options);
}

}  // namespace credence::selection
