#include "deciding.hpp"

#include <algorithm>
#include <array>

#include "credence/core/error.hpp"

namespace credence::cli {

conformal::ReviewOptions DecisionRequest::review() const {
  const auto options = asked<conformal::ReviewOptions>();
  if (!options.only.empty() && options.only != "review") refuse("--only: the one column is review");
  if (!options.only.empty() && options.review.empty()) refuse("--only review needs --review, which marks the rows");
  return options;
}

std::optional<model::DecisionCosts> DecisionRequest::costs(const std::vector<std::string>& classes) const {
  if (cost.empty()) return std::nullopt;
  return under_name("--cost", [&] { return model::DecisionCosts::parse(cost, classes); });
}

void DecisionRequest::check_task(const model::Predictor& model) const {
  if (model.schema.task != data::Task::regression) return;
  const auto refuse = [](const std::string& option) {
    credence::refuse(option + ": this model predicts numbers, which have no classes");
  };
  for (const char* name : {"limit", "find", "review", "prior"})
    if (described.given(name)) refuse(described.option(name));
  if (!cost.empty()) refuse("--cost");
}

std::string DecisionRequest::make_label_conditional(const model::Predictor& model, PValueOverrides& p_values) const {
  const auto needs_them = [&](const std::string& name) {
    return described.given(name) && (name != "review" || described.text(name) == "limit");
  };
  constexpr std::array names{"limit", "find", "review"};
  const auto* const first = std::ranges::find_if(names, needs_them);
  if (first == names.end()) return {};
  const std::string option = described.option(*first);
  if (p_values.given("label_conditional") && p_values.text("label_conditional") == "false")
    refuse(option + " takes p-values of each class; leave --no-label-conditional out");
  const bool changes = has_p_values(model) && !p_value_options(model, p_values).label_conditional;
  p_values.imply("label_conditional", "true");
  return changes ? option +
                       " makes p-values label-conditional: each compares the row with rows of the assumed class "
                       "alone, so that they differ from those without " +
                       option
                 : "";
}

void add_cost_option(Command command, DecisionRequest& request) {
  command.group("Decisions")
      .option("--cost", &request.cost, "COSTS",
              "what a wrong decision and asking a person cost:\n"
              "sick:well=50,well:sick=1,ask=5 (truth:decision;\n"
              "a pair that is not named costs 1)");
}

report::Place place_of(const model::Predictor& model, const std::string& prior, model::Prediction& prediction) {
  if (prior.empty()) return {};
  return under_name("--prior", [&] { return report::Place::of(model, prior, prediction); });
}

}  // namespace credence::cli
