#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "options.hpp"
#include "report/selection_words.hpp"
#include "rvm_options.hpp"

namespace credence::cli {

/// How a selection is to be made, whatever the method: what select and compare have in common. Empty: the library's
/// default.
struct SelectionOptions {
  std::string C;
  std::string nu;
  std::string gamma;
  std::string rho;
  std::string model;
  std::string k;
  std::optional<int> folds;
  std::optional<int> resamples;
  std::string bootstrap_error;
  std::optional<std::size_t> validation_rows;
  std::string tie;
  std::string p_value;
  std::string margin;
  std::string refit;
  std::string estimate = "bbc";
  std::optional<double> delta;
  std::string scale_scope;
  std::optional<double> hint;
  std::optional<std::size_t> trials;
  std::string term;
  bool all_rhos = false;
  bool peel = false;
  bool enumerate = false;
  bool no_bias = false;
  bool united = false;
  std::string loss;
  std::string final_classifier;
  bool nested = false;
  RvmOptions rvm;
};

void add_selection_options(CLI::App& app, SelectionOptions& options);

/// The library's options for a method; missing cells are up to the reader.
/// @throws Error invalid_argument that names every option that is wrong
selection::Options selection_options(const std::string& method, const SelectionOptions& options,
                                     const TrainingOptions& training, data::Task task);

/// Options that were given although this method, with these models, does not look at them.
std::vector<std::string> unused_options(const selection::Options& settings, const SelectionOptions& options);

/// Whether the method bounds the error from the training rows, and so takes a hint: rademacher, maximal-discrepancy.
bool is_in_sample(const std::string& method);
/// Whether the method chooses by fits of relevance vector machines alone: kernel-validity, evidence.
bool asks_evidence(const std::string& method);
/// Whether reports say sigma instead of gamma: where it was given, and for relevance vector machines with rbf kernel.
bool shows_sigma(const selection::Options& settings, const SelectionOptions& options);

/// Whole numbers from 1 on, ascending. @throws Error invalid_argument
std::vector<int> parse_whole_numbers(const std::string& text);
/// nu as Grid::nu wants them: descending. @throws Error invalid_argument
std::vector<double> parse_nu(const std::string& text);

}  // namespace credence::cli
