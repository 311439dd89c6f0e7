#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "reproduce/nonconformity.hpp"
#include "reproduce/nonconformity_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

struct ReproduceOptions {
  std::string table;
  std::string folder;
  std::string sets;
  int repeats = 1;
  std::uint64_t seed = 0;
  RunOptions run;
  std::string json;
};

void check(const ReproduceOptions& options) {
  if (options.table != "nonconformity") refuse_word("TABLE", options.table, "nonconformity");
  if (options.repeats < 1 || options.repeats > 10000) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--repeats: {} is not between 1 and 10000", options.repeats));
  }
  if (std::error_code ignored; !std::filesystem::is_directory(options.folder, ignored)) {
    throw Error(ErrorCode::file, fmt::format("--data: '{}' is not a folder", options.folder));
  }
}

/// Progress by the square of the rows, roughly the work of a data set.
std::size_t units_of(const data::Dataset& dataset) {
  return dataset.rows() * dataset.rows();
}

std::vector<data::Dataset> read_all(const std::vector<const reproduce::PaperSet*>& sets, const std::string& folder) {
  std::vector<data::Dataset> datasets;
  for (const reproduce::PaperSet* set : sets) datasets.push_back(reproduce::read_set(*set, folder));
  return datasets;
}

/// None if it was stopped.
std::optional<reproduce::Figure2> figure_unless_stopped(const data::Dataset& bupa, std::uint64_t seed,
                                                        const core::Context& context) {
  try {
    return reproduce::figure_2(bupa, seed, context);
  } catch (const Error&) {
    if (!context.monitor.should_stop()) throw;
    return std::nullopt;
  }
}

reproduce::NonconformityReport run_all(const ReproduceOptions& options,
                                       const std::vector<const reproduce::PaperSet*>& sets,
                                       const std::vector<data::Dataset>& datasets, const core::Context& context) {
  reproduce::NonconformityReport report;
  report.repeats = options.repeats;
  report.seed = options.seed;
  report.threads = context.threads.count();
  for (const data::Dataset& dataset : datasets) context.monitor.expect(units_of(dataset));
  bool complete = true;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    core::Monitor monitor(context.monitor, units_of(datasets[s]));
    const core::Context part{context.threads, monitor, context.memory_budget};
    report.sets.push_back(reproduce::run_set(*sets[s], datasets[s], options.repeats, options.seed, part));
    complete = complete && report.sets.back().complete(options.repeats);
    if (std::string(sets[s]->key) == "bupa") {
      report.figure = figure_unless_stopped(datasets[s], options.seed, part);
      complete = complete && report.figure;
    }
  }
  report.stopped = complete ? core::StopReason::none : context.monitor.stop_reason();
  report.seconds = context.monitor.seconds();
  return report;
}

int run_reproduce(const ReproduceOptions& options) {
  check(options);
  const auto sets = reproduce::sets_of(options.sets);
  check_output(options.json);
  const Human human(options.run.quiet, options.json);
  Run run(options.run, true);
  const std::vector<data::Dataset> datasets = read_all(sets, options.folder);
  run.catch_signals();
  const reproduce::NonconformityReport report = run_all(options, sets, datasets, run.context());
  run.progress().erase();

  const bool complete = report.stopped == core::StopReason::none;
  const bool cancelled = report.stopped == core::StopReason::cancelled;
  const std::string mark = fmt::format("{}: partial result", cancelled ? "INTERRUPTED" : "TIME LIMIT");
  if (!complete) human.print(mark + "\n");
  human.print(reproduce::report_text(report));
  write_json(reproduce::report_json(report), options.json);
  if (complete) return exit_code::success;
  warn(mark);
  return cancelled ? exit_code::interrupted : exit_code::limit;
}

}  // namespace

Action add_reproduce(CLI::App& app) {
  const auto options = std::make_shared<ReproduceOptions>();
  app.add_option("TABLE", options->table, "nonconformity: Hardoon et al. (2009), Table 3, Figure 2")->required();
  const std::string group = "Experiment";
  app.add_option("--data", options->folder, "folder of the data sets; see docs/reproduce.md")
      ->type_name("DIR")
      ->required()
      ->group(group);
  app.add_option("--sets", options->sets, "some of the data sets, with commas (default: all)")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--repeats", options->repeats, "shuffles to average over (default: 1)")
      ->type_name("INT")
      ->group(group);
  app.add_option("--seed", options->seed, "of the first shuffle (default: 0)")->type_name("INT")->group(group);
  app.add_option("--json", options->json, "write every fold as JSON; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  add_run_options(app, options->run, true);
  app.footer(
      "Examples:\n"
      "  credence reproduce nonconformity --data DIR\n"
      "  credence reproduce nonconformity --data DIR --sets pima,bupa --repeats 5");
  return [options] { return run_reproduce(*options); };
}

}  // namespace credence::cli
