#pragma once

/// ```cpp
/// using namespace credence;
/// selection::LossTable losses(6, 2);  // of two learners of any program on six rows
/// losses.values = {0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0};
/// core::Threads threads(1);
/// core::Monitor monitor;
/// const selection::HonestChoice found = selection::honest_choice(losses, {"forest", "trees"}, {}, "error",
///                                                                {}, {threads, monitor});
/// std::cout << found.candidates[found.chosen].name << ' ' << found.candidates[found.chosen].loss
///           << '\n';  // prints forest 0.166667
/// ```

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/selection/honest_estimate.hpp"

namespace credence::selection {

struct HonestOptions {
  double confidence = 0.95;
  int resamples = 1000;
  std::uint64_t seed = 0;

  static void describe(auto&& field) {
    field("confidence", &HonestOptions::confidence, "confidence level of the interval around the corrected estimate",
          core::inside(0, 1));
    field("resamples", &HonestOptions::resamples, "how often rows are drawn to repeat the choice",
          core::from_to(2, 1000000));
    field("seed", &HonestOptions::seed, "seed of the draws");
  }
};

/// One column of the losses.
struct JudgedCandidate {
  std::string name;
  std::size_t rows = 0;            ///< judged by it
  double loss = 0;                 ///< mean over these rows; NaN without rows
  double standard_error = 0;       ///< of that mean, over rows (or groups, if there are any); NaN for fewer than 2
  bool within_one_se = false;      ///< its loss is at most the smallest plus the standard error of that candidate
  std::optional<PairedTest> test;  ///< its loss minus that of the chosen one; none for the chosen one, and where fewer
                                   ///< than 2 rows (groups) were judged by both
};

struct HonestChoice {
  std::vector<JudgedCandidate> candidates;  ///< in the order of the columns
  std::size_t chosen = 0;                   ///< the smallest mean loss; the first of equal ones
  HonestEstimate estimate;                  ///< of the choice
  std::string score;                        ///< what the losses are, as the caller names them
  bool zero_one = false;                    ///< every loss is 0 or 1, so that means are shares of errors
  std::size_t rows = 0;                     ///< judged by at least one candidate
  std::size_t groups = 0;                   ///< among these rows; 0 if each row stands alone
  HonestOptions options;
  std::vector<std::string> warnings;
  core::StopReason stopped = core::StopReason::none;
  double seconds = 0;
  std::string version;
};

/// Judges the choice of the candidate with the smallest mean loss.
/// - The corrected estimate is bbc_of_smallest_loss: the choice is repeated on drawn rows, no training is. The interval
///   is that of an error rate where every loss is 0 or 1, else percentiles. Nothing is proved of either interval.
/// - A standard error is the standard deviation of the rows' losses (groups' sums) over the root of their number.
/// - A test is corrected_resampled_t_test with each row (group) as a split of its own, test_ratio 1 / (rows - 1): the
///   variance of a mean over n rows counts about twice, because the models that judge the rows share their training
///   rows. The chosen one is tested against each other one; the p-values are corrected neither for their number nor for
///   the choice of the best.
/// Losses are kept in single precision. Cost: resamples x rows x candidates additions; memory 4 bytes a loss.
/// @param losses  rows x candidates, out of fold, the smaller the better; NaN where a candidate did not judge a row
/// @param names   of the candidates, all different
/// @param groups  group code of each row; empty if each row stands alone
/// @param score   what the losses are: "error", "squared error"
/// @throws Error invalid_argument for options out of range, and sizes or names that do not fit; invalid_data for an
/// infinite loss, and fewer than two rows (groups) with a loss
HonestChoice honest_choice(const LossTable& losses, const std::vector<std::string>& names, std::span<const int> groups,
                           const std::string& score, const HonestOptions& options, const core::Context& context);

}  // namespace credence::selection
