#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "credence/qp/solver.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// The steps that the path of one gamma and one resample may take before its larger C may be given up; 0: any number.
/// @param rows  of the whole data set  @param training_rows  of the resample
std::uint64_t path_budget(const Options& options, std::size_t rows, std::size_t training_rows);

/// The last C that the paths of one gamma go to. A cell that one resample gave up has no error whatever the others
/// find, so they end there too. The end is the same in whatever order the resamples come: the path that ends first of
/// all always gets there.
class SharedEnd {
 public:
  void end_at(std::size_t cost);
  std::size_t last() const { return last_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> last_{std::numeric_limits<std::size_t>::max()};
};

/// Watches the C path of one gamma and one resample, and says where the path may end early: in the corners of a grid,
/// machines memorise noise, cost most of all steps, and are never chosen.
///
/// Once the path has taken more steps than its budget, the larger C are given up if
/// - the machine that was solved last does worse on the rows left out than one of smaller C. The differences d of the
///   losses on the same rows decide: mean(d) > 3 sd(d) / sqrt(rows);
/// - or the last solve met the step limit, because a larger C takes more steps still.
class PathWatch {
 public:
  /// @param most_steps  see path_budget  @param shared  of the gamma; none: nothing but this one path counts
  explicit PathWatch(std::uint64_t most_steps, SharedEnd* shared = nullptr)
      : most_steps_(most_steps), shared_(shared) {}

  bool watches() const { return most_steps_ > 0; }
  /// Takes the solution at the next C, and the losses of the rows left out.
  /// @return whether larger C are solved
  bool take(const qp::Statistics& statistics, std::vector<double> losses);
  /// Why larger C were given up by this path.
  GivenUp reason() const { return reason_; }
  /// Whether the path ended, by its own outcome or that of another resample.
  bool ended() const { return ended_; }

 private:
  GivenUp judge(const qp::Statistics& statistics, std::vector<double> losses);

  std::uint64_t most_steps_;
  SharedEnd* shared_;
  std::size_t taken_ = 0;
  GivenUp reason_ = GivenUp::no;
  bool ended_ = false;
  std::uint64_t steps_ = 0;
  double least_sum_ = 0;
  std::vector<double> least_;  ///< losses at the C with the smallest sum so far, the first of equals
};

}  // namespace credence::selection
