#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/recall.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/fingerprint.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/options.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/ivanov.hpp"
#include "svm/assembly.hpp"

namespace credence::selection {

/// Results of one kind in the checkpoint of the context, each of one part of a selection: of a gamma, or of a gamma on
/// one resample. A result is recalled for the same kind, data, options and part alone. Without a checkpoint nothing is
/// kept or recalled.
class KeptParts {
 public:
  /// The context must outlive the object. @param kind  empty: nothing is kept or recalled
  KeptParts(std::string_view kind, const data::Dataset& dataset, const Options& options, const core::Context& context);

  bool any() const { return !scope_.empty(); }
  /// @param part  numbers that identify the part
  /// @param fits  returns whether the sizes of a value, and the indices in it, are possible for the part
  /// @throws Error format for a value that does not fit
  template <class Value, class Fits>
  std::optional<Value> recall(std::span<const std::uint64_t> part, const Fits& fits) const {
    return any() ? core::recalled<Value>(context_, key_of(part), fits) : std::nullopt;
  }
  template <class Value>
  void keep(std::span<const std::uint64_t> part, Value& value) const {
    if (any()) core::keep(context_, key_of(part), value);
  }

 private:
  core::Fingerprint key_of(std::span<const std::uint64_t> part) const;

  const core::Context& context_;
  std::string scope_;  ///< a checksum of all that the parts have in common
};

}  // namespace credence::selection

/// Members of types that are sent as bytes (credence/core/recall.hpp).
namespace credence::model {

void visit(auto& bytes, Calibration& calibration) {
  bytes(calibration.source, calibration.p_values, calibration.nonconformity_scores, calibration.labels,
        calibration.scores, calibration.region_of, calibration.fold_model_of);
}

void visit(auto& bytes, HonestEstimate& estimate) {
  bytes(estimate.method, estimate.score, estimate.error, estimate.lower, estimate.upper, estimate.interval,
        estimate.trials, estimate.delta, estimate.resamples, estimate.rows, estimate.seconds);
}

void visit(auto& bytes, TrainingRecord& record) {
  bytes(record.method, record.data, record.rows, record.row_keys, record.seed, record.C, record.nu, record.tolerance,
        record.violation, record.next_best, record.weighs_classes, record.selected_error, record.resamples,
        record.version, record.honest, record.honest_kind, record.class_counts, record.least, record.largest);
}

}  // namespace credence::model

namespace credence::kernel {

void visit(auto& bytes, Kernel& kernel) {
  bytes(kernel.type, kernel.gamma, kernel.coef0, kernel.degree);
}

}  // namespace credence::kernel

namespace credence::qp {

void visit(auto& bytes, Statistics& statistics) {
  bytes(statistics.steps, statistics.newton_steps, statistics.factorisations, statistics.gap, statistics.status);
}

}  // namespace credence::qp

namespace credence::rvm {

void visit(auto& bytes, Fit& fit) {
  bytes(fit.columns, fit.weights, fit.alpha, fit.gamma, fit.noise_variance, fit.log_likelihood, fit.log_posterior,
        fit.log_hessian, fit.log_evidence, fit.covariance, fit.status, fit.null_model, fit.memorised, fit.start,
        fit.iterations, fit.newton_steps, fit.factorisations, fit.full_factorisations);
}

void visit(auto& bytes, Validity& validity) {
  bytes(validity.log_validity, validity.stability, validity.effective, validity.kernels, validity.relevant,
        validity.capped, validity.saddles, validity.slope, validity.curvature, validity.log_A);
}

void visit(auto& bytes, KernelFit& fit) {
  bytes(fit.kernel, fit.machines, fit.validity, fit.log_evidence, fit.log_validity);
}

}  // namespace credence::rvm

namespace credence::svm {

void visit(auto& bytes, BinaryMachine& machine) {
  bytes(machine.positive, machine.negative, machine.support, machine.coefficients, machine.bias);
}

void visit(auto& bytes, SparseMachine& machine) {
  bytes(machine.rows, machine.coefficients, machine.bias, machine.norm);
}

void visit(auto& bytes, IvanovSolution& solution) {
  bytes(solution.beta, solution.bias, solution.norm, solution.decisions, solution.loss, solution.C, solution.binding);
}

void visit(auto& bytes, IvanovWork& work) {
  bytes(work.convex_steps, work.solves, work.steps, work.factorisations, work.unconverged);
}

void visit(auto& bytes, MachineCosts& machine) {
  bytes(machine.support, machine.coefficients);
}

/// A region's family is over preprocessed rows.
void visit(auto& bytes, Region& region) {
  bool there = region.family != nullptr;
  bytes(region.classes, region.model_of, there);
  if (!there) return;
  const auto family = region.family ? std::make_shared<SvmFamily>(*region.family) : std::make_shared<SvmFamily>();
  bytes(family->kernel, family->gammas, family->cost_count, family->class_count, family->support_vectors,
        family->support_rows, family->machines, family->bias, family->norm, family->by_weights);
  region.family = family;
}

}  // namespace credence::svm

namespace credence::selection {

void visit(auto& bytes, RegionResult& result) {
  bytes(result.region, result.complete, result.rows, result.class_counts, result.weight, result.C, result.gamma,
        result.error, result.error_se, result.honest, result.losses, result.labels, result.setting_losses,
        result.calibration, result.machine, result.folds, result.converged, result.violation, result.setting_count,
        result.n_sv, result.steps, result.factorisations, result.unconverged);
}

void visit_reason(auto& bytes, GivenUp& reason) {
  auto number = static_cast<std::uint8_t>(reason);
  bytes(number);
  reason = static_cast<GivenUp>(number);
}

void visit(auto& bytes, KernelEvidence& evidence) {
  bytes(evidence.log_evidence, evidence.log_validity, evidence.stability, evidence.effective, evidence.kernels,
        evidence.relevant, evidence.noise_sd, evidence.largest_weight, evidence.capped, evidence.saddles,
        evidence.iterations, evidence.status, evidence.null_model, evidence.memorised, evidence.below_null,
        evidence.reused);
}

void visit(auto& bytes, Setting& setting) {
  visit_reason(bytes, setting.given_up);
  bytes(setting.kernel, setting.scale, setting.C, setting.nu, setting.rho, setting.gamma, setting.k, setting.evidence,
        setting.complete, setting.infeasible, setting.error, setting.error_std, setting.error_se, setting.split_scores,
        setting.fit_seconds, setting.score_seconds, setting.n_sv, setting.steps, setting.factorisations,
        setting.unconverged, setting.added, setting.rung);
}

}  // namespace credence::selection
