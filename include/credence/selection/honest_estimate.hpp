#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"

namespace credence::selection {

/// What may stand as an estimate of the error of what a selection chose: no row that chose was used to judge.
struct HonestEstimate {
  std::string method;           ///< "bbc" (bootstrap bias-corrected), "nested" (cross-validation) or "hold-out"
  double error = 0;             ///< error rate, or mean loss; regression: mean squared error
  std::optional<double> lower;  ///< ends of an interval at confidence 1 - delta
  std::optional<double> upper;
  std::string interval;  ///< what the ends are: "percentile", "Clopper-Pearson"; empty if there are none
  double delta = 0.05;
  std::size_t resamples = 0;  ///< bootstrap samples, or outer folds
  std::size_t rows = 0;       ///< rows judged
  double seconds = 0;
};

struct BbcOptions {
  std::size_t resamples = 1000;  ///< >= 2
  double delta = 0.05;           ///< in (0, 1)
  std::uint64_t seed = 0;
};

/// Out-of-sample losses of every cell on every row.
struct LossTable {
  std::size_t rows = 0;
  std::size_t cells = 0;
  std::vector<float> values;  ///< (row, cell), cell fastest; usually 0 or 1; NaN where a row was never held out

  LossTable() = default;
  LossTable(std::size_t row_count, std::size_t cell_count)
      : rows(row_count), cells(cell_count), values(row_count * cell_count) {}
  float* row(std::size_t i) { return values.data() + i * cells; }
  const float* row(std::size_t i) const { return values.data() + i * cells; }
};

/// A selection rule that can be repeated on a bootstrap sample of the rows it was made on. Given how often each row
/// was drawn, selects on the drawn rows and returns the mean loss on the rows that were not drawn.
using ResampledRule = std::function<double(std::span<const std::uint32_t> drawn)>;

/// Bootstrap bias correction (Tsamardinos, Greasidou, Borboudakis, Machine Learning 107, 2018, algorithm 4) of any
/// selection rule: the mean over bootstrap samples of the loss on the rows left out, and the percentile interval of
/// those losses (quantiles interpolated between order statistics, R's type 7). With groups, whole groups are drawn.
/// A draw that leaves nothing out is made again; one for which the rule returns NaN does not count.
/// The rule is called from several threads. Results do not depend on their number.
/// Announces its resamples to the monitor. Where that says stop, the estimate rests on the resamples made so far:
/// HonestEstimate::resamples says how many count. With none the error is NaN; with fewer than 2 there is no interval.
/// @param groups  group code of each row; empty if each row is one of its own
/// @throws Error invalid_argument if options are out of range, fewer than 2 rows (groups), or groups of another size
HonestEstimate bootstrap_bias_corrected(std::size_t rows, std::span<const int> groups, const ResampledRule& rule,
                                        const BbcOptions& options, const core::Context& context);

/// The same for the rule of cross-validation: the cell with the smallest mean loss; ties to the first of
/// `preference` (cells in the order in which ties are settled; a cell that is not named is never chosen). Rows with
/// NaN do not count for a cell; rows with nothing but NaN are not drawn at all, and HonestEstimate::rows is the others.
/// Losses are summed in double: means of losses 0 and 1 are compared exactly.
/// Cost: resamples * rows * cells additions, SIMD.
/// @throws Error invalid_argument also if `preference` is empty or names a cell that is not there
HonestEstimate bbc_of_smallest_loss(const LossTable& losses, std::span<const std::size_t> preference,
                                    std::span<const int> groups, const BbcOptions& options,
                                    const core::Context& context);

}  // namespace credence::selection
