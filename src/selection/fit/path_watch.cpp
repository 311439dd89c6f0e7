#include "selection/fit/path_watch.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace credence::selection {
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
