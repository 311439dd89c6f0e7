#include <fmt/format.h>

#include <filesystem>

#include "parts.hpp"

namespace credence::bench {
namespace {

bool is_there(Results& results, const std::string& file, const std::string& lost) {
  if (std::filesystem::exists(results.settings.data + "/" + file)) return true;
  results.notes.push_back(file + " is not in " + results.settings.data + ": " + lost);
  return false;
}

/// Nothing if LIBSVM was left out.
std::string against_libsvm(double ratio) {
  return ratio == 0 ? "" : fmt::format(": {:.0f} times LIBSVM", ratio);
}

void measure_methods(Results& results, const data::Dataset& digits) {
  for (const InSampleCase& task : in_sample_cases()) {
    results.in_sample.in_sample.push_back(measure_in_sample(task, digits, results.settings));
    say(fmt::format("in-sample {} {}{}: {:.3f} s", task.method, task.rows, task.hint ? ", hint" : "",
                    median(results.in_sample.in_sample.back().two_threads).wall));
    save(results);
  }
}

void compare_with_libsvm(Results& results, const data::Dataset& digits) {
  const Settings& settings = results.settings;
  for (const ConvexStepCase& task : convex_step_cases(settings.quick)) {
    results.in_sample.convex_steps.push_back(compare_convex_steps(task, digits, settings));
    say(fmt::format("in-sample convex steps {} {}{}", task.method, task.rows,
                    against_libsvm(results.in_sample.convex_steps.back().ratio())));
    save(results);
  }
  for (const HeldOutCase& task : held_out_cases(settings.quick)) {
    results.in_sample.held_out.push_back(compare_held_out(task, digits, settings));
    say(fmt::format("in-sample {} {}{}", task.method, task.rows,
                    against_libsvm(results.in_sample.held_out.back().ratio())));
    save(results);
  }
}

}  // namespace

void compare_in_sample(Results& results) {
  const Settings& settings = results.settings;
  if (settings.wants("digits") && is_there(results, digits_file, "no in-sample methods on it")) {
    const data::Dataset digits = read_digits(settings.data);
    measure_methods(results, digits);
    compare_with_libsvm(results, digits);
  }
  if (settings.wants("prostate") && is_there(results, prostate_file, "no comparison by the command on it")) {
    results.in_sample.command.push_back(measure_command(settings));
    say(fmt::format("in-sample prostate: {:.1f} s", median(results.in_sample.command.back().seconds).wall));
    save(results);
  }
}

}  // namespace credence::bench
