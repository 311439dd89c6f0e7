#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"
#include "output.hpp"
#include "report/page/page.hpp"

namespace credence::cli {
namespace {

struct ReportFlags {
  std::string result;
  std::string output;
};

std::string text_of_file(const std::string& path) {
  if (path != "-") return core::read_whole_file(path);
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

int run_report(const ReportFlags& options) {
  if (options.output.empty()) refuse("-o is required: the HTML file that the page is written to");
  check_document_output({"", options.output}, {options.result});
  const std::string page = report::page(text_of_file(options.result), options.result);
  core::write_atomically(options.output, page);
  note(fmt::format("{}: a page of {} KB, made of {}", options.output, (page.size() + 999) / 1000, options.result));
  return exit_code::success;
}

}  // namespace

Action add_report(Command command) {
  const auto options = std::make_shared<ReportFlags>();
  command.argument("RESULT", &options->result,
                   "a file that --json of select, compare, evaluate,\n"
                   "conformal or reproduce wrote; - is standard input");
  command.group("Output").option("-o,--output", &options->output, "FILE", "the page, an HTML file (required)");
  command.footer(
      "The page is one file that needs no network: charts, the numbers behind them,\n"
      "plain words, and how to repeat the run. The commands above write the same page\n"
      "with --report FILE.\n\n"
      "Examples:\n"
      "  credence select pima.csv --json pima.json\n"
      "  credence report pima.json -o pima.html");
  return [options] { return run_report(*options); };
}

}  // namespace credence::cli
