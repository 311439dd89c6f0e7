
#include "reproduce.hpp"
#include "reproduce/tcm_nn.hpp"
#include "reproduce/tcm_nn_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

namespace tcm_nn = reproduce::tcm_nn;

/// Without --repeats: enough to tell the deviation over folds.
constexpr int default_shuffles = 10;

double smoothing_of(const ReproduceOptions& options) {
  return options.smoothing.value_or(tcm_nn::smoothing_width);
}

std::vector<tcm_nn::SetData> read_all(const std::vector<const tcm_nn::PaperSet*>& sets,
                                      const ReproduceOptions& options) {
  std::vector<tcm_nn::SetData> data;
  for (const tcm_nn::PaperSet* set : sets)
    data.push_back(tcm_nn::read_set(*set, options.folder, smoothing_of(options)));
  return data;
}

tcm_nn::Report run_all(const ReproduceOptions& options, const std::vector<const tcm_nn::PaperSet*>& sets,
                       const std::vector<tcm_nn::SetData>& data, const core::Context& context) {
  tcm_nn::Report report;
  report.smoothing = smoothing_of(options);
  report.shuffles = options.repeats.value_or(default_shuffles);
  report.seed = options.seed;
  report.threads = context.threads.count();
  for (std::size_t s = 0; s < sets.size(); ++s)
    context.monitor.expect(tcm_nn::units_of(*sets[s], data[s], report.shuffles));
  bool complete = true;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    report.sets.push_back(tcm_nn::run_set(*sets[s], data[s], report.shuffles, options.seed, context));
    complete = complete && report.sets.back().complete;
  }
  report.stopped = complete ? core::StopReason::none : context.monitor.stop_reason();
  report.seconds = context.monitor.seconds();
  return report;
}

}  // namespace

int reproduce_tcm_nn(const ReproduceOptions& options) {
  const auto sets = tcm_nn::sets_of(options.sets);
  check_output(options.json);
  Run run(options.run, true);
  const std::vector<tcm_nn::SetData> data = read_all(sets, options);
  run.catch_signals();
  const tcm_nn::Report report = run_all(options, sets, data, run.context());
  run.progress().erase();
  return finish_report(options, report.stopped, tcm_nn::report_text(report), tcm_nn::report_json(report));
}

}  // namespace credence::cli
