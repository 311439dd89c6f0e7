#include <memory>
#include <string>
#include <vector>

#include "application.hpp"
#include "commands.hpp"
#include "credence/core/list.hpp"
#include "output.hpp"
#include "run.hpp"
#include "selfcheck/run.hpp"

namespace credence::cli {
namespace {

struct SelfcheckFlags {
  selfcheck::Request request;
  std::string only;
  std::string json;
  bool list = false;
  RunOptions run;
};

int run_selfcheck(const SelfcheckFlags& options) {
  const std::vector<selfcheck::Check> checks = selfcheck::chosen(selfcheck::checks(), options.only);
  if (options.list) {
    print(selfcheck::list_text(checks));
    return exit_code::success;
  }
  check_output(options.json);
  Run run(options.run, true);
  run.catch_signals();
  const selfcheck::Report report = selfcheck::run(checks, options.request, run.context());
  run.progress().erase();
  Human(options.run.quiet, options.json).print(selfcheck::report_text(report));
  if (!options.json.empty()) write_json(selfcheck::report_json(report), options.json);
  if (report.broken() == 0) return exit_code::success;
  return complain(core::count_of(report.broken(), "line") + " of the table: a promise did not hold",
                  exit_code::failure);
}

}  // namespace

Action add_selfcheck(Command command) {
  const auto options = std::make_shared<SelfcheckFlags>();
  const Group group = command.group("Check");
  group.flag("--quick", &options->request.quick, "few trials: half a minute instead of half an hour");
  group
      .option("--only", &options->only, "NAMES",
              "some of the checks, with commas; 'online*' stands\n"
              "for all whose name starts so")
      .not_empty();
  group.flag("--list", &options->list, "print the checks with what each promises and where, and run none");
  group.option("--seed", &options->request.seed, "INT", "seed of all trials (default: 0)");
  command.group("Output").option("--json", &options->json, "FILE", "write all levels as JSON; - is standard output");
  add_run_options(command, options->run, false);
  command.footer(
      "Exit code 1 says that a proved promise did not hold.\n"
      "Examples:\n"
      "  credence selfcheck --quick\n"
      "  credence selfcheck --only 'online*,in-regions' --json check.json");
  return [options] { return run_selfcheck(*options); };
}

}  // namespace credence::cli
