#include "credence/conformal/online.hpp"

#include <fmt/format.h>

#include "credence/core/error.hpp"

namespace credence::conformal {

void run_online(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                const NeighbourOptions& neighbours, const PValueOptions& options, const core::Context& context,
                const std::function<bool(const OnlineStep& step)>& visit) {
  if (rows.rows() != labels.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there are {} rows, but {} labels", rows.rows(), labels.size()));
  }
  TransductiveNeighbours learner(rows.columns(), class_count, neighbours);
  context.monitor.expect(labels.size());
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, fmt::format("on-line prediction was stopped after {} examples", t));
    const std::vector<Rank> ranks = learner.rank(rows, t, options.label_conditional);
    model::Prediction prediction;
    prediction.p_value = data::DenseMatrix(1, class_count);
    for (std::size_t c = 0; c < class_count; ++c) {
      prediction.p_value.row(0)[c] =
          options.smoothed ? smoothed_p_value(ranks[c], smoothing_tau(options.seed, t)) : p_value(ranks[c]);
    }
    conclude(prediction);
    const auto p = prediction.p_value.row(0);
    if (!visit({{p.begin(), p.end()}, prediction.label[0], labels[t]})) return;
    learner.add(rows, t, labels[t]);
    context.monitor.advance();
  }
}

}  // namespace credence::conformal
