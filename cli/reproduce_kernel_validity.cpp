
#include "reproduce.hpp"
#include "reproduce/kernel_validity.hpp"
#include "reproduce/kernel_validity_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

namespace kernel_validity = reproduce::kernel_validity;

kernel_validity::Report run_all(kernel_validity::Report report, const std::vector<data::Dataset>& datasets,
                                const core::Context& context) {
  const kernel_validity::Settings& settings = report.settings;
  report.threads = context.threads.count();
  for (const kernel_validity::PaperSet* set : settings.sets)
    context.monitor.expect(kernel_validity::units_of(settings, *set));
  context.monitor.expect(kernel_validity::sinc::units_of(settings));
  bool complete = true;
  for (std::size_t s = 0; s < datasets.size(); ++s) {
    report.sets.push_back(kernel_validity::run_set(settings, *settings.sets[s], datasets[s], context));
    complete = complete && report.sets.back().complete;
  }
  if (settings.sinc) {
    report.figure = kernel_validity::sinc::run(settings, context);
    complete = complete && report.figure->complete;
  }
  report.stopped = complete ? core::StopReason::none : context.monitor.stop_reason();
  report.seconds = context.monitor.seconds();
  return report;
}

}  // namespace

int reproduce_kernel_validity(const ReproduceOptions& options) {
  kernel_validity::Report report;
  report.settings = kernel_validity::settings_of(options.sets, options.quick, options.splits, options.seed);
  check_output(options.json);
  Run run(options.run, true);
  std::vector<data::Dataset> datasets;
  for (const kernel_validity::PaperSet* set : report.settings.sets)
    datasets.push_back(kernel_validity::read_set(*set, options.folder));
  run.catch_signals();
  report = run_all(std::move(report), datasets, run.context());
  run.progress().erase();
  return finish_report(options, report.stopped, kernel_validity::report_text(report),
                       kernel_validity::report_json(report));
}

}  // namespace credence::cli
