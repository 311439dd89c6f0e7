#include <algorithm>

#include "credence/data/splits.hpp"
#include "credence/model/sigmoid.hpp"
#include "selection/score/out_of_sample.hpp"

namespace credence::selection {
namespace {

/// Places that a sigmoid judges, and those that it is fitted to.
struct Part {
  std::vector<std::size_t> judged;
  std::vector<std::size_t> fitted;
  std::vector<int> labels;  ///< of `fitted`
};

/// The resamples themselves; nothing if one of them has no other rows to fit to.
std::vector<Part> parts_of_resamples(const OutOfSample& said) {
  std::vector<Part> parts(said.resamples());
  const std::size_t rows = said.rows.empty() ? 0 : 1 + std::size_t{*std::ranges::max_element(said.rows)};
  for (std::size_t r = 0; r < parts.size(); ++r) {
    std::vector<bool> own(rows, false);
    for (std::size_t p = said.starts[r]; p < said.starts[r + 1]; ++p) {
      parts[r].judged.push_back(p);
      own[said.rows[p]] = true;
    }
    for (std::size_t p = 0; p < said.places(); ++p)
      if (!own[said.rows[p]]) parts[r].fitted.push_back(p);
    if (parts[r].fitted.empty()) return {};
  }
  return parts;
}

/// The rows dealt to folds.
std::vector<Part> dealt_parts(const OutOfSample& said, std::uint64_t seed) {
  constexpr std::size_t most = 10;
  const std::size_t last = *std::ranges::max_element(said.rows);
  std::vector<int> label_of_row(last + 1, -1);
  for (std::size_t p = 0; p < said.places(); ++p) label_of_row[said.rows[p]] = said.truth[p];
  std::vector<std::size_t> position(last + 1, 0);
  std::vector<int> labels;
  for (std::size_t row = 0; row <= last; ++row) {
    position[row] = labels.size();
    if (label_of_row[row] >= 0) labels.push_back(label_of_row[row]);
  }
  const std::size_t count = std::min(most, labels.size());
  const std::vector<int> folds =
      count < 2 ? std::vector<int>(labels.size(), 0) : data::stratified_k_fold(labels, static_cast<int>(count), seed);
  std::vector<Part> parts(std::max<std::size_t>(1, count));
  for (std::size_t p = 0; p < said.places(); ++p) {
    const auto own = static_cast<std::size_t>(folds[position[said.rows[p]]]);
    for (std::size_t part = 0; part < parts.size(); ++part)
      (part == own ? parts[part].judged : parts[part].fitted).push_back(p);
  }
  return parts;
}

std::vector<Part> parts_of(const OutOfSample& said, std::uint64_t seed) {
  bool single = true;
  for (std::size_t r = 0; r < said.resamples(); ++r) single = single && said.starts[r + 1] - said.starts[r] < 2;
  std::vector<Part> parts;
  if (!single && said.resamples() > 1) parts = parts_of_resamples(said);
  if (parts.empty()) parts = dealt_parts(said, seed);
  for (Part& part : parts)
    for (const std::size_t p : part.fitted) part.labels.push_back(said.truth[p]);
  return parts;
}

}  // namespace

void judge_by_sigmoids(std::uint64_t seed, const core::Context& context, OutOfSample& said) {
  if (said.rows.empty()) return;
  const std::vector<Part> parts = parts_of(said, seed);
  context.threads.for_each(said.cells, [&](std::size_t cell) {
    double* const values = said.values.data() + cell * said.places();
    std::vector<double> losses(said.places());
    std::vector<double> margins;
    for (const Part& part : parts) {
      margins.clear();
      for (const std::size_t p : part.fitted) margins.push_back(values[p]);
      const model::Sigmoid sigmoid = model::fit_sigmoid(margins, part.labels);
      for (const std::size_t p : part.judged) losses[p] = sigmoid.log_loss(values[p], said.truth[p]);
    }
    std::ranges::copy(losses, values);
  });
}

}  // namespace credence::selection
