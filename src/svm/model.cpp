#include "credence/svm/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/svm/family.hpp"
#include "svm/guests.hpp"
#include "svm/support_base.hpp"

namespace credence::svm {
namespace {

bool is_one_against_rest(std::span<const BinaryMachine> machines) {
  return !machines.empty() && machines.front().negative == the_rest;
}

/// What follows from the decision values of a row.
void conclude_row(const SvmModel& model, std::size_t row, model::Prediction& prediction) {
  const std::size_t classes = model.schema.classes.size();
  const auto decisions = prediction.decision.row(row);
  if (std::ranges::any_of(decisions, [](double value) { return !std::isfinite(value); })) refuse_undecided();
  prediction.label[row] = vote(decisions, model.machines, classes);
  class_scores(decisions, model.machines, classes, prediction.score.row(row).data());
}

}  // namespace

int vote(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes) {
  if (machines.size() == 1) return decisions[0] > 0 ? machines[0].positive : machines[0].negative;
  if (is_one_against_rest(machines))
    return machines[static_cast<std::size_t>(std::ranges::max_element(decisions) - decisions.begin())].positive;
  std::vector<int> votes(classes, 0);
  for (std::size_t m = 0; m < machines.size(); ++m)
    ++votes[static_cast<std::size_t>(decisions[m] > 0 ? machines[m].positive : machines[m].negative)];
  return static_cast<int>(std::ranges::max_element(votes) - votes.begin());
}

std::vector<BinaryMachine> machine_layout(std::size_t classes) {
  if (classes == 2) return {BinaryMachine{1, 0, {}, {}, 0}};
  std::vector<BinaryMachine> machines;
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b)
      machines.push_back({static_cast<int>(a), static_cast<int>(b), {}, {}, 0});
  return machines;
}

std::vector<BinaryMachine> one_against_rest(std::size_t classes) {
  if (classes == 2) return machine_layout(classes);
  return core::made(classes, [&](std::size_t c) { return BinaryMachine{static_cast<int>(c), the_rest, {}, {}, 0}; });
}

model::Prediction SvmModel::predict(const data::Dataset& rows, const core::Context& context) const {
  model::Prediction prediction = Predictor::predict(rows, context);
  if (schema.hint_name.empty()) return prediction;
  if (rows.hint.size() != rows.rows())
    refuse_data("the rows lack the hint with which the model was trained", {rows.source, 0, schema.hint_name});
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (double& decision : prediction.decision.row(i)) decision += rows.hint[i];
    conclude_row(*this, i, prediction);
  }
  return prediction;
}

namespace {

/// Whether the weights of a linear kernel stand for its support vectors. The choice must not depend on the rows to be
/// predicted: sums in another order differ in the last bits.
bool is_condensed(const SvmModel& model, bool sparse_rows) {
  return model.kernel.type == kernel::KernelType::linear && !sparse_rows &&
         model.machines.size() < model.support_count();
}

/// The machines over their support vectors, or over the weights of a linear kernel.
Guests own_machines(const SvmModel& model, bool sparse_rows) {
  if (!is_condensed(model, sparse_rows)) return {model.machines, model.support_vectors.view(), model.support_rows};
  Guests own{model.machines, model.linear_weights(), std::vector<std::size_t>(model.machines.size())};
  std::iota(own.rows.begin(), own.rows.end(), std::size_t{0});
  for (std::size_t m = 0; m < own.machines.size(); ++m) {
    own.machines[m].support = {static_cast<std::uint32_t>(m)};
    own.machines[m].coefficients = {1};
  }
  return own;
}

}  // namespace

data::DenseMatrix SvmModel::linear_weights() const {
  if (kernel.type != kernel::KernelType::linear)
    refuse(fmt::format("a linear kernel has weights of features; the {} kernel has none", kernel::name(kernel.type)));
  return family_of(*this)->linear_weights();
}

namespace {

model::Prediction room_for(const SvmModel& model, std::size_t rows) {
  model::Prediction prediction;
  prediction.label.resize(rows);
  prediction.decision = data::DenseMatrix(rows, model.machines.size());
  prediction.score = data::DenseMatrix(rows, model.schema.classes.size());
  return prediction;
}

}  // namespace

model::Prediction SvmModel::predict_with_fold_models(const data::Dataset& rows, const core::Context& context,
                                                     const model::Members::Visit& visit) const {
  const auto* family = fold_models.averages.empty() ? dynamic_cast<const SvmFamily*>(fold_models.alone()) : nullptr;
  if (family == nullptr || hint || !schema.hint_name.empty() || is_condensed(*this, rows.features.is_sparse()))
    return Predictor::predict_with_fold_models(rows, context, visit);
  const std::optional<Guests> guests = guests_of(*this, *family);
  if (!guests) return Predictor::predict_with_fold_models(rows, context, visit);
  model::Prediction prediction = room_for(*this, rows.rows());
  score_with_guests(*family, *guests, preprocessed(rows), context, prediction.decision,
                    [&](std::size_t first, const model::Scores& block) {
                      for (std::size_t row = first; row < first + block.rows; ++row)
                        conclude_row(*this, row, prediction);
                      visit(first, 0, block);
                    });
  return prediction;
}

model::Prediction SvmModel::predict_preprocessed(const data::Features& rows, const core::Context& context) const {
  const data::DenseMatrix of_hint = hint ? hint->predict_preprocessed(rows, context).decision : data::DenseMatrix();
  model::Prediction prediction = room_for(*this, rows.rows());
  SvmFamily nobody;  // whose guests are these machines
  nobody.kernel = kernel;
  nobody.gammas = {kernel.gamma};
  nobody.class_count = 1;
  score_with_guests(nobody, own_machines(*this, rows.is_sparse()), rows, context, prediction.decision,
                    [&](std::size_t first, const model::Scores& block) {
                      for (std::size_t row = first; row < first + block.rows; ++row) {
                        for (std::size_t m = 0; hint && m < machines.size(); ++m)
                          prediction.decision.row(row)[m] += of_hint.row(row)[m];
                        conclude_row(*this, row, prediction);
                      }
                    });
  return prediction;
}

std::shared_ptr<const model::ClassifierFamily> SvmModel::classifiers() const {
  return family_of(*this);
}

model::Capabilities SvmModel::capabilities() const {
  model::Capabilities able = Predictor::capabilities();
  able.precomputed = kernel.type == kernel::KernelType::precomputed;
  return able;
}

std::string SvmModel::description() const {
  std::string text;
  if (machines.size() > 1 && is_one_against_rest(machines))
    text = fmt::format("{} binary SVMs, each a class against the rest, ", machines.size());
  text += core::count_of(support_count(), "support vector");
  if (hint) text += ", around a hint of " + core::count_of(hint->support_count(), "support vector");
  if (!schema.hint_name.empty()) text += fmt::format(", around the hint in column '{}'", schema.hint_name);
  return text + ", " + Predictor::description();
}

std::vector<std::string> SvmModel::decision_names() const {
  if (schema.classes.size() == 2) return std::vector<std::string>(machines.size(), "decision_value");
  const auto class_name = [&](int c) { return schema.classes[static_cast<std::size_t>(c)]; };
  return core::mapped(machines, [&](const BinaryMachine& machine) {
    return fmt::format("decision_value_{}_vs_{}", class_name(machine.positive),
                       machine.negative == the_rest ? "rest" : class_name(machine.negative));
  });
}

}  // namespace credence::svm
