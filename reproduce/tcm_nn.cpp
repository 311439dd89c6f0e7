#include "reproduce/tcm_nn.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/conformal/neighbours.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/neighbours/majority.hpp"

namespace credence::reproduce::tcm_nn {
namespace {

constexpr int folds = 10;
constexpr std::size_t figure_1_k = 20;
constexpr std::size_t figure_2_rows = 50;
constexpr std::size_t figure_2_samples = 1000;
constexpr std::uint64_t figure_2_purpose = 0x66696775726532;  // "figure2"

conformal::NeighbourOptions options_of(int k) {
  conformal::NeighbourOptions options;
  options.k = k;
  return options;
}

data::DenseMatrix p_values(const conformal::Machine& machine, const data::DenseMatrix& test,
                           const core::Context& context) {
  return conformal::p_values(machine.ranks(test, false, context), {});
}

std::size_t count_errors(const data::DenseMatrix& p_values, const std::vector<int>& labels) {
  return conformal::evaluate(p_values, labels, {}, false).errors;
}

/// Of plain k-nearest neighbours for k = 1, ..., most.
std::vector<std::size_t> neighbour_errors(const SetData& data, std::size_t most, const core::Context& context) {
  std::vector<std::size_t> errors;
  for (const std::vector<int>& found : neighbours::majority_labels(
           data.training, data.labels, data.class_count, data.test, most, neighbours::Metric::euclidean, context)) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != data.test_labels[i] ? 1U : 0U;
    errors.push_back(wrong);
  }
  return errors;
}

std::vector<int> pick(const std::vector<int>& labels, const std::vector<std::size_t>& rows) {
  std::vector<int> picked;
  for (const std::size_t i : rows) picked.push_back(labels[i]);
  return picked;
}

SetData data_of_fold(const SetData& all, const std::vector<int>& fold_of, int fold) {
  std::vector<std::size_t> training;
  std::vector<std::size_t> test;
  for (std::size_t i = 0; i < fold_of.size(); ++i) (fold_of[i] == fold ? test : training).push_back(i);
  const data::Features rows = all.training;
  return {rows.select_rows(training).dense(), pick(all.labels, training), rows.select_rows(test).dense(),
          pick(all.labels, test), all.class_count};
}

/// Appends the rows of one split to a pass.
void run_split(const SetData& data, Pass& pass, const core::Context& context) {
  const conformal::TransductiveNeighbours machine(data.training, data.labels, data.class_count, options_of(1), context);
  const data::DenseMatrix found = p_values(machine, data.test, context);
  pass.p_values.values.insert(pass.p_values.values.end(), found.values.begin(), found.values.end());
  pass.p_values.rows += found.rows;
  pass.p_values.columns = found.columns;
  pass.labels.insert(pass.labels.end(), data.test_labels.begin(), data.test_labels.end());
  const std::size_t plain = neighbour_errors(data, 1, context).front();
  pass.folds.push_back({found.rows, count_errors(found, data.test_labels), plain});
}

Ties count_ties(const data::DenseMatrix& p_values, std::span<const int> labels) {
  Ties ties;
  for (std::size_t i = 0; i < p_values.rows; ++i) {
    const auto row = p_values.row(i);
    const auto largest = std::max_element(row.begin(), row.end());
    if (std::count(row.begin(), row.end(), *largest) < 2) continue;
    ++ties.rows;
    if (largest - row.begin() != labels[i]) ++ties.errors;
    if (row[static_cast<std::size_t>(labels[i])] != *largest) ++ties.unavoidable;
  }
  return ties;
}

Pass run_pass(const PaperSet& set, const SetData& data, std::uint64_t seed, const core::Context& context) {
  Pass pass;
  pass.seed = seed;
  if (set.protocol == Protocol::fixed_split) {
    run_split(data, pass, context);
  } else {
    const std::vector<int> fold_of = data::stratified_k_fold(data.labels, folds, seed);
    for (int fold = 0; fold < folds; ++fold) run_split(data_of_fold(data, fold_of, fold), pass, context);
  }
  pass.found = conformal::evaluate(pass.p_values, pass.labels, levels, false);
  pass.ties = count_ties(pass.p_values, pass.labels);
  return pass;
}

data::DenseMatrix first_columns(const data::DenseMatrix& matrix, std::size_t count) {
  data::DenseMatrix columns(matrix.rows, count);
  for (std::size_t i = 0; i < matrix.rows; ++i) std::copy_n(matrix.row(i).begin(), count, columns.row(i).begin());
  return columns;
}

/// The state for a smaller k is part of that for the largest.
Figure1 figure_1(const SetData& data, const core::Context& context) {
  const auto k_max = static_cast<int>(std::min(figure_1_k, data.training.rows));
  const conformal::TransductiveNeighbours largest(data.training, data.labels, data.class_count, options_of(k_max),
                                                  context);
  const conformal::TransductiveNeighbours::State state = largest.state();
  Figure1 figure;
  figure.rows = data.test.rows;
  for (int k = 1; k <= k_max; ++k) {
    const auto count = static_cast<std::size_t>(k);
    const conformal::TransductiveNeighbours machine(
        {state.rows, state.labels, first_columns(state.own, count), first_columns(state.other, count)},
        data.class_count, options_of(k));
    figure.tcm.push_back(count_errors(p_values(machine, data.test, context), data.test_labels));
  }
  figure.neighbours = neighbour_errors(data, figure.tcm.size(), context);
  return figure;
}

std::vector<double> true_p_values(const Pass& pass) {
  std::vector<double> values;
  for (std::size_t i = 0; i < pass.labels.size(); ++i)
    values.push_back(pass.p_values.row(i)[static_cast<std::size_t>(pass.labels[i])]);
  return values;
}

/// Share of regions at eps that hold the true class.
double share_held(std::span<const double> true_p, double eps) {
  const auto held = std::count_if(true_p.begin(), true_p.end(), [eps](double p) { return p > eps; });
  return static_cast<double>(held) / static_cast<double>(true_p.size());
}

std::vector<std::vector<double>> draw_samples(const std::vector<double>& values, std::size_t size, std::uint64_t seed) {
  core::RandomStream random(seed, figure_2_purpose);
  std::vector<std::vector<double>> samples(figure_2_samples);
  std::vector<double> shuffled = values;
  for (std::vector<double>& sample : samples) {
    random.shuffle(shuffled);
    sample.assign(shuffled.begin(), shuffled.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return samples;
}

/// Million steps of training and of a query of all test rows.
std::size_t training_units(std::size_t rows, std::size_t columns) {
  return rows * rows * columns / 2000000 + 1;
}
std::size_t query_units(std::size_t rows, std::size_t test_rows, std::size_t columns) {
  return rows * test_rows * columns / 1000000 + 1;
}

std::size_t pass_units(const PaperSet& set, const SetData& data) {
  const std::size_t rows = data.training.rows;
  const std::size_t columns = data.training.columns;
  if (set.protocol == Protocol::fixed_split)
    return training_units(rows, columns) + 2 * query_units(rows, data.test.rows, columns);
  return folds * (training_units(rows, columns) + 2 * query_units(rows, rows / folds, columns));
}

std::size_t figure_units(const PaperSet& set, const SetData& data) {
  if (set.images == Images::none) return 0;
  return training_units(data.training.rows, data.training.columns) +
         (figure_1_k + 1) * query_units(data.training.rows, data.test.rows, data.training.columns);
}

int passes_of(const PaperSet& set, int shuffles) {
  return set.protocol == Protocol::fixed_split ? 1 : shuffles;
}

Figure2 figure_2(const Pass& pass, std::uint64_t seed) {
  const std::vector<double> all = true_p_values(pass);
  Figure2 figure{std::min(figure_2_rows, all.size()), figure_2_samples, {}};
  const auto samples = draw_samples(all, figure.instances, seed);
  for (int percent = 1; percent <= 100; ++percent) {
    const double eps = percent / 100.0;
    std::vector<double> shares;
    for (const std::vector<double>& sample : samples) shares.push_back(share_held(sample, eps));
    const double first = shares.front();
    std::sort(shares.begin(), shares.end());
    figure.points.push_back({(100 - percent) / 100.0, share_held(all, eps), first, shares[figure_2_samples / 20 - 1],
                             shares[figure_2_samples - figure_2_samples / 20]});
  }
  return figure;
}

std::size_t units_of(const PaperSet& set, const SetData& data, int shuffles) {
  return static_cast<std::size_t>(passes_of(set, shuffles)) * pass_units(set, data) + figure_units(set, data);
}

SetResult run_set(const PaperSet& set, const SetData& data, int shuffles, std::uint64_t seed,
                  const core::Context& context) {
  const double start = context.monitor.seconds();
  SetResult result{&set, data.training.rows, data.test.rows, mismatches(set, data), {}, {}, {}, 0, true};
  for (int s = 0; s < passes_of(set, shuffles) && result.complete; ++s) {
    auto pass = unless_stopped(pass_units(set, data), context, [&](const core::Context& part) {
      return run_pass(set, data, seed + static_cast<std::uint64_t>(s), part);
    });
    result.complete = pass.has_value();
    if (pass) result.passes.push_back(std::move(*pass));
  }
  if (set.images != Images::none && result.complete) {
    result.confidence = figure_2(result.passes.front(), seed);
    result.neighbours = unless_stopped(figure_units(set, data), context,
                                       [&](const core::Context& part) { return figure_1(data, part); });
    result.complete = result.neighbours.has_value();
  }
  result.seconds = context.monitor.seconds() - start;
  return result;
}

/// Without --repeats: enough to tell the deviation over folds.
constexpr int default_shuffles = 10;

class TcmNn : public ExperimentWith<Report> {
 public:
  explicit TcmNn(const Request& request) : sets_(sets_of(request.sets)) {
    report_.smoothing = request.smoothing.value_or(smoothing_width);
    report_.shuffles = request.repeats.value_or(default_shuffles);
    report_.seed = request.seed;
  }

  std::vector<Part> read(const std::string& folder) override {
    std::vector<Part> parts;
    for (const PaperSet* set : sets_) {
      const auto data = std::make_shared<const SetData>(read_set(*set, folder, report_.smoothing));
      parts.push_back({units_of(*set, *data, report_.shuffles), [this, set, data](const core::Context& context) {
                         report_.sets.push_back(run_set(*set, *data, report_.shuffles, report_.seed, context));
                         return report_.sets.back().complete;
                       }});
    }
    return parts;
  }

 private:
  std::vector<const PaperSet*> sets_;
};

}  // namespace

std::size_t Pass::neighbour_errors() const {
  return std::accumulate(folds.begin(), folds.end(), std::size_t{0},
                         [](std::size_t sum, const Fold& fold) { return sum + fold.neighbour_errors; });
}

}  // namespace credence::reproduce::tcm_nn

std::unique_ptr<credence::reproduce::Experiment> credence::reproduce::tcm_nn_experiment(const Request& request) {
  return std::make_unique<tcm_nn::TcmNn>(request);
}
