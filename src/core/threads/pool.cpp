#include "core/threads/pool.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>

#include "system/memory.hpp"

namespace credence::core {
namespace {

/// A stack of the usual size, and as much again seven times for the work itself.
constexpr std::size_t room_for_helper = std::size_t{64} << 20;

/// As std::condition_variable::wait, whose symbol only a C++ library of 2022 has: an hour after the other.
void wait_for(std::condition_variable& news, std::unique_lock<std::mutex>& lock, const auto& condition) {
  while (!condition()) news.wait_for(lock, std::chrono::hours(1));
}

}  // namespace

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  news_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

/// Called with the mutex held.
void Pool::start_helpers(std::size_t wanted) {
  while (!refused_ && waiting_ < wanted && threads_.size() < most_) {
    refused_ = !system::has_room(room_for_helper);
    if (refused_) return;
    try {
      threads_.emplace_back();
      threads_.back() = std::thread([this] { help(); });
      ++waiting_;
    } catch (const std::system_error&) {
      refused_ = true;
    } catch (const std::bad_alloc&) {
      refused_ = true;
    }
    if (!threads_.empty() && !threads_.back().joinable()) threads_.pop_back();
  }
}

Pool::Job* Pool::open_job() {
  Job* job = newest_;
  while (job != nullptr && job->joined == job->helpers) job = job->older;
  return job;
}

/// What a helper does all its life. It counts as waiting from the moment that it was started.
void Pool::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    Job* job = nullptr;
    wait_for(news_, lock, [&] { return ending_ || (job = open_job()) != nullptr; });
    if (job == nullptr) return;
    --waiting_;
    const std::size_t number = ++job->joined;
    ++job->inside;
    lock.unlock();
    job->work(number);
    lock.lock();
    ++waiting_;
    job->joined = job->helpers;  // whoever returns has found nothing left to do
    if (--job->inside == 0) job->left.notify_one();
  }
}

void Pool::run(std::size_t helpers, const Work& work) {
  Job job{.work = work, .helpers = helpers};
  std::size_t called = 0;
  {
    const std::lock_guard lock(mutex_);
    start_helpers(helpers);
    called = std::min(helpers, waiting_);
    job.older = newest_;
    newest_ = &job;
  }
  for (std::size_t i = 0; i < called; ++i) news_.notify_one();
  work(0);
  std::unique_lock lock(mutex_);
  Job** link = &newest_;
  while (*link != &job) link = &(*link)->older;
  *link = job.older;
  wait_for(job.left, lock, [&] { return job.inside == 0; });
}

}  // namespace credence::core
