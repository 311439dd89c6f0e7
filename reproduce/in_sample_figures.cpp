#include <algorithm>
#include <cmath>

#include "credence/selection/ensemble.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/loss.hpp"
#include "credence/svm/model.hpp"
#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {
namespace {

constexpr std::size_t rows_of_block = 64;

LinearClassifier linear_classifier(const svm::SvmModel& svm, std::size_t columns) {
  LinearClassifier classifier{std::vector<double>(columns), svm.machines.front().bias};
  const data::DenseMatrix weights = svm.linear_weights();  // without columns if nothing supports it
  std::copy(weights.values.begin(), weights.values.end(), classifier.weights.begin());
  if (svm.hint == nullptr) return classifier;
  const LinearClassifier hint = linear_classifier(*svm.hint, columns);
  for (std::size_t f = 0; f < columns; ++f) classifier.weights[f] += hint.weights[f];
  classifier.bias += hint.bias;
  return classifier;
}

/// Weights of all classifiers side by side, one row a feature; the last row holds the biases.
data::DenseMatrix side_by_side(std::span<const LinearClassifier> classifiers, std::size_t features) {
  data::DenseMatrix weights(features + 1, classifiers.size());
  for (std::size_t c = 0; c < classifiers.size(); ++c) {
    for (std::size_t f = 0; f < features; ++f) weights.row(f)[c] = classifiers[c].weights[f];
    weights.row(features)[c] = classifiers[c].bias;
  }
  return weights;
}

/// Zeros, which most pixels are, cost nothing.
void decide(std::span<const double> row, const data::DenseMatrix& weights, std::vector<double>& decisions) {
  const auto bias = weights.row(row.size());
  decisions.assign(bias.begin(), bias.end());
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (row[f] == 0) continue;
    const auto of_feature = weights.row(f);
    for (std::size_t c = 0; c < decisions.size(); ++c) decisions[c] += row[f] * of_feature[c];
  }
}

/// Sums over the rows of a block and all classifiers.
ReferenceError losses_of_block(std::size_t first, const data::Dataset& rows, const data::DenseMatrix& weights) {
  ReferenceError sum;
  std::vector<double> decisions;
  const data::DenseMatrix& features = rows.features.dense();
  for (std::size_t i = first; i < std::min(first + rows_of_block, features.rows); ++i) {
    decide(features.row(i), weights, decisions);
    const double sign = rows.labels[i] == 1 ? 1 : -1;
    for (const double decision : decisions) {
      sum.hard += svm::hard_loss(sign * decision);
      sum.soft += svm::soft_loss(sign * decision);
    }
  }
  return sum;
}

bool is_target_size(std::size_t line) {
  constexpr std::array<std::size_t, 4> of_sizes{40, 100, 200, 400};
  return std::find(of_sizes.begin(), of_sizes.end(), sizes[line]) != of_sizes.end();
}

/// Tables V and VII: where a bound is printed, hints aside. Table I: methods that judge on rows left out.
bool is_comparable(Table table, std::size_t line, Column column) {
  if (column < md || printed(table, line, column).is_dash()) return false;
  return table != Table::I || column >= kcv;
}

/// Percent, or seconds; none if the table says nothing of the method.
std::optional<double> value_of(Table table, const MethodResult& result) {
  switch (table) {
    case Table::I:
    case Table::X:
      return 100 * result.soft.error.soft;
    case Table::III:
    case Table::XI:
      return 100 * (result.hard ? *result.hard : result.soft).error.hard;
    case Table::V:
    case Table::XII:
      return result.soft.bound ? std::optional(100 * *result.soft.bound) : std::nullopt;
    case Table::VII:
    case Table::XIII:
      return result.hard && result.hard->bound ? std::optional(100 * *result.hard->bound) : std::nullopt;
    case Table::XIV:
      break;
  }
  return result.soft.seconds;
}

}  // namespace

std::vector<LinearClassifier> linear_classifiers(const model::Predictor& predictor) {
  const std::size_t columns = predictor.schema.columns.size();
  if (const auto* svm = dynamic_cast<const svm::SvmModel*>(&predictor); svm != nullptr && svm->machines.size() == 1)
    return {linear_classifier(*svm, columns)};
  const auto* const ensemble = selection::as_ensemble(predictor);
  std::vector<LinearClassifier> classifiers;
  for (const auto& part : ensemble == nullptr ? model::Members().parts : ensemble->members.parts) {
    const auto& family = dynamic_cast<const svm::SvmFamily&>(*part.family);
    classifiers.push_back({std::vector<double>(columns), family.bias.values.front()});
    const data::DenseMatrix weights = family.linear_weights();  // without columns if nothing supports it
    std::ranges::copy(weights.values, classifiers.back().weights.begin());
  }
  if (classifiers.empty()) throw Error(ErrorCode::invalid_argument, "a classifier is not one linear SVM");
  return classifiers;
}

ReferenceError reference_error(std::span<const LinearClassifier> classifiers, const data::Dataset& rows,
                               const core::Context& context) {
  const data::DenseMatrix weights = side_by_side(classifiers, rows.features.columns());
  std::vector<ReferenceError> blocks((rows.rows() + rows_of_block - 1) / rows_of_block);
  context.threads.for_each(blocks.size(),
                           [&](std::size_t b) { blocks[b] = losses_of_block(b * rows_of_block, rows, weights); });
  ReferenceError error;
  for (const ReferenceError& block : blocks) {
    error.hard += block.hard;
    error.soft += block.soft;
  }
  const auto count = static_cast<double>(rows.rows() * classifiers.size());
  return {error.hard / count, error.soft / count};
}

std::optional<Figure> figure_of(Table table, const Line& line, Column column) {
  std::vector<double> values;
  for (const Draw& draw : line.draws) {
    for (const MethodResult& result : draw.methods) {
      if (result.column != column) continue;
      if (const auto value = value_of(table, result)) values.push_back(*value);
    }
  }
  if (values.empty()) return std::nullopt;
  return reproduce::figure_of(values);
}

std::vector<Target> targets_of(const Report& report) {
  constexpr double relative = 0.25;
  constexpr double points = 2;
  std::vector<Target> targets;
  for (const Table table : {Table::I, Table::V, Table::VII}) {
    for (const Line& line : report.lines) {
      if (!line.set->is_mnist()) continue;
      for (const Column column : report.settings.columns) {
        const auto ours = is_comparable(table, line.line, column) ? figure_of(table, line, column) : std::nullopt;
        if (!ours) continue;
        const double paper = printed(table, line.line, column).value;
        const bool is_error = table == Table::I;
        targets.push_back({table, line.line, column, is_target_size(line.line), ours->mean, paper,
                           is_error ? ours->mean / paper - 1 : ours->mean - paper, is_error ? relative : points});
      }
    }
  }
  return targets;
}

}  // namespace credence::reproduce::in_sample
