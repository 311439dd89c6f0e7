#include <sys/resource.h>

#include <filesystem>
#include <stdexcept>

#include "comparison_in_sample.hpp"
#include "process.hpp"

namespace credence::bench {
namespace {

/// Of all processes that this one has run to their end.
double processor_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

CommandRow measure_command(const Settings& settings) {
  CommandRow row;
  row.file = prostate_file;
  row.methods = {
      "rademacher", "maximal-discrepancy", "rademacher+hint", "maximal-discrepancy+hint", "kfold-nested", "loo",
      "bootstrap"};
  row.aims.target = 20;
  const std::filesystem::path command = std::filesystem::path(own_path()).parent_path() / "credence";
  if (!std::filesystem::exists(command)) throw std::runtime_error(command.string() + " is missing");
  std::string methods;
  for (const std::string& method : row.methods) methods += (methods.empty() ? "" : ",") + method;
  const auto run = [&] {
    const double before = processor_seconds_of_children();
    const Stopwatch stopwatch;
    run_for_json({command.string(), "compare", settings.data + "/" + row.file, "--methods", methods, "--kernel",
                  "linear", "--outer-folds", std::to_string(row.outer_folds), "--quiet", "--json", "-"});
    return Seconds{stopwatch.elapsed().wall, processor_seconds_of_children() - before};
  };
  row.seconds = repeated(settings.quick ? 0 : settings.runs, run);
  return row;
}

}  // namespace credence::bench
