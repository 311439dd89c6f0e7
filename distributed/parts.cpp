#include "distributed/parts.hpp"

#include <algorithm>
#include <bit>

#include "credence/core/describe.hpp"
#include "credence/data/fingerprint.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/head.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::distributed {

using namespace selection;

namespace {

[[noreturn]] void refuse_size() {
  throw Error(ErrorCode::format, "the result of a shard does not fit the grid");
}

std::vector<std::uint8_t> packed(std::span<const std::uint32_t> counts, unsigned width) {
  std::vector<std::uint8_t> bytes((counts.size() * width + 7) / 8, 0);
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (unsigned b = 0; b < width; ++b)
      if ((counts[i] >> b & 1U) != 0)
        bytes[(i * width + b) / 8] |= static_cast<std::uint8_t>(1U << ((i * width + b) % 8));
  return bytes;
}

std::uint32_t count_at(std::span<const std::uint8_t> bytes, std::size_t i, unsigned width) {
  std::uint32_t count = 0;
  for (unsigned b = 0; b < width; ++b)
    count |= (std::uint32_t{bytes[(i * width + b) / 8]} >> ((i * width + b) % 8) & 1U) << b;
  return count;
}

}  // namespace

Options of_gamma(const Options& options, std::size_t gamma) {
  const GridKernel kernel = kernels_of(options).at(gamma);
  Options alone = in_space(options, kernel.scaling, kernel.shape.type);
  if (kernel.gamma) alone.kernels.gamma = {*kernel.gamma};
  return alone;
}

GridPart judge_part(const data::Dataset& dataset, const Options& options, std::size_t gamma,
                    const core::Context& context) {
  const Options alone = of_gamma(options, gamma);
  const std::vector<Resample> resamples = resamples_of_cv(dataset, options);
  JudgedGrid judged = judge_grid(dataset, alone, resamples, context);
  Selection selection = begin_report(dataset, alone, context);
  selection.grid = cells_of(judged, dataset, alone);
  choose(alone, selection);
  calibrate(dataset, alone, judged, "out-of-fold", resamples, context, selection);
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "the shard was stopped before all its cells were complete");
  GridPart part;
  part.results = std::move(judged.results);
  const std::uint32_t most = judged.errors.empty() ? 0 : *std::max_element(judged.errors.begin(), judged.errors.end());
  part.width = static_cast<std::uint8_t>(std::max(1, static_cast<int>(std::bit_width(most))));
  part.errors = packed(judged.errors, part.width);
  if (judging_loss(options, judged) == Loss::soft) part.soft = std::move(judged.soft);
  part.labels = std::move(judged.said.labels);
  part.values = std::move(judged.said.values);
  if (selection.best) part.best = *selection.best;
  part.calibration = std::move(selection.calibration);
  return part;
}

void put_part(const GridPart& part, std::size_t gamma, const Options& options, JudgedGrid& whole) {
  const std::size_t resamples = whole.held_out.size();
  const std::size_t rows = whole.judged.size();
  const std::size_t all = whole.cells();
  const std::size_t cells = part.results.size() / resamples;
  const std::size_t first = gamma * cells;
  const bool soft = judging_loss(options, whole) == Loss::soft;
  const std::size_t places = whole.said.places();
  const bool fits = cells > 0 && cells * resamples == part.results.size() && first + cells <= all && part.width <= 32 &&
                    part.errors.size() == (rows * cells * part.width + 7) / 8 &&
                    part.soft.size() == (soft ? rows * cells : 0) &&
                    part.labels.size() == (whole.said.labels.empty() ? 0 : cells * places) &&
                    part.values.size() == (whole.said.values.empty() ? 0 : cells * places);
  if (!fits) refuse_size();
  std::copy(part.results.begin(), part.results.end(),
            whole.results.begin() + static_cast<std::ptrdiff_t>(first * resamples));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < cells; ++c) {
      const std::size_t from = i * cells + c;
      const std::size_t to = i * all + first + c;
      whole.errors[to] = count_at(part.errors, from, part.width);
      if (soft) whole.soft[to] = part.soft[from];
    }
  }
  const auto place = static_cast<std::ptrdiff_t>(first * places);
  std::copy(part.labels.begin(), part.labels.end(), whole.said.labels.begin() + place);
  std::copy(part.values.begin(), part.values.end(), whole.said.values.begin() + place);
}

std::uint32_t fingerprint_of(const data::Dataset& dataset, std::span<const Contestant> contestants,
                             core::Fingerprint sum) {
  data::add_to(sum, dataset);
  for (const Contestant& contestant : contestants) {
    const std::uint32_t options = fingerprint_of(contestant.options);
    sum.add(contestant.name);
    sum.add(std::span(&options, 1));
  }
  return sum.value();
}

std::uint32_t fingerprint_of(const Options& options) {
  core::Fingerprint sum;
  add_to(sum, options);
  return sum.value();
}

}  // namespace credence::distributed
