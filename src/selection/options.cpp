#include "credence/selection/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "selection/asked.hpp"

namespace credence::selection {
namespace {

/// "cv, bootstrap or evidence". @param word  before the last of them
std::string enumerated(std::vector<std::string> names, const char* word) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} {} {}", fmt::join(names, ", "), word, last);
}

/// Calls visit(method with its defaults) for each method.
void for_each_method(const auto& visit) {
  const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::variant_alternative_t<I, Method>{}), ...);
  };
  each(std::make_index_sequence<std::variant_size_v<Method>>{});
}

const MethodTraits& traits_of(const Method& method) {
  return std::visit([](const auto& one) -> const MethodTraits& { return one.traits; }, method);
}

/// The methods that have the trait.
std::string methods_with(bool MethodTraits::*trait) {
  std::vector<std::string> names;
  for_each_method([&](const auto& method) {
    if (method.traits.*trait) names.emplace_back(method.name);
  });
  return enumerated(std::move(names), "or");
}

/// @param what  models of a kind that the method does not choose from
std::string chosen_elsewhere(const Options& options, const char* what, bool MethodTraits::*trait) {
  return fmt::format("{} are chosen by {}, not by {}", what, methods_with(trait), options.name());
}

std::vector<std::string> problems_of_method(const Options& options) {
  return asked(
      options.method, std::vector<std::string>{},
      [&](const auto& own)
        requires requires { own.problems(options); }
      { return own.problems(options); });
}

/// Empty if the method chooses from models of that kind.
std::string problem_of_kind(const Options& options, Learner kind) {
  if (chooses_from(options.method, kind)) return {};
  return kind == Learner::knn ? chosen_elsewhere(options, "nearest neighbours", &MethodTraits::neighbours)
                              : chosen_elsewhere(options, "relevance vector machines", &MethodTraits::relevance);
}

std::vector<std::string> problems_of_regression(const Options& options) {
  std::vector<std::string> problems;
  if (options.task != data::Task::regression) {
    if (options.has_rvms() && options.rvms.fit.noise_variance)
      problems.emplace_back("the noise is one of regressions, and the task is a classification");
    return problems;
  }
  if (!options.traits().regression)
    problems.push_back(chosen_elsewhere(options, "regressions", &MethodTraits::regression));
  if (options.learner() != Learner::rvm)
    problems.emplace_back("regressions are relevance vector machines; SVMs and nearest neighbours classify");
  if (options.estimate == Estimate::nested)
    problems.emplace_back("nested cross-validation counts misclassified rows, which a regression has none of");
  if (options.loss == Loss::soft)
    problems.emplace_back("the soft loss is one of classifiers; regressions are judged by squared errors");
  return problems;
}

std::vector<std::string> problems_of_in_sample(const Options& options) {
  const InSampleOptions& own = options.in_sample;
  std::vector<std::string> problems = own.validate();
  if (own.hint && options.kernels.shape().type == kernel::KernelType::precomputed)
    problems.push_back(fmt::format(
        "{} cannot train a linear hint on a precomputed kernel, which has no features; give the hint as a column",
        options.name()));
  if (own.hint && own.term == ComplexityTerm::trials && !own.ivanov.bias)
    problems.push_back(fmt::format(
        "{} has no confidence term of the trials around a hint without a bias, where their values leave [0, 1]",
        options.name()));
  return problems;
}

std::vector<std::string> problems_of_score(const Options& options) {
  const Score score = options.score;
  if (score != Score::cost && !options.label_costs.empty())
    return {fmt::format("cost: costs of labels make the score cost, and the score is {}", core::word(score))};
  if (score == Score::accuracy) return {};
  if (options.task == data::Task::regression)
    return {fmt::format("the {} is a score of classifiers; regressions are judged by squared errors", title(score))};
  if (options.loss == Loss::soft)
    return {fmt::format("a setting is chosen by the {} or by the soft loss, not by both", title(score))};
  if (score == Score::cost && options.label_costs.empty())
    return {"the score cost needs the costs of labels; give cost as sick:well=50,well:sick=1 (truth:label)"};
  if (score == Score::log_loss && options.learner() == Learner::knn)
    return {"the log loss is one of probabilities, which nearest neighbours do not give"};
  return {};
}

std::vector<std::string> problems_of_lists(const Options& options) {
  const bool many = options.kernels.types.size() > 1 || options.preparation.scalings.size() > 1;
  if (!many || (options.traits().many_kernels && options.learner() == Learner::svm)) return {};
  return {fmt::format(
      "several kernels or scalings are lists to choose SVMs from, and {} do that; {} with {} models takes one of each",
      methods_with(&MethodTraits::many_kernels), options.name(), core::word(options.learner()))};
}

std::vector<std::string> problems_of_rule(const Options& options) {
  if (options.rule != Rule::average) return {};
  std::vector<std::string> problems;
  if (options.learner() != Learner::svm)
    problems.emplace_back("rule: the average is one of SVMs; other models are chosen one by one");
  if (options.final_classifier == FinalClassifier::random)
    problems.emplace_back("rule: the average is trained on all rows; --final random draws classifiers of resamples");
  return problems;
}

std::vector<std::string> problems_of_p_values(const Options& options) {
  if (options.p_values == model::PValues::cross) return {};
  if (!options.traits().calibrates)
    return {fmt::format("p_values: {} keeps no scores of rows left out; {} do", options.name(),
                        methods_with(&MethodTraits::calibrates))};
  std::vector<std::string> problems;
  if (options.final_classifier == FinalClassifier::random)
    problems.emplace_back("p_values: classifiers that are drawn at random have no p-values; take --final retrained");
  if (options.p_values == model::PValues::nested && !options.traits().nests)
    problems.push_back(
        fmt::format("p_values: each fold needs the setting that was chosen without it, which {} does not choose; take "
                    "--method {}, which costs about five times as much as cv, or --p-values split",
                    options.name(), methods_with(&MethodTraits::nests)));
  if (options.p_values == model::PValues::split && options.estimate.value_or(Estimate::holdout) != Estimate::holdout)
    problems.emplace_back(
        "p_values: rows that split sets aside also give the estimate (holdout); leave out --estimate");
  return problems;
}

/// Values in the order in which the grid wants them, each once.
template <class T, class Order>
void sort_axis(std::vector<T>& values, Order order) {
  std::ranges::sort(values, order);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// The default widths, and how far the search may go beyond them.
void resolve_widths(Options& options) {
  KernelGrid& kernels = options.kernels;
  if (options.learner() == Learner::knn) return;
  const bool by_default = kernels.gamma.empty();
  const bool rbf = kernels.shape().type == kernel::KernelType::rbf;
  if (options.has_rvms()) {
    if (rbf) kernels.by_sigma = true;
    const bool goes_on = options.traits().evidence || options.traits().goes_on;
    options.rvms.further = options.rvms.further.value_or(by_default && goes_on ? 6 : 0);
  }
  if (!by_default || options.has_default_grid()) return;
  if (options.has_rvms() && rbf)
    kernels.gamma = KernelGrid::of_sigmas(KernelGrid::paper_sigmas);
  else if (options.is_free_of_gamma())
    kernels.gamma = kernel::parse_gammas("scale");
  else
    kernels.gamma = KernelGrid::default_gammas();
}

/// Each value once, in the order in which it came first.
template <class T>
void drop_repeated(std::vector<T>& values) {
  for (std::size_t k = values.size(); k-- > 0;)
    if (std::ranges::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values[k]) !=
        values.begin() + static_cast<std::ptrdiff_t>(k))
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(k));
}

/// Gammas in units of the median distance, which fit tables of 3 columns and of 3,000; larger costs only cost time.
/// Source: docs/average.md.
constexpr const char* gammas_of_medians = "median*2^-5,median*2^-3,median*2^-1.5,median,median*2^1.5,median*2^3";
constexpr const char* costs_of_medians = "2^-5,2^-2,1,4,32,512";

bool knows_distance(kernel::KernelType type) {
  return kernel::falls_with_distance(type) || !kernel::Shape{type}.uses_gamma();
}

/// One partition into regions has one kernel and one scaling.
bool takes_many(const Method& method) {
  return asked(
      method, true,
      [](const auto& own)
        requires requires { own.averages(); }
      { return own.averages(); });
}

/// Fills what was not given: several kernels and scalings whose best settings are averaged, or LIBSVM's grid.
void fill_grid(bool many, bool wide, Options& options) {
  KernelGrid& kernels = options.kernels;
  std::vector<data::Scaling>& scalings = options.preparation.scalings;
  const bool precomputed = kernels.shape().type == kernel::KernelType::precomputed;
  const bool averages = many && options.traits().trains_setting;  // regions average partitions instead
  Options::ByDefault& filled = options.by_default;                // also by an earlier call
  filled = {filled.kernels || kernels.types.empty(), filled.scalings || scalings.empty(),
            filled.average || (averages && !options.rule)};
  if (kernels.types.empty() && many && kernels.gamma.empty())
    kernels.types =
        wide ? std::vector{kernel::KernelType::rbf, kernel::KernelType::laplacian, kernel::KernelType::linear}
             : std::vector{kernel::KernelType::rbf, kernel::KernelType::laplacian};
  else if (kernels.types.empty())
    kernels.types = {kernel::KernelType::rbf};
  if (scalings.empty() && many)
    scalings = {data::Scaling::standard, data::Scaling::quantile};
  else if (scalings.empty())
    scalings = {precomputed ? data::Scaling::none : data::Scaling::standard};
  const bool by_median = many && std::ranges::all_of(kernels.types, knows_distance);
  if (kernels.gamma.empty())
    kernels.gamma = by_median ? kernel::parse_gammas(gammas_of_medians) : KernelGrid::default_gammas();
  if (options.costs.C.empty()) options.costs.C = many ? core::parse_list(costs_of_medians) : SvmCosts::default_costs();
  options.rule = options.rule.value_or(averages ? Rule::average : Rule::best);
}

/// Rows that are held out once must not have had a say in the models that they judge; other methods have the choice.
bool fits_by_resample(const Options& options) {
  return options.traits().folds || options.looks_at("final");
}

}  // namespace

bool chooses_from(const Method& method, Learner learner) {
  const MethodTraits& traits = traits_of(method);
  return learner == Learner::svm || (learner == Learner::knn ? traits.neighbours : traits.relevance);
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for_each_method([&](const auto& method) { names.emplace_back(method.name); });
  return names;
}

Method method_named(std::string_view name) {
  std::optional<Method> found;
  for_each_method([&](const auto& method) {
    if (name == method.name) found = method;
  });
  if (!found) {
    refuse(fmt::format("unknown method '{}'; allowed are {}{}", name, fmt::join(methods(), ", "),
                       core::did_you_mean(name, methods())));
  }
  return *found;
}

std::string sentence_of_method(std::string_view name) {
  return std::visit([](const auto& method) -> std::string { return method.sentence; }, method_named(name));
}

std::string in_regions(const std::string& name) {
  const char* const found = traits_of(method_named(name)).in_regions;
  return found != nullptr ? found : name;
}

namespace {

std::vector<core::Field> shared_fields(Options& options) {
  std::vector<core::Field> fields;
  Options::describe_shared(core::Binder(options, fields));
  return fields;
}

/// Fields that not all methods, or kinds of models, look at.
std::vector<core::Field> fields_of_some(Options& options) {
  std::vector<core::Field> fields = shared_fields(options);
  core::append(fields, core::fields_of(options.in_sample));
  Options::describe_candidates(core::Binder(options, fields));
  return fields;
}

std::vector<core::Field> own_fields(Method& method) {
  return std::visit(
      []<class Own>(Own& own) {
        if constexpr (std::is_empty_v<Own>)
          return std::vector<core::Field>{};
        else
          return core::fields_of(own);
      },
      method);
}

bool looks_at_cost(const Options& options, std::string_view name) {
  const bool norms = options.traits().norms;
  if (name == "rho") return norms;
  if (name == "C" || name == "nu" || name == "class_weight") return !norms;
  // Of methods that train each model once, all settings are solved.
  return name != "give_up" || fits_by_resample(options) || options.traits().evidence;
}

}  // namespace

std::vector<core::Field> method_fields(Options& options) {
  std::vector<core::Field> fields;
  if (options.traits().norms) fields = core::fields_of(options.in_sample);
  std::erase_if(fields, [&](const core::Field& field) { return field.name == "term" && !options.looks_at("term"); });
  for (const core::Field& field : shared_fields(options)) {
    if (field.name == "loss") core::append(fields, own_fields(options.method));  // before them is only what is held out
    if (options.looks_at(field.spelling_of.empty() ? field.name : field.spelling_of)) fields.push_back(field);
  }
  return fields;
}

std::vector<core::Field> candidate_fields(Options& options) {
  if (options.learner() == Learner::knn) return {fields_of_some(options).back()};
  std::vector<core::Field> fields = core::fields_of(options.kernels);
  if (options.has_rvms()) core::append(fields, core::fields_of(options.rvms));
  if (options.learner() == Learner::svm)
    for (core::Field& field : core::fields_of(options.costs))
      if (looks_at_cost(options, field.name)) fields.push_back(std::move(field));
  return fields;
}

std::vector<core::Field> fields_of(Options& options) {
  std::vector<core::Field> fields = method_fields(options);
  core::append(fields, candidate_fields(options));
  core::append(fields, core::fields_of(options));
  return fields;
}

namespace {

/// The fields that the options do not look at, with their defaults.
std::vector<std::pair<core::Field, core::Value>> unused_fields(Options& options) {
  Options plain;
  const std::vector<core::Field> used = fields_of(options);
  const std::vector<core::Field> usual = fields_of_some(plain);
  std::vector<std::pair<core::Field, core::Value>> unused;
  for (const core::Field& field : fields_of_some(options))
    if (field.get && core::find_field(used, field.name) == nullptr)
      unused.emplace_back(field, core::find_field(usual, field.name)->get());
  return unused;
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

/// Who looks at a field: the methods if they are few, else the kinds of models.
/// @param unless  the methods are named too if models of this kind are among them
std::string owners_of(std::string_view name, std::optional<Learner> unless) {
  constexpr std::size_t few = 3;
  std::vector<std::string> owners;  // methods with that field, or whose candidates have it
  std::vector<std::string> models;
  for (const std::string& method_name : methods()) {
    Options options;
    options.method = method_named(method_name);
    if (core::find_field(method_fields(options), name) != nullptr) add_once(owners, method_name);
    for (const Learner learner : {Learner::svm, Learner::knn, Learner::rvm}) {
      if (!chooses_from(options.method, learner)) continue;
      options.model = learner;
      if (core::find_field(candidate_fields(options), name) == nullptr) continue;
      add_once(owners, method_name);
      add_once(models, core::word(learner));
    }
  }
  const bool among = unless && std::ranges::find(models, core::word(*unless)) != models.end();
  return models.empty() || owners.size() <= few || among ? enumerated(owners, "and")
                                                         : enumerated(models, "and") + " models";
}

}  // namespace

std::string owners_of_field(std::string_view name) {
  return owners_of(name, std::nullopt);
}

namespace {

/// "cv with svm models does not look at it; rvm models do"
std::string not_looked_at(const Options& options, std::string_view name) {
  const std::string owners = owners_of(name, options.learner());
  if (owners.empty()) return fmt::format("there is no option '{}'", name);
  const bool one = owners.find(" and ") == std::string::npos && !owners.ends_with(" models");
  return fmt::format("{} with {} models does not use it; {} {}", options.name(), core::word(options.learner()), owners,
                     one ? "does" : "do");
}

}  // namespace

const core::Field& field_named(const Options& options, const std::vector<core::Field>& fields, std::string_view name) {
  if (const core::Field* field = core::find_field(fields, name)) return *field;
  refuse(not_looked_at(options, name));
}

namespace {

std::vector<std::string> problems_of_kind(Options& options) {
  if (const std::string problem = problem_of_kind(options, options.learner()); !problem.empty()) return {problem};
  std::vector<std::string> problems;
  for (const auto& [field, usual] : unused_fields(options))
    if (!(field.get() == usual))
      problems.push_back(fmt::format("{}: {}", field.name, not_looked_at(options, field.name)));
  return problems;
}

}  // namespace

Options Options::resolved() const {
  Options result = *this;
  result.model = learner();
  sort_axis(result.k, std::less<>{});
  sort_axis(result.costs.nu, std::greater<>{});
  drop_repeated(result.kernels.types);
  drop_repeated(result.preparation.scalings);
  resolve_widths(result);
  if (!has_default_grid()) {
    if (learner() != Learner::knn && kernels.types.empty()) result.kernels.types = {kernel::KernelType::rbf};
    // Standardised kernel values would no longer be a kernel.
    if (preparation.scalings.empty())
      result.preparation.scalings = {kernels.shape().type == kernel::KernelType::precomputed ? data::Scaling::none
                                     : has_rvms()                                            ? data::Scaling::minmax
                                                                                             : data::Scaling::standard};
    if (has_costs() && costs.C.empty()) result.costs.C = SvmCosts::default_costs();
    if (looks_at("rule")) result.rule = rule.value_or(Rule::best);
  }
  const ScaleScope usual = traits().scales_once ? ScaleScope::all : ScaleScope::fold;
  result.preparation.scope = fits_by_resample(*this) ? preparation.scope.value_or(usual) : ScaleScope::fold;
  if (p_values == model::PValues::split) result.estimate = estimate.value_or(Estimate::holdout);
  return result;
}

Options Options::resolved_for(const data::Dataset& rows) const {
  Options all = resolved();
  const bool dense = !rows.features.is_sparse();
  if (all.has_default_grid()) {
    const auto has_width = [](kernel::KernelType type) { return kernel::Shape{type}.uses_gamma(); };
    const bool no_widths = !all.kernels.types.empty() && std::ranges::none_of(all.kernels.types, has_width);
    const bool one_setting = (no_widths || all.kernels.gamma.size() == 1) && all.costs.axis().size() == 1;
    const bool precomputed = all.kernels.shape().type == kernel::KernelType::precomputed;
    const bool wide = rows.features.columns() > rows.rows();  // where straight boundaries often suffice
    fill_grid(dense && !precomputed && !one_setting && takes_many(all.method), wide, all);
  }
  std::vector<data::Scaling>& scalings = all.preparation.scalings;
  const auto has = [&](data::Scaling one) { return std::ranges::find(scalings, one) != scalings.end(); };
  const bool both = has(data::Scaling::standard) && has(data::Scaling::quantile);
  if (both && dense && !data::quantiles_differ(rows)) std::erase(scalings, data::Scaling::quantile);
  return all;
}

void Options::choose_one_svm() {
  if (has_default_grid()) fill_grid(false, false, *this);
}

bool Options::has_default_grid() const {
  return traits().default_many && learner() == Learner::svm && task == data::Task::classification;
}

std::vector<std::string> Options::validate() const {
  Options all = resolved();
  std::vector<std::string> problems = kernels.validate();
  core::append(problems, all.rvms.validate());
  core::append(problems, all.costs.validate());
  if (all.k.empty() || all.k.front() < 1) problems.emplace_back("the numbers of neighbours must be at least 1");
  core::append(problems, core::problems_of(method_fields(all)));
  core::append(problems, core::problems_of(core::fields_of(all)));
  core::append(problems, problems_of_kind(all));
  if (problems.empty()) {
    core::append(problems, problems_of_method(all));
    core::append(problems, problems_of_in_sample(all));
    core::append(problems, problems_of_regression(all));
    core::append(problems, problems_of_score(all));
    core::append(problems, problems_of_lists(all));
    core::append(problems, problems_of_rule(all));
    core::append(problems, problems_of_p_values(all));
  }
  if (preparation.scope == ScaleScope::all && !fits_by_resample(*this)) {
    problems.push_back(
        fmt::format("scale_scope: {} fits the scaling on its training rows; cv, kfold-nested, loo and "
                    "bootstrap have the choice",
                    name()));
  }
  const bool precomputed = kernels.shape().type == kernel::KernelType::precomputed;
  if (precomputed &&
      std::ranges::any_of(preparation.scalings, [](data::Scaling one) { return one != data::Scaling::none; }))
    problems.emplace_back("scale: a precomputed kernel is not scaled; leave scale out");
  if (precomputed && copies == data::Copies::drop)
    problems.emplace_back("copies: rows are dropped, which a precomputed kernel cannot follow");
  if (precomputed && (estimate == Estimate::nested || estimate == Estimate::holdout)) {
    problems.push_back(fmt::format("{} runs selections on parts of the rows, and takes no precomputed kernel",
                                   estimate == Estimate::nested ? "nested cross-validation" : "the hold-out estimate"));
  }
  return problems;
}

void add_to(core::Fingerprint& sum, const Options& options) {
  Options resolved = options.resolved();
  sum.add(resolved.name());
  sum.add(core::word(resolved.learner()));
  sum.add(fields_of(resolved));
}

std::string_view Options::name() const {
  return std::visit([](const auto& one) -> std::string_view { return one.name; }, method);
}

const MethodTraits& Options::traits() const {
  return traits_of(method);
}

bool Options::trains_best_setting() const {
  if (learner() == Learner::knn || final_classifier == FinalClassifier::random) return false;
  return traits().trains_setting && refit == Refit::all_rows;
}

bool Options::looks_at(std::string_view name) const {
  return traits().looks_at.find(name) != std::string_view::npos;
}

std::size_t Options::resample_count(std::size_t n) const {
  return asked(
      method, std::size_t{looks_at("validation") ? 1U : 0U},
      [n](const auto& own)
        requires requires { own.resample_count(n); }
      { return own.resample_count(n); });
}

std::string Options::words(std::size_t n) const {
  return asked(
      method, std::string(),
      [n](const auto& own)
        requires requires { own.words(n); }
      { return own.words(n); });
}

Learner Options::learner() const {
  return model.value_or(traits().evidence || task == data::Task::regression ? Learner::rvm : Learner::svm);
}

bool Options::has_costs() const {
  return learner() == Learner::svm && !traits().norms;
}

bool Options::has_rvms() const {
  return learner() == Learner::rvm || (learner() == Learner::svm && traits().evidence);
}

bool Options::is_free_of_gamma() const {
  return has_rvms() && kernels.shape().type == kernel::KernelType::polynomial && kernels.shape().coef0 == 0;
}

void Options::choose_from(std::optional<Learner> kind) {
  const std::string problem = kind ? problem_of_kind(*this, *kind) : std::string();
  if (!problem.empty()) refuse(problem);
  model = kind;
  const Options plain;
  kernels = plain.kernels;
  rvms = plain.rvms;
  costs = plain.costs;
  k = plain.k;
}

Options Options::with(Method other) const {
  Options result = *this;
  result.method = other;
  for (const auto& [field, usual] : unused_fields(result)) field.set(usual);
  return result;
}

}  // namespace credence::selection
