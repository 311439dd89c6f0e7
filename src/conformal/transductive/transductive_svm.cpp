#include "credence/conformal/transductive_svm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "conformal/transductive/known_rows.hpp"
#include "conformal/transductive/pair_svm.hpp"
#include "core/numbers.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/svm/model.hpp"

namespace credence::conformal {

using core::infinity;

/// The machines between all pairs of classes (svm::machine_layout), over rows in the order of their classes.
/// The score of an example is its smallest margin over the pairs of its class with classes that occur.
class PairSvms {
 public:
  /// @param counts  rows of each class  @param options  must outlive the object
  PairSvms(std::span<const std::size_t> counts, const TransductiveSvmOptions& options)
      : machines_(svm::machine_layout(counts.size())) {
    std::size_t first = 0;
    for (const std::size_t count : counts) {
      ranges_.push_back({first, count});
      first += count;
    }
    pairs_.reserve(machines_.size());
    for (const svm::BinaryMachine& machine : machines_) {
      const auto [low, high] = std::minmax(machine.positive, machine.negative);
      const double sign = low == machine.positive ? 1 : -1;
      pairs_.emplace_back(std::array{range(low), range(high)}, std::array{sign, -sign}, options);
    }
    least_.assign(first, infinity);
    least_pair_.assign(first, 0);
    second_.assign(first, infinity);
  }

  std::size_t size() const { return pairs_.size(); }
  PairSvm& of(std::size_t machine) { return pairs_[machine]; }
  const std::vector<PairSvm>& all() const { return pairs_; }
  const svm::BinaryMachine& machine(std::size_t m) const { return machines_[m]; }
  const RowRange& range(int label) const { return ranges_[static_cast<std::size_t>(label)]; }

  /// To be called when all pairs have their solutions.
  void measure() {
    for (std::size_t m = 0; m < size(); ++m) {
      if (!pairs_[m].both_occur()) continue;
      for (std::size_t a = 0; a < pairs_[m].size(); ++a) {
        const std::size_t row = pairs_[m].row(a);
        const double margin = pairs_[m].margins()[a];
        if (margin < least_[row]) {
          second_[row] = std::exchange(least_[row], margin);
          least_pair_[row] = m;
        } else {
          second_[row] = std::min(second_[row], margin);
        }
      }
    }
  }

  /// The smallest margin of a row over its pairs but that of one machine; infinity if there is no other.
  double score_without(std::size_t row, std::size_t machine) const {
    return least_pair_[row] == machine ? second_[row] : least_[row];
  }

 private:
  std::vector<svm::BinaryMachine> machines_;
  std::vector<RowRange> ranges_;
  std::vector<PairSvm> pairs_;           ///< of each machine, the lower class first
  std::vector<double> least_;            ///< of each row: its smallest margin,
  std::vector<std::size_t> least_pair_;  ///< the machine that has it,
  std::vector<double> second_;           ///< and the smallest of the other machines
};

namespace {

/// Ranks new examples, one after another, on one thread.
class PairRanking {
 public:
  /// All arguments must outlive it. @param weights  of the known examples in their order; empty: each counts 1
  PairRanking(const PairSvms& pairs, kernel::Rows& rows, std::span<const double> weights, const core::Monitor& monitor,
              TransductiveCost& cost)
      : pairs_(pairs), rows_(rows), weights_(weights), monitor_(monitor), cost_(cost), scores_(rows.size()) {}

  /// Of the example under a class, among all known examples or those of the class.
  /// @throws Error interrupted
  Rank rank(const NewExample& example, int label, bool label_conditional) {
    const RowRange& own = pairs_.range(label);
    std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(own.first), own.count, infinity);
    new_score_ = infinity;
    for (std::size_t m = 0; m < pairs_.size(); ++m) {
      const auto [low, high] = std::minmax(pairs_.machine(m).positive, pairs_.machine(m).negative);
      const int opponent = label == low ? high : low;
      if ((label == low || label == high) && pairs_.range(opponent).count > 0) fight(m, example, label == low ? 0 : 1);
    }
    return count(label_conditional ? own : RowRange{0, scores_.size()});
  }

 private:
  /// All pairs of the new example's class change, and of each other class one.
  void fight(std::size_t m, const NewExample& example, std::size_t side) {
    if (monitor_.should_stop())
      throw Error(ErrorCode::interrupted, "transductive prediction was stopped before it was done");
    const PairSvm& pair = pairs_.all()[m];
    pair.extend(rows_, example, side, monitor_, cost_, extension_);
    const double* margin = extension_.margins.data();
    for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
      const RowRange& range = pair.ranges()[s];
      for (std::size_t row = range.first; row < range.first + range.count; ++row)
        scores_[row] = std::min(s == side ? scores_[row] : pairs_.score_without(row, m), *margin++);
    }
    new_score_ = std::min(new_score_, *margin);
  }

  Rank count(const RowRange& range) const {
    const double nonconformity = margin_nonconformity(new_score_);
    Rank rank;
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      const double weight = weights_.empty() ? 1 : weights_[i];
      rank.of += weight;
      rank.greater += margin_nonconformity(scores_[i]) > nonconformity ? weight : 0;
      rank.equal += margin_nonconformity(scores_[i]) == nonconformity ? weight : 0;
    }
    return rank;
  }

  const PairSvms& pairs_;
  kernel::Rows& rows_;
  std::span<const double> weights_;
  const core::Monitor& monitor_;
  TransductiveCost& cost_;
  std::vector<double> scores_;    ///< of the known examples, under the extended machines
  PairSvm::Extension extension_;  ///< in the pair at hand
  double new_score_ = 0;
};

/// So many new rows have their kernel values computed together.
constexpr std::size_t block_rows = 4;

std::vector<std::size_t> counts_of(std::span<const int> labels, std::size_t classes) {
  std::vector<std::size_t> counts(classes, 0);
  for (const int label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= classes)
      refuse(fmt::format("the label {} is not one of the {} classes 0 .. {}", label, classes, classes - 1));
    ++counts[static_cast<std::size_t>(label)];
  }
  return counts;
}

std::vector<std::size_t> ordered_by_class(std::span<const int> labels) {
  std::vector<std::size_t> order = core::numbers_below(labels.size());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return labels[a] < labels[b]; });
  return order;
}

void add_cost(TransductiveCost& total, const TransductiveCost& part) {
  total.problems += part.problems;
  total.unchanged += part.unchanged;
  total.steps += part.steps;
  total.factorisations += part.factorisations;
  total.unconverged += part.unconverged;
}

/// Rows, labels and options fit together. @return rows of each class
std::vector<std::size_t> checked_counts(const data::Features& rows, std::span<const int> labels, std::size_t classes,
                                        const TransductiveSvmOptions& options) {
  throw_if_any(options.validate());
  if (rows.rows() != labels.size()) refuse(fmt::format("there are {} rows, but {} labels", rows.rows(), labels.size()));
  std::vector<std::size_t> counts = counts_of(labels, classes);
  if (std::ranges::count(counts, std::size_t{0}) + 2 > static_cast<std::ptrdiff_t>(classes))
    refuse_data("a transductive SVM needs examples of at least two classes");
  check_finite(rows);
  return counts;
}

}  // namespace

std::vector<std::string> TransductiveSvmOptions::validate() const {
  std::vector<std::string> problems = kernel.validate();
  if (kernel.type == kernel::KernelType::precomputed)
    problems.emplace_back("a transductive SVM needs a kernel function, not precomputed values");
  if (!(C > 0 && std::isfinite(C))) problems.push_back(fmt::format("C must be a finite number above 0, not {}", C));
  core::append(problems, solver.validate());
  return problems;
}

/// Rows are kept in the order of their classes, so that each machine's rows are two ranges.
struct TransductiveSvm::Impl {
  Impl(const data::Features& features, std::span<const int> given_labels, std::size_t classes,
       const TransductiveSvmOptions& given, std::span<const double> given_weights, const core::Context& context)
      : options(given),
        counts(checked_counts(features, given_labels, classes, given)),
        labels(given_labels.begin(), given_labels.end()),
        order(ordered_by_class(given_labels)),
        known(features.select_rows(order), given.kernel, context),
        pairs(counts, options) {
    check_own_weights(given_weights);
    if (!given_weights.empty() && given_weights.size() != order.size())
      refuse(fmt::format("there are {} rows, but weights for {}", order.size(), given_weights.size()));
    weights = core::picked(given_weights, order);
  }

  void train(const core::Context& context) {
    context.monitor.expect(pairs.size());
    context.threads.for_each(pairs.size(), [&](std::size_t m) {
      pairs.of(m).train(*known.rows(context), context.monitor);
      context.monitor.advance();
    });
    pairs.measure();
  }

  void take(const std::vector<std::vector<double>>& beta, const core::Context& context) {
    if (beta.size() != pairs.size()) {
      refuse(
          fmt::format("there are coefficients for {} binary SVMs, but the classes make {}", beta.size(), pairs.size()));
    }
    auto sorted = core::made(beta.size(), [&](std::size_t m) { return sorted_beta(beta[m], m); });
    context.threads.for_each(pairs.size(),
                             [&](std::size_t m) { pairs.of(m).take(*known.rows(context), std::move(sorted[m])); });
    pairs.measure();
  }

  /// Coefficients of all given rows become those of a machine's own, in the order of its pair.
  /// @throws Error invalid_argument unless they are feasible, and 0 for all other rows
  std::vector<double> sorted_beta(const std::vector<double>& beta, std::size_t machine) const {
    const auto fits = [&](bool condition) {
      if (!condition)
        refuse(fmt::format("the coefficients of binary SVM {} are not those of an SVM on these rows", machine));
    };
    fits(beta.size() == labels.size());
    std::vector<double> result;
    const PairSvm& pair = pairs.all()[machine];
    const qp::Problem& problem = pair.problem();
    double sum = 0;
    for (std::size_t a = 0; a < pair.size(); ++a) {
      result.push_back(beta[order[pair.row(a)]]);
      fits(result[a] >= problem.lower[a] && result[a] <= problem.upper[a]);  // not for a NaN either
      sum += result[a];
    }
    fits(std::abs(sum) <= 1e-6 * options.C * static_cast<double>(result.size()));
    fits(std::ranges::count(beta, 0.0) - std::ranges::count(result, 0.0) ==
         static_cast<std::ptrdiff_t>(beta.size() - result.size()));
    return result;
  }

  TransductiveSvmOptions options;
  std::vector<std::size_t> counts;
  std::vector<int> labels;
  std::vector<std::size_t> order;  ///< given row at each place
  std::vector<double> weights;     ///< of the row at each place; empty: each counts 1
  KnownRows known;
  PairSvms pairs;
};

TransductiveSvm::TransductiveSvm(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                                 const TransductiveSvmOptions& options, const core::Context& context,
                                 std::span<const double> weights)
    : impl_(std::make_unique<Impl>(rows, labels, class_count, options, weights, context)) {
  impl_->train(context);
}

TransductiveSvm::TransductiveSvm(State state, std::size_t class_count, const TransductiveSvmOptions& options,
                                 const core::Context& context)
    : impl_(std::make_unique<Impl>(state.rows, state.labels, class_count, options, state.weights, context)) {
  impl_->take(state.beta, context);
}

TransductiveSvm::~TransductiveSvm() = default;

const TransductiveSvmOptions& TransductiveSvm::options() const {
  return impl_->options;
}

bool TransductiveSvm::converged() const {
  const auto& pairs = impl_->pairs.all();
  return std::ranges::all_of(pairs, [](const PairSvm& pair) { return pair.converged(); });
}

Validity TransductiveSvm::validity() const {
  return impl_->options.kernel.type == kernel::KernelType::sigmoid ? Validity::approximate : Validity::exact;
}

std::vector<std::size_t> TransductiveSvm::class_counts() const {
  return impl_->counts;
}

std::optional<double> TransductiveSvm::effective_rows() const {
  const std::vector<double>& weights = impl_->weights;
  if (weights.empty()) return std::nullopt;
  return NonconformityScores(weights, {weights}).effective();
}

TransductiveSvm::State TransductiveSvm::state() const {
  const std::size_t n = impl_->order.size();
  std::vector<std::size_t> place(n);
  for (std::size_t i = 0; i < n; ++i) place[impl_->order[i]] = i;
  State state{impl_->known.features().select_rows(place), impl_->labels, {}, {}};
  state.weights = core::picked(impl_->weights, place);
  for (const PairSvm& pair : impl_->pairs.all()) {
    std::vector<double>& beta = state.beta.emplace_back(n, 0.0);
    for (std::size_t a = 0; a < pair.size(); ++a) beta[impl_->order[pair.row(a)]] = pair.beta()[a];
  }
  return state;
}

Ranks TransductiveSvm::ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const {
  TransductiveCost cost;
  return ranks(rows, label_conditional, context, cost);
}

Ranks TransductiveSvm::ranks(const data::Features& rows, bool label_conditional, const core::Context& context,
                             TransductiveCost& cost) const {
  Ranks ranks(rows.rows(), impl_->counts.size());
  const NewRows new_rows(impl_->known, rows);
  core::Lender<kernel::Rows> caches;  // one that a thread leaves behind serves the next
  std::mutex mutex;
  cost = {};
  context.monitor.expect(ranks.rows);
  context.threads.for_each((ranks.rows + block_rows - 1) / block_rows, [&](std::size_t block) {
    const std::size_t first = block * block_rows;
    const std::size_t count = std::min(block_rows, ranks.rows - first);
    const NewRows::Values values = new_rows.values(first, count);
    const auto known_rows = caches.borrow([&] { return impl_->known.rows(context); });
    TransductiveCost own;
    PairRanking ranking(impl_->pairs, *known_rows, impl_->weights, context.monitor, own);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t c = 0; c < ranks.classes; ++c) {
        ranks.at(first + k, c) =
            ranking.rank({{values.of(k), values.width}, values.own[k]}, static_cast<int>(c), label_conditional);
      }
      context.monitor.advance();
    }
    const std::lock_guard lock(mutex);
    add_cost(cost, own);
  });
  return ranks;
}

}  // namespace credence::conformal
