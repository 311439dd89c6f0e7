#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace credence::core {

/// Helper threads that share work with whoever calls `run`. A helper starts when a call has work for one more, and
/// waits for work until the pool goes. Where the system gives no further thread, or little memory is left, those
/// that there are do the work: a caller never waits for a helper that has not begun. Nothing is allocated once the
/// helpers run, so that work which has used up the memory still ends.
class Pool {
 public:
  using Work = std::function<void(std::size_t)>;

  /// @param helpers  the most threads to start
  explicit Pool(std::size_t helpers) : most_(helpers) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Calls work(0) here and work(1), ..., work(helpers) on as many helpers as are free, and returns when all calls that
  /// began have returned. May be called at the same time by several threads, and within `work`.
  /// @param work  does everything, however many take part; throws nothing
  void run(std::size_t helpers, const Work& work);

 private:
  /// Work that helpers may still join; lives on its caller's stack.
  struct Job {
    const Work& work;
    std::size_t helpers;     ///< how many may join
    std::size_t joined = 0;  ///< how many have joined
    std::size_t inside = 0;  ///< how many of them have not returned
    std::condition_variable left{};
    Job* older = nullptr;
  };

  void start_helpers(std::size_t wanted);
  void help();
  Job* open_job();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable news_;
  Job* newest_ = nullptr;
  std::size_t waiting_ = 0;
  bool ending_ = false;
  bool refused_ = false;  ///< the system gave no further thread
  std::list<std::thread> threads_;
};

}  // namespace credence::core
