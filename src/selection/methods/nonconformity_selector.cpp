#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "selection/choose/choose.hpp"
#include "selection/frame/conclude.hpp"
#include "selection/methods/hold_out.hpp"
#include "selection/methods/nonconformity_decision.hpp"

namespace credence::selection {
namespace {

/// Algorithm 1 with some of the validation rows, judged on the others. Where each score stands among the margins of all
/// validation rows is found once; a sample then only counts how many of the margins before it were drawn.
class ResampledNonconformity {
 public:
  ResampledNonconformity(const HeldOutRun& run, const NonconformityOptions& options)
      : run_(run), options_(options), position_(run.scores.values.size()) {
    const std::size_t n = run.labels.size();
    const auto margin = [&](std::size_t row, std::size_t k) { return scores().at(row, k)[run_.labels[row]]; };
    std::vector<std::size_t> rows(n);
    std::vector<double> margins(n);
    for (std::size_t k = 0; k < scores().models; ++k) {
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return margin(a, k) < margin(b, k); });
      order_.insert(order_.end(), rows.begin(), rows.end());
      std::transform(rows.begin(), rows.end(), margins.begin(), [&](std::size_t row) { return margin(row, k); });
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t y = 0; y < scores().classes; ++y) {
          position_[(i * scores().models + k) * scores().classes + y] = static_cast<std::uint32_t>(
              std::upper_bound(margins.begin(), margins.end(), scores().at(i, k)[y]) - margins.begin());
        }
      }
    }
  }

  double operator()(std::span<const std::uint32_t> drawn) const;

 private:
  const model::Scores& scores() const { return run_.scores; }

  const HeldOutRun& run_;
  NonconformityOptions options_;
  std::vector<std::size_t> order_;       ///< (model, rank): validation rows by ascending margin
  std::vector<std::uint32_t> position_;  ///< (row, model, class): margins of the model that are <= the score
};

double ResampledNonconformity::operator()(std::span<const std::uint32_t> drawn) const {
  const std::size_t n = drawn.size();
  const std::size_t models = scores().models;
  const std::size_t classes = scores().classes;
  std::vector<Count> drawn_before(models * (n + 1), 0);  // (model, rank): drawn among the first `rank` margins
  std::vector<std::size_t> errors(models, 0);
  for (std::size_t k = 0; k < models; ++k) {
    Count* const counts = drawn_before.data() + k * (n + 1);
    for (std::size_t rank = 0; rank < n; ++rank) {
      const std::size_t row = order_[k * n + rank];
      counts[rank + 1] = counts[rank] + drawn[row];
      errors[k] += scores().label(row, k) != run_.labels[row] ? drawn[row] : 0U;
    }
  }
  NonconformityDecision decision(errors, classes);
  std::vector<Count> counts(classes);
  std::size_t wrong = 0;
  std::size_t judged = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (drawn[i] > 0) continue;
    decision.start(scores().at(i, 0));
    for (std::size_t k = 0; k < models; ++k) {
      for (std::size_t y = 0; y < classes; ++y)
        counts[y] = drawn_before[k * (n + 1) + position_[(i * models + k) * classes + y]];
      decision.show(k, counts.data());
    }
    wrong += decision.choose(options_, judged).label != static_cast<std::size_t>(run_.labels[i]) ? 1U : 0U;
    ++judged;
  }
  return static_cast<double>(wrong) / static_cast<double>(judged);
}

}  // namespace

std::string Nonconformity::words(std::size_t) const {
  return fmt::format("tie {}, p-value {}", core::word(tie), core::word(p_value));
}

/// Nonconformity model selection: no cell is chosen, each row gets the model that is surest of it.
Selection Nonconformity::select(const data::Dataset& dataset, const Options& options,
                                const core::Context& context) const {
  const NonconformityOptions rule{tie, p_value, options.delta, options.seed};
  HeldOutRun run = hold_out(dataset, options, context);
  if (!run.members.empty()) {
    auto predictor = std::make_shared<Ensemble>(run.predictor(dataset));
    predictor->rule = NonconformityRule(run.scores, run.labels, rule);
    run.selection.predictor = std::move(predictor);
    add_bbc(
        options, context, run.labels.size(), run.clusters,
        [&](const core::Context& part) {
          return bootstrap_bias_corrected(run.labels.size(), run.clusters, ResampledNonconformity(run, rule),
                                          bbc_options(options), part);
        },
        run.selection);
  }
  conclude(dataset, options, context, run.selection);
  return std::move(run.selection);
}

}  // namespace credence::selection
