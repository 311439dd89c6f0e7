#include "credence/selection/one_setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "credence/core/error.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/run.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/frame/frame.hpp"

namespace credence::selection {
namespace {

void check_one_value(const char* name, const auto& values, std::vector<std::string>& problems) {
  if (values.size() > 1)
    problems.push_back(fmt::format("{}: a single model takes one value, a selection takes lists", name));
}

}  // namespace

OneSetting::OneSetting(data::Task task, std::optional<Learner> model) {
  if (model == Learner::knn) core::refuse_word("knn", {"svm", "rvm"});
  if (task == data::Task::regression && model == Learner::svm)
    refuse("a regression is trained with relevance vector machines (rvm); SVMs classify");
  options.task = task;
  options.estimate = Estimate::none;
  options.model = model;
  options.kernels.types = {kernel::KernelType::rbf};
  options.kernels.gamma = kernel::parse_gammas("scale");
  if (!options.has_costs()) return;
  options.costs.C = {1};
  options.costs.solver.tolerance = tolerance_of_one;
}

std::vector<std::string> OneSetting::validate() const {
  std::vector<std::string> problems = in_regions(0).validate();
  check_one_value("kernel", options.kernels.types, problems);
  check_one_value("scale", options.preparation.scalings, problems);
  check_one_value(options.kernels.by_sigma ? "sigma" : "gamma", options.kernels.gamma, problems);
  if (options.has_costs()) {
    check_one_value("C", options.costs.C, problems);
    check_one_value("nu", options.costs.nu, problems);
  }
  return problems;
}

Options OneSetting::in_regions(int folds) const {
  Options result = options;
  if (!region_size) return result;
  Regions method{.region_size = *region_size, .partitions = 1};
  if (folds > 0) method.folds = folds;
  result.method = method;
  return result;
}

std::vector<core::Field> fields_of(OneSetting& setting) {
  std::vector<core::Field> fields = candidate_fields(setting.options);
  const std::vector<core::Field> common = core::fields_of(setting.options);
  std::ranges::copy_if(common, std::back_inserter(fields),
                       [](const core::Field& field) { return field.name == "scale" || field.name == "seed"; });
  std::erase_if(fields, [](const core::Field& field) {
    return field.name == "further" || field.name == "by_sigma" || field.name == "give_up";
  });
  for (core::Field& field : fields) {
    if (field.name == "C") field.sentence = "cost of errors";
    if (field.kind == core::Kind::numbers) field.stands = "NUMBER";
    if (field.kind != core::Kind::words) continue;
    field.kind = core::Kind::word;  // a list of one
    field.sentence = field.name == "kernel" ? "the kernel function"
                                            : "how columns are scaled (by default minmax for relevance vector "
                                              "machines, none for a precomputed kernel, else standard)";
  }
  if (setting.options.has_costs()) {
    core::Binder(setting, fields)("region_size", &OneSetting::region_size,
                                  "rows in a region of the feature space; each has SVMs of its own",
                                  core::at_least(Regions::least_rows));
  }
  if (!setting.has_rvms()) return fields;
  const std::vector<core::Field> index = core::fields_of(setting.index);
  fields.insert(fields.end(), index.begin(), index.end());
  return fields;
}

namespace {

/// @param warnings  gets what stands against the result
svm::TrainResult trained_svm(const data::Dataset& dataset, const OneSetting& setting, const core::Context& context,
                             std::vector<std::string>& warnings) {
  const Options options = setting.options.resolved_for(dataset);
  const kernel::GammaRule gamma = options.kernels.gamma.front();
  const double nu = options.costs.nu.empty() ? 0 : options.costs.nu.front();
  const double C = options.costs.C.front();
  svm::TrainResult result = train_svm(dataset, options, gamma, C, nu, context);
  std::string beyond = beyond_floats(dataset, options, nu > 0 ? 0 : C, gamma);
  if (qp::is_stopped(result.statistics.status)) {
    throw Error(ErrorCode::interrupted, fmt::format("training was stopped ({}{}{})", qp::name(result.statistics.status),
                                                    beyond.empty() ? "" : "; ", beyond));
  }
  if (!beyond.empty()) warnings.push_back(std::move(beyond));
  return result;
}

/// Scores of rows left out, and the machines of the folds that new rows are compared by.
void add_scores(const data::Dataset& dataset, const OneSetting& setting, int folds, const core::Context& context,
                TrainedSetting& trained) {
  const Selection crossed = cross_validate(dataset, setting, folds, context);
  if (crossed.stopped != core::StopReason::none) {
    throw Error(ErrorCode::interrupted, fmt::format("the cross-validation for the {} was stopped",
                                                    dataset.is_regression() ? "residuals" : "margins"));
  }
  trained.model->calibration = crossed.calibration;
  add_fold_models(dataset, crossed, context, *trained.model);
  trained.lacking = no_p_values_text(crossed, *trained.model);
  if (dataset.is_regression()) return;  // what the warnings say of the machine was said
  trained.warnings.insert(trained.warnings.end(), crossed.warnings.begin(), crossed.warnings.end());
}

}  // namespace

Selection cross_validate(const data::Dataset& dataset, const OneSetting& one, int folds, const core::Context& context) {
  Options crossing = one.options;
  crossing.method = CrossValidation{.folds = folds};
  return Selector(crossing).select(dataset, context);
}

TrainedSetting train(const data::Dataset& dataset, const OneSetting& setting, int folds, const core::Context& context) {
  throw_if_any(setting.validate());
  TrainedSetting trained;
  if (setting.has_regions()) {
    trained.model = train_in_regions(dataset, setting.in_regions(folds).resolved_for(dataset), folds > 0, context);
  } else if (setting.has_rvms()) {
    const Options options = setting.options.resolved_for(dataset);
    const auto result = train_rvm(dataset, options, options.kernels.gamma.front(), &setting.index, context);
    trained.model = {result, &result->model};
    trained.rvm = result;
  } else {
    const auto result = std::make_shared<svm::TrainResult>(trained_svm(dataset, setting, context, trained.warnings));
    trained.model = {result, &result->model};
    trained.svm = result;
  }
  if (folds > 0 && !setting.has_regions()) add_scores(dataset, setting, folds, context, trained);
  for (std::string& warning : trained_warnings(*trained.model, dataset, context))
    trained.warnings.push_back(std::move(warning));
  return trained;
}

}  // namespace credence::selection
