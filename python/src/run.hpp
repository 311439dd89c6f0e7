#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "credence/core/context.hpp"

namespace credence::python {

namespace nb = nanobind;

/// What every long call takes beside its work.
struct RunOptions {
  int threads = 1;
  std::optional<double> time_limit;   ///< seconds
  std::optional<std::size_t> memory;  ///< bytes
  nb::object progress;                ///< None, or called as progress(done, total, seconds) by the calling thread
};

/// Runs work in a thread of its own, without the interpreter's lock. Meanwhile the calling thread looks for signals ten
/// times and more in a second (a handler that raises cancels the work) and calls `progress`.
void run_apart(const RunOptions& options, const std::function<void(const core::Context&)>& work);

/// The same for work with a result.
template <class Work>
auto run(const RunOptions& options, const Work& work) {
  std::optional<decltype(work(std::declval<const core::Context&>()))> result;
  run_apart(options, [&](const core::Context& context) { result.emplace(work(context)); });
  return std::move(*result);
}

void bind_run(nb::module_& module);

}  // namespace credence::python
