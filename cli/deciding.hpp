#pragma once

#include "application.hpp"
#include "apply.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/decisions/list_report.hpp"
#include "report/decisions/place_report.hpp"

/// What the command asks of decisions: limits of each class, lists, class shares of a data set, costs.
namespace credence::cli {

struct DecisionRequest {
  Described described;
  std::string cost;

  /// The options of one kind, such as conformal::LimitOptions, with what was given of them.
  template <class Options>
  Options asked() const {
    Options options;
    described.set_all(core::fields_of(options));
    return options;
  }
  conformal::ReviewOptions review() const;
  std::string prior() const { return asked<model::PriorOptions>().prior; }  ///< empty: the class shares of the training
  /// None without --cost. @throws Error invalid_argument after the name of the option
  std::optional<model::DecisionCosts> costs(const std::vector<std::string>& classes) const;
  /// @throws Error invalid_argument for an option about classes where the model predicts numbers
  void check_task(const model::Predictor& model) const;
  /// Asks for p-values of each class where limits or lists need them. Returns a note where the model's own are others.
  /// @throws Error invalid_argument where the opposite was asked for
  std::string make_label_conditional(const model::Predictor& model, PValueOverrides& p_values) const;
};

/// Of conformal::LimitOptions (--limit ...), report::ListOptions (--find ...), conformal::ReviewOptions (--review ...)
/// or model::PriorOptions (--prior).
template <class Options>
void add_decision_options(Command command, DecisionRequest& request) {
  request.described.add<Options>(command.group("Decisions"));
}
/// --cost.
void add_cost_option(Command command, DecisionRequest& request);

/// The place of rows that were predicted, whose probabilities are moved there; nothing without --prior.
report::Place place_of(const model::Predictor& model, const std::string& prior, model::Prediction& prediction);

}  // namespace credence::cli
