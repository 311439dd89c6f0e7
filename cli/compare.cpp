#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "application.hpp"
#include "commands.hpp"
#include "comparison_report.hpp"
#include "output.hpp"
#include "run.hpp"
#include "selection_options.hpp"

namespace credence::cli {
namespace {

struct CompareOptions {
  DataOptions data;
  SelectionOptions selection;
  TrainingOptions training;
  RunOptions run;
  std::vector<std::string> methods{"cv", "nonconformity", "holdout"};
  int outer_folds = 10;
  std::string json;
};

constexpr const char* soft_legend =
    "  (selected and honest are soft losses where the method chooses by it; honest of kfold-nested is an error)\n";
constexpr std::string_view with_hint = "+hint";
constexpr double usual_hint = 0.3;

/// The method of a word, and the options as it is to have them: `rademacher+hint` has the share of --hint (0.3 if it is
/// not given), `rademacher` has none.
std::pair<std::string, SelectionOptions> method_of(const std::string& name, const CompareOptions& options) {
  SelectionOptions selection = options.selection;
  if (!name.ends_with(with_hint)) {
    selection.hint.reset();
    return {name, selection};
  }
  const std::string method = name.substr(0, name.size() - with_hint.size());
  selection.hint = selection.hint.value_or(usual_hint);
  const std::vector<std::string> unused = unused_options(method, selection);
  if (std::find(unused.begin(), unused.end(), "--hint") != unused.end()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--methods: '{}': only rademacher and maximal-discrepancy take a hint", name));
  }
  return {method, selection};
}

selection::Options options_of(const std::string& name, const CompareOptions& options) {
  const auto [method, selection] = method_of(name, options);
  return selection_options(method, selection, options.training);
}

/// Options that no method looks at.
std::vector<std::string> unused_by_all(const CompareOptions& options) {
  std::vector<std::string> unused;
  for (const std::string& name : options.methods) {
    std::vector<std::string> here = unused_options(method_of(name, options).first, options.selection);
    if (options.selection.hint && !name.ends_with(with_hint)) here.emplace_back("--hint");
    if (name == options.methods.front()) unused = here;
    std::erase_if(unused,
                  [&](const std::string& option) { return std::find(here.begin(), here.end(), option) == here.end(); });
  }
  return unused;
}

std::vector<selection::Contestant> contestants_of(const CompareOptions& options, data::Missing missing) {
  std::vector<selection::Contestant> contestants;
  for (const std::string& name : options.methods) {
    const auto is_this = [&](const selection::Contestant& other) { return other.name == name; };
    if (std::any_of(contestants.begin(), contestants.end(), is_this)) {
      throw Error(ErrorCode::invalid_argument, fmt::format("--methods: '{}' is named twice", name));
    }
    selection::Contestant contestant{name, options_of(name, options), {}};
    contestant.options.missing = missing;
    selection::make_selector(contestant.options);  // finds wrong options before the data are read
    contestants.push_back(std::move(contestant));
  }
  return contestants;
}

std::string head(const data::Dataset& dataset, const selection::Comparison& comparison, const std::string& source) {
  const char* kind = !dataset.folds.empty()    ? "fixed by the data"
                     : !dataset.groups.empty() ? "whole groups"
                                               : "stratified";
  return fmt::format("{:<12}{}: {}, {}, {}\n{:<12}{}, {}; the same for all methods (seed {})\n\n", "data", source,
                     count_of(dataset.rows(), "row"), count_of(dataset.features.columns(), "feature"),
                     count_of(dataset.class_count(), "class"), "outer folds", comparison.outer_folds, kind,
                     comparison.seed);
}

Json document_of(const CompareOptions& options, const selection::Comparison& comparison) {
  Json document = comparison_json(comparison);
  document["estimate"] = options.selection.estimate;
  document["source"] = options.data.path;
  return document;
}

int run_compare(const CompareOptions& options) {
  const data::ReadOptions reading = read_options(options.data);
  if (options.outer_folds < 2) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--outer-folds: {} is not at least 2", options.outer_folds));
  }
  const std::vector<selection::Contestant> contestants = contestants_of(options, reading.missing);
  check_output(options.json, {options.data.path});
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);
  for (const std::string& option : unused_by_all(options)) {
    if (!options.run.quiet) note(fmt::format("{} has no effect on these methods", option));
  }

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  const selection::Comparison comparison =
      selection::compare(dataset, contestants, {options.outer_folds, options.training.seed}, run.context());
  run.progress().erase();

  const std::string mark = partial_mark(comparison);
  if (!mark.empty()) human.print(mark + "\n");
  human.print(head(dataset, comparison, options.data.path));
  human.print(comparison_table(comparison));
  if (options.selection.loss == "soft") human.print(soft_legend);
  if (const std::string tests = tests_table(comparison); !tests.empty()) human.print("\n" + tests);
  write_json(document_of(options, comparison), options.json);
  if (mark.empty()) return exit_code::success;
  warn(mark);
  return comparison.stopped == core::StopReason::cancelled ? exit_code::interrupted : exit_code::limit;
}

}  // namespace

Action add_compare(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  add_training_data_options(app, options->data, true);
  const std::string group = "Comparison";
  app.add_option("--methods", options->methods,
                 "those of select, with commas, also rademacher+hint\n"
                 "and maximal-discrepancy+hint, with the share of\n"
                 "--hint (default: 0.3) as hint; those without have\n"
                 "none (default: cv,nonconformity,holdout)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST")
      ->group(group);
  app.add_option("--outer-folds", options->outer_folds,
                 "on which all methods are judged (default: 10,\n"
                 "stratified; --fold-column gives them)")
      ->type_name("INT")
      ->group(group);
  add_selection_options(app, options->selection);
  app.add_option("--json", options->json, "write every fold as JSON; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  add_training_options(app, options->training);
  add_run_options(app, options->run, true);
  app.footer(
      "Examples:\n"
      "  credence compare pima.csv\n"
      "  credence compare pima.csv --methods cv,nonconformity,holdout,loo,bootstrap\n"
      "  credence compare genes.csv --kernel linear --outer-folds 5 --methods\n"
      "    kfold-nested,loo,bootstrap,rademacher,rademacher+hint\n"
      "  credence compare wine.csv --C 2^-2:2^10:x4 --outer-folds 5 --json result.json");
  return [options] { return run_compare(*options); };
}

}  // namespace credence::cli
