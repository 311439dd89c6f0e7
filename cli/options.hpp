#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/predictor.hpp"
#include "credence/qp/solver.hpp"
#include "credence/svm/train.hpp"
#include "report/selection_words.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace credence::cli {

/// How a data file is to be read.
struct DataOptions {
  std::string path;
  std::string task = "classification";
  std::string label;
  std::string missing = "error";
  std::vector<std::string> categorical;
  std::string delimiter = ",";
  std::string header = "auto";
  std::string format = "auto";
  std::string weights;
  std::string hint;
  std::string groups;
  std::string folds;
};

/// What select and train have in common.
struct TrainingOptions {
  std::string kernel = "rbf";
  double coef0 = 0;
  int degree = 3;
  std::string scale;  ///< empty: standard, or none for a precomputed kernel
  std::string class_weight;
  double tolerance = 1e-3;
  std::uint64_t max_steps = 0;
  std::uint64_t seed = 0;
};

/// What a run may use.
struct RunOptions {
  int threads = 0;
  std::string memory;
  std::optional<double> time_limit;
  bool quiet = false;
};

/// The options of CSV and svmlight files; of training files also label, weights, groups, ...
void add_reading_options(CLI::App& app, DataOptions& options);
void add_task_option(CLI::App& app, DataOptions& options);
void add_training_data_options(CLI::App& app, DataOptions& options, bool with_folds);
void add_training_options(CLI::App& app, TrainingOptions& options);
void add_run_options(CLI::App& app, RunOptions& options, bool with_limits);

// From words and spellings to the library's options. All throw Error invalid_argument that names the option.

data::ReadOptions read_options(const DataOptions& options);
/// For rows that a model is to be applied to. The model must outlive the result.
data::ReadOptions read_options_for(const model::Predictor& model, const DataOptions& options);
kernel::Shape kernel_of(const TrainingOptions& options);
data::Scaling scaling_of(const TrainingOptions& options, const kernel::Shape& kernel);
svm::ClassWeights class_weights_of(const TrainingOptions& options);
qp::Options solver_of(const TrainingOptions& options);
/// Refuses the empty text, which would be taken for an option that was not given.
CLI::Option* not_empty(CLI::Option* option);
/// "512M", "4G", bytes. Powers of 1024.
std::size_t parse_memory(const std::string& text);

/// One of the option's words; otherwise an Error that lists them.
[[noreturn]] void refuse_word(const char* option, const std::string& text, const std::string& allowed);

template <class Value, std::size_t N>
Value choose(const char* option, const std::string& text, const report::Choice<Value> (&choices)[N]) {
  std::string allowed;
  for (const auto& choice : choices) {
    if (text == choice.word) return choice.value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(choice.word);
  }
  refuse_word(option, text, allowed);
}

/// Runs `parse` and puts the option's name before the sentence of its Error.
template <class Parse>
auto parse_option(const char* option, Parse parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(error.code(), std::string(option) + ": " + error.sentence());
  }
}

}  // namespace credence::cli
