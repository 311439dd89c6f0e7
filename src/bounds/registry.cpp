#include "credence/bounds/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/bounds/uniform.hpp"
#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

using core::infinity;

constexpr std::array all_quantities{
    Quantity{"errors", "rows that were classified wrongly", true, -infinity},
    Quantity{"loss", "instead: the mean of a loss between 0 and 1", false, 0, 1},
    Quantity{"n", "rows that were classified", true, 1, 1e15},
    Quantity{"delta", "probability that a bound fails", false, 0, 1, true, 0.05},
    Quantity{"complexity",
             "the rows are those of the training: Rademacher complexity or maximal discrepancy of the class",
             false,
             0,
             1,
             false,
             {},
             true},
    Quantity{"trials", "label vectors that this complexity is a mean over", true, 1, infinity, false, {}, true},
};

double value(const Sample& sample, std::string_view quantity) {
  const auto found = sample.find(quantity);
  if (found != sample.end()) return found->second;
  refuse(fmt::format("a bound takes '{}' without saying that it needs it", quantity));
}

std::size_t count(const Sample& sample, std::string_view quantity) {
  return static_cast<std::size_t>(value(sample, quantity));
}

/// An upper limit of the mean loss, of three numbers.
template <double (*function)(double mean, double m, double delta)>
Limits of_mean(const Sample& sample) {
  return {function(value(sample, "loss"), value(sample, "n"), value(sample, "delta"))};
}

Limits binomial_upper(const Sample& sample) {
  return {binomial_upper_limit(value(sample, "errors"), value(sample, "n"), value(sample, "delta"))};
}

Limits binomial_both(const Sample& sample) {
  const Interval both = clopper_pearson(count(sample, "errors"), count(sample, "n"), value(sample, "delta"));
  return {both.upper, both.lower};
}

Limits hoeffding_added(const Sample& sample) {
  return {value(sample, "loss") + hoeffding_deviation(count(sample, "n"), value(sample, "delta"))};
}

Limits bernstein(const Sample& sample) {
  return count(sample, "n") > 1 ? of_mean<empirical_bernstein_upper_limit>(sample) : Limits{};
}

double with_complexity(const Sample& sample, double deviation) {
  return value(sample, "loss") + value(sample, "complexity") + deviation;
}

Limits complexity(const Sample& sample) {
  return {with_complexity(sample, complexity_deviation(count(sample, "n"), value(sample, "delta")))};
}

Limits complexity_of_trials(const Sample& sample) {
  return {with_complexity(
      sample, complexity_deviation_of_trials(count(sample, "n"), count(sample, "trials"), value(sample, "delta")))};
}

constexpr std::array all_bounds{
    Bound{"clopper_pearson",
          "Clopper-Pearson, one side",
          {"n", "delta", "errors"},
          binomial_upper,
          "it is exact for errors, and the others are never below it"},
    Bound{"clopper_pearson_two_sided", "Clopper-Pearson, two sides", {"n", "delta", "errors"}, binomial_both},
    Bound{"hoeffding",
          "Hoeffding, KL form",
          {"n", "delta", "loss"},
          of_mean<hoeffding_upper_limit>,
          "it takes any loss in [0, 1], and the others are never below it"},
    Bound{"hoeffding_deviation", "Hoeffding, deviation", {"n", "delta", "loss"}, hoeffding_added},
    Bound{"empirical_chernoff", "Chernoff, empirical", {"n", "delta", "loss"}, of_mean<empirical_chernoff_upper_limit>},
    Bound{"empirical_bernstein", "Bernstein, empirical", {"n", "delta", "loss"}, bernstein, {}, {}, "needs two rows"},
    Bound{"complexity",
          "complexity, exact (42, 61)",
          {"n", "delta", "loss", "complexity"},
          complexity,
          "unless it is a mean over some label vectors only",
          "trials"},
    Bound{"complexity_of_trials",
          "complexity, sampled (60)",
          {"n", "delta", "loss", "complexity", "trials"},
          complexity_of_trials,
          "unless it is a maximal discrepancy (61)"},
};

const Quantity& quantity_of(std::string_view name) {
  const auto* const found = std::ranges::find(all_quantities, name, &Quantity::name);
  if (found != all_quantities.end()) return *found;
  refuse(fmt::format("no bound needs a quantity '{}'", name));
}

std::size_t need_count(const Bound& bound) {
  return static_cast<std::size_t>(
      std::ranges::count_if(bound.needs, [](std::string_view name) { return !name.empty(); }));
}

bool is_of_training(const Sample& sample) {
  return std::ranges::any_of(sample, [](const auto& entry) { return quantity_of(entry.first).of_training; });
}

bool is_of_training(const Bound& bound) {
  return std::ranges::any_of(all_quantities,
                             [&](const Quantity& one) { return one.of_training && bound.needs_one(one.name); });
}

bool applies(const Bound& bound, const Sample& sample) {
  const auto has = [&](std::string_view name) { return name.empty() || sample.contains(name); };
  return is_of_training(bound) == is_of_training(sample) && std::ranges::all_of(bound.needs, has);
}

Sample completed(Sample sample) {
  for (const Quantity& quantity : all_quantities)
    if (quantity.usual) sample.try_emplace(std::string(quantity.name), *quantity.usual);
  if (sample.contains("errors") && sample.contains("n"))
    sample.try_emplace("loss", value(sample, "errors") / value(sample, "n"));
  return sample;
}

}  // namespace

std::string Quantity::problem(double value) const {
  if (whole && value != std::floor(value)) return fmt::format("{} is not a whole number", value);
  const std::string shown = whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
  if (whole && value > most) return fmt::format("more than {:.0f} rows are not told apart", most);
  if (open ? value > least && value < most : value >= least && value <= most) return {};
  if (whole) return fmt::format("{} is not at least {:.0f}", shown, least);
  return fmt::format("{} does not lie between {} and {}{}", shown, least, most, open ? ", both excluded" : "");
}

bool Bound::needs_one(std::string_view quantity) const {
  return std::ranges::find(needs, quantity) != needs.end();
}

std::vector<core::Field> fields_of(Sample& sample) {
  std::vector<core::Field> fields;
  for (const Quantity& quantity : all_quantities) {
    const bool required = !quantity.usual && std::ranges::all_of(all_bounds, [&](const Bound& bound) {
      return bound.needs_one(quantity.name);
    });
    core::Field& field = fields.emplace_back();
    field.name = quantity.name;
    field.sentence = fmt::format("{}{}", quantity.meaning, required ? " (required)" : "");
    field.kind = quantity.whole ? core::Kind::integer : core::Kind::number;
    field.optional = true;
    field.get = [&sample, &quantity] {
      const auto found = sample.find(quantity.name);
      if (found != sample.end()) return core::Value{found->second};
      return quantity.usual ? core::Value{*quantity.usual} : core::Value{};
    };
    field.set = [&sample, &quantity](const core::Value& given) {
      const double number = core::number_of(given);
      const std::string problem = quantity.problem(number);
      if (!problem.empty()) refuse(problem);
      sample[std::string(quantity.name)] = number;
    };
  }
  return fields;
}

std::span<const Quantity> quantities() {
  return all_quantities;
}

std::span<const Bound> bounds() {
  return all_bounds;
}

Findings evaluate(Sample given) {
  Findings found{completed(std::move(given)), false, {}, 0};
  found.training = is_of_training(found.sample);
  for (const Bound& bound : all_bounds)
    if (applies(bound, found.sample)) found.bounds.push_back({&bound, bound.limits(found.sample)});
  if (found.bounds.empty()) refuse("no bound can be computed from these quantities");
  // That which knows most of the sample; the first of equals.
  const auto rank = [](const Finding& one) { return one.bound->reason.empty() ? 0 : need_count(*one.bound); };
  found.best = static_cast<std::size_t>(std::ranges::max_element(found.bounds, {}, rank) - found.bounds.begin());
  return found;
}

std::string_view missing_for(std::string_view quantity, const Sample& given) {
  std::string_view missing;
  for (const Bound& bound : all_bounds) {
    if (!bound.needs_one(quantity)) continue;
    const auto* const lacking = std::ranges::find_if(all_quantities, [&](const Quantity& one) {
      return one.of_training && bound.needs_one(one.name) && !given.contains(one.name);
    });
    if (lacking == all_quantities.end()) return {};
    missing = lacking->name;
  }
  return missing;
}

}  // namespace credence::bounds
