#include "selection_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>

namespace credence::cli {
namespace {

using selection::BootstrapError;
using selection::Estimate;
using selection::Learner;
using selection::Margin;
using selection::PValue;
using selection::Refit;
using selection::ScaleScope;
using selection::Tie;

constexpr Choice<Tie> ties[] = {
    {"validation_error", Tie::validation_error}, {"random", Tie::random}, {"vote", Tie::vote}};
constexpr Choice<PValue> p_values[] = {{"paper", PValue::paper}, {"conformal", PValue::conformal}};
constexpr Choice<Margin> margins[] = {{"functional", Margin::functional}, {"geometric", Margin::geometric}};
constexpr Choice<BootstrapError> bootstrap_errors[] = {
    {"oob", BootstrapError::out_of_bag}, {"632", BootstrapError::e632}, {"632+", BootstrapError::e632_plus}};
constexpr Choice<Refit> refits[] = {{"all", Refit::all_rows}, {"training", Refit::training_rows}};
constexpr Choice<Estimate> estimates[] = {
    {"bbc", Estimate::bbc}, {"nested", Estimate::nested}, {"none", Estimate::none}};
constexpr Choice<Learner> learners[] = {{"svm", Learner::svm}, {"knn", Learner::knn}};
constexpr Choice<ScaleScope> scopes[] = {{"fold", ScaleScope::fold}, {"all", ScaleScope::all}};

template <class Value, std::size_t N>
const char* word_of(Value value, const Choice<Value> (&choices)[N]) {
  return std::find_if(std::begin(choices), std::end(choices), [&](const auto& choice) { return choice.value == value; })
      ->word;
}

void add_grid_options(CLI::App& app, SelectionOptions& options) {
  const std::string group = "Grid";
  app.add_option("--C", options.C,
                 "costs: 2^-5:2^15:x4 (default), 0.1:1:+0.1, 1,10,100\n"
                 "or one value")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--nu", options.nu, "nu-SVCs with these nu (> 0, at most 1) instead of C")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--gamma", options.gamma,
                 "kernel widths: 2^-15:2^3:x4 (default), or words\n"
                 "scale = 1/(d var), auto = 1/d, median (distance)")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--learner", options.learner,
                 "svm (default), or knn: nearest neighbours, for\n"
                 "methods that hold rows out")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--k", options.k, "numbers of neighbours (default: 1:15:+2)")->type_name("LIST")->group(group);
}

void add_method_options(CLI::App& app, SelectionOptions& options) {
  const std::string group = "Method";
  app.add_option("--folds", options.folds, "of cv (default: 10, stratified)")->type_name("INT")->group(group);
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
  app.add_option("--scale-scope", options.scale_scope,
                 "fit the scaling in each fold (default) or once on\n"
                 "all rows (default of loo): fold, all")
      ->type_name("WORD")
      ->group(group);
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
}

/// What is wrong with several options, to be said at once.
class Problems {
 public:
  void gather(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      sentences_.push_back(error.sentence());
    }
  }
  /// Sets the target if the option was given.
  template <class Value, std::size_t N>
  void set(Value& target, const char* option, const std::string& text, const Choice<Value> (&choices)[N]) {
    if (!text.empty()) gather([&] { target = choose<Value>(option, text, choices); });
  }
  void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }
  void throw_with(const std::vector<std::string>& more) {
    sentences_.insert(sentences_.end(), more.begin(), more.end());
    throw_if_any(sentences_);
  }

 private:
  std::vector<std::string> sentences_;
};

void set_grid(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  const auto given = [&](const std::string& text, const char* option, const auto& parse) {
    if (!text.empty()) problems.gather([&] { parse_option(option, [&] { parse(text); }); });
  };
  problems.set(result.learner, "--learner", options.learner, learners);
  given(options.C, "--C", [&](const std::string& text) { result.grid.C = selection::parse_list(text); });
  given(options.nu, "--nu", [&](const std::string& text) { result.grid.nu = parse_nu(text); });
  given(options.gamma, "--gamma",
        [&](const std::string& text) { result.grid.gamma = selection::Grid::gamma_list(text); });
  given(options.k, "--k", [&](const std::string& text) { result.k = parse_whole_numbers(text); });

  if (!options.C.empty() && !options.nu.empty()) problems.add("--C and --nu name the same axis; give one of them");
  const bool neighbours = result.learner == Learner::knn;
  if (!options.k.empty() && !neighbours) problems.add("--k is for nearest neighbours (--learner knn)");
  for (const auto& [text, option] :
       {std::pair{&options.C, "--C"}, {&options.nu, "--nu"}, {&options.gamma, "--gamma"}}) {
    if (neighbours && !text->empty()) problems.add(fmt::format("{} is for SVMs; nearest neighbours have --k", option));
  }
}

void set_method(const SelectionOptions& options, selection::Options& result, Problems& problems) {
  result.folds = options.folds.value_or(result.folds);
  result.resamples = options.resamples.value_or(result.resamples);
  result.validation_rows = options.validation_rows;
  problems.set(result.bootstrap, "--bootstrap", options.bootstrap_error, bootstrap_errors);
  problems.set(result.nonconformity.tie, "--tie", options.tie, ties);
  problems.set(result.nonconformity.p_value, "--p-value", options.p_value, p_values);
  problems.set(result.margin, "--margin", options.margin, margins);
  problems.set(result.refit, "--refit", options.refit, refits);
  problems.set(result.estimate, "--estimate", options.estimate, estimates);
  if (options.delta) {
    if (!(*options.delta > 0 && *options.delta < 1)) {
      problems.add(fmt::format("--delta: {} is not between 0 and 1", *options.delta));
    } else {
      result.nonconformity.delta = result.bbc.delta = *options.delta;
    }
  }
  if (!options.scale_scope.empty()) {
    ScaleScope scope = ScaleScope::fold;
    problems.set(scope, "--scale-scope", options.scale_scope, scopes);
    result.scale_scope = scope;
  }
}

void set_training(const TrainingOptions& options, selection::Options& result, Problems& problems) {
  problems.gather([&] { result.kernel = kernel_of(options); });
  problems.gather([&] { result.scaling = scaling_of(options, result.kernel); });
  problems.gather([&] { result.class_weights = class_weights_of(options); });
  problems.gather([&] { result.solver = solver_of(options); });
  result.seed = options.seed;
}

}  // namespace

void add_selection_options(CLI::App& app, SelectionOptions& options) {
  add_grid_options(app, options);
  add_method_options(app, options);
  add_estimate_options(app, options);
}

selection::Options selection_options(const std::string& method, const SelectionOptions& options,
                                     const TrainingOptions& training) {
  selection::Options result;
  result.method = method;
  Problems problems;
  set_grid(options, result, problems);
  set_method(options, result, problems);
  set_training(training, result, problems);
  problems.throw_with(result.validate());
  return result;
}

std::vector<std::string> unused_options(const std::string& method, const SelectionOptions& options) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), method) != names.end();
  };
  std::vector<std::string> unused;
  const auto look = [&](const char* option, bool given, bool used) {
    if (given && !used) unused.emplace_back(option);
  };
  const bool nonconformity = method == "nonconformity";
  look("--folds", options.folds.has_value(), method == "cv");
  look("--resamples", options.resamples.has_value(), method == "bootstrap");
  look("--bootstrap", !options.bootstrap_error.empty(), method == "bootstrap");
  look("--validation", options.validation_rows.has_value(),
       is_one_of({"nonconformity", "max-margin", "holdout", "holdout-vote"}));
  look("--scale-scope", !options.scale_scope.empty(), is_one_of({"cv", "loo", "bootstrap"}));
  look("--tie", !options.tie.empty(), nonconformity);
  look("--p-value", !options.p_value.empty(), nonconformity);
  look("--margin", !options.margin.empty(), method == "max-margin");
  look("--refit", !options.refit.empty(), method == "holdout");
  return unused;
}

std::vector<int> parse_whole_numbers(const std::string& text) {
  std::vector<int> numbers;
  for (const double value : selection::parse_list(text)) {
    if (!(value >= 1 && value <= 1e6) || value != std::floor(value)) {
      throw Error(ErrorCode::invalid_argument, fmt::format("{} is not a whole number from 1 to 10^6", value));
    }
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

const char* word(Tie tie) {
  return word_of(tie, ties);
}
const char* word(PValue p_value) {
  return word_of(p_value, p_values);
}
const char* word(Margin margin) {
  return word_of(margin, margins);
}
const char* word(BootstrapError error) {
  return word_of(error, bootstrap_errors);
}
const char* word(Refit refit) {
  return word_of(refit, refits);
}
const char* word(Estimate estimate) {
  return word_of(estimate, estimates);
}
const char* word(Learner learner) {
  return word_of(learner, learners);
}
const char* word(ScaleScope scope) {
  return word_of(scope, scopes);
}

}  // namespace credence::cli
