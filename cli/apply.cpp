#include "apply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "credence/neighbours/family.hpp"
#include "credence/selection/grid.hpp"
#include "credence/svm/family.hpp"
#include "output.hpp"
#include "report/interval_report.hpp"

namespace credence::cli {
namespace {

const conformal::ConformalPredictor* as_conformal(const model::Predictor& model) {
  return dynamic_cast<const conformal::ConformalPredictor*>(&model);
}

std::string describe_family(const selection::FamilyPredictor& model) {
  std::string text = report::count_of(model.members.size(), "model");
  if (const auto* vote = std::get_if<selection::VoteRule>(&model.rule))
    text = vote->members.size() == 1 ? "one of " + text : fmt::format("{} of {} vote", vote->members.size(), text);
  if (const auto* svms = dynamic_cast<const svm::SvmFamily*>(model.family.get()))
    text += ", " + report::count_of(svms->support_rows.size(),
                                    svms->relevance_vectors ? "relevance vector" : "support vector");
  text += fmt::format(", trained on {}", report::count_of(model.record.rows, "row"));
  return model.validation_rows == 0 ? text : text + fmt::format(", judged on {}", model.validation_rows);
}

std::string each_against_rest(std::size_t machines) {
  return fmt::format("{} machines, each a class against the rest, ", machines);
}

std::string describe_rvm(const rvm::RvmModel& model) {
  const std::size_t machines = model.machines.size();
  return (machines > 1 ? each_against_rest(machines) : "") + report::count_of(model.centre_count(), "relevance vector");
}

std::string describe_svm(const svm::SvmModel& model) {
  const std::size_t machines = model.machines.size();
  const bool against_rest = machines > 1 && model.machines.front().negative == svm::the_rest;
  std::string text = against_rest ? each_against_rest(machines) : "";
  text += report::count_of(model.support_count(), "support vector");
  if (model.hint)
    text += fmt::format(", around a hint of {}", report::count_of(model.hint->support_count(), "support vector"));
  if (!model.schema.hint_name.empty()) text += fmt::format(", around the hint in column '{}'", model.schema.hint_name);
  return text;
}

}  // namespace

void add_p_value_options(Command command, PValueOverrides& overrides) {
  const Group group = command.group("P-values");
  const auto flag = [&](const char* name, std::optional<bool>& value, bool set, const char* help) {
    return group.flag(name, [&value, set] { value = set; }, help);
  };
  flag("--label-conditional", overrides.label_conditional, true, "compare with rows of the assumed class alone")
      .excludes(flag("--all-labels", overrides.label_conditional, false,
                     "compare with all rows, even if the model says not"));
  flag("--smoothed", overrides.smoothed, true, "count a random share of the ties, by the seed")
      .excludes(flag("--plain", overrides.smoothed, false, "count all ties, even if the model says not"));
  group.option("--seed", &overrides.seed, "INT", "of the smoothing (default: that of the model, or 0)");
}

std::unique_ptr<model::Predictor> load_any_model(const std::string& path) {
  if (io::is_libsvm_model(path)) return std::make_unique<svm::SvmModel>(io::import_libsvm(path));
  return io::load_model(path);
}

data::Dataset read_for(const model::Predictor& model, const DataOptions& options, bool quiet) {
  data::Dataset dataset = data::read(options.path, read_options_for(model, options));
  // The last row may have been dropped too, so this is the least that is known.
  const std::size_t last = dataset.file_rows.empty() ? 0 : dataset.file_rows.back();
  if (model.missing == data::Missing::drop && last > dataset.rows() && !quiet)
    note(fmt::format("{} with missing cells left out, as in training", report::count_of(last - dataset.rows(), "row")));
  return dataset;
}

model::Prediction predict_rows(const model::Predictor& model, const data::Dataset& dataset, Run& run) {
  run.catch_signals();
  model::Prediction prediction = model.predict(dataset, run.context());
  if (Run::was_interrupted()) throw Error(ErrorCode::interrupted, "interrupted: nothing is written");
  return prediction;
}

model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& dataset,
                                          const PValueOverrides& overrides, Run& run) {
  if (overrides.any() && (nonconformity_rule(model) != nullptr || !has_p_values(model))) {
    throw Error(ErrorCode::invalid_argument,
                nonconformity_rule(model) != nullptr
                    ? "--label-conditional, --smoothed and --seed: the p-values of a nonconformity model are made in "
                      "the way that was chosen with select"
                    : "--label-conditional, --smoothed and --seed: " + validity_sentence(model));
  }
  const conformal::PValueOptions options = p_value_options(model, overrides);
  if (const auto* conformal = as_conformal(model)) {
    conformal::ConformalPredictor changed = *conformal;
    changed.options = options;
    return predict_rows(changed, dataset, run);
  }
  model::Prediction prediction = predict_rows(model, dataset, run);
  if (nonconformity_rule(model) != nullptr) conformal::conclude(prediction, true);
  const bool compares = nonconformity_rule(model) == nullptr && !model.calibration.empty() && !has_intervals(model);
  if (compares && !conformal::add_confidence(model, options, prediction)) {
    throw Error(ErrorCode::format,
                "the model carries margins of rows left out, but has no scores to compare with them");
  }
  return prediction;
}

bool has_p_values(const model::Predictor& model) {
  const bool carries = !model.calibration.empty() && !has_intervals(model);
  return as_conformal(model) != nullptr || nonconformity_rule(model) != nullptr || carries;
}

bool has_intervals(const model::Predictor& model) {
  return model.schema.task == data::Task::regression && !model.calibration.empty();
}

conformal::PValueOptions p_value_options(const model::Predictor& model, const PValueOverrides& overrides) {
  const auto* conformal = as_conformal(model);
  conformal::PValueOptions options = conformal == nullptr ? conformal::PValueOptions{} : conformal->options;
  options.label_conditional = overrides.label_conditional.value_or(options.label_conditional);
  options.smoothed = overrides.smoothed.value_or(options.smoothed);
  options.seed = overrides.seed.value_or(options.seed);
  return options;
}

const selection::RandomPredictor* as_random(const model::Predictor& model) {
  return dynamic_cast<const selection::RandomPredictor*>(&model);
}

const selection::NonconformityRule* nonconformity_rule(const model::Predictor& model) {
  const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&model);
  return family == nullptr ? nullptr : std::get_if<selection::NonconformityRule>(&family->rule);
}

bool is_precomputed(const model::Predictor& model) {
  constexpr auto precomputed = kernel::KernelType::precomputed;
  if (const auto* single = dynamic_cast<const svm::SvmModel*>(&model)) return single->kernel.type == precomputed;
  if (const auto* single = dynamic_cast<const rvm::RvmModel*>(&model)) return single->kernel.type == precomputed;
  if (const auto* random = as_random(model)) return !random->members.empty() && is_precomputed(*random->members[0]);
  const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&model);
  const auto* svms = family == nullptr ? nullptr : dynamic_cast<const svm::SvmFamily*>(family->family.get());
  return svms != nullptr && svms->kernel.type == precomputed;
}

std::string decision_name(const model::Predictor& model, const svm::BinaryMachine& machine) {
  const auto& classes = model.schema.classes;
  if (classes.size() == 2) return "decision";
  const std::string& positive = classes[static_cast<std::size_t>(machine.positive)];
  if (machine.negative == svm::the_rest) return fmt::format("decision_{}_vs_rest", positive);
  return fmt::format("decision_{}_vs_{}", positive, classes[static_cast<std::size_t>(machine.negative)]);
}

std::string decision_name(const model::Predictor& model, const rvm::Machine& machine) {
  const auto& classes = model.schema.classes;
  if (classes.size() <= 2) return "decision";
  return fmt::format("decision_{}_vs_rest", classes[static_cast<std::size_t>(machine.positive)]);
}

std::string describe(const model::Predictor& model) {
  if (const auto* conformal = as_conformal(model)) return conformal::title_of(*conformal);
  if (const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&model)) return describe_family(*family);
  const std::string rows = fmt::format("trained on {}", report::count_of(model.record.rows, "row"));
  if (const auto* random = as_random(model)) {
    return fmt::format("{}, one drawn for each row with seed {}, {}",
                       report::count_of(random->members.size(), "classifier"), random->seed, rows);
  }
  if (const auto* machines = dynamic_cast<const rvm::RvmModel*>(&model))
    return fmt::format("{}, {}", describe_rvm(*machines), rows);
  const auto* single = dynamic_cast<const svm::SvmModel*>(&model);
  return single == nullptr ? rows : fmt::format("{}, {}", describe_svm(*single), rows);
}

std::vector<double> parse_eps(const std::string& text) {
  if (text.empty()) return {};
  std::vector<double> levels;
  for (const double value : parse_option("--eps", [&] { return selection::parse_list(text); })) {
    // A range's steps add up rounding errors, but levels are compared with counts over n.
    const double level = std::stod(fmt::format("{:.12g}", value));
    if (!(level >= 0 && level < 1))
      throw Error(ErrorCode::invalid_argument, fmt::format("--eps: {} is not from 0 to below 1", level));
    if (std::find(levels.begin(), levels.end(), level) != levels.end())
      throw Error(ErrorCode::invalid_argument, fmt::format("--eps: {} is given twice", level));
    levels.push_back(level);
  }
  return levels;
}

std::vector<double> eps_levels(const model::Predictor& model, const std::vector<double>& asked) {
  constexpr double usual = 0.05;
  if (has_intervals(model)) return report::interval_levels(asked, {usual});
  if (has_p_values(model)) return asked.empty() ? std::vector<double>{usual} : asked;
  if (asked.empty()) return {};
  throw Error(ErrorCode::invalid_argument, "--eps: " + validity_sentence(model));
}

}  // namespace credence::cli
