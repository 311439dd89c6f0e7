#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "credence/conformal/confidence.hpp"
#include "output.hpp"

namespace credence::cli {

void add_reading_options(Command command, DataOptions& options) {
  options.reading.add<data::ReadOptions>(command.group("Reading"),
                                         {"na", "format", "delimiter", "decimal", "header", "encoding", "index_base"});
}

void add_model_rows_options(Command command, DataOptions& options) {
  options.reading.add<data::ReadOptions>(command.group("Reading"), {"unseen"});
  add_reading_options(command, options);
}

void add_training_data_options(Command command, DataOptions& options, bool with_folds,
                               std::vector<std::string>* files) {
  constexpr const char* what = "CSV or svmlight text, plain, gzip or zip; - is stdin";
  if (files == nullptr)
    command.argument("DATA", &options.path, what);
  else
    command.argument("DATA", files, what);
  const Group group = command.group("Reading");
  options.reading.add<data::ReadOptions>(group, {"task", "label", "missing", "categorical", "drop", "keep", "weights"});
  if (with_folds) options.reading.add<data::ReadOptions>(group, {"groups", "fold_column", "hint_column"});
  add_reading_options(command, options);
  options.reading.add<data::ReadOptions>(group, {"features"});
}

void add_document_options(Command command, DocumentOutput& output, const char* json_sentence) {
  const Group group = command.group("Output");
  group.option("--json", &output.json, "FILE", json_sentence);
  group.option("--report", &output.report, "FILE", "write a page of charts and plain words, as HTML");
}

void add_run_options(Command command, RunOptions& options, bool with_limits) {
  const std::vector<std::string> names{"threads", "quiet"};
  const std::vector<std::string> limits{"threads", "memory", "time_limit", "log", "quiet"};
  add_fields(command.group("Run"), core::named_fields(core::fields_of(options), with_limits ? limits : names));
}

void add_sentence_option(Command command, DocumentOutput& output) {
  command.group("Output").flag("--sentence", &output.sentence,
                               "print sentences for a paper, with references; with\n--quiet nothing else");
}

void add_positive_option(Command command, std::string& positive) {
  command.group("Output").option("--positive", &positive, "CLASS",
                                 "the positive one of two classes, in sensitivity,\nPPV, AUC (default: the second)");
}

void add_verbose_option(Command command, bool& verbose, const char* more) {
  command.group("Run").flag("--verbose", &verbose, more);
}

void add_checkpoint_option(Command command, RunOptions& options) {
  add_fields(command.group("Run"), core::named_fields(core::fields_of(options), {"checkpoint"}));
}

void reading_given(const DataOptions& options, data::ReadOptions& read) {
  options.reading.set_all(core::fields_of(read));
}

data::ReadOptions read_options(const DataOptions& options) {
  data::ReadOptions read;
  reading_given(options, read);
  return read;
}

void give_notes(const data::Dataset& dataset, bool quiet) {
  if (quiet) return;
  for (const std::string& sentence : dataset.notes) note(sentence);
}

data::Dataset read_with_notes(const std::string& path, const data::ReadOptions& read, bool quiet) {
  data::Dataset dataset = data::read(path, read);
  give_notes(dataset, quiet);
  return dataset;
}

data::ReadOptions read_options_for(const model::Predictor& model, const DataOptions& options) {
  data::ReadOptions read = read_options(options);
  read.schema = &model.schema;
  read.missing = model.missing;
  if (const auto* conformal = conformal::as_conformal(model); conformal != nullptr && !conformal->weight_column.empty())
    read.weights = conformal->weight_column;
  return read;
}

std::size_t parse_memory(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  constexpr std::pair<std::string_view, int> units[] = {{"", 0},    {"B", 0},  {"K", 1},   {"KB", 1}, {"KiB", 1},
                                                        {"M", 2},   {"MB", 2}, {"MiB", 2}, {"G", 3},  {"GB", 3},
                                                        {"GiB", 3}, {"T", 4},  {"TB", 4},  {"TiB", 4}};
  double factor = 0;
  for (const auto& [word, power] : units)
    if (unit == word) factor = std::pow(1024.0, power);
  const double bytes = value * factor;
  if (error != std::errc() || !(bytes >= 1) || bytes > 1e18)
    refuse(fmt::format("--memory: '{}' is not a size such as 512M, 4G or a number of bytes", text));
  return static_cast<std::size_t>(bytes);
}

}  // namespace credence::cli
