#include "credence/conformal/online.hpp"

#include <fmt/format.h>

#include <utility>

#include "credence/conformal/familiarity.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {

OnlineNeighbours::OnlineNeighbours(std::size_t columns, std::size_t class_count, const NeighbourOptions& neighbours,
                                   const PValueOptions& options)
    : machine_(columns, class_count, neighbours), options_(options) {}

OnlineNeighbours::OnlineNeighbours(TransductiveNeighbours machine, const PValueOptions& options)
    : machine_(std::move(machine)), options_(options) {
  if (machine_.effective_rows()) refuse(online_weights_sentence);
}

model::Prediction OnlineNeighbours::predict(const data::Features& rows, std::size_t row) const {
  const std::vector<Rank> found = machine_.rank(rows, row, options_.label_conditional);
  Ranks ranks(1, found.size());
  ranks.values = found;
  const std::uint64_t step = size();
  model::Prediction prediction;
  prediction.p_value = p_values(ranks, options_, std::span(&step, 1));
  conclude(prediction);
  return prediction;
}

void OnlineNeighbours::learn(const data::Features& rows, std::size_t row, int label) {
  machine_.add(rows, row, label);
}

OnlineNeighbours online_familiarity(std::size_t columns, const PValueOptions& options) {
  OwnClassDistance measure;
  measure.k = Familiarity::neighbours;
  return {columns, 1, measure, {.smoothed = options.smoothed, .seed = options.seed}};
}

void run_online(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                const NeighbourOptions& neighbours, const PValueOptions& options, const core::Context& context,
                const std::function<bool(const OnlineStep& step)>& visit) {
  if (rows.rows() != labels.size()) refuse(fmt::format("there are {} rows, but {} labels", rows.rows(), labels.size()));
  OnlineNeighbours learner(rows.columns(), class_count, neighbours, options);
  std::optional<OnlineNeighbours> known;
  if (neighbours.metric != neighbours::Metric::cosine) known = online_familiarity(rows.columns(), options);
  context.monitor.expect(labels.size());
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, fmt::format("on-line prediction was stopped after {} examples", t));
    const model::Prediction prediction = learner.predict(rows, t);
    const auto p = prediction.p_value.row(0);
    OnlineStep step{{p.begin(), p.end()}, prediction.label[0], labels[t]};
    if (known) step.familiarity = known->predict(rows, t).p_value.row(0)[0];
    if (!visit(step)) return;
    learner.learn(rows, t, labels[t]);
    if (known) known->learn(rows, t, 0);
    context.monitor.advance();
  }
}

}  // namespace credence::conformal
