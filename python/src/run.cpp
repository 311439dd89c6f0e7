#include "run.hpp"

#include <nanobind/stl/optional.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "credence/core/error.hpp"

namespace credence::python {
namespace {

using namespace std::chrono_literals;

/// The work's thread, and how far the work is.
class Worker {
 public:
  Worker(const RunOptions& options, const std::function<void(const core::Context&)>& work)
      : monitor_(
            [this](const core::Monitor::Progress& progress) {
              const std::lock_guard lock(mutex_);
              progress_ = progress;
              return true;
            },
            options.seconds_left()),
        thread_([this, &options, &work] { do_work(options, work); }) {}
  ~Worker() {
    cancel();
    thread_.join();
  }

  void cancel() { monitor_.cancel(); }
  /// Waits a little. @return whether the work has ended
  bool wait() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, 50ms, [this] { return done_; });
  }
  core::Monitor::Progress progress() {
    const std::lock_guard lock(mutex_);
    return progress_;
  }
  /// Of work that has ended.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void do_work(const RunOptions& options, const std::function<void(const core::Context&)>& work) {
    try {
      const core::Threads threads(options.threads);
      work({.threads = threads, .monitor = monitor_});
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  core::Monitor::Progress progress_;
  std::exception_ptr failure_;
  core::Monitor monitor_;
  std::thread thread_;
};

}  // namespace

void run_apart(const RunOptions& options, const std::function<void(const core::Context&)>& work,
               const std::function<void()>& meanwhile) {
  const bool shows = options.progress.is_valid() && !options.progress.is_none();
  const nb::gil_scoped_release released;
  Worker worker(options, work);
  while (!worker.wait()) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (meanwhile) meanwhile();
    if (shows) {
      const core::Monitor::Progress progress = worker.progress();
      options.progress(progress.done, progress.total, progress.seconds);
    }
  }
  worker.rethrow();
  const nb::gil_scoped_acquire held;
  if (meanwhile) meanwhile();
}

void bind_run(nb::module_& module) {
  nb::class_<RunOptions>(module, "RunOptions")
      .def(
          "__init__",
          [](RunOptions* self, int threads, std::optional<double> time_limit, nb::object progress) {
            new (self) RunOptions{threads, time_limit, std::move(progress)};
          },
          nb::arg("threads") = 1, nb::arg("time_limit") = nb::none(), nb::arg("progress") = nb::none())
      .def_ro("threads", &RunOptions::threads);
}

}  // namespace credence::python
