
#include "credence/core/error.hpp"
#include "reproduce.hpp"
#include "reproduce/in_sample.hpp"
#include "reproduce/in_sample_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

namespace in_sample = reproduce::in_sample;

/// Leaves out the sets without a file where none was asked for by name, and says which.
std::vector<const in_sample::PaperSet*> drop_missing(in_sample::Settings& settings, const std::string& folder) {
  std::vector<const in_sample::PaperSet*> there;
  std::vector<const in_sample::PaperSet*> missing;
  for (const in_sample::PaperSet* set : settings.sets)
    (in_sample::exists(*set, folder) ? there : missing).push_back(set);
  if (!settings.only_existing || there.empty()) return {};
  settings.sets = there;
  return missing;
}

in_sample::Report run_all(in_sample::Report report, const std::vector<data::Dataset>& datasets,
                          const core::Context& context) {
  const in_sample::Settings& settings = report.settings;
  report.threads = context.threads.count();
  for (const in_sample::PaperSet* set : settings.sets) context.monitor.expect(in_sample::units_of(settings, *set));
  bool complete = true;
  for (std::size_t s = 0; s < datasets.size(); ++s) {
    for (in_sample::Line& line : in_sample::run_lines(settings, *settings.sets[s], datasets[s], context)) {
      complete = complete && line.complete;
      report.lines.push_back(std::move(line));
    }
  }
  report.stopped = complete ? core::StopReason::none : context.monitor.stop_reason();
  report.seconds = context.monitor.seconds();
  return report;
}

}  // namespace

int reproduce_in_sample(const ReproduceOptions& options) {
  in_sample::Report report;
  report.settings = in_sample::settings_of(options.sets, options.sizes, options.methods, options.quick, options.repeats,
                                           options.seed);
  report.missing = drop_missing(report.settings, options.folder);
  check_output(options.json);
  Run run(options.run, true);
  std::vector<data::Dataset> datasets;
  for (const in_sample::PaperSet* set : report.settings.sets)
    datasets.push_back(in_sample::read_set(*set, options.folder));
  run.catch_signals();
  report = run_all(std::move(report), datasets, run.context());
  run.progress().erase();
  return finish_report(options, report.stopped, in_sample::report_text(report), in_sample::report_json(report));
}

}  // namespace credence::cli
