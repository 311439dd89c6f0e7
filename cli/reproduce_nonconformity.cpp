
#include "credence/core/error.hpp"
#include "reproduce.hpp"
#include "reproduce/nonconformity.hpp"
#include "reproduce/nonconformity_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

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
  report.repeats = options.repeats.value_or(1);
  report.seed = options.seed;
  report.threads = context.threads.count();
  for (const data::Dataset& dataset : datasets) context.monitor.expect(units_of(dataset));
  bool complete = true;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    core::Monitor monitor(context.monitor, units_of(datasets[s]));
    const core::Context part{context.threads, monitor, context.memory_budget};
    report.sets.push_back(reproduce::run_set(*sets[s], datasets[s], report.repeats, options.seed, part));
    complete = complete && report.sets.back().complete(report.repeats);
    if (std::string(sets[s]->key) == "bupa") {
      report.figure = figure_unless_stopped(datasets[s], options.seed, part);
      complete = complete && report.figure;
    }
  }
  report.stopped = complete ? core::StopReason::none : context.monitor.stop_reason();
  report.seconds = context.monitor.seconds();
  return report;
}

}  // namespace

int reproduce_nonconformity(const ReproduceOptions& options) {
  const auto sets = reproduce::sets_of(options.sets);
  check_output(options.json);
  Run run(options.run, true);
  const std::vector<data::Dataset> datasets = read_all(sets, options.folder);
  run.catch_signals();
  const reproduce::NonconformityReport report = run_all(options, sets, datasets, run.context());
  run.progress().erase();
  return finish_report(options, report.stopped, reproduce::report_text(report), reproduce::report_json(report));
}

}  // namespace credence::cli
