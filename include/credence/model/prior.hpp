#pragma once

/// ```cpp
/// using namespace credence;
/// const std::vector<double> here{0.5, 0.5};   // class shares among the rows of the training
/// const std::vector<double> there{0.9, 0.1};  // class shares of another data set
/// std::vector<double> probability{0.4, 0.6};
/// model::reweigh(probability, here, there);
/// std::cout << probability[1] << '\n';  // prints 0.142857
/// ```

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/features.hpp"
#include "credence/model/predictor.hpp"

/// Probabilities at the class shares of another data set. The probabilities there follow from those here if the rows of
/// each class are alike in both data sets, and classes differ in their shares alone.
/// Source: Saerens, Latinne, Decaestecker, Neural Computation 14 (2002), equations (2.4) and (2.9).
namespace credence::model {

struct PriorOptions {
  std::string prior{};  ///< empty: the class shares of the rows that probabilities were fitted to

  static void describe(auto&& field) {
    field("prior", &PriorOptions::prior,
          {"class shares of the rows' population: sick=0.02 (other classes divide the rest as in training), or "
           "estimate, which takes them from the probabilities of these rows",
           "SHARES"});
  }
};

/// Returns the share of each class among the rows that the model's probabilities were fitted to.
/// @throws Error invalid_argument for a model that keeps no such rows
std::vector<double> kept_shares(const Predictor& model);

/// Returns a share for each class: the ones given, and for the other classes what is left, divided as in `kept`.
/// @param given  shares of some classes, or of all  @param kept  one for each class, above 0
/// @throws Error invalid_argument for a share outside (0, 1), shares of all classes whose sum is not 1 (to 1e-6), or of
/// some whose sum is not below 1
std::vector<double> whole_shares(std::span<const std::optional<double>> given, std::span<const double> kept);

/// Adapts the probabilities of one row from the class shares `from` to the shares `to`.  @param probability  with sum 1
void reweigh(std::span<double> probability, std::span<const double> from, std::span<const double> to);

/// Adapts the probabilities of a prediction: probability, moderated, and the ends of Venn-Abers intervals of two
/// classes. The labels stay the model's own, so that the most probable class can be another one.
/// @throws Error invalid_argument for a prediction without probabilities; with intervals of more than two classes
void reweigh(Prediction& prediction, std::span<const double> from, std::span<const double> to);

/// Returns, by expectation maximisation, the class shares that equal the mean of the probabilities reweighed to them.
/// They maximise the likelihood if the probabilities are right. Nothing is proved of them.
/// @param probability  rows x classes, at the shares `from`  @throws Error invalid_argument without rows
/// Cost: at most 1,000 passes over the rows.
std::vector<double> estimate_shares(const data::DenseMatrix& probability, std::span<const double> from);

}  // namespace credence::model
