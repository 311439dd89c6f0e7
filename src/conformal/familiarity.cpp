#include "credence/conformal/familiarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "conformal/familiar_values.hpp"
#include "conformal/own_scale.hpp"
#include "core/numbers.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::conformal {
namespace {

OwnClassDistance measure_of_rows() {
  OwnClassDistance measure;
  measure.k = Familiarity::neighbours;
  return measure;
}

/// The rows are in memory already, and few: no budget keeps a model from saying how familiar a row is.
TransductiveNeighbours familiar_rows(const data::Features& known, const core::Context& surroundings) {
  core::Monitor part(surroundings.monitor, 0);
  const core::Context context{surroundings.threads, part, std::numeric_limits<std::size_t>::max()};
  return {cut_to_largest(known), std::vector<int>(known.rows(), 0), 1, measure_of_rows(), context};
}

/// The distances between known rows have scales of their own; those to new rows come from the multiplied rows.
TransductiveNeighbours familiar_rows(const data::Features& known, const ColumnScale& scale,
                                     const core::Context& surroundings) {
  core::Monitor part(surroundings.monitor, 0);
  constexpr auto k = static_cast<std::size_t>(Familiarity::neighbours);
  TransductiveNeighbours::State state;
  state.rows = multiplied(known, scale.factors());
  state.labels.assign(known.rows(), 0);
  state.own = nearest_by_own_scale(state.rows, scale, k, surroundings.with(part));
  state.other = data::DenseMatrix(known.rows(), k);
  for (double& none : state.other.values) none = core::infinity;
  return {std::move(state), 1, measure_of_rows()};
}

}  // namespace

data::Features cut_to_largest(const data::Features& rows) {
  const auto fits = [](double value) { return std::abs(value) <= largest_familiar; };
  if (std::ranges::all_of(rows.stored(), fits)) return rows.view();
  data::Features cut = rows;
  cut.own();
  const auto cut_values = [](auto& values) {
    for (double& value : values) value = std::clamp(value, -largest_familiar, largest_familiar);
  };
  if (cut.is_sparse())
    cut_values(cut.sparse().values);
  else
    cut_values(cut.dense().values);
  return cut;
}

Familiarity::Familiarity(const data::Features& known, const core::Context& context)
    : machine_(familiar_rows(known, context)) {}

Familiarity::Familiarity(const data::Features& known, const FittedScale& fitted, const core::Context& context)
    : Familiarity(fitted.scaling == data::Scaling::none ? Familiarity(known, context)
                                                        : scaled(cut_to_largest(known), fitted, context)) {}

Familiarity::Familiarity(std::vector<double> factors, TransductiveNeighbours machine)
    : factors_(std::move(factors)), machine_(std::move(machine)) {}

Familiarity Familiarity::scaled(const data::Features& known, const FittedScale& fitted, const core::Context& context) {
  if (known.rows() == 0) refuse_data("there is no known row to compare with");
  const ColumnScale scale(known, fitted);
  return {scale.factors(), familiar_rows(known, scale, context)};
}

std::vector<double> Familiarity::p_values(const data::Features& rows, const core::Context& context) const {
  core::Monitor part(context.monitor, 0);
  const data::Features scaled = factors_.empty() ? cut_to_largest(rows) : multiplied(rows, factors_);
  const Ranks ranks = machine_.ranks(scaled, false, context.with(part));
  return core::made(rows.rows(), [&](std::size_t row) { return p_value(ranks.at(row, 0)); });
}

FamiliarityOf::FamiliarityOf(const model::Predictor& model, const core::Context& context) : model_(model) {
  if (model.known_rows.rows() == 0) return;
  // A column that varies on no training row is 0 in every row; one that does not vary on a sample has the model's unit.
  const double constant = model.known_rows.rows() < model.record.rows ? 1 : 0;
  familiarity_.emplace(model.known_rows, FittedScale{model.preprocessing.scaling, constant}, context);
}

void FamiliarityOf::add(const data::Dataset& rows, model::Prediction& prediction, const core::Context& context) const {
  if (!familiarity_) return;
  prediction.familiarity = familiarity_->p_values(model_.compared(rows), context);
}

}  // namespace credence::conformal
