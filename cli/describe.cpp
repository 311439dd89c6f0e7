#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "report/description/description.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

int run_describe(const CommonFlags& flags) {
  check_document_output(flags.document, {flags.data.path});
  data::ReadOptions reading;
  reading.missing = data::Missing::impute;
  reading_given(flags.data, reading);
  reading.threads = flags.run.threads;
  const Human human(flags.run.quiet, flags.document.json);
  Run run(flags.run, false);
  const data::Dataset dataset = data::read(flags.data.path, reading);
  run.catch_signals();
  const report::Description found = on_data_of(
      flags.data.path, [&] { return report::description_of(dataset, flags.data.path, dataset.notes, run.context()); });
  human.print(report::terminal_text(report::describe_story(found), report::Detail::usual));
  if (!flags.run.quiet)
    for (const std::string& warning : found.warnings) warn(warning);
  write_document(report::describe_json(found), flags.document, flags.data.path);
  return exit_code::success;
}

}  // namespace

Action add_describe(Command command) {
  const auto flags = std::make_shared<CommonFlags>();
  add_training_data_options(command, flags->data, true);
  add_document_options(command, flags->document, "write the description as JSON; - is standard output");
  add_run_options(command, flags->run, false);
  command.footer(
      "Nothing is trained. Missing values are counted and stay (--missing drop leaves\n"
      "their rows out). The notes are those that select prints.\n\n"
      "Examples:\n"
      "  credence describe export.csv\n"
      "  credence describe export.csv --label sick --report look.html");
  return [flags] { return run_describe(*flags); };
}

}  // namespace credence::cli
