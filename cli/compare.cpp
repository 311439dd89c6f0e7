#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "application.hpp"
#include "commands.hpp"
#include "forecasting.hpp"
#include "output.hpp"
#include "report/comparison_report.hpp"
#include "report/text.hpp"
#include "run.hpp"
#include "selecting.hpp"

namespace credence::cli {
namespace {

struct CompareOptions {
  DataOptions data;
  Described selecting;
  RunOptions run;
  std::vector<std::string> methods{"cv", "nonconformity", "holdout"};
  int outer_folds = 10;
  std::string json;
};

constexpr const char* soft_legend =
    "  (selected and honest are soft losses where the method chooses by it; honest of kfold-nested is an error)\n";
constexpr double usual_hint = 0.3;
constexpr const char* examples =
    "Examples:\n"
    "  credence compare pima.csv\n"
    "  credence compare pima.csv --methods cv,nonconformity,holdout,loo,bootstrap\n"
    "  credence compare pima.csv --methods\n"
    "    cv,cv+rvm,kernel-validity,evidence,kernel-validity+svm\n"
    "  credence compare genes.csv --kernel linear --outer-folds 5 --methods\n"
    "    kfold-nested,loo,bootstrap,rademacher,rademacher+hint\n"
    "  credence compare wine.csv --C 2^-2:2^10:x4 --outer-folds 5 --json result.json\n";

/// A word of --methods: a method, and what was hung on to it.
struct Row {
  std::string method;
  std::string model;  ///< "rvm", "svm"; empty: that of --model
  bool hint = false;
};

[[noreturn]] void refuse_row(const std::string& name, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, fmt::format("--methods: '{}': {}", name, why));
}

bool takes_hint(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  return options.traits().norms;
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
  if (row.hint && !takes_hint(row.method)) refuse_row(name, "only rademacher and maximal-discrepancy take a hint");
  if (row.model == "rvm" && takes_hint(row.method)) refuse_row(name, "this method is about SVMs");
  return row;
}

/// Whether the row looks at what was given under that name: `rademacher` has no hint, and `rademacher+hint` has the
/// share of --hint. Relevance vector machines with an rbf kernel have the widths of --sigma, others those of --gamma.
bool looks_at(const Row& row, const selection::Options& options, const std::vector<core::Field>& fields,
              const std::string& name) {
  if (core::find_field(fields, name) == nullptr) return false;
  if (name == "hint") return row.hint;
  if (name != "sigma" && name != "gamma") return true;
  const bool by_sigma = options.has_machines() && options.kernels().shape.type == kernel::KernelType::rbf;
  return options.has_machines() ? by_sigma == (name == "sigma") : name == "gamma";
}

/// The options of a row; the names that it looks at join `used`.
selection::Options options_of(const Row& row, const CompareOptions& asked, std::set<std::string>& used) {
  selection::Options options;
  options.method = selection::method_named(row.method);
  const std::string model = row.model.empty() ? asked.selecting.text("model") : row.model;
  if (!model.empty()) with_option("--model", [&] { options.choose_from(core::parse_word<selection::Learner>(model)); });
  const std::vector<core::Field> fields = selection::fields_of(options);
  const Described& given = asked.selecting;
  if (given.given("kernel")) with_option("--kernel", [&] { given.set(*core::find_field(fields, "kernel")); });
  given.for_each({"model", "kernel"}, [&](const std::string& name) {
    if (!looks_at(row, options, fields, name)) return;
    given.set(*core::find_field(fields, name));
    used.insert(name);
  });
  if (row.hint && !given.given("hint")) core::find_field(fields, "hint")->set({usual_hint});
  return options;
}

/// What no row looks at is an error.
void check_used(const CompareOptions& options, const std::set<std::string>& used) {
  options.selecting.for_each({"model", "kernel"}, [&](const std::string& name) {
    if (!used.contains(name)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("none of these methods looks at it; {} would", selection::owners_of_field(name)));
    }
  });
}

std::vector<selection::Contestant> contestants_of(const CompareOptions& options, data::Missing missing) {
  check_pairs(options.selecting, false);
  std::vector<selection::Contestant> contestants;
  std::set<std::string> used;
  for (const std::string& name : options.methods) {
    const auto is_this = [&](const selection::Contestant& other) { return other.name == name; };
    if (std::any_of(contestants.begin(), contestants.end(), is_this))
      throw Error(ErrorCode::invalid_argument, fmt::format("--methods: '{}' is named twice", name));
    selection::Contestant contestant{name, options_of(row_of(name), options, used), {}};
    contestant.options.preparation.missing = missing;
    const selection::Selector checked(contestant.options);  // finds wrong options before the data are read
    contestants.push_back(std::move(contestant));
  }
  check_used(options, used);
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
  data::ReadOptions reading = read_options(options.data);
  reading.threads = options.run.threads;
  if (reading.task == data::Task::regression)
    throw Error(ErrorCode::invalid_argument, "--task: compare counts the errors of classifiers, not of a regression");
  if (options.outer_folds < 2)
    throw Error(ErrorCode::invalid_argument, fmt::format("--outer-folds: {} is not at least 2", options.outer_folds));
  const std::vector<selection::Contestant> contestants = contestants_of(options, reading.missing);
  check_output(options.json, {options.data.path});
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  print_forecast(dataset, contestants, options.outer_folds, run);
  const selection::Comparison comparison =
      selection::compare(dataset, contestants, {options.outer_folds, contestants.front().options.seed}, run.context());
  run.progress().erase();

  const std::string mark = report::partial_mark(comparison);
  if (!mark.empty()) human.print(mark + "\n");
  human.print(head(dataset, comparison, options.data.path));
  human.print(report::comparison_table(comparison));
  if (options.selecting.text("loss") == "soft") human.print(soft_legend);
  if (const std::string tests = report::tests_table(comparison); !tests.empty()) human.print("\n" + tests);
  if (!options.run.quiet) warn_of_methods(comparison);
  report::Json document = report::comparison_json(comparison);
  document["estimate"] = options.selecting.text("estimate", "bbc");
  document["source"] = options.data.path;
  write_json(document, options.json);
  if (mark.empty()) return exit_code::success;
  warn(mark);
  return comparison.stopped == core::StopReason::cancelled ? exit_code::interrupted : exit_code::limit;
}

}  // namespace

Action add_compare(Command command) {
  const auto options = std::make_shared<CompareOptions>();
  add_training_data_options(command, options->data, true);
  command.find("--task").hide();
  const Group group = command.group("Comparison");
  group
      .option("--methods", &options->methods, "LIST",
              "those of select, with commas, also rademacher+hint\n"
              "and maximal-discrepancy+hint, with the share of\n"
              "--hint (default: 0.3) as hint; those without have\n"
              "none. +rvm: of RVMs with the widths of --sigma, as\n"
              "cv+rvm; +svm: of SVMs, as kernel-validity+svm, an\n"
              "SVM with the kernel that the index chose (default:\n"
              "cv,nonconformity,holdout)")
      .one_text(',');
  group.option("--outer-folds", &options->outer_folds, "INT",
               "on which all methods are judged (default: 10,\n"
               "stratified; --fold-column gives them)");
  add_selecting_options(command, options->selecting);
  for (const char* of_regressions : {"--noise", "--noise-variance"}) command.find(of_regressions).hide();
  command.group("Output").option("--json", &options->json, "FILE", "write every fold as JSON; - is standard output");
  add_run_options(command, options->run, true);
  command.short_help([] {
    return "Usage: credence compare DATA [--methods LIST] [OPTIONS]\n"
           "Compares methods of selection on the same outer folds.\n\n"
           "  DATA                    CSV or svmlight text, plain or gzip; - is stdin\n"
           "  --methods LIST          with commas (default: cv,nonconformity,holdout); with\n"
           "                          +hint, +rvm or +svm, as rademacher+hint, cv+rvm\n"
           "  --outer-folds INT       on which all methods are judged (default: 10)\n"
           "  --label COL, --json FILE, --seed INT, --time-limit SECONDS\n"
           "  Options of select go to each method that looks at them.\n\n" +
           method_list() + "\n  credence compare --help-all             every option\n\n" + examples;
  });
  command.footer(examples);
  return [options] { return run_compare(*options); };
}

}  // namespace credence::cli
