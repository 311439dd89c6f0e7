#include "credence/conformal/familiarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformal/familiar_values.hpp"
#include "credence/conformal/measures/own_class_distance.hpp"

namespace credence::conformal {
namespace {

/// Distances square their numbers. Rows beyond this size are cut to it, the known ones and new ones alike.
constexpr double largest_familiar = 1e150;

/// The rows are in memory already, and few: no budget keeps a model from saying how familiar a row is.
TransductiveNeighbours familiar_rows(const data::Features& known, const core::Context& surroundings) {
  core::Monitor part(surroundings.monitor, 0);
  const core::Context context{surroundings.threads, part, std::numeric_limits<std::size_t>::max()};
  OwnClassDistance measure;
  measure.k = Familiarity::neighbours;
  return {cut_to_largest(known), std::vector<int>(known.rows(), 0), 1, measure, context};
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

std::vector<double> Familiarity::p_values(const data::Features& rows, const core::Context& context) const {
  core::Monitor part(context.monitor, 0);
  const Ranks ranks = machine_.ranks(cut_to_largest(rows), false, context.with(part));
  std::vector<double> values(rows.rows());
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = p_value(ranks.at(row, 0));
  return values;
}

FamiliarityOf::FamiliarityOf(const model::Predictor& model, const core::Context& context) : model_(model) {
  if (model.known_rows.rows() > 0) familiarity_.emplace(model.known_rows, context);
}

void FamiliarityOf::add(const data::Dataset& rows, model::Prediction& prediction, const core::Context& context) const {
  if (!familiarity_) return;
  prediction.familiarity =
      familiarity_->p_values(model_.preprocessing.apply(rows, data::UnknownLevel::ignore), context);
}

}  // namespace credence::conformal
