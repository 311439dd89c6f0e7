#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/bounds/complexity.hpp"
#include "credence/bounds/registry.hpp"
#include "credence/core/version.hpp"
#include "described.hpp"
#include "output.hpp"
#include "report/shares.hpp"

namespace credence::cli {
namespace {

using bounds::Findings;

struct BoundOptions {
  bounds::Sample sample;
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

void check_sample(const bounds::Sample& sample) {
  std::vector<std::string> problems;
  if (!sample.contains("n")) problems.emplace_back("--n: the number of rows is needed");
  add_problems_of_loss(sample, problems);
  for (const auto& [name, value] : sample) {
    const std::string_view missing = bounds::missing_for(name, sample);
    if (!missing.empty()) problems.push_back(fmt::format("--{}: there is no --{} that needs it", name, missing));
  }
  throw_if_any(problems);
}

/// Two digits after the point, or as many as a small share needs.
std::string shown_share(double share) {
  return share == 0 || share >= 1e-3 ? report::percent(share) : fmt::format("{:.2g} %", 100 * share);
}

std::string value_of(const bounds::Finding& finding) {
  const bounds::Limits& limits = finding.limits;
  if (!limits.upper) return fmt::format("{:>8}  ({})", "-", finding.bound->none);
  std::string text = fmt::format("{:>8}", shown_share(*limits.upper));
  if (limits.lower) text += fmt::format("  (and at least {})", shown_share(*limits.lower));
  return limits.vacuous() ? text + "  vacuous" : text;
}

std::string table_of(const Findings& found) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const auto of = [&](std::string_view quantity) { return found.sample.find(quantity)->second; };
  const auto n = static_cast<std::size_t>(of("n"));
  const std::string rows = fmt::format("{} that the classifier {}", report::count_of(n, "row"),
                                       found.training ? "was chosen on" : "had not seen");
  const bool errors = found.sample.contains("errors");
  if (errors)
    line("errors", fmt::format("{:.0f} = {} on {}", of("errors"), shown_share(of("loss")), rows));
  else
    line("loss", fmt::format("{:.6g}, the mean on {}", of("loss"), rows));
  if (found.sample.contains("complexity")) {
    line("complexity", fmt::format("{:.6g}; that of Rademacher, with a bias, is at least {:.4f}", of("complexity"),
                                   bounds::rademacher_floor(n)));
  }
  line("delta", fmt::format("{:.6g}: each bound holds with probability {:.6g} or more", of("delta"), 1 - of("delta")));
  text += fmt::format("\n{:<27}  {} at most\n", "bound", errors ? "error" : "mean loss");
  for (const bounds::Finding& one : found.bounds) text += fmt::format("{:<27}  {}\n", one.bound->title, value_of(one));
  text += '\n';
  const bounds::Bound& best = *found.bounds[found.best].bound;
  const std::string better = best.better_with.empty() ? "" : fmt::format(" (--{})", best.better_with);
  line("use", fmt::format("{}: {}{}", best.title, best.reason, better));
  return text;
}

report::Json document_of(const Findings& found) {
  report::Json document{{"sample", found.training ? "training" : "held out"}, {"n", nullptr}};
  for (const bounds::Quantity& quantity : bounds::quantities()) {
    const auto value = found.sample.find(quantity.name);
    if (value == found.sample.end()) continue;
    document[quantity.name] =
        quantity.whole ? report::Json(static_cast<std::uint64_t>(value->second)) : report::Json(value->second);
    if (quantity.name == "complexity")
      document["rademacher_floor"] = bounds::rademacher_floor(static_cast<std::size_t>(found.sample.find("n")->second));
  }
  document["bounds"] = report::Json::array();
  for (const auto& [bound, limits] : found.bounds) {
    report::Json one{{"name", bound->name}};
    if (limits.lower) one["lower"] = *limits.lower;
    one["upper"] = limits.upper;
    one["vacuous"] = limits.vacuous();
    document["bounds"].push_back(std::move(one));
  }
  document["use"] = found.bounds[found.best].bound->name;
  document["version"] = version();
  return document;
}

int run_bound(const BoundOptions& options) {
  check_sample(options.sample);
  check_output(options.json);
  const Human human(options.quiet, options.json);
  const Findings found = bounds::evaluate(options.sample);
  human.print(table_of(found));
  write_json(document_of(found), options.json);
  return exit_code::success;
}

}  // namespace

Action add_bound(Command command) {
  const auto options = std::make_shared<BoundOptions>();
  add_fields(command.group("Options"), bounds::fields_of(options->sample));
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
