#include "apply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "credence/neighbours/family.hpp"
#include "credence/selection/grid.hpp"
#include "credence/svm/family.hpp"
#include "output.hpp"

namespace credence::cli {
namespace {

std::string describe_family(const selection::FamilyPredictor& model) {
  std::string text = count_of(model.members.size(), "model");
  if (const auto* vote = std::get_if<selection::VoteRule>(&model.rule)) {
    text = vote->members.size() == 1 ? "one of " + text : fmt::format("{} of {} vote", vote->members.size(), text);
  }
  if (const auto* svms = dynamic_cast<const svm::SvmFamily*>(model.family.get())) {
    text += ", " + count_of(svms->support_rows.size(), "support vector");
  }
  text += fmt::format(", trained on {}", count_of(model.record.rows, "row"));
  return model.validation_rows == 0 ? text : text + fmt::format(", judged on {}", model.validation_rows);
}

}  // namespace

std::unique_ptr<model::Predictor> load_any_model(const std::string& path) {
  if (io::is_libsvm_model(path)) return std::make_unique<svm::SvmModel>(io::import_libsvm(path));
  return io::load_model(path);
}

data::Dataset read_for(const model::Predictor& model, const DataOptions& options, bool quiet) {
  data::Dataset dataset = data::read(options.path, read_options_for(model, options));
  // The last row may have been dropped too, so this is the least that is known.
  const std::size_t last = dataset.file_rows.empty() ? 0 : dataset.file_rows.back();
  if (model.missing == data::Missing::drop && last > dataset.rows() && !quiet) {
    note(fmt::format("{} with missing cells left out, as in training", count_of(last - dataset.rows(), "row")));
  }
  return dataset;
}

model::Prediction predict_rows(const model::Predictor& model, const data::Dataset& dataset, Run& run) {
  run.catch_signals();
  model::Prediction prediction = model.predict(dataset, run.context());
  if (Run::was_interrupted()) throw Error(ErrorCode::interrupted, "interrupted: nothing is written");
  return prediction;
}

const selection::NonconformityRule* nonconformity_rule(const model::Predictor& model) {
  const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&model);
  return family == nullptr ? nullptr : std::get_if<selection::NonconformityRule>(&family->rule);
}

bool is_precomputed(const model::Predictor& model) {
  constexpr auto precomputed = kernel::KernelType::precomputed;
  if (const auto* single = dynamic_cast<const svm::SvmModel*>(&model)) return single->kernel.type == precomputed;
  const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&model);
  const auto* svms = family == nullptr ? nullptr : dynamic_cast<const svm::SvmFamily*>(family->family.get());
  return svms != nullptr && svms->kernel.type == precomputed;
}

std::string decision_name(const model::Predictor& model, const svm::BinaryMachine& machine) {
  const auto& classes = model.schema.classes;
  if (classes.size() == 2) return "decision";
  return fmt::format("decision_{}_vs_{}", classes[static_cast<std::size_t>(machine.positive)],
                     classes[static_cast<std::size_t>(machine.negative)]);
}

std::string describe(const model::Predictor& model) {
  if (const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&model)) return describe_family(*family);
  const std::string rows = fmt::format("trained on {}", count_of(model.record.rows, "row"));
  const auto* single = dynamic_cast<const svm::SvmModel*>(&model);
  return single == nullptr ? rows : fmt::format("{}, {}", count_of(single->support_count(), "support vector"), rows);
}

std::vector<double> parse_eps(const std::string& text) {
  if (text.empty()) return {};
  std::vector<double> levels;
  for (const double value : parse_option("--eps", [&] { return selection::parse_list(text); })) {
    // A range's steps add up rounding errors, but levels are compared with counts over n.
    const double level = std::stod(fmt::format("{:.12g}", value));
    if (!(level >= 0 && level < 1)) {
      throw Error(ErrorCode::invalid_argument, fmt::format("--eps: {} is not from 0 to below 1", level));
    }
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
      throw Error(ErrorCode::invalid_argument, fmt::format("--eps: {} is given twice", level));
    }
    levels.push_back(level);
  }
  return levels;
}

std::vector<double> eps_levels(const model::Predictor& model, const std::vector<double>& asked) {
  constexpr double usual = 0.05;
  if (nonconformity_rule(model) != nullptr) return asked.empty() ? std::vector<double>{usual} : asked;
  if (asked.empty()) return {};
  throw Error(ErrorCode::invalid_argument,
              "--eps: this model has no p-values; one that select --method nonconformity saves has them");
}

}  // namespace credence::cli
