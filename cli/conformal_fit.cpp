#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <sstream>

#include "application.hpp"
#include "apply.hpp"
#include "conformal.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/core/version.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/selector.hpp"
#include "output.hpp"
#include "report/p_value_words.hpp"
#include "report/selection_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

using conformal::ConformalPredictor;
using conformal::FitOptions;
using conformal::Mode;

struct Options {
  DataOptions data;
  TrainingOptions training;
  RunOptions run;
  std::string measure = "nn-ratio";
  std::string mode = "transductive";
  std::optional<int> k;
  std::string metric;
  std::string model = "svm";
  std::string C;
  std::string gamma;
  RvmOptions rvm;
  bool select = false;
  std::optional<double> calibration;
  std::optional<int> folds;
  bool label_conditional = false;
  bool smoothed = false;
  std::string eps = "0.01,0.05";
  std::string output;
  std::string json;
};

bool is_rvm(const Options& options) {
  return options.model == report::word(selection::Learner::rvm);
}

/// What was asked for must have an effect.
void refuse_unused(const Options& options) {
  std::vector<std::string> problems;
  const auto look = [&](const std::string& option, bool given, bool used, const char* what) {
    if (given && !used) problems.push_back(fmt::format("{} is for {}", option, what));
  };
  const bool margin = options.measure == "margin";
  const bool rvm = margin && is_rvm(options);
  look("--k", options.k.has_value(), !margin, "nearest neighbours");
  look("--metric", !options.metric.empty(), !margin, "nearest neighbours");
  look("--model", options.model != Options{}.model, margin, "the measure margin");
  look("--C", !options.C.empty(), margin && !rvm, rvm ? "SVMs" : "the measure margin");
  look("--gamma", !options.gamma.empty(), margin, "the measure margin");
  look("--sigma", !options.rvm.sigma.empty(), margin, "the measure margin");
  look("--kernel", options.training.kernel != TrainingOptions{}.kernel, margin, "the measure margin");
  look("--class-weight", !options.training.class_weight.empty(), margin, "the measure margin");
  for (const std::string& option : given_rvm_options(options.rvm))
    look(option, true, rvm, "relevance vector machines (--measure margin --model rvm)");
  look("--tolerance", options.training.tolerance != TrainingOptions{}.tolerance, !rvm, "SVMs");
  look("--max-steps", options.training.max_steps != TrainingOptions{}.max_steps, !rvm, "SVMs");
  look("--select", options.select, margin && options.mode == "inductive",
       "the measure margin in inductive mode, where the rows held out have no say in the choice");
  look("--calibration", options.calibration.has_value(), options.mode == "inductive", "the inductive mode");
  look("--folds", options.folds.has_value(), options.mode == "cross", "the cross mode");
  throw_if_any(problems);
}

void refuse_model(const std::string& model) {
  if (model != "svm" && model != "rvm") refuse_word("--model", model, "svm, rvm");
}

double one_value(const char* option, const std::string& text) {
  const std::vector<double> values = parse_option(option, [&] { return selection::parse_list(text); });
  if (values.size() == 1) return values.front();
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: one value is needed, or --select to choose of a list", option));
}

/// The one gamma that was asked for, as such or by --sigma; the default of `fit` if none was.
void set_width(const Options& options, FitOptions& fit) {
  const bool by_sigma = !options.rvm.sigma.empty();
  if (options.gamma.empty() && !by_sigma) return;
  const char* option = by_sigma ? "--sigma" : "--gamma";
  const auto gammas = parse_option(option, [&] {
    return by_sigma ? gammas_of_sigmas(options.rvm.sigma) : selection::Grid::gamma_list(options.gamma);
  });
  if (gammas.size() != 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: one value is needed, or --select to choose of a list", option));
  }
  fit.gamma = gammas.front();
}

/// The model whose margins are compared, and its kernel.
void set_margin(const Options& options, FitOptions& fit) {
  Problems problems;
  fit.kernel = kernel_of(options.training);
  fit.class_weights = class_weights_of(options.training);
  fit.solver = solver_of(options.training);
  check_sigma(options.rvm.sigma, options.gamma, fit.kernel, problems);
  if (is_rvm(options)) {
    rvm::TrainOptions training;
    set_rvm(options.rvm, data::Task::classification, training.fit, training.validity, training.centres, problems);
    fit.relevance_vectors = training;
    if (options.select && !rvm::has_validity(fit.kernel.type)) {
      problems.add(
          fmt::format("--select: the {} kernel has no validity index, only rbf, laplacian and polynomial have "
                      "one; without --select it is taken as it is",
                      kernel::name(fit.kernel.type)));
    }
  }
  problems.throw_with({});
  if (options.select) return;
  if (!options.C.empty()) fit.C = one_value("--C", options.C);
  set_width(options, fit);
}

FitOptions fit_options(const Options& options) {
  FitOptions fit;
  fit.measure = options.measure;
  fit.mode =
      choose<Mode>("--mode", options.mode,
                   {{"transductive", Mode::transductive}, {"inductive", Mode::inductive}, {"cross", Mode::cross}});
  fit.k = options.k.value_or(fit.k);
  if (!options.metric.empty())
    fit.metric = parse_option("--metric", [&] { return neighbours::parse_metric(options.metric); });
  if (options.measure == "margin") set_margin(options, fit);
  fit.calibration = options.calibration.value_or(fit.calibration);
  fit.folds = options.folds.value_or(fit.folds);
  fit.seed = options.training.seed;
  if (!options.training.scale.empty()) fit.scaling = scaling_of(options.training, fit.kernel);
  fit.label_conditional = options.label_conditional;
  fit.smoothed = options.smoothed;
  throw_if_any(fit.validate());
  return fit;
}

/// Chooses on the rows that are not held out: C and gamma of an SVM by cross-validation, the width of relevance vector
/// machines by their validity index.
conformal::Train selecting(const Options& options, data::Missing missing) {
  SelectionOptions asked;
  asked.C = options.C;
  asked.gamma = options.gamma;
  asked.rvm = options.rvm;
  asked.estimate = "none";
  selection::Options settings = selection_options(is_rvm(options) ? "kernel-validity" : "cv", asked, options.training,
                                                  data::Task::classification);
  settings.missing = missing;
  return [settings](const data::Dataset& training, const core::Context& context) {
    const selection::Selection chosen = selection::make_selector(settings)->select(training, context);
    if (chosen.stopped != core::StopReason::none)
      throw Error(ErrorCode::interrupted, "the choice of the model was stopped before its end");
    return conformal::classifier_of(*selection::fitted(training, settings, chosen, context));
  };
}

std::size_t compared_rows(const ConformalPredictor& predictor) {
  const std::vector<std::size_t> counts = predictor.machine->class_counts();
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

double smallest_p_value(const ConformalPredictor& predictor) {
  return conformal::smallest_p_value(predictor.machine->class_counts(), predictor.options.label_conditional);
}

std::string fit_table(const data::Dataset& dataset, const Options& options, const ConformalPredictor& predictor,
                      double seconds) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  line("data", report::data_summary(dataset, options.data.path));
  line("measure", predictor.description());
  if (predictor.record.selected_error) {
    line("chosen", fmt::format("CV error {} on the rows that were not held out",
                               report::percent(*predictor.record.selected_error)));
  }
  if (options.select && is_rvm(options)) line("chosen", "by kernel validity on the rows that were not held out");
  line("scaling", core::word(predictor.preprocessing.scaling));
  line("p-values",
       fmt::format(
           "{}, {}; compared with {}{}", predictor.options.smoothed ? "smoothed" : "plain",
           predictor.options.label_conditional ? "label-conditional" : "over all classes",
           report::count_of(compared_rows(predictor), "row"),
           predictor.options.smoothed ? "" : fmt::format(", the smallest is {:.4g}", smallest_p_value(predictor))));
  line("time", fmt::format("{:.2f} s", seconds));
  line("model", options.output);
  return text;
}

report::Json fit_json(const data::Dataset& dataset, const Options& options, const ConformalPredictor& predictor,
                      double seconds, int threads) {
  const model::TrainingRecord& record = predictor.record;
  return {
      {"source", options.data.path},
      {"rows", dataset.rows()},
      {"features", dataset.schema.columns.size()},
      {"classes", dataset.schema.classes},
      {"class_counts", report::class_counts(dataset)},
      {"measure", options.measure},
      {"mode", options.mode},
      {"description", predictor.description()},
      {"scaling", core::word(predictor.preprocessing.scaling)},
      {"selected_error", record.selected_error ? report::Json(*record.selected_error) : report::Json(nullptr)},
      {"label_conditional", predictor.options.label_conditional},
      {"smoothed", predictor.options.smoothed},
      {"seed", predictor.options.seed},
      {"compared_with", predictor.machine->class_counts()},
      {"smallest_p_value", predictor.options.smoothed ? report::Json(0.0) : report::Json(smallest_p_value(predictor))},
      {"guarantee", report::validity_sentence(predictor)},
      {"model", options.output},
      {"seconds", seconds},
      {"threads", threads},
      {"version", version()}};
}

/// What holds of the regions, and where it does not help.
void note_validity(const ConformalPredictor& predictor, const std::vector<double>& levels) {
  note(report::validity_sentence(predictor));
  const std::string warning = report::resolution_warning(predictor.schema.classes, predictor.machine->class_counts(),
                                                         predictor.options, levels);
  if (!warning.empty()) warn(warning);
}

int run_fit(const Options& options) {
  refuse_model(options.model);
  refuse_unused(options);
  FitOptions settings = fit_options(options);
  const data::ReadOptions reading = read_options(options.data);
  if (reading.task == data::Task::regression) {
    throw Error(ErrorCode::invalid_argument,
                "--task: p-values are of classes; for a regression there is credence conformal intervals");
  }
  settings.missing = reading.missing;
  const std::vector<double> levels = parse_eps(options.eps);
  const conformal::Train train = options.select ? selecting(options, reading.missing) : conformal::Train{};
  check_model_output(options.output, {options.data.path});
  check_output(options.json, {options.data.path, options.output});
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);

  const data::Dataset dataset = data::read(options.data.path, reading);
  run.catch_signals();
  const auto start = std::chrono::steady_clock::now();
  const auto predictor = train ? conformal::fit_inductive(dataset, settings, train, run.context())
                               : conformal::fit(dataset, settings, run.context());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.progress().erase();
  if (Run::was_interrupted()) throw Error(ErrorCode::interrupted, "interrupted: no model is saved");
  io::save_model(*predictor, options.output);
  human.print(fit_table(dataset, options, *predictor, seconds));
  write_json(fit_json(dataset, options, *predictor, seconds, run.context().threads.count()), options.json);
  if (!options.run.quiet) note_validity(*predictor, levels);
  return exit_code::success;
}

void add_measure_options(Command command, Options& options) {
  const Group group = command.group("Measure");
  group.option("--measure", &options.measure, "WORD", "of strangeness, see below (default: nn-ratio)");
  group.option("--mode", &options.mode, "WORD",
               "transductive (default: all rows are compared with),\n"
               "inductive (only rows held out are) or cross (folds)");
  group.option("--k", &options.k, "INT", "neighbours (default: 1)");
  group.option("--metric", &options.metric, "WORD", "euclidean (default), manhattan, cosine, precomputed");
  group.option("--model", &options.model, "WORD", "margin: svm (default) or rvm, of which see below");
  group.option("--C", &options.C, "NUMBER", "margin: cost of errors, > 0 (default: 1)").not_empty();
  group.option("--gamma", &options.gamma, "NUMBER", "margin: a number > 0, scale (default), auto, median").not_empty();
  group.option("--sigma", &options.rvm.sigma, "NUMBER", "the same for rbf: gamma = 1/(2 sigma^2)").not_empty();
  group.flag("--select", &options.select,
             "margin, inductive: on the rows not held out, from\n"
             "lists or the grid, choose C and gamma by\n"
             "cross-validation; rvm: sigma by kernel validity");
  group.option("--calibration", &options.calibration, "NUMBER", "inductive: share of rows held out (default: 0.3)");
  group.option("--folds", &options.folds, "INT", "cross: number of folds (default: 5)");
}

void add_p_value_flags(Command command, Options& options) {
  const Group group = command.group("P-values");
  group.flag("--label-conditional", &options.label_conditional,
             "compare with rows of the assumed class only, so that\n"
             "errors are below eps in each class; hold-outs and\n"
             "folds are then stratified");
  group.flag("--smoothed", &options.smoothed, "settle ties at random: errors are exactly eps");
  group.option("--eps", &options.eps, "LIST", "levels to warn about (default: 0.01,0.05)");
}

/// A measure and what it is, broken at spaces.
std::string measure_help(const std::string& measure) {
  constexpr std::size_t width = 80;
  std::string text;
  std::string line = fmt::format("  {:<10}", measure);
  std::istringstream words(conformal::describe_measure(measure));
  for (std::string next; words >> next;) {
    if (line.size() + 1 + next.size() > width) {
      text += line + '\n';
      line = std::string(12, ' ');
    }
    line += ' ' + next;
  }
  return text + line + '\n';
}

std::string measure_list() {
  std::string text = "Measures:\n";
  for (const std::string& measure : conformal::measures()) text += measure_help(measure);
  return text;
}

}  // namespace

Action add_conformal_fit(Command command) {
  const auto options = std::make_shared<Options>();
  add_training_data_options(command, options->data, true);
  add_measure_options(command, *options);
  add_p_value_flags(command, *options);
  command.group("Output").option("-o,--output", &options->output, "FILE", "the model (required)").required();
  command.group("Output").option("--json", &options->json, "FILE",
                                 "write what was fitted as JSON; - is standard output");
  add_rvm_options(command, options->rvm, RvmPart::fit);
  add_training_options(command, options->training);
  command.find("--task").hide();  // hidden: there is a sentence for who asks for a regression
  command.find("--kernel").describe("margin: rbf (default), linear, polynomial, sigmoid\nor laplacian");
  command.find("--scale").describe(
      "none (default for nearest neighbours), standard\n(default for margin) or minmax (default for rvm)");
  add_run_options(command, options->run, true);
  command.footer(measure_list() +
                 "\nExamples:\n"
                 "  credence conformal fit pima.csv -o pima.credence\n"
                 "  credence conformal fit pima.csv --k 3 --label-conditional -o pima.credence\n"
                 "  credence conformal fit pima.csv --measure margin --C 8 -o pima.credence\n"
                 "  credence conformal fit pima.csv --measure margin --mode inductive --select \\\n"
                 "      -o pima.credence\n"
                 "  credence conformal fit pima.csv --measure margin --model rvm --mode inductive\n"
                 "    --select -o pima.credence");
  return [options] { return run_fit(*options); };
}

}  // namespace credence::cli
