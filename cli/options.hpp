#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "credence/model/predictor.hpp"
#include "described.hpp"
#include "flags.hpp"
#include "output.hpp"

namespace credence::cli {

/// How a data file is to be read.
struct DataOptions {
  std::string path;
  Described reading;
};

/// What a run may use.
struct RunOptions {
  int threads = 0;
  std::string memory;
  std::optional<double> time_limit;
  bool quiet = false;
  bool verbose = false;
  std::string log;         ///< a file; empty: none
  std::string checkpoint;  ///< a file; empty: none

  report::Detail detail() const { return verbose ? report::Detail::verbose : report::Detail::usual; }
  /// Except --verbose, whose sentence each command has.
  static void describe(auto&& field) {
    field("threads", &RunOptions::threads, "number of threads; 0 takes one for each core", core::from_to(0, 1024));
    field("memory", &RunOptions::memory, {"memory of kernel matrices: 512M, 4G (by default half of all)", "SIZE"});
    field("time_limit", &RunOptions::time_limit, {"stop with a partial result after so many seconds", "SECONDS"},
          core::above(0));
    field("log", &RunOptions::log, {"append a line a minute: time, stage, share done, time left, memory", "FILE"});
    field("quiet", &RunOptions::quiet,
          "print no tables, notes or progress; still write -o and --json, and warn about new rows");
    field("checkpoint", &RunOptions::checkpoint,
          {"keep the results of finished work: if the command is ended, the same command goes on from there", "FILE"});
  }
};

/// What most commands take.
struct CommonFlags {
  DataOptions data;
  RunOptions run;
  DocumentOutput document;
};

/// The options of CSV and svmlight files; of training files also label, weights, groups, ...
void add_reading_options(Command command, DataOptions& options);
/// The same, and what is asked of rows that a model is applied to.
void add_model_rows_options(Command command, DataOptions& options);
/// @param files  nullptr, or several files may be named: their names go here instead of to DataOptions::path
void add_training_data_options(Command command, DataOptions& options, bool with_folds,
                               std::vector<std::string>* files = nullptr);
/// --json and --report.
void add_document_options(Command command, DocumentOutput& output, const char* json_sentence);
void add_run_options(Command command, RunOptions& options, bool with_limits);
/// --sentence, for results that have sentences for a paper.
void add_sentence_option(Command command, DocumentOutput& output);
/// The class of two that is called positive.
void add_positive_option(Command command, std::string& positive);
/// --verbose. @param more  what the command then says
void add_verbose_option(Command command, bool& verbose, const char* more);
void add_checkpoint_option(Command command, RunOptions& options);

/// @throws Error invalid_argument that names every option that is wrong
data::ReadOptions read_options(const DataOptions& options);
/// Sets what was given, and leaves the rest.
void reading_given(const DataOptions& options, data::ReadOptions& read);
/// Reads a file; what the reader found out about it goes to standard error.
data::Dataset read_with_notes(const std::string& path, const data::ReadOptions& read, bool quiet);
/// On standard error.
void give_notes(const data::Dataset& dataset, bool quiet);
/// For rows that a model is to be applied to. The model must outlive the result.
data::ReadOptions read_options_for(const model::Predictor& model, const DataOptions& options);
/// "512M", "4G", bytes. Powers of 1024.
std::size_t parse_memory(const std::string& text);

}  // namespace credence::cli
