#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/conformal/forecast.hpp"
#include "credence/io/model_file.hpp"
#include "credence/rvm/validity.hpp"
#include "credence/selection/one_setting.hpp"
#include "credence/selection/selector.hpp"
#include "output.hpp"
#include "report/conformal/fit_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/text.hpp"
#include "run.hpp"
#include "selecting.hpp"

namespace credence::cli {

namespace {

using report::operator""_key;

using conformal::fields_of;
using conformal::FitOptions;
using conformal::name_of;
using conformal::sentence_of;
using core::Field;

struct FitFlags : CommonFlags {
  std::string measure;  ///< empty: nn-ratio
  std::string mode;     ///< empty: transductive
  std::string model;
  Described given;
  bool select = false;
  std::string confidence_level = "0.99,0.95,0.9";
  std::string output;
};

FitOptions chosen(const FitFlags& options) {
  FitOptions fit;
  if (!options.measure.empty())
    under_name("--measure", [&] { fit.measure = conformal::measure_named(options.measure); });
  if (!options.model.empty()) {
    const std::string_view measure = conformal::name_of(fit.measure);
    under_name("--model", [&] { fit.measure = conformal::measure_named(measure, options.model); });
  }
  if (!options.mode.empty()) under_name("--mode", [&] { fit.mode = conformal::mode_named(options.mode); });
  return fit;
}

/// How the model of the measure is chosen: C and gamma of an SVM by cross-validation, the width of relevance vector
/// machines by their validity index.
/// @param in_regions  an SVM for each region of the feature space
selection::Options selection_of(const FitOptions& fit, bool in_regions) {
  const bool rvm = std::holds_alternative<conformal::RvmMargin>(fit.measure);
  if (conformal::model_of(fit.measure).empty() || conformal::is_transductive(fit.mode)) {
    refuse(
        "--select is for the measure margin in the modes inductive and cross, where the rows held out have no "
        "say in the choice");
  }
  selection::Options options;
  options.method = selection::method_named(rvm ? "kernel-validity" : in_regions ? "regions" : "cv");
  options.choose_from(rvm ? selection::Learner::rvm : selection::Learner::svm);
  options.estimate = selection::Estimate::none;
  return options;
}

void check_values(const FitFlags& options) {
  const Described& given = options.given;
  if (given.given("gamma") && given.given("sigma")) refuse("--sigma and --gamma name the same axis; give one of them");
  for (const char* axis : {"C", "gamma", "sigma"})
    if (!options.select && given.text(axis).find_first_of(",:") != std::string::npos)
      refuse(fmt::format("--{}: one value is needed, or --select to choose of a list", axis));
}

/// Everything that was asked for: what is fitted, and how its model is chosen if it is.
struct Asked {
  FitOptions fit;
  std::optional<selection::Options> selection{};
};

void check_selection(const FitOptions& fit, selection::Options& selection) {
  const kernel::KernelType type = selection.kernels.shape().type;
  if (type == kernel::KernelType::precomputed)
    refuse("a precomputed kernel cannot follow rows that are held out or new");
  if (std::holds_alternative<conformal::RvmMargin>(fit.measure) && !rvm::has_validity(type)) {
    refuse(
        fmt::format("--select: the {} kernel has no validity index, only rbf, laplacian and polynomial have "
                    "one; without --select it is taken as it is",
                    kernel::name(type)));
  }
  selection.preparation.missing = fit.missing;
  if (fit.scaling) selection.preparation.scalings = {*fit.scaling};
  selection.choose_one_svm();
  selection.seed = fit.p_values.seed;
  throw_if_any(selection.validate());
}

Asked asked_of(const FitFlags& options, data::Missing missing) {
  Asked asked{chosen(options)};
  asked.fit.missing = missing;
  check_values(options);
  std::vector<Field> fields = fields_of(asked.fit);
  if (options.select) {
    asked.selection = selection_of(asked.fit, options.given.given("region_size"));
    // The first field of a name counts.
    const std::vector<Field> lists = selection::candidate_fields(*asked.selection);
    fields.insert(fields.begin(), lists.begin(), lists.end());
    const std::vector<Field> method = selection::method_fields(*asked.selection);
    if (const Field* size = core::find_field(method, "region_size")) fields.push_back(*size);
  } else if (options.given.given("region_size")) {
    refuse("--region-size: the regions of the feature space are for --select");
  }
  options.given.for_each(
      {}, [&](const std::string& name) { options.given.set(conformal::field_named(asked.fit, fields, name)); });
  if (asked.selection) check_selection(asked.fit, *asked.selection);
  throw_if_any(asked.fit.validate());
  return asked;
}

/// Chooses on the rows that are not held out.
conformal::Train selecting(const selection::Options& settings) {
  return [settings](const data::Dataset& training, const core::Context& context) {
    const selection::Selection chosen = selection::Selector(settings).select(training, context);
    if (chosen.stopped != core::StopReason::none)
      throw Error(ErrorCode::interrupted, "the choice of the model was stopped before its end");
    return conformal::classifier_of(*selection::model_without_folds(training, chosen, context));
  };
}

/// One line before a long search.
void print_forecast(const data::Dataset& dataset, const FitOptions& fit, Run& run) {
  const auto forecast = conformal::forecast(dataset, fit, run.context());
  if (!forecast) return;
  print_error(fmt::format("forecast: about {} and {:.2g} GB on {}, for {:.1e} distances in {}\n",
                          duration(std::ceil(forecast->seconds)), forecast->bytes / 1e9,
                          report::count_of(static_cast<std::size_t>(run.context().threads.count()), "thread"),
                          forecast->values, report::count_of(dataset.rows(), "row")));
}

/// The forecast of the search, of the choice of the model, or of its training on one part of the rows or once for each
/// fold.
void print_forecast_of_fit(const data::Dataset& dataset, const FitFlags& options, const Asked& asked, Run& run) {
  const bool trains_model = !conformal::model_of(asked.fit.measure).empty();
  if (!trains_model && !options.run.quiet) print_forecast(dataset, asked.fit, run);
  if (!trains_model) return;
  const auto* inductive = std::get_if<conformal::mode::Inductive>(&asked.fit.mode);
  const auto* cross = std::get_if<conformal::mode::Cross>(&asked.fit.mode);
  if (inductive == nullptr && cross == nullptr) return;
  const double share = inductive != nullptr ? 1 - inductive->calibration : 1 - 1.0 / cross->folds;
  if (asked.selection) {
    print_forecast(dataset, share, cross != nullptr ? cross->folds : 1, *asked.selection, run);
    return;
  }
  const bool rvm = std::holds_alternative<conformal::RvmMargin>(asked.fit.measure);
  selection::OneSetting setting(data::Task::classification, rvm ? selection::Learner::rvm : selection::Learner::svm);
  const std::vector<Field> fields = selection::fields_of(setting);
  options.given.for_each({}, [&](const std::string& name) {
    if (const Field* field = core::find_field(fields, name)) options.given.set(*field);
  });
  print_forecast(dataset, share, cross != nullptr ? cross->folds : 1, setting, run);
}

void show_fitted(const report::FittedConformal& fitted, const std::optional<report::FitCheck>& check,
                 const std::vector<std::string>& warnings, const FitFlags& options, const Human& human) {
  const report::Story story = report::fit_story(fitted, check, warnings);
  report::Json document = report::fit_json(fitted);
  document.add("check"_key = check ? report::fit_check_json(*check) : report::Json(nullptr), "warnings"_key = warnings);
  tell(story, std::move(document), human, options.document, options.data.path);
  human.print(report::terminal_line(story, report::Detail::usual, {"next", report::next_with_model(options.output)}));
}

int run_fit(const FitFlags& options) {
  data::ReadOptions reading = read_options(options.data);
  reading.threads = options.run.threads;
  if (reading.task == data::Task::regression)
    refuse("--task: p-values are of classes; for a regression there is credence conformal intervals");
  const Asked asked = asked_of(options, reading.missing);
  if (const std::string weights = conformal::weight_column_of(asked.fit.mode); !weights.empty()) {
    if (reading.weights)
      refuse("--weights: these weights are for training, and --weight-column for p-values; give one of them");
    reading.weights = weights;
  }
  const std::vector<double> levels = parse_confidence_levels(options.confidence_level);
  check_model_output(options.output, {options.data.path});
  check_document_output(options.document, {options.data.path, options.output});
  check_run_files(options.run.log, options.run.checkpoint,
                  {options.data.path, options.output, options.document.json, options.document.report});
  const Human human(options.run.quiet, options.document.json);
  Run run(options.run, true);

  const data::Dataset dataset = read_with_notes(options.data.path, reading, options.run.quiet);
  run.catch_signals();
  print_forecast_of_fit(dataset, options, asked, run);
  const auto fitted_on = [&](const data::Dataset& rows) {
    if (!asked.selection) return conformal::fit(rows, asked.fit, run.context());
    const conformal::Train choose = selecting(*asked.selection);
    if (const auto* cross = std::get_if<conformal::mode::Cross>(&asked.fit.mode))
      return conformal::fit_cross(rows, *cross, asked.fit.p_values, choose, run.context());
    return conformal::fit_inductive(rows, std::get<conformal::mode::Inductive>(asked.fit.mode), asked.fit.p_values,
                                    choose, run.context());
  };
  const core::Stopwatch stopwatch;
  const auto predictor = on_data_of(dataset.source, [&] { return fitted_on(dataset); });
  const double seconds = stopwatch.seconds();
  run.end_work();
  if (Run::was_interrupted()) throw Error(ErrorCode::interrupted, "interrupted: no model is saved");
  io::save_model(*predictor, options.output);
  const report::MissLimits limits =
      dataset.clusters().empty() ? report::miss_limits(*predictor, levels) : report::MissLimits{};
  const report::FittedConformal fitted{.dataset = dataset,
                                       .source = options.data.path,
                                       .options = asked.fit,
                                       .predictor = *predictor,
                                       .selected = options.select,
                                       .limits = limits,
                                       .seconds = seconds,
                                       .output = options.output,
                                       .threads = run.context().threads.count()};
  const auto check = options.document.report.empty()
                         ? std::optional<report::FitCheck>()
                         : report::fit_check(dataset, asked.fit.p_values, levels, fitted_on, run.context());
  const std::vector<std::string> warnings = report::fit_warnings(*predictor, levels);
  show_fitted(fitted, check, warnings, options, human);
  if (options.run.quiet) return exit_code::success;
  note(report::validity_sentence(*predictor));
  for (const std::string& warning : warnings) warn(warning);
  return exit_code::success;
}

void add_described(Command command, Described& given) {
  for (conformal::Measure measure : conformal::measures()) given.add(command.group("Measures"), fields_of(measure));
  for (conformal::Mode mode : conformal::modes()) given.add(command.group("Modes"), fields_of(mode));
  given.add<selection::Regions>(command.group("Modes"), {"region_size"});
  given.add<FitOptions>(command.group("P-values and rows"));
}

template <class Choice>
std::vector<std::string> names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const Choice& choice : choices)
    if (std::ranges::find(names, name_of(choice)) == names.end()) names.emplace_back(name_of(choice));
  return names;
}

/// Names and sentences in two columns, each name once.
template <class Choice>
std::string list_of(const std::vector<Choice>& choices) {
  constexpr std::size_t width = 64;
  std::string text;
  std::string_view last;
  for (const Choice& choice : choices) {
    std::string left = "  " + std::string(name_of(choice));
    if (name_of(choice) == std::exchange(last, name_of(choice))) continue;
    for (const std::string& line : wrapped(sentence_of(choice), width))
      text += fmt::format("{:<15} {}\n", std::exchange(left, ""), line);
  }
  return text;
}

std::string choices_and_examples() {
  return "Measures:\n" + list_of(conformal::measures()) + "\nModes:\n" + list_of(conformal::modes()) +
         "\nExamples:\n"
         "  credence conformal fit pima.csv -o pima.credence\n"
         "  credence conformal fit pima.csv --k 3 --label-conditional -o pima.credence\n"
         "  credence conformal fit pima.csv --measure margin --mode inductive --select \\\n"
         "      -o pima.credence\n";
}

std::string help_of_measure() {
  return "Usage: credence conformal fit DATA -o FILE [OPTIONS]\n"
         "Fits and saves a conformal predictor.\n\n"
         "  DATA                    CSV or svmlight text, plain, gzip or zip; - is stdin\n"
         "  --label COL             column of the label (default: label, target, class,\n"
         "                          y, else the last)\n"
         "  -o FILE, --json FILE    save the model; write what was fitted as JSON\n"
         "  --report FILE           write a page of what was fitted and promised (HTML)\n"
         "  --measure WORD          nonconformity measure, see below (default: nn-ratio)\n"
         "  --mode WORD             way to compare, see below (default: transductive)\n"
         "  --label-conditional     compare with rows of the assumed class alone\n"
         "  --seed INT, --threads INT, --time-limit SECONDS\n\n"
         "  credence conformal fit --measure NAME --help    what one measure uses\n"
         "  credence conformal fit --help-all               every option\n\n" +
         choices_and_examples();
}

/// What --help says of one measure and one mode.
std::string help_of_choice(const FitFlags& options) {
  FitOptions fit = chosen(options);
  const auto titled = [](const std::string& title, const std::vector<Field>& fields) {
    return fields.empty() ? "" : "\n" + title + ":\n" + help_of(fields);
  };
  std::string text = "Usage: credence conformal fit DATA -o FILE [OPTIONS]\n";
  text += titled("Measure " + title_of(fit.measure), fields_of(fit.measure));
  if (!model_of(fit.measure).empty()) {
    text +=
        "  --model WORD              whose margins are compared: svm (default) or rvm\n"
        "  --select                  in the modes inductive and cross: choose on the\n"
        "                            rows that are not held out, in each fold anew\n";
  }
  text += titled(fmt::format("Mode {}", name_of(fit.mode)), fields_of(fit.mode));
  return text + titled("All measures and modes", core::fields_of(fit)) +
         "\ncredence conformal fit --help-all shows every option.\n";
}

}  // namespace

Action add_conformal_fit(Command command) {
  const auto options = std::make_shared<FitFlags>();
  add_training_data_options(command, options->data, true);
  const Group group = command.group("Measure");
  group.option("--measure", &options->measure, "WORD", "nonconformity measure, see below (default: nn-ratio)")
      .not_empty()
      .words(names_of(conformal::measures()));
  group.option("--mode", &options->mode, "WORD", "way to compare, see below (default: transductive)")
      .not_empty()
      .words(names_of(conformal::modes()));
  group.option("--model", &options->model, "WORD", "models of the measure margin: svm (default) or rvm")
      .not_empty()
      .words({"svm", "rvm"});
  group.flag("--select", &options->select,
             "choose C and gamma by cross-validation (sigma of rvm\n"
             "by kernel validity) on the rows not held out; with\n"
             "the measure margin in the modes inductive and cross");
  add_described(command, options->given);
  command.group("P-values and rows")
      .option("--confidence-level", &options->confidence_level, "LIST",
              "levels of limits and warnings\n(default: 0.99,0.95,0.9)");
  command.group("Output").option("-o,--output", &options->output, "FILE", "the model (required)").required();
  add_document_options(command, options->document, "write what was fitted as JSON; - is standard output");
  add_sentence_option(command, options->document);
  command.find("--task").hide();  // hidden: there is a sentence for who asks for a regression
  add_run_options(command, options->run, true);
  command.short_help([options] {
    return options->measure.empty() && options->mode.empty() ? help_of_measure() : help_of_choice(*options);
  });
  command.footer(choices_and_examples());
  return [options] { return run_fit(*options); };
}

Action add_conformal(Command command) {
  command.require_a_part();
  Action action =
      add_parts(command, {{"fit", "Fits and saves a conformal predictor.", add_conformal_fit},
                          {"online", "Predicts each row from those before it.", add_conformal_online},
                          {"scores", "Prediction sets around scores of another tool.", add_conformal_scores},
                          {"intervals", "Intervals around predictions of another tool.", add_conformal_intervals}});
  command.footer(
      "p-values, confidence, credibility and prediction sets. A prediction set misses\n"
      "the true class with probability at most 1 - confidence level, if rows are\n"
      "exchangeable, on average over the rows compared with; see docs/conformal.md.\n\n"
      "Examples:\n"
      "  credence conformal fit pima.csv -o pima.credence\n"
      "  credence predict pima.credence new.csv --confidence-level 0.95\n"
      "  credence conformal online pima.csv --shuffle\n"
      "  credence conformal scores calibration.csv new.csv -o predictions.csv\n"
      "  credence conformal intervals calibration.csv new.csv -o intervals.csv");
  return action;
}

}  // namespace credence::cli
