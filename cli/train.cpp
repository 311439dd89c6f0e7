#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/one_setting.hpp"
#include "credence/selection/run.hpp"
#include "output.hpp"
#include "report/course/training_text.hpp"
#include "report/selection/selection_report.hpp"
#include "run.hpp"
#include "selecting.hpp"

namespace credence::cli {
namespace {

using selection::Learner;
using selection::OneSetting;

struct TrainFlags : CommonFlags {
  Described training;
  int folds = 0;
  std::string output;
};

void check_one_value(const Described& given, const char* name, const auto& values) {
  if (values.size() <= 1) return;
  refuse(
      fmt::format("{}: train takes one value, select takes lists", given.option(given.given(name) ? name : "sigma")));
}

OneSetting setting_of(const TrainFlags& options, const data::ReadOptions& reading) {
  const Described& given = options.training;
  std::optional<Learner> model;
  under_name("--model", [&] {
    if (given.given("model")) model = core::parse_word<Learner>(given.text("model"));
    if (model == Learner::knn) core::refuse_word("knn", {"svm", "rvm"});
  });
  if (reading.task == data::Task::regression && model == Learner::svm)
    refuse("--task: a regression is trained with --model rvm; SVMs classify");
  OneSetting setting(reading.task, model);
  const std::vector<core::Field> fields = fields_of(setting);
  check_pairs(given, true);
  given.for_each({"model"}, [&](const std::string& name) {
    const core::Field* field = core::find_field(fields, name);
    if (field != nullptr) return given.set(*field);
    refuse(setting.has_rvms() ? "relevance vector machines do not use it; svm models do"
                              : "SVMs do not use it; rvm models do");
  });
  check_one_value(given, "gamma", setting.options.kernels.gamma);
  if (setting.options.has_costs()) {
    check_one_value(given, "C", setting.options.costs.C);
    check_one_value(given, "nu", setting.options.costs.nu);
  }
  setting.options.preparation.missing = reading.missing;
  throw_if_any(setting.validate());
  return setting;
}

/// What was trained, and how it ended.
void add_trained(const selection::TrainedSetting& trained, const data::Dataset& dataset, const OneSetting& setting,
                 report::Section& section) {
  const bool by_sigma = setting.options.kernels.by_sigma;
  if (trained.svm) return report::add_svm(*trained.svm, by_sigma, section);
  if (!trained.rvm) return section.fact("regions", trained.model->description());
  const rvm::TrainResult& result = *trained.rvm;
  section.fact("kernel", report::kernel_text(result.model.kernel, by_sigma));
  report::add_machines(result.fit, result.model, section);
  const selection::Options options = setting.options.resolved();
  if (options.rvms.centres.value_or(rvm::default_centres(dataset.rows())) < dataset.rows())
    section.fact("candidates", fmt::format("{} of {}, drawn with seed {}; --centres sets the number",
                                           report::count_of(result.candidates, "row"), dataset.rows(), options.seed));
}

int run_train(const TrainFlags& options) {
  data::ReadOptions reading = read_options(options.data);
  reading.threads = options.run.threads;
  const OneSetting setting = setting_of(options, reading);
  if (options.folds != 0 && options.folds < 2)
    refuse(fmt::format("--folds: {} is neither 0 nor at least 2", options.folds));
  check_model_output(options.output, {options.data.path});
  check_run_files(options.run.log, options.run.checkpoint, {options.data.path, options.output});
  const Human human(options.run.quiet, "");
  Run run(options.run, true);

  const data::Dataset dataset = read_with_notes(options.data.path, reading, options.run.quiet);
  run.catch_signals();
  if (!setting.has_regions()) print_forecast(dataset, setting, options.folds, run);
  const selection::TrainedSetting trained =
      on_data_of(dataset.source, [&] { return selection::train(dataset, setting, options.folds, run.context()); });
  run.end_work();

  io::save_model(*trained.model, options.output);
  report::Story story;
  report::Section& section = story.section("trained", "What was trained");
  report::add_data(dataset, options.data.path, section);
  add_trained(trained, dataset, setting, section);
  if (!trained.model->calibration.empty())
    section.fact(dataset.is_regression() ? "residuals" : "scores", report::margin_summary(trained.model->calibration));
  section.fact("model", options.output);
  human.print(report::terminal_text(story, options.run.detail()));
  if (!options.run.quiet) {
    if (trained.rvm)
      for (const std::string& warning : report::machine_warnings(trained.rvm->fit, trained.rvm->model)) warn(warning);
    for (const std::string& warning : trained.warnings) warn(warning);
  }
  if (!trained.lacking.empty()) warn(trained.lacking);
  return trained.lacking.empty() ? exit_code::success : exit_code::limit;
}

}  // namespace

Action add_train(Command command) {
  const auto options = std::make_shared<TrainFlags>();
  add_training_data_options(command, options->data, false);
  const Group group = command.group("Model");
  options->training.add(group, {{.name = "model",
                                 .sentence = "the kind of model (default: rvm for regressions, else svm)",
                                 .kind = core::Kind::word,
                                 .words = {"svm", "rvm"}}});
  for (const Learner learner : {Learner::svm, Learner::rvm}) {
    OneSetting setting(data::Task::classification, learner);
    options->training.add(group, fields_of(setting));
  }
  const Group output = command.group("Output");
  output.option("--folds", &options->folds, "INT",
                "cross-validate in so many folds; scores of rows left\n"
                "out give p-values or intervals (default: 0, none)");
  output.option("-o,--output", &options->output, "FILE", "the model (required)").required();
  add_run_options(command, options->run, true);
  add_verbose_option(command, options->run.verbose, "also the work of the solver of an SVM");
  command.footer(
      "Examples:\n"
      "  credence train pima.csv --C 8 --gamma 0.02 -o pima.credence\n"
      "  credence train pima.csv --C 8 --gamma 0.02 --folds 5 -o pima.credence\n"
      "  credence train big.csv --region-size 1000 --C 8 --gamma 0.02 -o big.credence\n"
      "  credence train pima.csv --nu 0.4 --gamma scale -o pima.credence\n"
      "  credence train pima.csv --model rvm --sigma 1 --folds 5 -o pima.credence\n"
      "  credence train price.csv --task regression --folds 10 -o price.credence\n"
      "  credence train rows.svm --kernel linear --C 2^-3 --scale none -o rows.credence");
  return [options] { return run_train(*options); };
}

}  // namespace credence::cli
