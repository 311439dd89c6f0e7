#include "comparison_in_sample.hpp"

namespace credence::bench {
namespace {

nlohmann::json number_or_null(const std::optional<double>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

nlohmann::json work_json(const SoftWork& work) {
  return {{"convex_steps", work.convex_steps},
          {"trainings", work.trainings},
          {"regressions", work.regressions},
          {"smo_steps", work.steps}};
}

}  // namespace

void to_json(nlohmann::json& json, const InSampleRow& row) {
  json = {{"method", row.task.method},
          {"rows", row.task.rows},
          {"hint", number_or_null(row.task.hint)},
          {"trials", row.trials},
          {"one_thread_seconds", row.one_thread},
          {"two_threads_seconds", row.two_threads},
          {"paper_seconds", number_or_null(row.task.aims.paper)},
          {"target_seconds", number_or_null(row.task.aims.target)},
          {"rhos", row.rhos},
          {"bound", row.bound},
          {"convex_steps", row.work.convex_steps},
          {"solves", row.work.solves},
          {"smo_steps", row.work.steps},
          {"factorisations", row.work.factorisations},
          {"unconverged", row.work.unconverged}};
}

void to_json(nlohmann::json& json, const ConvexStepRow& row) {
  json = {{"method", row.task.method},
          {"rows", row.task.rows},
          {"trials", row.task.trials},
          {"credence_seconds", row.credence},
          {"credence_work", work_json(row.credence_work)},
          {"credence_rhos", row.credence_rhos}};
  if (row.libsvm.empty()) return;
  json.update({{"libsvm_seconds", row.libsvm},
               {"libsvm_work", work_json(row.libsvm_work)},
               {"libsvm_rhos", row.libsvm_rhos},
               {"ratio", row.ratio()},
               {"difference_of_training_loss", row.training_difference},
               {"difference_of_complexity", row.complexity_difference},
               {"allowed_difference", ConvexStepRow::allowed},
               {"agree", row.agree()}});
}

void to_json(nlohmann::json& json, const HeldOutRow& row) {
  json = {{"method", row.task.method},
          {"rows", row.task.rows},
          {"costs", row.costs},
          {"resamples", row.resamples},
          {"one_thread_seconds", row.one_thread},
          {"two_threads_seconds", row.two_threads},
          {"paper_seconds", number_or_null(row.task.aims.paper)},
          {"target_seconds", number_or_null(row.task.aims.target)}};
  if (row.libsvm.empty()) return;
  json.update({{"libsvm_resamples", row.libsvm_resamples},
               {"libsvm_trainings_of_these", row.libsvm_trainings},
               {"libsvm_seconds_of_these", row.libsvm},
               {"libsvm_seconds_scaled_up", median(row.libsvm).cpu * row.scale()},
               {"libsvm_extrapolated", row.extrapolated()},
               {"ratio", row.ratio()},
               {"largest_difference_of_mean_loss", number_or_null(row.difference)}});
}

void to_json(nlohmann::json& json, const CommandRow& row) {
  json = {{"file", row.file},
          {"methods", row.methods},
          {"outer_folds", row.outer_folds},
          {"seconds", row.seconds},
          {"target_seconds", number_or_null(row.aims.target)}};
}

void to_json(nlohmann::json& json, const InSampleResults& results) {
  json = {{"in_sample", results.in_sample},
          {"convex_steps", results.convex_steps},
          {"held_out", results.held_out},
          {"command", results.command}};
}

}  // namespace credence::bench
