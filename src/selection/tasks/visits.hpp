#pragma once

#include "selection/tasks/parts.hpp"

/// The members of what goes about as bytes (bytes.hpp).
namespace credence::selection {

template <class Bytes>
void visit(Bytes& bytes, TaskResult& result) {
  bytes(result.complete, result.infeasible, result.errors, result.soft, result.support, result.steps,
        result.factorisations, result.unconverged, result.fit_seconds, result.score_seconds);
}

template <class Bytes>
void visit(Bytes& bytes, GridPart& part) {
  model::Calibration& calibration = part.calibration;
  std::vector<double> scores(calibration.scores.values.begin(), calibration.scores.values.end());
  bytes(part.results, part.width, part.errors, part.soft, part.labels, part.values, part.best, calibration.source,
        calibration.exact, calibration.strangeness, calibration.labels, calibration.scores.rows,
        calibration.scores.columns, scores);
  if (scores.size() != calibration.scores.rows * calibration.scores.columns)
    throw Error(ErrorCode::format, "the result of a task has scores of another number of rows");
  if (calibration.scores.values.size() == scores.size()) return;
  data::DenseMatrix matrix(calibration.scores.rows, calibration.scores.columns);
  std::copy(scores.begin(), scores.end(), matrix.values.begin());
  calibration.scores = std::move(matrix);
}

template <class Bytes>
void visit(Bytes& bytes, KernelEvidence& evidence) {
  bytes(evidence.log_evidence, evidence.log_validity, evidence.stability, evidence.effective, evidence.kernels,
        evidence.relevant, evidence.noise_sd, evidence.largest_weight, evidence.capped, evidence.saddles,
        evidence.iterations, evidence.status, evidence.null_model, evidence.memorised, evidence.below_null,
        evidence.reused);
}

template <class Bytes>
void visit(Bytes& bytes, Cell& cell) {
  bytes(cell.C, cell.nu, cell.rho, cell.gamma, cell.k, cell.evidence, cell.complete, cell.infeasible, cell.error,
        cell.error_std, cell.error_se, cell.split_scores, cell.fit_seconds, cell.score_seconds, cell.n_sv, cell.steps,
        cell.factorisations, cell.unconverged, cell.added);
}

template <class Bytes>
void visit(Bytes& bytes, OuterFold& fold) {
  bytes(fold.complete, fold.rows, fold.errors, fold.loss, fold.seconds, fold.selected_score, fold.honest, fold.warnings,
        fold.bound, fold.chosen);
}

template <class Bytes>
void visit(Bytes& bytes, OuterPart& part) {
  bytes(part.fold, part.problem);
}

}  // namespace credence::selection
