#include "credence/conformal/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformal/neighbours/neighbour_examples.hpp"
#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "neighbours/search/nearest.hpp"
#include "neighbours/space/screen.hpp"

namespace credence::conformal {
namespace {

using core::infinity;

void check_options(const NeighbourOptions& options) {
  throw_if_any(options.validate());
}

void check_label(int label, std::size_t classes) {
  if (label < 0 || static_cast<std::size_t>(label) >= classes)
    refuse(fmt::format("label {} is not one of the {} classes, which are counted from 0", label, classes));
}

void check_sizes(std::size_t rows, std::span<const int> labels, std::size_t classes) {
  if (rows != labels.size()) refuse(fmt::format("there are {} rows, but {} labels", rows, labels.size()));
  for (const int label : labels) check_label(label, classes);
}

/// The distance matrix with its lower half set from the upper one, which the users' own rounding may tell apart.
/// @throws Error invalid_data
data::Features checked_distances(const data::Features& distances) {
  const std::size_t n = distances.rows();
  if (distances.columns() != n) {
    refuse_data(fmt::format("a precomputed matrix of distances must be square, but it has {} rows and {} columns", n,
                            distances.columns()));
  }
  data::DenseMatrix matrix = distances.to_dense();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double value = matrix.row(i)[j];
      if (!(value >= 0 && value <= neighbours::largest_value))
        refuse_data(fmt::format("row {} has the distance {}; distances must be finite and not below 0", i + 1, value));
      if (j < i) continue;
      if (const double mirror = matrix.row(j)[i]; !(std::abs(value - mirror) <= 1e-6 * std::max(value, mirror))) {
        refuse_data(fmt::format("the matrix of distances is not symmetric: row {} says {}, and row {} says {}", i + 1,
                                value, j + 1, mirror));
      }
      matrix.row(j)[i] = value;
    }
  }
  return matrix;
}

/// @throws Error invalid_argument unless the lists of a state ascend and are as long as its examples allow
void check_lists(const TransductiveNeighbours::State& state, std::size_t class_count, std::size_t k) {
  const std::size_t m = state.labels.size();
  const std::vector<std::size_t> sizes = core::counts_of(state.labels, class_count);
  for (const data::DenseMatrix* lists : {&state.own, &state.other}) {
    if (lists->rows != m || lists->columns != k || lists->values.size() != m * k) {
      refuse(
          fmt::format("the lists of distances are {} x {}; they must be {} x {}", lists->rows, lists->columns, m, k));
    }
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t own = sizes[static_cast<std::size_t>(state.labels[i])];
      const std::size_t there = lists == &state.own ? own - 1 : m - own;
      const auto row = lists->row(i);
      const bool ascends =
          std::ranges::is_sorted(row) && std::ranges::all_of(row, [](double value) { return value >= 0; });
      if (!ascends || neighbours::present(row).size() != std::min(k, there)) {
        refuse(fmt::format("the distances of example {} are not {} numbers that ascend from 0 or above", i + 1,
                           std::min(k, there)));
      }
    }
  }
}

/// @throws Error memory if the rows, the lists and what follows from them do not fit the budget
void check_memory(const data::Features& rows, std::size_t k, const core::Context& context) {
  if (neighbour_bytes(rows, rows.rows(), k) > static_cast<double>(context.memory_budget)) {
    throw Error(ErrorCode::memory, fmt::format("the {} nearest distances of {} examples do not fit the memory budget; "
                                               "take a smaller k, fewer rows or a larger budget",
                                               k, rows.rows()));
  }
}

/// Counts an example at its new nonconformity score instead of its old one.
void recount(Rank& rank, double nonconformity, double before, double after, double weight) {
  rank.greater -= before > nonconformity ? weight : 0;
  rank.equal -= before == nonconformity ? weight : 0;
  rank.greater += after > nonconformity ? weight : 0;
  rank.equal += after == nonconformity ? weight : 0;
}

/// Ranks rows one after the other; one for each thread.
class Ranking {
 public:
  Ranking(const NeighbourExamples& examples, bool label_conditional)
      : examples_(examples),
        label_conditional_(label_conditional),
        others_matter_(examples.options().measure.others != Others::ignored && !label_conditional),
        nonconformity_(examples.classes()),
        list_(examples.lists().k) {}

  void rank(const neighbours::Points& points, std::size_t p, neighbours::Query& query, Rank* ranks) {
    query.find(p);
    for (std::size_t c = 0; c < examples_.classes(); ++c) {
      nonconformity_[c] = nonconformity_of(examples_.options(), query.own(c), query.others(c));
      ranks[c] = label_conditional_ ? examples_.table().rank(nonconformity_[c], static_cast<int>(c))
                                    : examples_.table().rank(nonconformity_[c]);
    }
    for (std::size_t c = 0; c < examples_.classes(); ++c)
      if (examples_.size(c) > 0) correct(points, p, query, c, ranks);
  }

 private:
  /// For the examples of class y that the new row changes.
  void correct(const neighbours::Points& points, std::size_t p, neighbours::Query& query, std::size_t y, Rank* ranks) {
    const neighbours::screen::Reach reach = reach_of(y);
    const std::size_t found = neighbours::screen::within_reach(
        query.bounds(p, y), reach, neighbours::screen::padded(examples_.size(y)), query.indices());
    for (std::size_t e = 0; e < found; ++e) {
      const std::size_t slot = query.indices()[e];
      const double distance = examples_.space().distance(points, p, y, slot);
      const double before = examples_.nonconformity(y, slot);
      const double weight = examples_.weight(y, slot);
      const auto own = examples_.lists().own_of(y, slot);
      const auto other = examples_.lists().other_of(y, slot);
      if (distance < own.back())
        recount(ranks[y], nonconformity_[y], before, nonconformity_of(examples_.options(), with(own, distance), other),
                weight);
      if (!others_matter_ || !(distance < other.back())) continue;
      const double after = nonconformity_of(examples_.options(), own, with(other, distance));
      for (std::size_t c = 0; c < examples_.classes(); ++c)
        if (c != y) recount(ranks[c], nonconformity_[c], before, after, weight);
    }
  }

  /// A nearer neighbour of another class makes an example stranger: it counts only where it comes to be as strange as
  /// the new row under some other class c. With ratio a of the new row that is own_sum / (rest + distance) >= a. Where
  /// other distances do not divide, no example in reach is left out.
  neighbours::screen::Reach reach_of(std::size_t y) {
    const ReachOfClass& reach = examples_.reach(y);
    if (!others_matter_) return {reach.own.data(), nullptr, nullptr, nullptr, 1, false};
    double least = infinity;
    for (std::size_t c = 0; c < examples_.classes(); ++c)
      if (c != y) least = std::min(least, nonconformity_[c]);
    constexpr double smallest = 1e-30;
    const float* own_sum = reach.own_sum.data();
    if (least < smallest || examples_.options().measure.others != Others::divide) {
      everything_.resize(reach.own_sum.size(), std::numeric_limits<float>::infinity());
      own_sum = everything_.data();
    }
    const auto factor = static_cast<float>(1 / std::clamp(least, smallest, 1 / smallest));
    return {reach.own.data(), reach.other.data(), own_sum, reach.rest.data(), factor, examples_.space().squared()};
  }

  /// The list with a nearer neighbour in it.
  std::span<const double> with(std::span<const double> list, double distance) {
    std::ranges::copy(list, list_.begin());
    neighbours::Smallest(list_).insert(distance);
    return list_;
  }

  const NeighbourExamples& examples_;
  bool label_conditional_;
  bool others_matter_;
  std::vector<double> nonconformity_;  ///< of the new row, under each class
  std::vector<double> list_;
  core::AlignedVector<float> everything_;
};

}  // namespace

std::vector<std::string> NeighbourOptions::validate() const {
  std::vector<std::string> problems;
  if (k < 1) problems.push_back(fmt::format("the number of neighbours, k, is {}; it must be at least 1", k));
  return problems;
}

bool operator==(const TransductiveNeighbours::State& a, const TransductiveNeighbours::State& b) {
  return a.labels == b.labels && a.rows.to_dense().values == b.rows.to_dense().values && a.own.values == b.own.values &&
         a.other.values == b.other.values && a.weights == b.weights;
}

struct TransductiveNeighbours::Impl {
  NeighbourExamples examples;
};

TransductiveNeighbours::TransductiveNeighbours(const data::Features& rows, std::span<const int> labels,
                                               std::size_t class_count, const NeighbourOptions& options,
                                               const core::Context& context, std::span<const double> weights) {
  check_options(options);
  check_sizes(rows.rows(), labels, class_count);
  if (labels.empty()) refuse_data("there is no example to learn from");
  check_memory(rows, static_cast<std::size_t>(options.k), context);
  NeighbourExamples examples(options, rows.columns(), class_count);
  examples.put(options.metric == neighbours::Metric::precomputed ? checked_distances(rows) : rows.view(), labels,
               &context);
  examples.set(examples.search(context), weights);
  impl_ = std::make_unique<Impl>(Impl{std::move(examples)});
}

TransductiveNeighbours::TransductiveNeighbours(std::size_t columns, std::size_t class_count,
                                               const NeighbourOptions& options) {
  check_options(options);
  if (options.metric == neighbours::Metric::precomputed)
    refuse("examples cannot be added one by one to a precomputed matrix of distances");
  impl_ = std::make_unique<Impl>(Impl{NeighbourExamples(options, columns, class_count)});
}

TransductiveNeighbours::TransductiveNeighbours(State state, std::size_t class_count, const NeighbourOptions& options) {
  check_options(options);
  check_sizes(state.rows.rows(), state.labels, class_count);
  const auto k = static_cast<std::size_t>(options.k);
  const std::size_t m = state.labels.size();
  if (m == 0) {
    impl_ = std::make_unique<Impl>(Impl{NeighbourExamples(options, state.rows.columns(), class_count)});
    return;
  }
  if (options.metric == neighbours::Metric::precomputed && state.rows.columns() != m)
    refuse(fmt::format("the precomputed distances of {} examples have {} columns", m, state.rows.columns()));
  check_lists(state, class_count, k);
  NeighbourExamples examples(options, state.rows.columns(), class_count);
  examples.put(options.metric == neighbours::Metric::precomputed ? checked_distances(state.rows) : state.rows.view(),
               state.labels);
  neighbours::NearestLists lists(class_count, k);
  for (std::size_t i = 0; i < m; ++i) {
    const auto label = static_cast<std::size_t>(state.labels[i]);
    lists.own[label].insert(lists.own[label].end(), state.own.row(i).begin(), state.own.row(i).end());
    lists.other[label].insert(lists.other[label].end(), state.other.row(i).begin(), state.other.row(i).end());
  }
  examples.set(std::move(lists), state.weights);
  impl_ = std::make_unique<Impl>(Impl{std::move(examples)});
}

TransductiveNeighbours::~TransductiveNeighbours() = default;
TransductiveNeighbours::TransductiveNeighbours(TransductiveNeighbours&&) noexcept = default;
TransductiveNeighbours& TransductiveNeighbours::operator=(TransductiveNeighbours&&) noexcept = default;

const NeighbourOptions& TransductiveNeighbours::options() const {
  return impl_->examples.options();
}

std::size_t TransductiveNeighbours::size() const {
  return impl_->examples.size();
}

std::size_t TransductiveNeighbours::columns() const {
  return impl_->examples.columns();
}

std::vector<std::size_t> TransductiveNeighbours::class_counts() const {
  return core::made(impl_->examples.classes(), [&](std::size_t c) { return impl_->examples.size(c); });
}

std::optional<double> TransductiveNeighbours::effective_rows() const {
  const bool weighs = !impl_->examples.weights().empty();
  return weighs ? std::optional(impl_->examples.table().all().effective()) : std::nullopt;
}

void TransductiveNeighbours::check_columns(const data::Features& rows) const {
  if (rows.columns() != columns()) {
    refuse_data(
        fmt::format("the nearest neighbours have {} features, but the rows have {}", columns(), rows.columns()));
  }
}

Ranks TransductiveNeighbours::ranks(const data::Features& rows, bool label_conditional,
                                    const core::Context& context) const {
  const NeighbourExamples& examples = impl_->examples;
  check_columns(rows);
  Ranks ranks(rows.rows(), examples.classes());
  if (!examples.has_space()) return ranks;
  neighbours::for_each_block(examples.space(), examples.lists().k, rows, context,
                             [&](std::size_t first, const neighbours::Points& points, neighbours::Query& query) {
                               Ranking ranking(examples, label_conditional);
                               for (std::size_t p = 0; p < points.count(); ++p)
                                 ranking.rank(points, p, query, &ranks.at(first + p, 0));
                             });
  return ranks;
}

std::vector<Rank> TransductiveNeighbours::rank(const data::Features& rows, std::size_t row,
                                               bool label_conditional) const {
  check_row(rows, row);
  const NeighbourExamples& examples = impl_->examples;
  std::vector<Rank> ranks(examples.classes());
  if (examples.has_space()) {
    const auto point = examples.space().points(rows, row, 1);
    neighbours::Query query(examples.space(), examples.lists().k, 1);
    query.set(*point);
    Ranking(examples, label_conditional).rank(*point, 0, query, ranks.data());
  }
  return ranks;
}

void TransductiveNeighbours::check_row(const data::Features& rows, std::size_t row) const {
  if (row >= rows.rows()) refuse(fmt::format("there is no row {}; there are {}", row, rows.rows()));
  check_columns(rows);
}

void TransductiveNeighbours::add(const data::Features& rows, std::size_t row, int label) {
  if (options().metric == neighbours::Metric::precomputed)
    refuse("examples cannot be added one by one to a precomputed matrix of distances");
  if (!impl_->examples.weights().empty()) refuse("examples with weights are not added one by one");
  check_label(label, impl_->examples.classes());
  check_row(rows, row);
  impl_->examples.add(rows, row, static_cast<std::size_t>(label));
}

void TransductiveNeighbours::remove(std::size_t i) {
  if (options().metric == neighbours::Metric::precomputed)
    refuse("examples of a precomputed matrix of distances cannot be removed");
  if (i >= size()) refuse(fmt::format("there is no example {}; there are {}", i, size()));
  if (!impl_->examples.weights().empty()) refuse("examples with weights are not removed one by one");
  impl_->examples.remove(i);
}

double TransductiveNeighbours::nonconformity(std::size_t i) const {
  if (i >= size()) refuse(fmt::format("there is no example {}; there are {}", i, size()));
  const auto place = impl_->examples.place(i);
  return impl_->examples.nonconformity(place.label, place.slot);
}

TransductiveNeighbours::State TransductiveNeighbours::state() const {
  const NeighbourExamples& examples = impl_->examples;
  State state;
  state.rows = examples.has_space() ? examples.rows() : data::Features(data::DenseMatrix(0, columns()));
  state.own = data::DenseMatrix(size(), examples.lists().k);
  state.other = state.own;
  state.weights = examples.weights();
  for (std::size_t i = 0; i < size(); ++i) {
    const auto place = examples.place(i);
    state.labels.push_back(static_cast<int>(place.label));
    std::ranges::copy(examples.lists().own_of(place.label, place.slot), state.own.row(i).begin());
    std::ranges::copy(examples.lists().other_of(place.label, place.slot), state.other.row(i).begin());
  }
  return state;
}

}  // namespace credence::conformal
