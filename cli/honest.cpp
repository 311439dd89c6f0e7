#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "application.hpp"
#include "commands.hpp"
#include "credence/core/list.hpp"
#include "credence/data/reader.hpp"
#include "credence/selection/honest_choice.hpp"
#include "data/cell.hpp"
#include "described.hpp"
#include "output.hpp"
#include "report/honest/honest_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

struct HonestFlags : CommonFlags {
  selection::HonestOptions options;
};

/// What is judged, whatever file it came from.
struct Losses {
  selection::LossTable table;
  std::vector<std::string> names;
  std::vector<int> groups;
  std::string score;
};

constexpr const char* what_losses_are =
    "a file of losses has a line for each row judged, and a column of losses for each candidate (credence select takes "
    "a table of features)";

/// Reads the file. What stands among its numbers is no code for a missing value that --na could name.
data::Dataset read_losses(const std::string& path, const data::ReadOptions& reading, bool quiet) {
  try {
    return read_with_notes(path, reading, quiet);
  } catch (const Error& error) {
    const std::string first = error.sentence().substr(0, error.sentence().find(';'));
    if (first.find("stands among") == std::string::npos) throw;
    refuse_data(fmt::format("this does not look like losses: {}; {}", first, what_losses_are), error.location());
  }
}

/// What looks like a table of features, whose columns have units of their own and one of which is the label.
void check_losses(const data::Dataset& dataset, const data::DenseMatrix& cells) {
  std::vector<std::pair<double, std::size_t>> largest;  // of each column that is not 0
  for (std::size_t c = 0; c < cells.columns; ++c) {
    const std::string& name = dataset.schema.columns[c].name;
    if (name == "label" || name == "target" || name == "class" || name == "y")
      refuse_data(
          fmt::format("'{}' is the name of a label, but {}; --drop leaves a column out", name, what_losses_are));
    double most = 0;
    for (std::size_t i = 0; i < cells.rows; ++i) most = std::fmax(most, std::abs(cells.row(i)[c]));
    if (most > 0) largest.emplace_back(most, c);
  }
  if (largest.empty()) return;
  const auto [least, most] = std::ranges::minmax(largest);
  constexpr double units = 100;
  if (most.first > units * least.first)
    warn(fmt::format("the largest value of {} is {:.3g} times that of {}, as in features, not in losses: {}",
                     dataset.column_label(most.second), most.first / least.first, dataset.column_label(least.second),
                     what_losses_are));
}

/// Every column but that of the groups is a candidate.
Losses losses_of(const data::Dataset& dataset) {
  const data::DenseMatrix cells = dataset.features.to_dense();
  Losses losses{selection::LossTable(cells.rows, cells.columns), {}, dataset.groups, "loss"};
  for (std::size_t c = 0; c < cells.columns; ++c) {
    const data::Column& column = dataset.schema.columns[c];
    if (column.kind == data::ColumnKind::categorical)
      refuse_data(fmt::format("{} holds texts instead of losses: {}; --drop leaves a column out",
                              dataset.column_label(c), what_losses_are));
    losses.names.push_back(column.name.empty() ? fmt::format("column {}", c + 1) : column.name);
  }
  check_losses(dataset, cells);
  for (std::size_t i = 0; i < cells.rows; ++i)
    for (std::size_t c = 0; c < cells.columns; ++c) losses.table.row(i)[c] = static_cast<float>(cells.row(i)[c]);
  return losses;
}

int judge(const Losses& losses, const selection::HonestOptions& options, const std::string& source,
          const DocumentOutput& document, const RunOptions& run_options, const std::string& checksum) {
  const Human human(run_options.quiet, document.json);
  Run run(run_options, true);
  run.catch_signals();
  const selection::HonestChoice found = on_data_of(source, [&] {
    return selection::honest_choice(losses.table, losses.names, losses.groups, losses.score, options, run.context());
  });
  run.end_work();
  human.print(report::terminal_text(report::honest_story(found, source), report::Detail::usual));
  if (!run_options.quiet)
    for (const std::string& warning : found.warnings) warn(warning);
  write_document(report::honest_json(found, source), document, checksum);
  return exit_code_of(found.stopped);
}

int run_honest(const HonestFlags& flags) {
  check_document_output(flags.document, {flags.data.path});
  data::ReadOptions reading = read_options(flags.data);
  reading.unlabelled = true;
  reading.missing = data::Missing::impute;
  const data::Dataset dataset = read_losses(flags.data.path, reading, flags.run.quiet);
  const Losses losses = on_data_of(flags.data.path, [&] { return losses_of(dataset); });
  return judge(losses, flags.options, flags.data.path, flags.document, flags.run, flags.data.path);
}

/// One file of predictions: what it says of each row, and what is true.
struct Predictions {
  std::string name;
  std::vector<std::string> truth;
  std::vector<std::string> said;
  std::vector<std::string> rows;  ///< the column of row numbers; empty: there is none
  std::vector<std::string> groups;
  bool numbers = false;  ///< of a regression
  bool decimal_comma = false;
};

const std::vector<std::string>& needed_column(const data::Dataset& table, const std::string& name, const char* option) {
  if (const auto* column = table.texts_of(name)) return *column;
  refuse_data(fmt::format("there is no column '{}' ({})", name, option), {table.source, 0, ""});
}

constexpr const char* predicted[] = {"predicted_label", "label", "predicted_mean", "mean"};

/// The columns as `predict` writes them: `label`, or `predicted_label` where the truth is called label; of a
/// regression `mean`, or `predicted_mean`.
Predictions predictions_of(const std::string& path, const PredictionFiles& files) {
  data::ReadOptions reading;
  reading.unlabelled = true;
  reading.missing = data::Missing::impute;
  reading.all_texts = true;
  reading.only = {std::begin(predicted), std::end(predicted)};
  const data::Dataset table = data::read(path, reading);
  Predictions one;
  one.name = std::filesystem::path(path).stem().string();
  one.decimal_comma = table.schema.decimal_comma;
  const std::string truth = files.label.value_or("label");
  for (const char* name : predicted) {
    if (name == truth || table.texts_of(name) == nullptr) continue;
    one.said = *table.texts_of(name);
    one.numbers = std::string_view(name).ends_with("mean");
    break;
  }
  if (one.said.empty() || (!files.label && table.texts_of("predicted_label") == nullptr)) {
    refuse_data(files.label ? "there is no column of predictions: label or predicted_label, mean or predicted_mean"
                            : "name the column of the true class or number (--label); predict --id carries it over",
                {path, 0, ""});
  }
  one.truth = needed_column(table, truth, "--label");
  if (files.groups) one.groups = needed_column(table, *files.groups, "--groups");
  if (const auto* rows = table.texts_of("row")) one.rows = *rows;
  return one;
}

void check_same_rows(const Predictions& first, const Predictions& other) {
  const auto refuse = [&](const std::string& what) {
    refuse_data(fmt::format("'{}' and '{}' {}", first.name, other.name, what));
  };
  if (first.truth.size() != other.truth.size())
    refuse(fmt::format("have {} and {} rows, but are compared row by row", first.truth.size(), other.truth.size()));
  if (first.numbers != other.numbers) refuse("predict classes and numbers, which cannot be compared");
  for (std::size_t i = 0; i < first.truth.size(); ++i)
    if (first.truth[i] != other.truth[i] ||
        (!first.rows.empty() && !other.rows.empty() && first.rows[i] != other.rows[i]))
      refuse(fmt::format("are not about the same rows: they differ in data row {}", i + 1));
}

/// The squared error, or whether the class is another one; NaN where nothing was predicted.
float loss_of(const Predictions& one, std::size_t row) {
  if (data::detail::is_missing(one.said[row])) return std::numeric_limits<float>::quiet_NaN();
  if (!one.numbers) return one.said[row] == one.truth[row] ? 0.0F : 1.0F;
  double said = 0;
  double truth = 0;
  const auto is_number = [&](const std::string& cell, double& value) {
    return data::detail::classify_cell(cell, value, one.decimal_comma) == data::detail::CellKind::number;
  };
  if (!is_number(one.said[row], said) || !is_number(one.truth[row], truth))
    refuse_data(fmt::format("'{}', data row {}: the prediction or the truth is no number", one.name, row + 1));
  const double error = said - truth;
  return static_cast<float>(error * error);
}

/// Codes of the texts, from 0 on.
std::vector<int> codes_of(const std::vector<std::string>& texts) {
  std::vector<std::string> known(texts);
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  return core::mapped(texts, [&](const std::string& text) {
    return static_cast<int>(std::ranges::lower_bound(known, text) - known.begin());
  });
}

}  // namespace

int run_compare_predictions(const PredictionFiles& files, const DocumentOutput& document, const RunOptions& run) {
  check_document_output(document, files.paths);
  std::vector<Predictions> all;
  for (const std::string& path : files.paths) {
    all.push_back(predictions_of(path, files));
    check_same_rows(all.front(), all.back());
  }
  const std::size_t rows = all.front().truth.size();
  Losses losses{selection::LossTable(rows, all.size()),
                {},
                codes_of(all.front().groups),
                all.front().numbers ? "squared error" : "error"};
  for (std::size_t c = 0; c < all.size(); ++c) {
    losses.names.push_back(all[c].name);
    for (std::size_t i = 0; i < rows; ++i) losses.table.row(i)[c] = loss_of(all[c], i);
  }
  selection::HonestOptions options;
  options.seed = files.seed;
  std::string source;
  for (const std::string& path : files.paths) source += (source.empty() ? "" : ",") + path;
  return judge(losses, options, source, document, run, "");
}

Action add_honest(Command command) {
  const auto flags = std::make_shared<HonestFlags>();
  command.argument("LOSSES", &flags->data.path,
                   "CSV, plain, gzip or zip; - is stdin: a line for each\nrow, a column for each candidate");
  flags->data.reading.add<data::ReadOptions>(command.group("Reading"), {"groups", "drop"});
  add_reading_options(command, flags->data);
  add_fields(command.group("Estimate"), core::fields_of(flags->options));
  add_document_options(command, flags->document, "write the result as JSON; - is standard output");
  add_run_options(command, flags->run, true);
  command.find("--memory").hide();  // hidden: losses need no kernel matrices
  command.footer(
      "Losses are errors, squared errors, or whatever is small where a candidate is\n"
      "good, each on a row that the candidate had not seen. Leave a cell empty where a\n"
      "candidate did not judge the row. The best of many looks better than it is:\n"
      "honest repeats the choice on drawn rows, and judges it on the others.\n\n"
      "Examples:\n"
      "  credence honest losses.csv\n"
      "  credence honest losses.csv --groups patient --drop row --report page.html");
  return [flags] { return run_honest(*flags); };
}

}  // namespace credence::cli
