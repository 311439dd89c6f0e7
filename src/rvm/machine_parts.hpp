#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "svm/assembly.hpp"

/// Functions that training a model and judging a model share.
namespace credence::rvm {

/// The targets of each machine: those of a regression, or 1 for its class and 0 for the rest. See Problem.
std::vector<std::vector<double>> machine_targets(const data::Dataset& dataset);

/// Returns the positions of the retained columns that go into a model. A null model keeps the bias (column 0) alone,
/// because the data say nothing about its kernels.
std::vector<std::size_t> kept_columns(const Fit& fit);

/// Returns the kept columns as coefficients of candidate centres (number 0 is column 1) and a bias.
svm::SparseMachine sparse_machine(const Fit& fit);

/// The class for these values of the machines: the positive one, or the largest; ties to the one that was most frequent
/// (rvm/model.hpp).
int label_of(std::span<const double> y, std::span<const std::size_t> class_counts);

/// The logarithm of the probability that the machines' values give to a class (rvm/model.hpp); finite, however small
/// the probability is.
double log_probability(std::span<const double> y, int label);
/// The log loss (model/probability.hpp) of the scores of all classes: -y and y of two.
double log_loss_of_scores(std::span<const double> scores, int label);

/// Whether all targets of a machine are 0: its class, one of more than two, does not occur among the rows.
bool is_absent(const std::vector<double>& targets);

/// Returns the machine of a class that does not occur among `rows` rows (at least two). The machine is a bias alone, w
/// = -v, at the end point of automatic relevance determination:
///
///   e^v = N (1 + v expit(v)),  alpha = expit(v) / (v (1 + v expit(v)))
///
/// More rows make the class less probable (about 1 / (N log N)), but never impossible.
Fit constant_fit(std::size_t rows, bool with_covariance);

}  // namespace credence::rvm
