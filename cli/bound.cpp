#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "application.hpp"
#include "commands.hpp"
#include "credence/bounds/registry.hpp"
#include "output.hpp"
#include "report/bound_report.hpp"

namespace credence::cli {
namespace {

/// What was given of a quantity.
struct Given {
  std::optional<std::int64_t> whole;
  std::optional<double> number;

  std::optional<double> value() const { return whole ? static_cast<double>(*whole) : number; }
};

struct BoundOptions {
  std::map<std::string, Given, std::less<>> given;  ///< by the quantity's name, which is the option's
  std::string json;
  bool quiet = false;
};

void add_problems_of_loss(const bounds::Sample& sample, std::vector<std::string>& problems) {
  const auto errors = sample.find("errors");
  const auto n = sample.find("n");
  if (sample.contains("errors") == sample.contains("loss"))
    problems.emplace_back("give either --errors, a number of errors, or --loss, a mean loss");
  if (errors == sample.end()) return;
  if (n != sample.end() && (errors->second < 0 || errors->second > n->second)) {
    problems.push_back(
        fmt::format("--errors: {:.0f} does not lie between 0 and the {:.0f} rows of --n", errors->second, n->second));
  }
  if (sample.contains("complexity")) {
    problems.emplace_back(
        "--complexity: a complexity belongs to a mean loss, as select prints both of the soft loss; give --loss "
        "instead "
        "of --errors");
  }
}

bounds::Sample checked(const BoundOptions& options) {
  bounds::Sample sample;
  std::vector<std::string> problems;
  for (const auto& [name, given] : options.given)
    if (given.value()) sample[name] = *given.value();
  if (!sample.contains("n")) problems.emplace_back("--n: the number of rows is needed");
  add_problems_of_loss(sample, problems);
  for (const bounds::Quantity& quantity : bounds::quantities()) {
    const auto found = sample.find(quantity.name);
    if (found == sample.end()) continue;
    const std::string problem = quantity.problem(found->second);
    if (!problem.empty()) problems.push_back(fmt::format("--{}: {}", quantity.name, problem));
    const std::string_view missing = bounds::missing_for(quantity.name, sample);
    if (!missing.empty())
      problems.push_back(fmt::format("--{}: there is no --{} that needs it", quantity.name, missing));
  }
  throw_if_any(problems);
  return sample;
}

int run_bound(const BoundOptions& options) {
  const bounds::Sample sample = checked(options);
  check_output(options.json);
  const Human human(options.quiet, options.json);
  const bounds::Findings found = bounds::evaluate(sample);
  human.print(report::bound_table(found));
  write_json(report::bound_json(found), options.json);
  return exit_code::success;
}

/// Broken at spaces, as the column of descriptions asks.
std::string wrapped_help(std::string text) {
  constexpr std::size_t width = 50;
  std::size_t start = 0;
  while (text.size() - start > width) {
    const std::size_t space = text.rfind(' ', start + width);
    if (space == std::string::npos || space < start) break;
    text[space] = '\n';
    start = space + 1;
  }
  return text;
}

void add_quantity(const Group& group, const bounds::Quantity& quantity, Given& given) {
  const auto all = bounds::bounds();
  const bool required = !quantity.usual && std::ranges::all_of(all, [&](const bounds::Bound& bound) {
    return bound.needs_one(quantity.name);
  });
  std::string text(quantity.meaning);
  if (required) text += " (required)";
  if (quantity.usual) text += fmt::format(" (default: {})", *quantity.usual);
  const std::string name = fmt::format("--{}", quantity.name);
  if (quantity.whole)
    group.option(name, &given.whole, "INT", wrapped_help(text));
  else
    group.option(name, &given.number, "NUMBER", wrapped_help(text));
}

}  // namespace

Action add_bound(Command command) {
  const auto options = std::make_shared<BoundOptions>();
  const Group sample = command.group("Options");
  for (const bounds::Quantity& quantity : bounds::quantities())
    add_quantity(sample, quantity, options->given[std::string(quantity.name)]);
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
