#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "application.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "report/comparison_report.hpp"
#include "report/selection_report.hpp"
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
constexpr double usual_hint = 0.3;
constexpr std::string_view rbf = "rbf";

/// A word of --methods: a method, and what was hung on to it.
struct Row {
  std::string method;
  std::string model;  ///< "rvm", "svm"; empty: that of --model
  bool hint = false;
};

[[noreturn]] void refuse_row(const std::string& name, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, fmt::format("--methods: '{}': {}", name, why));
}

/// @throws Error invalid_argument for a part that is not known or comes twice
Row row_of(const std::string& name) {
  std::istringstream parts(name);
  Row row;
  std::getline(parts, row.method, '+');
  for (std::string part; std::getline(parts, part, '+');)
    if (part == "hint" && !row.hint)
      row.hint = true;
    else if ((part == "rvm" || part == "svm") && row.model.empty())
      row.model = part;
    else
      refuse_row(name, fmt::format("'+{}' does not fit: a method may have +rvm or +svm, and +hint, each once", part));
  if (name.ends_with('+')) refuse_row(name, "nothing follows the last +");
  if (row.hint && !is_in_sample(row.method)) refuse_row(name, "only rademacher and maximal-discrepancy take a hint");
  if (row.model == "rvm" && is_in_sample(row.method)) refuse_row(name, "this method is about SVMs");
  return row;
}

/// The method of a word, and the options as it is to have them: `rademacher+hint` has the share of --hint (0.3 if it is
/// not given), `rademacher` has none. Relevance vector machines with an rbf kernel have the widths of --sigma, others
/// those of --gamma.
std::pair<std::string, SelectionOptions> method_of(const std::string& name, const CompareOptions& options) {
  const Row row = row_of(name);
  SelectionOptions selection = options.selection;
  selection.hint = row.hint ? std::optional(selection.hint.value_or(usual_hint)) : std::nullopt;
  if (!row.model.empty()) selection.model = row.model;
  const bool relevance = selection.model == "rvm" || asks_evidence(row.method);
  if (relevance && options.training.kernel == rbf) selection.gamma.clear();
  if (!relevance) selection.rvm = {};
  if (selection.model == "rvm" || (relevance && selection.model.empty())) {
    selection.C.clear();
    selection.nu.clear();
  }
  return {row.method, selection};
}

selection::Options options_of(const std::string& name, const CompareOptions& options) {
  const auto [method, selection] = method_of(name, options);
  return selection_options(method, selection, options.training, data::Task::classification);
}

/// Options that no method looks at, and those that its model does not.
std::vector<std::string> unused_by(const selection::Contestant& contestant, const CompareOptions& options) {
  std::vector<std::string> unused = unused_options(contestant.options, options.selection);
  const bool relevance = report::has_relevance_vectors(contestant.options);
  const bool by_sigma = relevance && options.training.kernel == rbf;
  if (options.selection.hint && !row_of(contestant.name).hint) unused.emplace_back("--hint");
  if (!options.selection.gamma.empty() && by_sigma) unused.emplace_back("--gamma");
  if (!options.selection.rvm.sigma.empty() && !relevance) unused.emplace_back("--sigma");
  return unused;
}

std::vector<std::string> unused_by_all(const std::vector<selection::Contestant>& contestants,
                                       const CompareOptions& options) {
  std::vector<std::string> unused = unused_by(contestants.front(), options);
  for (const selection::Contestant& contestant : contestants) {
    const std::vector<std::string> here = unused_by(contestant, options);
    std::erase_if(unused,
                  [&](const std::string& option) { return std::find(here.begin(), here.end(), option) == here.end(); });
  }
  return unused;
}

std::vector<selection::Contestant> contestants_of(const CompareOptions& options, data::Missing missing) {
  std::vector<selection::Contestant> contestants;
  for (const std::string& name : options.methods) {
    const auto is_this = [&](const selection::Contestant& other) { return other.name == name; };
    if (std::any_of(contestants.begin(), contestants.end(), is_this))
      throw Error(ErrorCode::invalid_argument, fmt::format("--methods: '{}' is named twice", name));
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
                     report::count_of(dataset.rows(), "row"), report::count_of(dataset.features.columns(), "feature"),
                     report::count_of(dataset.class_count(), "class"), "outer folds", comparison.outer_folds, kind,
                     comparison.seed);
}

/// The widths of the kernels that relevance vector machines have.
void add_sigma(report::Json& method, const selection::Contestant& contestant, const selection::MethodResult& result) {
  if (!report::has_relevance_vectors(contestant.options) || contestant.options.kernel.type != kernel::KernelType::rbf)
    return;
  auto fold = method["folds"].begin();
  for (const selection::OuterFold& outer : result.folds) {
    if (outer.chosen) (*fold)["chosen"]["sigma"] = rvm::sigma_of_gamma(outer.chosen->gamma);
    ++fold;
  }
}

report::Json document_of(const CompareOptions& options, const std::vector<selection::Contestant>& contestants,
                         const selection::Comparison& comparison) {
  report::Json document = report::comparison_json(comparison);
  auto method = document["methods"].begin();
  for (std::size_t i = 0; i < contestants.size(); ++i) add_sigma(*method++, contestants[i], comparison.methods[i]);
  document["estimate"] = options.selection.estimate;
  document["source"] = options.data.path;
  return document;
}

/// The first few warnings of each method; those of its folds often differ in a number alone.
void warn_of_methods(const selection::Comparison& comparison) {
  constexpr std::size_t most = 3;
  for (const selection::MethodResult& method : comparison.methods) {
    const std::size_t count = method.warnings.size();
    for (std::size_t i = 0; i < std::min(most, count); ++i) warn(method.name + ": " + method.warnings[i]);
    if (count > most) {
      warn(fmt::format("{}: {} like these from other folds; --json has them", method.name,
                       report::count_of(count - most, "more warning")));
    }
  }
}

int run_compare(const CompareOptions& options) {
  const data::ReadOptions reading = read_options(options.data);
  if (reading.task == data::Task::regression)
    throw Error(ErrorCode::invalid_argument, "--task: compare counts the errors of classifiers, not of a regression");
  if (options.outer_folds < 2)
    throw Error(ErrorCode::invalid_argument, fmt::format("--outer-folds: {} is not at least 2", options.outer_folds));
  const std::vector<selection::Contestant> contestants = contestants_of(options, reading.missing);
  check_output(options.json, {options.data.path});
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);
  for (const std::string& option : unused_by_all(contestants, options))
    if (!options.run.quiet) note(fmt::format("{} has no effect on these methods", option));

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  const selection::Comparison comparison =
      selection::compare(dataset, contestants, {options.outer_folds, options.training.seed}, run.context());
  run.progress().erase();

  const std::string mark = report::partial_mark(comparison);
  if (!mark.empty()) human.print(mark + "\n");
  human.print(head(dataset, comparison, options.data.path));
  human.print(report::comparison_table(comparison));
  if (options.selection.loss == "soft") human.print(soft_legend);
  if (const std::string tests = report::tests_table(comparison); !tests.empty()) human.print("\n" + tests);
  if (!options.run.quiet) warn_of_methods(comparison);
  write_json(document_of(options, contestants, comparison), options.json);
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
                 "none. +rvm: of RVMs with the widths of --sigma, as\n"
                 "cv+rvm; +svm: of SVMs, as kernel-validity+svm, an\n"
                 "SVM with the kernel that the index chose (default:\n"
                 "cv,nonconformity,holdout)")
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
  for (const char* of_regressions : {"--task", "--noise"}) app.get_option(of_regressions)->group("");  // hidden
  app.add_option("--json", options->json, "write every fold as JSON; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  add_training_options(app, options->training);
  add_run_options(app, options->run, true);
  app.footer(
      "Examples:\n"
      "  credence compare pima.csv\n"
      "  credence compare pima.csv --methods cv,nonconformity,holdout,loo,bootstrap\n"
      "  credence compare pima.csv --methods\n"
      "    cv,cv+rvm,kernel-validity,evidence,kernel-validity+svm\n"
      "  credence compare genes.csv --kernel linear --outer-folds 5 --methods\n"
      "    kfold-nested,loo,bootstrap,rademacher,rademacher+hint\n"
      "  credence compare wine.csv --C 2^-2:2^10:x4 --outer-folds 5 --json result.json");
  return [options] { return run_compare(*options); };
}

}  // namespace credence::cli
