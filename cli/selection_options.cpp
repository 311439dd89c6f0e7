#include "selection_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "problems.hpp"
#include "report/selection_report.hpp"

namespace credence::cli {
namespace {

using selection::Learner;
using selection::ScaleScope;

void add_grid_options(CLI::App& app, SelectionOptions& options) {
  const std::string group = "Grid";
  not_empty(app.add_option("--C", options.C,
                           "costs: 2^-5:2^15:x4 (default), 0.1:1:+0.1, 1,10,100\n"
                           "or one value"))
      ->type_name("LIST")
      ->group(group);
  not_empty(app.add_option("--nu", options.nu, "nu-SVCs with these nu (> 0, at most 1) instead of C"))
      ->type_name("LIST")
      ->group(group);
  not_empty(app.add_option("--gamma", options.gamma,
                           "kernel widths: 2^-15:2^3:x4 (default), or words\n"
                           "scale = 1/(d var), auto = 1/d, median (distance)"))
      ->type_name("LIST")
      ->group(group);
  not_empty(app.add_option("--sigma", options.rvm.sigma,
                           "the same for rbf: gamma = 1/(2 sigma^2). The default\n"
                           "with RVMs is 0.01,0.1,0.3,1,2,3,4,5,7,10, and with\n"
                           "cv, kernel-validity and evidence up to 6 more beyond\n"
                           "an end at which the best lies"))
      ->type_name("LIST")
      ->group(group);
  not_empty(app.add_option("--rho", options.rho,
                           "limits of |w|^2, for in-sample methods (default: 30\n"
                           "values from 10^-6 to 10^3)"))
      ->type_name("LIST")
      ->group(group);
  app.add_option("--model,--learner", options.model,
                 "svm (default), rvm: relevance vector machines (the\n"
                 "default of kernel-validity, evidence, regressions),\n"
                 "or knn: nearest neighbours, for methods that hold\n"
                 "rows out once")
      ->type_name("WORD")
      ->group(group);
  not_empty(app.add_option("--k", options.k, "numbers of neighbours (default: 1:15:+2)"))
      ->type_name("LIST")
      ->group(group);
}

void add_method_options(CLI::App& app, SelectionOptions& options) {
  const std::string group = "Method";
  app.add_option("--folds", options.folds,
                 "of cv and kfold-nested (default: 10, stratified);\n"
                 "with kernel-validity and evidence, folds that leave\n"
                 "rows out of the chosen kernel's machine, for\n"
                 "intervals and p-values (default: none)")
      ->type_name("INT")
      ->group(group);
  app.add_option("--resamples", options.resamples, "of bootstrap (default: 50)")->type_name("INT")->group(group);
  app.add_option("--bootstrap", options.bootstrap_error, "error: oob (out of bag, default), 632 or 632+")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--validation", options.validation_rows,
                 "rows held out by nonconformity, max-margin and\n"
                 "holdout (default: a fifth, at most 50)")
      ->type_name("INT")
      ->group(group);
  app.add_option("--tie", options.tie,
                 "of p-values, in nonconformity: validation_error\n"
                 "(default), random (as in the paper) or vote")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--p-value", options.p_value, "of nonconformity: paper (default) or conformal")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--margin", options.margin, "of max-margin: functional (default) or geometric")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--refit", options.refit,
                 "after holdout, train on all rows (default) or keep\n"
                 "the model that was judged: all, training")
      ->type_name("WORD")
      ->group(group);
  app.add_flag("--nested", options.nested,
               "bootstrap: in each sample a second one chooses, and\n"
               "the rows out of bag only judge")
      ->group(group);
  app.add_option("--loss", options.loss,
                 "by which cv, kfold-nested, loo and bootstrap choose:\n"
                 "hard (default) or soft")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--final", options.final_classifier,
                 "of kfold-nested, loo and bootstrap: retrained on all\n"
                 "rows (default), or random: one of the resamples',\n"
                 "drawn for each row, which the bounds are about")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--scale-scope", options.scale_scope,
                 "fit the scaling in each fold (default) or once on\n"
                 "all rows (default of loo): fold, all")
      ->type_name("WORD")
      ->group(group);
}

void add_in_sample_options(CLI::App& app, SelectionOptions& options) {
  const std::string group = "In-sample (rademacher, maximal-discrepancy)";
  app.add_option("--hint", options.hint,
                 "share of the rows (above 0, below 1) that train a\n"
                 "first classifier around which the others search")
      ->type_name("SHARE")
      ->group(group);
  app.add_option("--trials", options.trials, "label vectors (default: 4000 / rows, at least 30)")
      ->type_name("INT")
      ->group(group);
  app.add_option("--term", options.term,
                 "of rademacher: exact (default), or trials, which\n"
                 "allows for the error of the mean over label vectors")
      ->type_name("WORD")
      ->group(group);
  app.add_flag("--all-rhos", options.all_rhos, "go on where no larger rho can win")->group(group);
  app.add_flag("--peel", options.peel, "minimise by giving up one row at a time")->group(group);
  app.add_flag("--enumerate", options.enumerate, "exact minima, for at most 14 rows")->group(group);
  app.add_flag("--no-bias", options.no_bias, "classifiers without a bias")->group(group);
}

void add_estimate_options(CLI::App& app, SelectionOptions& options) {
  const std::string group = "Estimate";
  app.add_option("--estimate", options.estimate,
                 "the honest error beside the selected score: bbc\n"
                 "(bootstrap correction, default), nested or none")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--delta", options.delta,
                 "bounds and intervals hold with probability 1 - delta\n"
                 "(default: 0.05)")
      ->type_name("NUMBER")
      ->group(group);
  app.add_flag("--union", options.united,
               "bounds hold for all cells (in-sample methods) or all\n"
               "resamples at once: delta is divided by their number")
      ->group(group);
}

/// The values of gamma, as such or by --sigma; relevance vector machines have the paper's where none are given, or one
/// where gamma changes nothing.
void set_widths(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  const std::string& sigma = options.rvm.sigma;
  check_sigma(sigma, options.gamma, result.kernel.shape(), problems);
  const bool of_paper = sigma.empty() && options.gamma.empty() && report::has_relevance_vectors(result) &&
                        result.kernel.type == kernel::KernelType::rbf;
  if (!options.gamma.empty()) {
    problems.gather([&] {
      result.grid.gamma = parse_option("--gamma", [&] { return selection::Grid::gamma_list(options.gamma); });
    });
  } else if (!sigma.empty() || of_paper) {
    problems.gather([&] {
      result.grid.gamma = parse_option("--sigma", [&] { return gammas_of_sigmas(of_paper ? paper_widths : sigma); });
    });
  } else if (report::is_free_of_gamma(result)) {
    result.grid.gamma = selection::Grid::gamma_list("scale");
  }
  const bool walks = asks_evidence(result.method) || result.method == "cv";
  if (walks && sigma.empty() && options.gamma.empty()) result.grid.further = further_widths;
}

void set_model(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  if (options.model.empty()) return;
  Learner model = result.resolved_learner();
  problems.set(model, "--model", options.model);
  if (result.task == data::Task::regression && model != Learner::rvm) {
    problems.add("--model: regressions are relevance vector machines; SVMs and nearest neighbours classify");
    model = Learner::rvm;
  }
  result.learner = model;
}

void set_grid(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  const auto given = [&](const std::string& text, const char* option, const auto& parse) {
    if (!text.empty()) problems.gather([&] { parse_option(option, [&] { parse(text); }); });
  };
  given(options.C, "--C", [&](const std::string& text) { result.grid.C = selection::parse_list(text); });
  given(options.nu, "--nu", [&](const std::string& text) { result.grid.nu = parse_nu(text); });
  given(options.rho, "--rho", [&](const std::string& text) { result.grid.rho = selection::parse_list(text); });
  given(options.k, "--k", [&](const std::string& text) { result.k = parse_whole_numbers(text); });
  set_widths(options, result, problems);
}

/// Options of one kind of model that were given to another.
void check_model(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  if (!options.C.empty() && !options.nu.empty()) problems.add("--C and --nu name the same axis; give one of them");
  const Learner model = result.resolved_learner();
  if (model == Learner::rvm && !options.nu.empty()) {
    problems.add("--nu is for SVMs; relevance vector machines have no such parameter");
    result.grid.nu.clear();
  }
  if (model != Learner::knn) {
    if (!options.k.empty()) problems.add("--k is for nearest neighbours (--model knn)");
    return;
  }
  for (const auto& [text, option] : {std::pair{&options.C, "--C"},
                                     {&options.nu, "--nu"},
                                     {&options.gamma, "--gamma"},
                                     {&options.rvm.sigma, "--sigma"},
                                     {&options.rho, "--rho"}}) {
    if (!text->empty()) problems.add(fmt::format("{} is for SVMs; nearest neighbours have --k", option));
  }
}

void set_method(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  result.folds = options.folds.value_or(result.folds);
  result.resamples = options.resamples.value_or(result.resamples);
  result.validation_rows = options.validation_rows;
  problems.set(result.bootstrap, "--bootstrap", options.bootstrap_error);
  problems.set(result.nonconformity.tie, "--tie", options.tie);
  problems.set(result.nonconformity.p_value, "--p-value", options.p_value);
  problems.set(result.margin, "--margin", options.margin);
  problems.set(result.refit, "--refit", options.refit);
  problems.set(result.estimate, "--estimate", options.estimate);
  if (options.delta) {
    if (!(*options.delta > 0 && *options.delta < 1))
      problems.add(fmt::format("--delta: {} is not between 0 and 1", *options.delta));
    else
      result.delta = result.nonconformity.delta = result.bbc.delta = *options.delta;
  }
  if (!options.scale_scope.empty()) {
    ScaleScope scope = ScaleScope::fold;
    problems.set(scope, "--scale-scope", options.scale_scope);
    result.scale_scope = scope;
  }
}

void set_error_estimation(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  problems.set(result.loss, "--loss", options.loss);
  problems.set(result.final_classifier, "--final", options.final_classifier);
  result.nested_bootstrap = options.nested;
  result.union_bound = options.united;
}

void set_in_sample(const SelectionOptions& options, selection::InSampleOptions& result, Problems& problems) {
  problems.set(result.term, "--term", options.term);
  result.all_rhos = options.all_rhos;
  result.ivanov.peel = options.peel;
  if (options.enumerate) result.exact = true;
  result.ivanov.bias = !options.no_bias;
  if (options.hint && !(*options.hint > 0 && *options.hint < 1))
    problems.add(fmt::format("--hint: {} is not between 0 and 1", *options.hint));
  else
    result.hint = options.hint;
  if (options.trials && static_cast<long long>(*options.trials) < 1)
    problems.add(fmt::format("--trials: {} is not at least 1", static_cast<long long>(*options.trials)));
  else
    result.trials = options.trials;
}

void set_relevance(const RvmOptions& options, selection::Options& result, Problems& problems) {
  set_rvm(options, result.task, result.rvm, result.validity, result.centres, problems);
  if (options.null_margin && options.no_guard) problems.add("--null-margin and --no-guard exclude each other");
  if (options.null_margin && !std::isfinite(*options.null_margin))
    problems.add(fmt::format("--null-margin: {} is not a number", *options.null_margin));
  else if (options.null_margin)
    result.null_margin = options.null_margin;
  if (options.no_guard) result.null_margin.reset();
}

/// What the method would refuse, although it is said to have no effect.
void leave_out_unused(selection::Options& result) {
  if (is_in_sample(result.method)) result.grid.nu.clear();
  if (result.method != "rademacher") result.in_sample.term = selection::ComplexityTerm::exact;
}

void set_training(const TrainingOptions& options, selection::Options& result, Problems& problems) {
  problems.gather([&] { result.kernel = kernel_of(options).with(); });
  if (!options.scale.empty() || result.kernel.type == kernel::KernelType::precomputed)
    problems.gather([&] { result.scaling = scaling_of(options, result.kernel.shape()); });
  problems.gather([&] { result.class_weights = class_weights_of(options); });
  problems.gather([&] { result.solver = solver_of(options); });
  // The in-sample methods have a finer default of their own, as they follow the norm of w.
  if (options.tolerance != TrainingOptions().tolerance || options.max_steps != 0)
    result.in_sample.ivanov.solver = result.solver;
  result.seed = options.seed;
}

}  // namespace

void add_selection_options(CLI::App& app, SelectionOptions& options) {
  add_grid_options(app, options);
  add_method_options(app, options);
  add_in_sample_options(app, options);
  add_rvm_options(app, options.rvm, RvmPart::selection);
  add_estimate_options(app, options);
}

selection::Options selection_options(const std::string& method, const SelectionOptions& options,
                                     const TrainingOptions& training, data::Task task) {
  selection::Options result;
  result.method = method;
  result.task = task;
  Problems problems;
  set_training(training, result, problems);
  set_model(options, result, problems);
  set_grid(options, result, problems);
  check_model(options, result, problems);
  set_method(options, result, problems);
  set_error_estimation(options, result, problems);
  set_in_sample(options, result.in_sample, problems);
  set_relevance(options.rvm, result, problems);
  leave_out_unused(result);
  problems.throw_with(result.validate());
  return result;
}

bool is_in_sample(const std::string& method) {
  return method == "rademacher" || method == "maximal-discrepancy";
}

bool asks_evidence(const std::string& method) {
  return method == "kernel-validity" || method == "evidence";
}

bool shows_sigma(const selection::Options& settings, const SelectionOptions& options) {
  const bool rbf = settings.kernel.type == kernel::KernelType::rbf;
  return rbf && (!options.rvm.sigma.empty() || report::has_relevance_vectors(settings));
}

std::vector<std::string> unused_options(const selection::Options& settings, const SelectionOptions& options) {
  const std::string& method = settings.method;
  std::vector<std::string> unused;
  const auto look = [&](const char* option, bool given, bool used) {
    if (given && !used) unused.emplace_back(option);
  };
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), method) != names.end();
  };
  const bool in_sample = is_in_sample(method);
  const bool estimation = is_one_of({"kfold-nested", "loo", "bootstrap"});
  const bool nonconformity = method == "nonconformity";
  const bool evidence = asks_evidence(method);
  const bool svm = settings.resolved_learner() == Learner::svm;
  const bool classes = settings.task == data::Task::classification;
  look("--C", !options.C.empty(), svm && !in_sample);
  look("--nu", !options.nu.empty(), svm && !in_sample);
  look("--rho", !options.rho.empty(), in_sample);
  look("--folds", options.folds.has_value(),
       is_one_of({"cv", "kfold-nested"}) || (evidence && svm) || settings.cross_fit);
  look("--resamples", options.resamples.has_value(), method == "bootstrap");
  look("--bootstrap", !options.bootstrap_error.empty(), method == "bootstrap");
  look("--nested", options.nested, method == "bootstrap");
  look("--validation", options.validation_rows.has_value(),
       is_one_of({"nonconformity", "max-margin", "holdout", "holdout-vote"}));
  look("--scale-scope", !options.scale_scope.empty(), estimation || method == "cv");
  look("--tie", !options.tie.empty(), nonconformity);
  look("--p-value", !options.p_value.empty(), nonconformity);
  look("--margin", !options.margin.empty(), method == "max-margin");
  look("--refit", !options.refit.empty(), method == "holdout");
  look("--loss", !options.loss.empty(), classes && (estimation || method == "cv"));
  look("--final", !options.final_classifier.empty(), estimation);
  look("--hint", options.hint.has_value(), in_sample);
  look("--trials", options.trials.has_value(), in_sample);
  look("--term", !options.term.empty(), method == "rademacher");
  look("--all-rhos", options.all_rhos, in_sample);
  look("--peel", options.peel, in_sample);
  look("--enumerate", options.enumerate, in_sample);
  look("--no-bias", options.no_bias, in_sample);
  look("--union", options.united, in_sample || estimation);
  look("--tolerance", settings.solver.tolerance != TrainingOptions{}.tolerance, svm);
  look("--max-steps", settings.solver.max_steps != TrainingOptions{}.max_steps, svm);
  for (const std::string& option : given_rvm_options(options.rvm)) {
    const bool of_fit = option == "--algorithm" || option == "--starts" || option == "--centres" || option == "--noise";
    look(option.c_str(), true, method == "kernel-validity" || (of_fit && report::has_relevance_vectors(settings)));
  }
  return unused;
}

std::vector<int> parse_whole_numbers(const std::string& text) {
  std::vector<int> numbers;
  for (const double value : selection::parse_list(text)) {
    if (!(value >= 1 && value <= 1e6) || value != std::floor(value))
      throw Error(ErrorCode::invalid_argument, fmt::format("{} is not a whole number from 1 to 10^6", value));
    numbers.push_back(static_cast<int>(value));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<double> parse_nu(const std::string& text) {
  std::vector<double> values = selection::parse_list(text);
  std::sort(values.begin(), values.end(), std::greater<>{});
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace credence::cli
