#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/conformal/local.hpp"
#include "credence/model/prior.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

/// What a model comes to at the class shares of another data set.
/// What rows of another data set say of a model, and how many of them limits need.
namespace credence::report {

/// The class shares of a data set.
struct Place {
  std::vector<double> kept;    ///< shares among the rows that probabilities were fitted to
  std::vector<double> shares;  ///< of the place
  bool estimated = false;

  /// Reads what was asked for; estimates where asked to.
  /// @param prediction  with probabilities, if shares are to be estimated, or to be moved; those are moved
  /// @throws Error invalid_argument for shares that are none; as model::reweigh and model::kept_shares
  static Place of(const model::Predictor& model, const std::string& prior, model::Prediction& prediction);
  bool any() const { return !shares.empty(); }
};

/// Expected errors at these class shares, from the errors of each class on rows with other shares.
struct PlaceReport {
  static constexpr double delta = 0.05;

  std::vector<std::string> classes;
  Place place;
  std::optional<double> error;  ///< none where a class has no row
  bounds::Interval interval;    ///< limits of all classes hold together
  std::optional<double> cost;   ///< mean cost of a row, where costs are given
};
/// @param counts  true class x label
PlaceReport place_report(const Place& place, const std::vector<std::string>& classes,
                         const std::vector<std::vector<std::size_t>>& counts, const model::DecisionCosts* costs);

/// One sentence: what class shares probabilities have.
std::string place_sentence(const Place& place, const std::vector<std::string>& classes);
void add_place(const PlaceReport& report, Section& section);
Json place_json(const PlaceReport& report);

std::string update_table(const std::vector<std::string>& classes, const conformal::LocalTest& test);
/// Names each class without a local row: no p-value can strike the class out.
std::vector<std::string> update_warnings(const std::vector<std::string>& classes, const conformal::LocalTest& test);
Json update_json(const std::vector<std::string>& classes, const conformal::LocalTest& test);

}  // namespace credence::report
