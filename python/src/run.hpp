#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "credence/core/context.hpp"
#include "credence/core/monitor.hpp"

namespace credence::python {

namespace nb = nanobind;

/// What every long call takes beside its work.
struct RunOptions {
  int threads = 1;
  std::optional<double> time_limit;  ///< seconds, for all calls with these options together
  nb::object progress;               ///< None, or called as progress(done, total, seconds) by the calling thread
  core::Stopwatch begun{};

  std::optional<double> seconds_left() const {
    return time_limit ? std::optional(*time_limit - begun.seconds()) : std::nullopt;
  }
};

/// Runs work in a thread of its own, without the interpreter's lock. Meanwhile the calling thread looks for signals ten
/// times and more in a second (a handler that raises cancels the work) and calls `progress` and `meanwhile`.
/// @param meanwhile  called once more after the work
void run_apart(const RunOptions& options, const std::function<void(const core::Context&)>& work,
               const std::function<void()>& meanwhile = {});

/// The same for work with a result.
auto run(const RunOptions& options, const auto& work, const std::function<void()>& meanwhile = {}) {
  std::optional<decltype(work(std::declval<const core::Context&>()))> result;
  run_apart(options, [&](const core::Context& context) { result.emplace(work(context)); }, meanwhile);
  return std::move(*result);
}

void bind_run(nb::module_& module);

}  // namespace credence::python
