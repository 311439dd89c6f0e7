#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/bounds/registry.hpp"
#include "described.hpp"
#include "output.hpp"
#include "report/bound_report.hpp"

namespace credence::cli {
namespace {

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
        "instead of --errors");
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

int run_bound(const BoundOptions& options) {
  check_sample(options.sample);
  check_output(options.json);
  const Human human(options.quiet, options.json);
  const bounds::Findings found = bounds::evaluate(options.sample);
  human.print(report::bound_table(found));
  write_json(report::bound_json(found), options.json);
  return exit_code::success;
}

}  // namespace

Action add_bound(Command command) {
  const auto options = std::make_shared<BoundOptions>();
  add_fields(command.group("Options"), bounds::fields_of(options->sample));
  const Group output = command.group("Output");
  output.option("--json", &options->json, "FILE", "write the bounds as JSON; - is standard output");
  output.flag("--quiet", &options->quiet, "print only errors, and what --json asks for");
  command.footer(
      "Examples:\n"
      "  credence bound --errors 3 --n 100\n"
      "  credence bound --loss 0.03 --n 100 --delta 0.01\n"
      "  credence bound --loss 0.05 --n 400 --complexity 0.14 --trials 100");
  return [options] { return run_bound(*options); };
}

}  // namespace credence::cli
