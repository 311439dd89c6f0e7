#include "credence/svm/family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"
#include "kernel/simd.hpp"
#include "svm/guests.hpp"
#include "svm/strips.hpp"
#include "svm/support_base.hpp"

namespace credence::svm {
namespace {

constexpr std::size_t scored_at_once = 256;
/// Each doubling of gamma doubles the relative error of a squared kernel value: 2^12 times 1e-16 is well below 1e-9.
constexpr int most_doublings = 12;
struct GammaMachines {
  kernel::Kernel kernel;
  int doublings = 0;         ///< since the gamma before, whose kernel values are then squared; 0: from the base values
  std::vector<double> bias;  ///< (machine, cost)
  std::vector<std::size_t> used;  ///< of each machine: from this cost on all coefficients are 0
};

/// The first column from which on all are 0.
std::size_t used_columns(const data::DenseMatrix& matrix) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < matrix.rows && used < matrix.columns; ++i) {
    const auto row = matrix.row(i);
    for (std::size_t c = matrix.columns; c > used; --c) {
      if (row[c - 1] == 0) continue;
      used = c;
      break;
    }
  }
  return used;
}

/// How often the gamma before has to be doubled to give gamma g; 0 if it cannot, or not cheaply.
int doublings_before(const SvmFamily& family, std::size_t g) {
  const bool exponential = kernel::falls_with_distance(family.kernel.type);
  constexpr int most = 4;
  for (int times = 1; exponential && g > 0 && times <= most; ++times)
    if (std::ldexp(family.gammas[g - 1], times) == family.gammas[g]) return times;
  return 0;
}

/// What the rows of a strip are computed in; made once for each thread.
struct Room {
  core::AlignedVector<double> base;             ///< (row, support vector)
  core::UninitializedVector<double> turned;     ///< (support vector, row)
  core::UninitializedVector<double> values;     ///< the same, kernel values of the gamma at hand
  core::UninitializedVector<double> decisions;  ///< (machine, cost, row)
  core::UninitializedVector<double> of_guest;   ///< of the rows
  std::vector<double> own;                      ///< of one row, of all machines
  std::vector<int> votes;                       ///< (class, row)
  std::vector<int> labels;                      ///< of the rows
};

/// Scores of a family on given rows, block by block, and decision values of its guests.
class Scoring {
 public:
  /// @param guests  may be null  @param decisions  of the guests
  Scoring(const SvmFamily& family, const data::Features& rows, const Guests* guests, data::DenseMatrix* decisions)
      : family_(family),
        guests_(guests),
        decisions_(decisions),
        base_(family.kernel.type, guests == nullptr ? family.support_vectors : guests->vectors,
              guests == nullptr ? family.support_rows : guests->rows, rows),
        machines_(family.relevance_vectors ? one_against_rest(family.class_count)
                                           : machine_layout(family.class_count)) {
    const std::vector<int> doublings = doublings_of(family);
    for (std::size_t g = 0; g < family.gammas.size(); ++g) {
      GammaMachines& gamma = gammas_.emplace_back();
      gamma.kernel = family.kernel;
      gamma.kernel.gamma = family.gammas[g];
      for (std::size_t m = 0; m < machines_.size(); ++m)
        for (std::size_t c = 0; c < family.cost_count; ++c)
          gamma.bias.push_back(family.bias.row(g)[c * machines_.size() + m]);
      for (std::size_t m = 0; m < machines_.size(); ++m)
        gamma.used.push_back(used_columns(family.machines[g * machines_.size() + m].coefficients));
      gamma.doublings = doublings[g];
    }
  }

  model::Scores block(std::size_t first, std::size_t count) const {
    model::Scores scores(count, family_.models(), family_.class_count);
    std::unique_ptr<Room> room = free_room();
    for (std::size_t at = 0; at < count; at += strip_rows)
      strip(first + at, std::min(strip_rows, count - at), at, *room, scores);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(room));
    return scores;
  }

 private:
  std::unique_ptr<Room> free_room() const {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Room> room = std::move(free_.back());
      free_.pop_back();
      return room;
    }
    const std::size_t size = strip_rows * base_.width();
    const std::size_t machines = machines_.size();
    return std::make_unique<Room>(Room{core::AlignedVector<double>(size), core::UninitializedVector<double>(size),
                                       core::UninitializedVector<double>(size),
                                       core::UninitializedVector<double>(machines * family_.cost_count * strip_rows),
                                       core::UninitializedVector<double>(strip_rows), std::vector<double>(machines),
                                       std::vector<int>(family_.class_count * strip_rows),
                                       std::vector<int>(strip_rows)});
  }

  /// `count` rows from `first` on, which are rows `at`, at + 1, ... of the scores.
  void strip(std::size_t first, std::size_t count, std::size_t at, Room& room, model::Scores& scores) const {
    base_.compute(first, count, room.base.data());
    turn(room.base.data(), count, base_.width(), room.turned.data());
    for (std::size_t g = 0; g < gammas_.size(); ++g) {
      if (gammas_[g].doublings > 0)
        kernel::simd::square_kernel(room.values.data(), room.values.size(), gammas_[g].doublings);
      else
        kernel::simd::apply_kernel(gammas_[g].kernel, room.turned.data(), room.values.data(), room.values.size());
      decide_all(g, room);
      if (g == 0 && guests_ != nullptr) decide_guests(first, count, room);
      for (std::size_t c = 0; c < family_.cost_count; ++c) take(g, c, count, at, room, scores);
    }
  }

  void decide_all(std::size_t g, Room& room) const {
    const std::size_t costs = family_.cost_count;
    for (std::size_t m = 0; m < machines_.size(); ++m) {
      const MachineCosts& machine = family_.machines[g * machines_.size() + m];
      decide(room.values.data(), machine.support, machine.coefficients.values.data(),
             std::span(gammas_[g].bias).subspan(m * costs, costs), gammas_[g].used[m],
             room.decisions.data() + m * costs * strip_rows);
    }
  }

  void decide_guests(std::size_t first, std::size_t count, Room& room) const {
    for (std::size_t m = 0; m < guests_->machines.size(); ++m) {
      const BinaryMachine& machine = guests_->machines[m];
      decide(room.values.data(), machine.support, machine.coefficients.data(), {&machine.bias, 1}, 1,
             room.of_guest.data());
      for (std::size_t r = 0; r < count; ++r) decisions_->row(first + r)[m] = room.of_guest[r];
    }
  }

  /// The labels of a strip at cost c.
  void label_all(std::size_t c, std::size_t rows, Room& room) const {
    const std::size_t costs = family_.cost_count;
    const bool pairs = machines_.size() > 1 && machines_.front().negative != the_rest;
    if (pairs) {
      std::ranges::fill(room.votes, 0);
      for (std::size_t m = 0; m < machines_.size(); ++m)
        add_votes(machines_[m], room.decisions.data() + (m * costs + c) * strip_rows, strip_rows, room.votes.data());
      most_voted(room.votes.data(), family_.class_count, strip_rows, room.labels.data());
      return;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t m = 0; m < machines_.size(); ++m) room.own[m] = room.decisions[(m * costs + c) * strip_rows + r];
      room.labels[r] = vote(room.own, machines_, family_.class_count);
    }
  }

  /// The same as `take` of a single machine, which decides between two classes.
  void take_of_two(const double* decisions, double norm, std::size_t rows, std::size_t at, std::size_t model,
                   model::Scores& scores) const {
    const auto positive = static_cast<std::size_t>(machines_[0].positive);
    const auto negative = static_cast<std::size_t>(machines_[0].negative);
    for (std::size_t r = 0; r < rows; ++r) {
      if (!std::isfinite(decisions[r])) refuse_undecided();
      scores.labels[(at + r) * scores.models + model] = static_cast<int>(decisions[r] > 0 ? positive : negative);
      const double own = !family_.geometric ? decisions[r] : norm > 0 ? decisions[r] / norm : 0;
      scores.at(at + r, model)[positive] = own;
      scores.at(at + r, model)[negative] = -own;
    }
  }

  /// The decision values of all machines at one cost become labels and scores of rows at, at + 1, ...
  void take(std::size_t g, std::size_t c, std::size_t rows, std::size_t at, Room& room, model::Scores& scores) const {
    const std::size_t machines = machines_.size();
    const std::size_t costs = family_.cost_count;
    const std::size_t model = g * costs + c;
    const auto norm = family_.norm.row(g);
    if (machines == 1 && machines_[0].negative != the_rest) {
      take_of_two(room.decisions.data() + c * strip_rows, norm[c], rows, at, model, scores);
      return;
    }
    label_all(c, rows, room);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t m = 0; m < machines; ++m) room.own[m] = room.decisions[(m * costs + c) * strip_rows + r];
      if (std::ranges::any_of(room.own, [](double value) { return !std::isfinite(value); })) refuse_undecided();
      for (std::size_t m = 0; family_.geometric && m < machines; ++m) {
        const double length = norm[c * machines + m];
        room.own[m] = length > 0 ? room.own[m] / length : 0;
      }
      scores.labels[(at + r) * scores.models + model] = room.labels[r];
      class_scores(room.own, machines_, family_.class_count, scores.at(at + r, model));
    }
  }

  const SvmFamily& family_;
  const Guests* guests_;
  data::DenseMatrix* decisions_;
  SupportBase base_;
  std::vector<BinaryMachine> machines_;
  std::vector<GammaMachines> gammas_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Room>> free_;  ///< rooms in which no thread works
};

void score_blocks(const Scoring& scoring, std::size_t rows, const core::Context& context,
                  const std::function<void(std::size_t first, const model::Scores& block)>& visit) {
  const std::size_t blocks = (rows + scored_at_once - 1) / scored_at_once;
  context.threads.for_each(blocks, [&](std::size_t b) {
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "scoring was stopped before all rows had their scores");
    const std::size_t first = b * scored_at_once;
    visit(first, scoring.block(first, std::min(scored_at_once, rows - first)));
  });
}

/// weights += factor * (row i of the features)
void add_row(const data::Features& features, std::size_t i, double factor, std::span<double> weights) {
  data::for_each_entry(features, i, [&](std::size_t column, double value) { weights[column] += factor * value; });
}

/// The weights of a linear kernel as the only support vectors.
SvmFamily condensed(const SvmFamily& family) {
  SvmFamily weights = family;
  weights.by_weights = false;
  weights.support_vectors = family.linear_weights();
  weights.support_rows = core::numbers_below(family.bias.columns);
  const std::size_t machines = family.machines.size();
  for (std::size_t m = 0; m < machines; ++m) {
    MachineCosts& machine = weights.machines[m];
    machine.support.clear();
    machine.coefficients = data::DenseMatrix(family.cost_count, family.cost_count);
    for (std::size_t c = 0; c < family.cost_count; ++c) {
      machine.support.push_back(static_cast<std::uint32_t>(c * machines + m));
      machine.coefficients.row(c)[c] = 1;
    }
  }
  return weights;
}

}  // namespace

data::DenseMatrix SvmFamily::linear_weights() const {
  const std::size_t costs = cost_count;
  data::DenseMatrix weights(bias.columns, support_vectors.columns());
  for (std::size_t m = 0; m < machines.size(); ++m)
    for (std::size_t s = 0; s < machines[m].support.size(); ++s)
      for (std::size_t c = 0; c < costs; ++c)
        add_row(support_vectors, machines[m].support[s], machines[m].coefficients.row(s)[c],
                weights.row(c * machines.size() + m));
  return weights;
}

std::vector<int> doublings_of(const SvmFamily& family) {
  std::vector<int> doublings;
  int in_a_row = 0;
  for (std::size_t g = 0; g < family.gammas.size(); ++g) {
    const int times = doublings_before(family, g);
    in_a_row = times > 0 && in_a_row + times <= most_doublings ? in_a_row + times : 0;
    doublings.push_back(in_a_row > 0 ? times : 0);
  }
  return doublings;
}

void class_scores(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes,
                  double* scores) {
  std::fill(scores, scores + classes, std::numeric_limits<double>::infinity());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    double& positive = scores[machines[m].positive];
    if (machines[m].negative == the_rest) {
      positive = decisions[m];
      continue;
    }
    double& negative = scores[machines[m].negative];
    positive = std::min(positive, decisions[m]);
    negative = std::min(negative, -decisions[m]);
  }
}

void SvmFamily::score(const data::Features& rows, const core::Context& context,
                      const std::function<void(std::size_t first, const model::Scores& block)>& visit) const {
  if (models() == 0 || rows.rows() == 0) return;
  if (by_weights && kernel.type == kernel::KernelType::linear && !rows.is_sparse() &&
      bias.columns < support_rows.size())
    return condensed(*this).score(rows, context, visit);
  score_blocks(Scoring(*this, rows, nullptr, nullptr), rows.rows(), context, visit);
}

void score_with_guests(const SvmFamily& family, const Guests& guests, const data::Features& rows,
                       const core::Context& context, data::DenseMatrix& decisions,
                       const std::function<void(std::size_t first, const model::Scores& block)>& visit) {
  if (rows.rows() == 0) return;
  score_blocks(Scoring(family, rows, &guests, &decisions), rows.rows(), context, visit);
}

std::string SvmFamily::shared_parts() const {
  return core::count_of(support_rows.size(), relevance_vectors ? "relevance vector" : "support vector");
}

}  // namespace credence::svm
