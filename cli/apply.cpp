#include "apply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/conformal/confidence.hpp"
#include "credence/core/list.hpp"
#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "output.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/text.hpp"

namespace credence::cli {

using model::PValueSource;

void add_p_value_options(Command command, PValueOverrides& overrides) {
  conformal::PValueOptions usual;
  overrides.add_with_opposites(command.group("P-values"), core::fields_of(usual));
}

std::optional<model::ProbabilityOptions> ProbabilityRequest::options() const {
  model::ProbabilityOptions options;
  described.set_all(core::fields_of(options));
  if (wanted) return options;
  if (options.calibration) refuse("--calibration needs --probability: it says how the probabilities are made");
  return std::nullopt;
}

void add_probability_options(Command command, ProbabilityRequest& request) {
  const Group group = command.group("Probabilities");
  group.flag("--probability", &request.wanted,
             "add class probabilities, for SVMs and others with\n"
             "scores of rows left out (docs/probability.md)");
  request.described.add<model::ProbabilityOptions>(group);
}

void Probabilities::add(model::Prediction& prediction) {
  if (!options_ || (!options_->calibration && prediction.probability.columns > 0)) return;
  under_name("--probability", [&] {
    if (!maps_) maps_.emplace(model_, options_->calibration.value_or(model::CalibrationMap::sigmoid));
    model::add_probabilities(*maps_, prediction);
  });
}

void note_probabilities(const model::Predictor& model, const std::optional<model::ProbabilityOptions>& options,
                        const model::Prediction& prediction, bool moved) {
  if (!options) return;
  const std::string sentence = report::probability_sentence(model, *options, prediction, moved);
  if (!sentence.empty()) note(sentence);
}

data::Dataset read_for(const model::Predictor& model, const DataOptions& options, bool quiet, int threads,
                       const std::vector<std::string>& texts) {
  data::ReadOptions reading = read_options_for(model, options);
  reading.texts = texts;
  reading.threads = threads;
  data::Dataset dataset = read_with_notes(options.path, reading, quiet);
  const std::size_t last = dataset.file_rows.empty() ? 0 : dataset.file_rows.back();
  if (!quiet) note_dropped(model, last, dataset.rows());
  return dataset;
}

void note_dropped(const model::Predictor& model, std::size_t last, std::size_t rows) {
  // The last row may have been dropped too, so this is the least that is known.
  if (model.missing == data::Missing::drop && last > rows)
    note(fmt::format("{} with missing values left out, as in training", report::count_of(last - rows, "row")));
}

void check_overrides(const model::Predictor& model, const PValueOverrides& overrides) {
  const PValueSource source = model.capabilities().p_values;
  if (!overrides.any() || source == PValueSource::calibration || source == PValueSource::conformal) return;
  refuse("--label-conditional, --smoothed and --seed: " +
         (source == PValueSource::none ? report::validity_sentence(model)
                                       : "the p-values of a nonconformity model are made in the way that was "
                                         "chosen with select"));
}

void refuse_if_interrupted() {
  if (Run::was_interrupted()) throw Error(ErrorCode::interrupted, "interrupted: nothing is written");
}

model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& dataset,
                                          const PValueOverrides& overrides, Run& run) {
  check_overrides(model, overrides);
  run.catch_signals();
  model::Prediction prediction =
      conformal::predict_with_confidence(model, dataset, p_value_options(model, overrides), run.context());
  refuse_if_interrupted();
  return prediction;
}

conformal::PValueOptions p_value_options(const model::Predictor& model, const PValueOverrides& overrides) {
  conformal::PValueOptions options = conformal::p_value_options(model);
  overrides.set_all(core::fields_of(options));
  return options;
}

bool has_p_values(const model::Predictor& model) {
  return model.capabilities().p_values != PValueSource::none;
}

void note_p_values(const model::Predictor& model, const PValueOverrides& overrides, const model::Prediction& prediction,
                   bool verbose) {
  const conformal::PValueOptions options = p_value_options(model, overrides);
  note(report::validity_sentence(model, options));
  if (!prediction.solver_cost || !verbose) return;
  const model::SolverCost& cost = *prediction.solver_cost;
  note(fmt::format("{} with a new row, {} of them solved as they were; {} SMO steps, {} factorisations",
                   report::count_of(cost.problems, "problem"), cost.unchanged, cost.steps, cost.factorisations));
}

std::vector<double> parse_confidence_levels(const std::string& text) {
  if (text.empty()) return {};
  std::vector<double> levels;
  for (const double value : under_name("--confidence-level", [&] { return core::parse_list(text); })) {
    const double level = core::significance_of(value);
    if (!(level >= 0 && level < 1))
      refuse(fmt::format("--confidence-level: {:.12g} is not above 0 and at most 1", value));
    if (std::ranges::find(levels, level) != levels.end())
      refuse(fmt::format("--confidence-level: {:.12g} is given twice", value));
    levels.push_back(level);
  }
  return levels;
}

std::vector<double> levels_asked(const model::Predictor& model, const std::vector<double>& asked) {
  constexpr double usual = 0.05;
  if (model.capabilities().intervals) return report::interval_levels(asked, {usual});
  if (has_p_values(model)) return asked.empty() ? std::vector<double>{usual} : asked;
  if (asked.empty()) return {};
  refuse("--confidence-level: " + report::validity_sentence(model));
}

}  // namespace credence::cli
