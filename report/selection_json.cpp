#include <optional>

#include "credence/rvm/train.hpp"
#include "credence/selection/family_predictor.hpp"
#include "report/findings.hpp"
#include "report/kernel_validity_report.hpp"
#include "report/selection_report.hpp"

namespace credence::report {
namespace {

using selection::Cell;
using selection::Selection;

template <class Value>
Json if_positive(Value value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

Json parameters_json(const Cell& cell, bool by_sigma) {
  Json document = {{"C", if_positive(cell.C)},
                   {"nu", if_positive(cell.nu)},
                   {"rho", if_positive(cell.rho)},
                   {"gamma", if_positive(cell.gamma)},
                   {"k", if_positive(cell.k)}};
  if (by_sigma && cell.gamma > 0) document["sigma"] = rvm::sigma_of_gamma(cell.gamma);
  return document;
}

Json chosen_json(const Selection& selection, const std::optional<std::size_t>& index, bool by_sigma) {
  if (!index) return nullptr;
  Json document = parameters_json(selection.grid[*index], by_sigma);
  document["error"] = selection.grid[*index].error;
  document["error_std"] = selection.grid[*index].error_std;
  return document;
}

Json grid_json(const std::vector<Cell>& cells, bool by_sigma) {
  Json grid = Json::array();
  for (const Cell& cell : cells) {
    const auto known = [&](const auto& value) { return cell.complete ? Json(value) : Json(nullptr); };
    Json document = parameters_json(cell, by_sigma);
    document["error"] = known(cell.error);
    document["error_std"] = known(cell.error_std);
    document["n_sv"] = known(cell.n_sv);
    document["steps"] = known(cell.steps);
    document["factorisations"] = known(cell.factorisations);
    document["infeasible"] = cell.infeasible;
    if (cell.added) document["added"] = true;
    if (cell.evidence) document["evidence"] = kernel_evidence_json(*cell.evidence);
    grid.push_back(std::move(document));
  }
  return grid;
}

Json honest_json(const Selection& selection) {
  if (!selection.honest) return nullptr;
  const selection::HonestEstimate& honest = *selection.honest;
  return {{"method", honest.method},
          {"error", honest.error},  // NaN, if it was stopped, becomes null
          {"lower", or_null(honest.lower)},
          {"upper", or_null(honest.upper)},
          {"interval", honest.interval.empty() ? Json(nullptr) : Json(honest.interval)},
          {"trials", honest.trials > 0 ? Json(honest.trials) : Json(nullptr)},
          {"delta", honest.delta},
          {"resamples", honest.resamples},
          {"rows", honest.rows},
          {"seconds", honest.seconds}};
}

/// How many models the predictor keeps, and how many of them vote, if they do.
Json kept_json(const Selection& selection) {
  const model::Capabilities able = selection.predictor ? selection.predictor->capabilities() : model::Capabilities{};
  if (!able.models) return nullptr;
  return {{"models", *able.models}, {"voting", able.voting ? Json(*able.voting) : Json(nullptr)}};
}

/// What the model's p-values, or intervals, rest on; null where it has none.
Json calibration_json(const model::Calibration& calibration) {
  if (calibration.empty()) return nullptr;
  return {{"source", calibration.source}, {"rows", calibration.strangeness.size()}, {"exact", calibration.exact}};
}

}  // namespace

Json selection_json(const Selection& selection, const Plan& plan, const std::string& source) {
  const selection::Options& options = selection.options;
  const bool kernels = options.has_kernels();
  const bool by_sigma = kernels && options.kernels().by_sigma;
  Json document = {
      {"method", selection.method},
      {"status", status_word(selection.stopped)},
      {"score", selection.score},
      {"best", chosen_json(selection, selection.best, by_sigma)},
      {"runner_up", chosen_json(selection, selection.runner_up, by_sigma)},
      {"best_on_border", selection.best_on_border},
      {"honest", honest_json(selection)},
      {"kept", kept_json(selection)},
      {"calibration", calibration_json(selection.calibration)},
      {"grid", grid_json(selection.grid, by_sigma)},
      {"n", selection.n},
      {"features", selection.features},
      {"classes", selection.classes},
      {"class_counts", selection.class_counts},
      {"folds", selection.folds},
      {"validation_rows", selection.validation_rows},
      {"options", plan_json({options, plan.reading})},
      {"learner", core::word(options.learner())},
      {"kernel", kernels ? Json(kernel::name(options.kernels().shape.type)) : Json(nullptr)},
      {"scale", core::word(*options.preparation.scaling)},
      {"scale_scope", core::word(selection.scale_scope)},
      {"source", source},
      {"warnings", selection.warnings},
      {"seed", selection.seed},
      {"threads", selection.threads},
      {"seconds", selection.seconds},
      {"version", selection.version}};
  add_findings(selection, document);
  if (options.has_machines()) {
    document["task"] = selection.task == data::Task::regression ? "regression" : "classification";
    document["memorised"] = selection.memorised;
    document["effective"] = or_null(selection.effective);
  }
  return document;
}

}  // namespace credence::report
