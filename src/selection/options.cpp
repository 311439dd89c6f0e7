#include "credence/selection/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "core/refuse.hpp"
#include "credence/core/error.hpp"
#include "credence/core/nearest.hpp"
#include "credence/core/overload.hpp"
#include "selection/asked.hpp"
#include "selection/option_parts.hpp"

namespace credence::selection {
namespace {

void append(std::vector<std::string>& problems, const std::vector<std::string>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

/// Calls visit(method with its defaults) for each method.
template <class Visit>
void for_each_method(const Visit& visit) {
  const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::variant_alternative_t<I, Method>{}), ...);
  };
  each(std::make_index_sequence<std::variant_size_v<Method>>{});
}

const MethodTraits& traits_of(const Method& method) {
  return std::visit([](const auto& one) -> const MethodTraits& { return one.traits; }, method);
}

std::string_view method_name(const Method& method) {
  return std::visit([](const auto& one) -> std::string_view { return one.name; }, method);
}

/// "cv, bootstrap or evidence": the methods that have the trait.
std::string methods_with(bool MethodTraits::*trait) {
  std::vector<std::string> names;
  for_each_method([&](const auto& method) {
    if (method.traits.*trait) names.emplace_back(method.name);
  });
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} or {}", fmt::join(names, ", "), last);
}

/// @param what  models of a kind that the method does not choose from
std::string chosen_elsewhere(const Options& options, const char* what, bool MethodTraits::*trait) {
  return fmt::format("{} are chosen by {}, not by {}", what, methods_with(trait), options.name());
}

std::vector<std::string> problems_of_candidates(const Candidates& candidates) {
  return std::visit(core::Overload{[](const SvmCandidates& one) { return one.costs.validate(); },
                                   [](const SvmOfRvmKernel& one) {
                                     std::vector<std::string> problems = one.machines.validate();
                                     append(problems, one.costs.validate());
                                     return problems;
                                   },
                                   [](const auto& one) { return one.validate(); }},
                    candidates);
}

std::vector<std::string> problems_of_method(const Options& options) {
  return asked(
      options.method, std::vector<std::string>{},
      [&](const auto& own)
        requires requires { own.problems(options); }
      { return own.problems(options); });
}

/// The candidates have to be those that the method takes for their kind of models.
std::vector<std::string> problems_of_kind(const Options& options) {
  const Learner learner = options.learner();
  if (!chooses_from(options.method, learner)) {
    return {learner == Learner::knn ? chosen_elsewhere(options, "nearest neighbours", &MethodTraits::neighbours)
                                    : chosen_elsewhere(options, "relevance vector machines", &MethodTraits::relevance)};
  }
  if (options.candidates->index() == candidates_of(options.method, options.task, learner).index()) return {};
  const MethodTraits& traits = options.traits();
  if (traits.norms)
    return {fmt::format("{} chooses the norm of an SVM, rho; it takes neither C nor nu", options.name())};
  if (traits.evidence)
    return {fmt::format("{} fits relevance vector machines to choose the kernel of an SVM", options.name())};
  return {
      fmt::format("{} chooses C or nu, and gamma, of SVMs; it takes no rho and fits no relevance vector machines "
                  "beside them",
                  options.name())};
}

std::vector<std::string> problems_of_regression(const Options& options) {
  std::vector<std::string> problems;
  if (options.task != data::Task::regression) {
    if (options.has_machines() && options.machines().fit.noise_variance)
      problems.emplace_back("the noise is one of regressions, and the task is a classification");
    return problems;
  }
  if (!options.traits().regression)
    problems.push_back(chosen_elsewhere(options, "regressions", &MethodTraits::regression));
  if (!std::holds_alternative<RvmCandidates>(*options.candidates))
    problems.emplace_back("regressions are relevance vector machines; SVMs and nearest neighbours classify");
  if (options.estimate == Estimate::nested)
    problems.emplace_back("nested cross-validation counts misclassified rows, which a regression has none of");
  if (options.loss() == Loss::soft)
    problems.emplace_back("the soft loss is one of classifiers; regressions are judged by squared errors");
  return problems;
}

std::vector<std::string> problems_of_score(const Options& options) {
  const Score score = options.score();
  if (score != Score::cost && !options.label_costs().empty())
    return {fmt::format("cost: costs of labels make the score cost, and the score is {}", core::word(score))};
  if (score == Score::accuracy) return {};
  if (options.task == data::Task::regression)
    return {fmt::format("the {} is a score of classifiers; regressions are judged by squared errors", title(score))};
  if (options.loss() == Loss::soft)
    return {fmt::format("a cell is chosen by the {} or by the soft loss, not by both", title(score))};
  if (score == Score::cost && options.label_costs().empty())
    return {"the score cost needs the costs of labels; give cost as sick:well=50,well:sick=1 (truth:label)"};
  if (score == Score::log_loss && options.learner() == Learner::knn)
    return {"the log loss is one of probabilities, which nearest neighbours do not give"};
  return {};
}

std::vector<std::string> problems_of_rule(const Options& options) {
  if (options.rule() != Rule::average) return {};
  std::vector<std::string> problems;
  if (options.learner() != Learner::svm)
    problems.emplace_back("rule: the average is one of SVMs; other models are chosen one by one");
  const Estimation* estimation = options.estimation();
  if (estimation != nullptr && estimation->final_classifier == FinalClassifier::random)
    problems.emplace_back("rule: the average is trained on all rows; --final random draws classifiers of resamples");
  return problems;
}

std::vector<std::string> problems_of_trust(const Options& options) {
  if (options.trust == model::Trust::measured) return {};
  if (!options.traits().calibrates)
    return {fmt::format("trust: {} keeps no scores of rows left out; {} do", options.name(),
                        methods_with(&MethodTraits::calibrates))};
  std::vector<std::string> problems;
  const Estimation* estimation = options.estimation();
  if (estimation != nullptr && estimation->final_classifier == FinalClassifier::random)
    problems.emplace_back("trust: classifiers that are drawn at random have no p-values; take --final retrained");
  if (options.trust == model::Trust::proved && !options.traits().nests)
    problems.push_back(fmt::format(
        "trust: each fold needs the cell that was chosen without it, which {} does not make; take --method {}, which "
        "costs about five times as much as cv, or --trust split",
        options.name(), methods_with(&MethodTraits::nests)));
  if (options.trust == model::Trust::split && options.estimate.value_or(Estimate::holdout) != Estimate::holdout)
    problems.emplace_back("trust: the rows that split sets aside make the estimate holdout; leave out --estimate");
  return problems;
}

/// Values in the order in which the grid wants them, each once.
void sort_axes(Candidates& candidates) {
  if (auto* neighbours = std::get_if<NeighbourCandidates>(&candidates)) {
    std::vector<int>& k = neighbours->k;
    std::sort(k.begin(), k.end());
    k.erase(std::unique(k.begin(), k.end()), k.end());
  }
  if (SvmCosts* costs = costs_in(candidates)) {
    std::vector<double>& nu = costs->nu;
    std::sort(nu.begin(), nu.end(), std::greater<>{});
    nu.erase(std::unique(nu.begin(), nu.end()), nu.end());
  }
}

/// Where it was not given.
void set_further(Candidates& candidates, int further) {
  const auto set = [further](RvmCandidates& machines) { machines.further = machines.further.value_or(further); };
  std::visit(core::Overload{[&](RvmCandidates& one) { set(one); }, [&](SvmOfRvmKernel& one) { set(one.machines); },
                            [](auto&) {}},
             candidates);
}

/// The default widths, and how far the search may go beyond them.
void resolve_widths(const Options& asked, Options& resolved) {
  KernelGrid* kernels = kernels_in(*resolved.candidates);
  RvmCandidates* machines = machines_in(*resolved.candidates);
  if (kernels == nullptr) return;
  const bool by_default = kernels->gamma.empty();
  const bool rbf = kernels->shape.type == kernel::KernelType::rbf;
  if (machines != nullptr) {
    if (rbf) kernels->by_sigma = true;
    set_further(*resolved.candidates, by_default && asked.traits().further ? 6 : 0);
  }
  if (!by_default) return;
  if (machines != nullptr && rbf)
    kernels->gamma = KernelGrid::of_sigmas(KernelGrid::paper_sigmas);
  else if (resolved.is_free_of_gamma())
    kernels->gamma = kernel::parse_gammas("scale");
  else
    kernels->gamma = KernelGrid::default_gammas();
}

/// Rows that are held out once must not have had a say in the models that they judge; other methods have the choice.
bool fits_by_resample(const Options& options) {
  return options.traits().folds || options.traits().bounds;
}

data::Scaling default_scaling(const Options& options) {
  return options.has_machines() ? data::Scaling::minmax : data::Scaling::standard;
}

}  // namespace

bool chooses_from(const Method& method, Learner learner) {
  switch (learner) {
    case Learner::svm:
      return true;
    case Learner::knn:
      return traits_of(method).neighbours;
    case Learner::rvm:
      return traits_of(method).relevance;
  }
  return false;
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

Candidates candidates_of(const Method& method, data::Task task, std::optional<Learner> learner) {
  const MethodTraits& traits = traits_of(method);
  const Learner kind =
      learner.value_or(traits.evidence || task == data::Task::regression ? Learner::rvm : Learner::svm);
  if (kind == Learner::knn) return NeighbourCandidates{};
  if (kind == Learner::rvm) return RvmCandidates{};
  if (traits.norms) return NormCandidates{};
  if (traits.evidence) return SvmOfRvmKernel{};
  return SvmCandidates{};
}

std::vector<core::Field> fields_of(Method& method) {
  return std::visit([](auto& one) { return core::fields_of(one); }, method);
}

std::vector<core::Field> fields_of(Candidates& candidates) {
  return std::visit([](auto& one) { return core::fields_of(one); }, candidates);
}

namespace {

/// Whether cells may be given up: of methods that train each model once, all are solved.
bool gives_up(const Options& options) {
  return fits_by_resample(options) || options.traits().evidence;
}

/// Those fields of the candidates that the method looks at.
std::vector<core::Field> fields_of_candidates(Options& options) {
  if (!options.candidates) options.candidates = candidates_of(options.method, options.task);
  std::vector<core::Field> fields = fields_of(*options.candidates);
  if (!gives_up(options)) std::erase_if(fields, [](const core::Field& field) { return field.name == "give_up"; });
  return fields;
}

}  // namespace

std::vector<core::Field> fields_of(Options& options) {
  std::vector<core::Field> fields = fields_of(options.method);
  for (std::vector<core::Field> more : {fields_of_candidates(options), core::fields_of(options)})
    fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

namespace {

std::string joined_names(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

}  // namespace

namespace {

/// Who looks at a field: the methods if they are few, else the kinds of models.
/// @param unless  the methods are named too if models of this kind are among them
std::string owners_of(std::string_view name, std::optional<Learner> unless) {
  constexpr std::size_t few = 3;
  std::vector<std::string> owners;  // methods with that field, or whose candidates have it
  std::vector<std::string> models;
  for (const std::string& method_name : methods()) {
    Options options;
    options.method = method_named(method_name);
    if (core::find_field(fields_of(options.method), name) != nullptr) add_once(owners, method_name);
    for (const Learner learner : {Learner::svm, Learner::knn, Learner::rvm}) {
      if (!chooses_from(options.method, learner)) continue;
      options.choose_from(learner);
      if (core::find_field(fields_of_candidates(options), name) == nullptr) continue;
      add_once(owners, method_name);
      add_once(models, core::word(learner));
    }
  }
  const bool among = unless && std::ranges::find(models, core::word(*unless)) != models.end();
  return models.empty() || owners.size() <= few || among ? joined_names(owners) : joined_names(models) + " models";
}

}  // namespace

std::string owners_of_field(std::string_view name) {
  return owners_of(name, std::nullopt);
}

const core::Field& field_named(const Options& options, const std::vector<core::Field>& fields, std::string_view name) {
  if (const core::Field* field = core::find_field(fields, name)) return *field;
  const std::string owners = owners_of(name, options.learner());
  if (owners.empty()) refuse(fmt::format("there is no option '{}'", name));
  const bool one = owners.find(" and ") == std::string::npos && !owners.ends_with(" models");
  refuse(fmt::format("{} with {} models does not look at it; {} {}", options.name(), core::word(options.learner()),
                     owners, one ? "does" : "do"));
}

Options Options::resolved() const {
  Options result = *this;
  if (!result.candidates) result.candidates = candidates_of(method, task);
  sort_axes(*result.candidates);
  resolve_widths(*this, result);
  // Standardised kernel values would no longer be a kernel.
  const bool precomputed = result.has_kernels() && result.kernels().shape.type == kernel::KernelType::precomputed;
  if (!result.preparation.scaling)
    result.preparation.scaling = precomputed ? data::Scaling::none : default_scaling(result);
  const ScaleScope usual = traits().scales_once ? ScaleScope::all : ScaleScope::fold;
  result.preparation.scope = fits_by_resample(*this) ? preparation.scope.value_or(usual) : ScaleScope::fold;
  if (trust == model::Trust::split) result.estimate = estimate.value_or(Estimate::holdout);
  return result;
}

std::vector<std::string> Options::validate() const {
  Options all = resolved();
  std::vector<std::string> problems;
  if (all.has_kernels()) append(problems, all.kernels().validate());
  append(problems, problems_of_candidates(*all.candidates));
  append(problems, core::problems_of(fields_of(all.method)));
  append(problems, core::problems_of(core::fields_of(all)));
  append(problems, problems_of_kind(all));
  if (problems.empty()) {
    append(problems, problems_of_method(all));
    append(problems, problems_of_regression(all));
    append(problems, problems_of_score(all));
    append(problems, problems_of_rule(all));
    append(problems, problems_of_trust(all));
  }
  if (preparation.scope == ScaleScope::all && !fits_by_resample(*this)) {
    problems.push_back(
        fmt::format("scale_scope: {} fits the scaling on its training rows; cv, kfold-nested, loo and "
                    "bootstrap have the choice",
                    name()));
  }
  const bool precomputed = all.has_kernels() && all.kernels().shape.type == kernel::KernelType::precomputed;
  if (precomputed && copies == data::Copies::drop)
    problems.emplace_back("copies: rows are dropped, which a precomputed kernel cannot follow");
  if (precomputed && (estimate == Estimate::nested || estimate == Estimate::holdout)) {
    problems.push_back(fmt::format("{} trains on parts of the rows, which a precomputed kernel cannot follow",
                                   estimate == Estimate::nested ? "nested cross-validation" : "the hold-out estimate"));
  }
  return problems;
}

std::string_view Options::name() const {
  return method_name(method);
}

const MethodTraits& Options::traits() const {
  return traits_of(method);
}

Learner Options::learner() const {
  const auto kind = [](const Candidates& from) {
    if (std::holds_alternative<NeighbourCandidates>(from)) return Learner::knn;
    return std::holds_alternative<RvmCandidates>(from) ? Learner::rvm : Learner::svm;
  };
  return candidates ? kind(*candidates) : kind(candidates_of(method, task));
}

Candidates& Options::choose_from(Learner learner) {
  if (!chooses_from(method, learner)) {
    refuse(learner == Learner::knn ? chosen_elsewhere(*this, "nearest neighbours", &MethodTraits::neighbours)
                                   : chosen_elsewhere(*this, "relevance vector machines", &MethodTraits::relevance));
  }
  return candidates.emplace(candidates_of(method, task, learner));
}

}  // namespace credence::selection
