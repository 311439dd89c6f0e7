#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "application.hpp"
#include "commands.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/bounds/complexity.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/bounds/uniform.hpp"
#include "credence/core/version.hpp"
#include "output.hpp"
#include "report/shares.hpp"

namespace credence::cli {
namespace {

struct BoundOptions {
  std::optional<std::int64_t> errors;
  std::optional<double> loss;
  std::optional<std::int64_t> n;
  double delta = 0.05;
  std::optional<double> complexity;
  std::optional<std::int64_t> trials;
  std::string json;
  bool quiet = false;
};

/// What the bounds are computed from.
struct Sample {
  std::optional<std::size_t> errors;
  double loss = 0;
  std::size_t n = 0;
  double delta = 0;
};

struct Bound {
  std::string name;  ///< in JSON
  std::string title;
  std::optional<double> upper;  ///< nothing if there is none for so few rows
  std::optional<double> lower{};
};

struct Findings {
  std::vector<Bound> bounds;
  std::size_t best = 0;
  std::string why;
};

void add_problems_of_loss(const BoundOptions& options, std::vector<std::string>& problems) {
  if (options.errors.has_value() == options.loss.has_value())
    problems.emplace_back("give either --errors, a number of errors, or --loss, a mean loss");
  if (options.errors && options.n && (*options.errors < 0 || *options.errors > *options.n)) {
    problems.push_back(
        fmt::format("--errors: {} does not lie between 0 and the {} rows of --n", *options.errors, *options.n));
  }
  if (options.loss && !(*options.loss >= 0 && *options.loss <= 1))
    problems.push_back(fmt::format("--loss: {} does not lie between 0 and 1", *options.loss));
}

constexpr std::int64_t most_rows = 1'000'000'000'000'000;

Sample checked(const BoundOptions& options) {
  std::vector<std::string> problems;
  if (!options.n)
    problems.emplace_back("--n: the number of rows is needed");
  else if (*options.n < 1)
    problems.push_back(fmt::format("--n: {} is not at least 1", *options.n));
  else if (*options.n > most_rows)
    problems.push_back(fmt::format("--n: more than {} rows are not told apart", most_rows));
  add_problems_of_loss(options, problems);
  if (!(options.delta > 0 && options.delta < 1))
    problems.push_back(fmt::format("--delta: {} does not lie between 0 and 1, both excluded", options.delta));
  if (options.complexity && !(*options.complexity >= 0 && *options.complexity <= 1))
    problems.push_back(fmt::format("--complexity: {} does not lie between 0 and 1", *options.complexity));
  if (options.errors && options.complexity) {
    problems.emplace_back(
        "--complexity: it is that of a loss, as select prints that of the soft loss; give the mean of the same loss "
        "with --loss, not a number of errors");
  }
  if (options.trials && !options.complexity) problems.emplace_back("--trials: there is no --complexity that needs it");
  if (options.trials && *options.trials < 1)
    problems.push_back(fmt::format("--trials: {} is not at least 1", *options.trials));
  throw_if_any(problems);
  Sample sample{{}, 0, static_cast<std::size_t>(*options.n), options.delta};
  if (options.errors) sample.errors = static_cast<std::size_t>(*options.errors);
  sample.loss =
      sample.errors ? static_cast<double>(*sample.errors) / static_cast<double>(sample.n) : options.loss.value();
  return sample;
}

/// Of rows that the classifier has not seen.
Findings held_out(const Sample& sample) {
  const auto& [errors, loss, n, delta] = sample;
  const auto m = static_cast<double>(n);
  Findings found;
  if (errors) {
    const bounds::Interval both = bounds::clopper_pearson(*errors, n, delta);
    found.bounds.push_back({"clopper_pearson", "Clopper-Pearson, one side",
                            bounds::binomial_upper_limit(static_cast<double>(*errors), m, delta)});
    found.bounds.push_back({"clopper_pearson_two_sided", "Clopper-Pearson, two sides", both.upper, both.lower});
  }
  found.bounds.push_back({"hoeffding", "Hoeffding, KL form", bounds::hoeffding_upper_limit(loss, m, delta)});
  found.bounds.push_back({"hoeffding_deviation", "Hoeffding, deviation", loss + bounds::hoeffding_deviation(n, delta)});
  found.bounds.push_back(
      {"empirical_chernoff", "Chernoff, empirical", bounds::empirical_chernoff_upper_limit(loss, m, delta)});
  std::optional<double> bernstein;
  if (n > 1) bernstein = bounds::empirical_bernstein_upper_limit(loss, m, delta);
  found.bounds.push_back({"empirical_bernstein", "Bernstein, empirical", bernstein});
  found.why = errors ? "it is exact for errors, and the others are never below it"
                     : "it takes any loss in [0, 1], and the others are never below it";
  return found;
}

/// Of the rows that the classifier was chosen on.
Findings in_sample(const Sample& sample, double complexity, const std::optional<std::int64_t>& trials) {
  const double base = sample.loss + complexity;
  Findings found;
  found.bounds.push_back(
      {"complexity", "complexity, exact (42, 61)", base + bounds::complexity_deviation(sample.n, sample.delta)});
  found.why = "unless it is a mean over some label vectors only (--trials)";
  if (!trials) return found;
  const auto count = static_cast<std::size_t>(*trials);
  found.bounds.push_back({"complexity_of_trials", "complexity, sampled (60)",
                          base + bounds::complexity_deviation_of_trials(sample.n, count, sample.delta)});
  found.best = 1;
  found.why = "unless it is a maximal discrepancy (61)";
  return found;
}

/// Two digits after the point, or as many as a small share needs.
std::string shown_share(double share) {
  return share == 0 || share >= 1e-3 ? report::percent(share) : fmt::format("{:.2g} %", 100 * share);
}

std::string value_of(const Bound& bound) {
  if (!bound.upper) return fmt::format("{:>8}  (needs two rows)", "-");
  std::string text = fmt::format("{:>8}", shown_share(*bound.upper));
  if (bound.lower) text += fmt::format("  (and at least {})", shown_share(*bound.lower));
  return *bound.upper >= 1 ? text + "  vacuous" : text;
}

std::string table_of(const Sample& sample, const std::optional<double>& complexity, const Findings& found) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const std::string rows = fmt::format("{} that the classifier {}", report::count_of(sample.n, "row"),
                                       complexity ? "was chosen on" : "had not seen");
  if (sample.errors)
    line("errors", fmt::format("{} = {} on {}", *sample.errors, shown_share(sample.loss), rows));
  else
    line("loss", fmt::format("{:.6g}, the mean on {}", sample.loss, rows));
  if (complexity) {
    line("complexity", fmt::format("{:.6g}; that of Rademacher, with a bias, is at least {:.4f}", *complexity,
                                   bounds::rademacher_floor(sample.n)));
  }
  line("delta",
       fmt::format("{:.6g}: each bound holds with probability {:.6g} or more", sample.delta, 1 - sample.delta));
  text += fmt::format("\n{:<27}  {} at most\n", "bound", sample.errors ? "error" : "mean loss");
  for (const Bound& bound : found.bounds) text += fmt::format("{:<27}  {}\n", bound.title, value_of(bound));
  text += '\n';
  line("use", fmt::format("{}: {}", found.bounds[found.best].title, found.why));
  return text;
}

report::Json document_of(const Sample& sample, const BoundOptions& options, const Findings& found) {
  report::Json document{{"sample", options.complexity ? "training" : "held out"}, {"n", sample.n}};
  if (sample.errors) document["errors"] = *sample.errors;
  document["loss"] = sample.loss;
  document["delta"] = sample.delta;
  if (options.complexity) document["complexity"] = *options.complexity;
  if (options.complexity) document["rademacher_floor"] = bounds::rademacher_floor(sample.n);
  if (options.trials) document["trials"] = *options.trials;
  document["bounds"] = report::Json::array();
  for (const Bound& bound : found.bounds) {
    report::Json one{{"name", bound.name}};
    if (bound.lower) one["lower"] = *bound.lower;
    one["upper"] = report::or_null(bound.upper);
    one["vacuous"] = !bound.upper || *bound.upper >= 1;
    document["bounds"].push_back(std::move(one));
  }
  document["use"] = found.bounds[found.best].name;
  document["version"] = version();
  return document;
}

int run_bound(const BoundOptions& options) {
  const Sample sample = checked(options);
  check_output(options.json);
  const Human human(options.quiet, options.json);
  const Findings found = options.complexity ? in_sample(sample, *options.complexity, options.trials) : held_out(sample);
  human.print(table_of(sample, options.complexity, found));
  write_json(document_of(sample, options, found), options.json);
  return exit_code::success;
}

}  // namespace

Action add_bound(Command command) {
  const auto options = std::make_shared<BoundOptions>();
  const Group sample = command.group("Options");
  sample.option("--errors", &options->errors, "INT", "rows that were classified wrongly");
  sample.option("--loss", &options->loss, "NUMBER", "instead: the mean of a loss between 0 and 1");
  sample.option("--n", &options->n, "INT", "rows that were classified (required)");
  sample.option("--delta", &options->delta, "NUMBER", "probability that a bound fails (default: 0.05)");
  sample.option("--complexity", &options->complexity, "NUMBER",
                "the rows are those of the training: Rademacher\n"
                "complexity or maximal discrepancy of the class");
  sample.option("--trials", &options->trials, "INT", "label vectors that this complexity is a mean over");
  const Group output = command.group("Output");
  output.option("--json", &options->json, "FILE", "write the bounds as JSON; - is standard output");
  output.flag("--quiet", &options->quiet, "errors only, and what was asked for by --json");
  command.footer(
      "Examples:\n"
      "  credence bound --errors 3 --n 100\n"
      "  credence bound --loss 0.03 --n 100 --delta 0.01\n"
      "  credence bound --loss 0.05 --n 400 --complexity 0.14 --trials 100");
  return [options] { return run_bound(*options); };
}

}  // namespace credence::cli
