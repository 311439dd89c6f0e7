#include "report/evaluation/evaluation_report.hpp"

#include "credence/conformal/confidence.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/rows/p_value_words.hpp"

namespace credence::report {
namespace {

/// What the limits and regions of a nonconformity model rest on, and what they came to on these rows.
void add_nonconformity(const Evaluated& findings, const selection::NonconformityRule& rule, Json& document) {
  document.add("models"_key = rule.models(), "validation_rows"_key = rule.validation_rows(),
               "delta"_key = rule.options().delta, "p_value"_key = core::word(rule.options().p_value),
               "tie"_key = core::word(rule.options().tie), "error_by_eps_crit"_key = error_curve_json(findings.curve),
               "as_strange"_key = as_strange_json(findings.as_strange, findings.labels.rows),
               "regions"_key = regions_json(findings.regions));
}

}  // namespace

std::string evaluated_table(const Evaluated& findings, const model::Predictor& model, bool verbose) {
  std::string text = label_table(findings.labels);
  if (findings.probability) text += probability_table(*findings.probability);
  if (findings.place) text += place_table(*findings.place);
  if (findings.limits) text += limit_table(*findings.limits);
  if (findings.parts) text += parts_table(*findings.parts);
  if (!findings.regions.empty()) text += regions_table(findings.regions);
  if (findings.p_values) text += confidence_line(*findings.p_values);
  if (findings.familiarity) text += (findings.p_values ? "" : "\n") + familiarity_line(*findings.familiarity);
  if (findings.p_values && verbose) text += criteria_table(*findings.p_values);
  if (findings.curve.empty()) return text;
  return text + error_curve_table(findings.curve) +
         as_strange_table(findings.as_strange, findings.labels.rows, *selection::nonconformity_rule(model));
}

Json evaluated_json(const Evaluated& findings, const model::Predictor& model, const conformal::PValueOptions& made) {
  Json document = label_json(findings.labels);
  document["warnings"] = findings.warnings;
  if (findings.probability) document["probability"] = probability_json(*findings.probability);
  if (findings.familiarity) document["familiarity"] = familiarity_json(*findings.familiarity);
  if (findings.limits) document["limits"] = limit_json(*findings.limits);
  if (findings.parts) document["parts"] = parts_json(*findings.parts);
  if (findings.place) document["place"] = place_json(*findings.place);
  if (const auto* rule = selection::nonconformity_rule(model)) add_nonconformity(findings, *rule, document);
  if (findings.p_values) {
    document["compared_with"] = conformal::compared_with(model);
    add_p_values(*findings.p_values, made, validity_sentence(model, made), document);
  }
  return document;
}

}  // namespace credence::report
