#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <new>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "application.hpp"
#include "commands.hpp"
#include "credence/selection/honest_choice.hpp"
#include "credence/selection/run.hpp"
#include "output.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/selection/selection_report.hpp"
#include "report/text.hpp"
#include "run.hpp"
#include "selecting.hpp"

namespace credence::cli {
namespace {

using report::operator""_key;

struct CompareOptions : CommonFlags {
  std::vector<std::string> files;  ///< instead of the path of the data
  Described selecting;
  int jobs = 1;
  std::vector<std::string> methods{selection::usual_contestants.begin(), selection::usual_contestants.end()};
  selection::ComparisonOptions outer;  ///< whose seed is that of the methods
  std::vector<std::string> predictions;

  /// Options of their own of the comparison: --seed is one of the methods too.
  std::vector<core::Field> outer_fields() {
    return core::named_fields(core::fields_of(outer), {"outer_folds", "repeats", "stratified"});
  }
};

constexpr double usual_hint = 0.3;
constexpr const char* examples =
    "Examples:\n"
    "  credence compare pima.csv\n"
    "  credence compare pima.csv --methods cv,nonconformity,holdout,loo,bootstrap\n"
    "  credence compare pima.csv --methods cv,cv+best\n"
    "  credence compare pima.csv --methods \\\n"
    "    cv,cv+rvm,kernel-validity,evidence,kernel-validity+svm\n"
    "  credence compare genes.csv --kernel linear --outer-folds 5 --methods \\\n"
    "    kfold-nested,loo,bootstrap,rademacher,rademacher+hint\n"
    "  credence compare wine.csv --C 2^-2:2^10:x4 --outer-folds 5 --repeats 4\n"
    "  credence compare *.csv --jobs 4 --quiet --json results.json\n"
    "  credence compare --predictions forest.csv,boosting.csv --label diagnosis\n";

/// A word of --methods: a method, and what was hung on to it.
struct Row {
  std::string method;
  std::string model;  ///< "rvm", "svm"; empty: that of --model
  bool hint = false;
  std::string rule{};  ///< "best", "average"; empty: that of --rule
};

[[noreturn]] void refuse_row(const std::string& name, const std::string& why) {
  refuse(fmt::format("--methods: '{}': {}", name, why));
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
    else if ((part == "best" || part == "average") && row.rule.empty())
      row.rule = part;
    else
      refuse_row(
          name,
          fmt::format("'+{}' does not fit: +rvm or +svm, +best or +average, and +hint may follow, each once", part));
  if (name.ends_with('+')) refuse_row(name, "nothing follows the last +");
  selection::Options options;
  options.method = selection::method_named(row.method);
  const bool takes_hint = options.traits().norms;
  if (row.hint && !takes_hint) refuse_row(name, "only rademacher and maximal-discrepancy take a hint");
  if (!row.rule.empty() && !options.looks_at("rule"))
    refuse_row(name, "only " + selection::owners_of_field("rule") + " take a rule");
  if (row.model == "rvm" && takes_hint) refuse_row(name, "this method is about SVMs");
  return row;
}

/// Whether the row looks at what was given under that name: `rademacher` has no hint, and `rademacher+hint` has the
/// share of --hint. Relevance vector machines with an rbf kernel have the widths of --sigma, others those of --gamma.
bool looks_at(const Row& row, const selection::Options& options, const std::vector<core::Field>& fields,
              const std::string& name) {
  if (core::find_field(fields, name) == nullptr) return false;
  if (name == "hint") return row.hint;
  if (name != "sigma" && name != "gamma") return true;
  const bool by_sigma = options.has_rvms() && options.kernels.shape().type == kernel::KernelType::rbf;
  return options.has_rvms() ? by_sigma == (name == "sigma") : name == "gamma";
}

/// The options of a row; the names that it looks at join `used`.
selection::Options compare_options(const Row& row, const CompareOptions& asked, std::set<std::string>& used) {
  selection::Options options;
  options.method = selection::method_named(row.method);
  const std::string model = row.model.empty() ? asked.selecting.text("model") : row.model;
  if (!model.empty()) under_name("--model", [&] { options.choose_from(core::parse_word<selection::Learner>(model)); });
  const std::vector<core::Field> fields = selection::fields_of(options);
  const Described& given = asked.selecting;
  if (given.given("kernel")) under_name("--kernel", [&] { given.set(*core::find_field(fields, "kernel")); });
  given.for_each({"model", "kernel"}, [&](const std::string& name) {
    if (!looks_at(row, options, fields, name)) return;
    given.set(*core::find_field(fields, name));
    used.insert(name);
  });
  if (row.hint && !given.given("hint")) core::find_field(fields, "hint")->set({usual_hint});
  if (!row.rule.empty()) core::find_field(fields, "rule")->set_text(row.rule);
  return options;
}

/// What no row looks at is an error.
void check_used(const CompareOptions& options, const std::set<std::string>& used) {
  options.selecting.for_each({"model", "kernel"}, [&](const std::string& name) {
    if (!used.contains(name))
      refuse(fmt::format("none of these methods uses it; {} would", selection::owners_of_field(name)));
  });
}

std::vector<selection::Contestant> contestants_of(const CompareOptions& options, data::Missing missing) {
  check_pairs(options.selecting, false);
  std::vector<selection::Contestant> contestants;
  std::set<std::string> used;
  std::vector<std::string> names = options.methods;
  if (options.selecting.given("region_size") && std::ranges::find(names, "regions") == names.end())
    std::ranges::replace(names, std::string("cv"), selection::in_regions("cv"));
  for (const std::string& name : names) {
    const auto is_this = [&](const selection::Contestant& other) { return other.name == name; };
    if (std::ranges::any_of(contestants, is_this)) refuse(fmt::format("--methods: '{}' is named twice", name));
    selection::Contestant contestant{name, compare_options(row_of(name), options, used), {}};
    contestant.options.preparation.missing = missing;
    const selection::Selector checked(contestant.options);  // finds wrong options before the data are read
    contestants.push_back(std::move(contestant));
  }
  check_used(options, used);
  return contestants;
}

/// What is said of one file.
struct FileReport {
  report::ComparedFile compared;
  std::string text;
  std::string mark;                ///< of a partial result
  std::vector<std::string> notes;  ///< about the file
  std::vector<std::string> warnings;
  std::string problem;  ///< what is said of the Error that ended the work on this file
  report::Json document;
  int code = exit_code::success;
};

/// @throws Error as selection::compare
FileReport compare_file(const CompareOptions& options, const std::vector<selection::Contestant>& contestants,
                        const data::Dataset& dataset, const std::string& path, int threads,
                        const core::Context& context) {
  const selection::ComparisonOptions& outer = options.outer;
  if (dataset.folds.empty() && static_cast<std::size_t>(outer.outer_folds) > dataset.rows()) {
    refuse_data(fmt::format("--outer-folds: {0} folds need at least {0} rows; the data set has {1}; take {1} or fewer",
                            outer.outer_folds, dataset.rows()));
  }
  selection::Comparison comparison = selection::compare(dataset, contestants, outer, context);
  comparison.threads = threads;  // of the command; the results depend on no number of threads
  FileReport report;
  report.mark = selection::partial_mark(comparison);
  if (!report.mark.empty()) report.code = exit_code_of(comparison.stopped);
  report::Story story = report::comparison_story(comparison, dataset, path);
  const report::Detail detail = options.run.detail();
  report.text = report::terminal_text(story, detail);
  if (report.mark.empty())
    report.text += report::terminal_line(
        story, detail,
        {"next",
         fmt::format("credence select {} --method METHOD -o MODEL trains a model, and has an estimate of its own",
                     path)});
  report.warnings = report::comparison_warnings(comparison);
  report.document = report::comparison_json(comparison);
  report.document["estimate"] = options.selecting.text("estimate", "bbc");
  report.document["source"] = path;
  if (options.document.wanted()) report.document["checksum"] = checksum_of(path);
  report.compared = {path, std::move(comparison), std::move(story), {}};
  return report;
}

/// The report of a file that cannot be compared.
FileReport failed(const std::string& path, const std::string& sentence, int code) {
  FileReport report;
  report.problem = sentence.starts_with(path) ? sentence : path + ": " + sentence;
  report.document = report::Json::object("kind"_key = "comparison", "status"_key = "failed", "error"_key = sentence,
                                         "source"_key = path);
  report.compared = {.source = path, .problem = sentence};
  report.code = code;
  return report;
}

/// Does the same, but for the Errors of one file, which end the work on this file alone.
FileReport compare_one_of_many(const CompareOptions& options, const std::vector<selection::Contestant>& contestants,
                               const data::ReadOptions& reading, const std::string& path, int threads,
                               const core::Context& context) {
  if (context.monitor.should_stop())
    return failed(path, "the command was stopped before its turn came", exit_code_of(context.monitor.stop_reason()));
  try {
    const data::Dataset dataset = data::read(path, reading);
    FileReport report = compare_file(options, contestants, dataset, path, threads, context);
    report.notes = dataset.notes;
    return report;
  } catch (const Error& error) {
    return failed(path, error.what(), exit_code_of(error.code()));
  } catch (const std::bad_alloc&) {
    return failed(path, "there is not enough memory for this file", exit_code::memory);
  }
}

void check_compare(const CompareOptions& options, const data::ReadOptions& reading) {
  if (reading.task == data::Task::regression)
    refuse("--task: compare counts the errors of classifiers, not of a regression");
  throw_if_any(options.outer.validate());
  if (options.jobs < 1 || options.jobs > 1024)
    refuse(fmt::format("--jobs: {} is not between 1 and 1024", options.jobs));
  if (std::ranges::count(options.files, "-") > 1) refuse("DATA: standard input (-) can be read once only");
}

/// @throws Error invalid_argument for options that say how methods are compared
int compare_predictions(const CompareOptions& options) {
  if (!options.files.empty()) refuse("--predictions: the files hold predictions, so there is no DATA to read");
  PredictionFiles files{options.predictions, {}, {}, 0};
  selection::HonestOptions honest;
  options.selecting.for_each({}, [&](const std::string& name) {
    if (name != "seed") refuse("with --predictions no method is run");
    options.selecting.set(*core::find_field(core::fields_of(honest), name));
  });
  files.seed = honest.seed;
  const auto column = [&](const char* name) {
    return options.data.reading.given(name) ? std::optional(options.data.reading.text(name)) : std::nullopt;
  };
  files.label = column("label");
  files.groups = column("groups");
  return run_compare_predictions(files, options.document, options.run);
}

/// @param before_warnings  the file, where there are several
void show(const FileReport& report, const std::string& before_warnings, const Human& human, Run& run) {
  run.progress().erase();
  human.print(report.text);
  if (!report.problem.empty()) complain(report.problem, report.code);
  if (human.quiet()) {
    if (!report.mark.empty()) warn(before_warnings + report.mark);
    return;
  }
  for (const std::string& sentence : report.notes) note(before_warnings + sentence);
  for (const std::string& warning : report.warnings) warn(before_warnings + warning);
}

/// Several files, of which some are compared at the same time.
int compare_many(const CompareOptions& options, const std::vector<selection::Contestant>& contestants,
                 const data::ReadOptions& reading, const Human& human, Run& run) {
  const int threads = run.context().threads.count();
  std::vector<FileReport> reports(options.files.size());
  int code = exit_code::success;
  run.catch_signals();
  if (!options.run.checkpoint.empty())
    run.open_checkpoint("compare", checksum_of(contestants, options.outer), checksum_of_files(options.files));
  run_jobs(
      reports.size(), options.jobs, run,
      [&](std::size_t k, const core::Context& context) {
        reports[k] = compare_one_of_many(options, contestants, reading, options.files[k], threads, context);
      },
      [&](std::size_t k) {
        if (!reports[k].text.empty() && k > 0) reports[k].text.insert(0, "\n");
        show(reports[k], options.files[k] + ": ", human, run);
        if (code == exit_code::success) code = reports[k].code;
      });
  run.end_work();
  report::Json documents = report::Json::array();
  std::vector<report::ComparedFile> compared;
  for (FileReport& report : reports) {
    documents.push_back(std::move(report.document));
    compared.push_back(std::move(report.compared));
  }
  write_document(report::Json::object("kind"_key = "comparisons", "comparisons"_key = std::move(documents),
                                      "report"_key = story_json(report::comparisons_story(compared))),
                 options.document, "");
  return code;
}

int run_compare(CompareOptions& options) {
  if (!options.predictions.empty()) return compare_predictions(options);
  if (options.files.empty()) refuse("DATA is required");
  data::ReadOptions reading = read_options(options.data);
  reading.threads = options.run.threads;
  check_compare(options, reading);
  const std::vector<selection::Contestant> contestants = contestants_of(options, reading.missing);
  options.outer.seed = contestants.front().options.seed;
  check_document_output(options.document, options.files);
  std::vector<std::string> other_files = options.files;
  other_files.insert(other_files.end(), {options.document.json, options.document.report});
  check_run_files(options.run.log, options.run.checkpoint, other_files);
  const Human human(options.run.quiet, options.document.json);
  Run run(options.run, true);
  const int threads = run.context().threads.count();
  if (options.files.size() == 1) {
    const std::string& path = options.files.front();
    const data::Dataset dataset = read_with_notes(path, reading, options.run.quiet);
    run.catch_signals();
    run.open_checkpoint("compare", checksum_of(contestants, options.outer), checksum_of(dataset));
    print_forecast(dataset, contestants, options.outer, run);
    FileReport report = compare_file(options, contestants, dataset, path, threads, run.context());
    run.end_work();
    show(report, "", human, run);
    report.document["report"] = story_json(report.compared.story);
    write_document(report.document, options.document, "");
    return report.code;
  }
  return compare_many(options, contestants, reading, human, run);
}

}  // namespace

Action add_compare(Command command) {
  const auto options = std::make_shared<CompareOptions>();
  add_training_data_options(command, options->data, true, &options->files);
  command.find("DATA").required(false);
  command.find("--task").hide();
  const std::string usual = fmt::format("{}", fmt::join(selection::usual_contestants, ","));
  const Group group = command.group("Comparison");
  group
      .option("--methods", &options->methods, "LIST",
              std::string("methods of select, with commas, some with a suffix:\n") +
                  "+hint (rademacher, maximal-discrepancy): a hint from\n"
                  "the share --hint of the rows (default: 0.3); +rvm:\n"
                  "RVMs with the widths of --sigma; +svm: SVMs, in\n"
                  "kernel-validity with the kernel that it chose;\n"
                  "+best: one model; +average: a mean\n(default: " +
                  usual + ")")
      .one_text(',')
      .words(selection::methods());
  group
      .option("--predictions", &options->predictions, "LIST",
              "instead of DATA and methods: tables of predictions\n"
              "on the same rows, with commas; --label names the\n"
              "column of the true class or number")
      .one_text(',');
  add_fields(group, options->outer_fields());
  add_selecting_options(command, options->selecting, {"by_sigma", "noise", "noise_variance"});
  add_document_options(command, options->document, "write every fold as JSON; - is standard output");
  add_run_options(command, options->run, true);
  add_verbose_option(command, options->run.verbose, "also the time, and what the bounds are about");
  add_checkpoint_option(command, options->run);
  command.group("Run").option("--jobs", &options->jobs, "INT",
                              "files at the same time, which share threads and\n"
                              "memory (default: 1)");
  command.short_help([usual, of_folds = help_of(options->outer_fields())] {
    return "Usage: credence compare DATA... [--methods LIST] [OPTIONS]\n"
           "       credence compare --predictions A.csv,B.csv --label COL\n"
           "Compares methods of selection on the same outer folds.\n\n"
           "  DATA...                   CSV or svmlight, plain, gzip or zip; - is stdin;\n"
           "                            if one of several files cannot be used, it is named,\n"
           "                            and the others are compared\n"
           "  --jobs INT                files at the same time (default: 1)\n"
           "  --methods LIST            methods with commas: cv+best, rademacher+hint, ...;\n"
           "                            --help-all explains +best, +hint, +rvm and +svm\n"
           "                            (default: " +
           usual + ")\n" + of_folds +
           "  --label COL               default: label, target, class or y, else the last\n"
           "  --json FILE, --report FILE, --seed INT, --time-limit SECONDS\n"
           "  Options of select go to each method that uses them.\n\n" +
           method_list() + "\n  credence compare --help-all             every option\n\n" + examples;
  });
  command.footer(examples);
  return [options] { return run_compare(*options); };
}

}  // namespace credence::cli
