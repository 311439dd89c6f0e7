#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace credence::core {

/// Allocates at least `bytes` bytes at a 64-byte boundary, the width of the widest vector and of a cache line. Large
/// blocks use huge pages where the system has them: kernel rows are visited at random, and every visit would otherwise
/// look up several pages.
/// @throws std::bad_alloc
void* allocate_aligned(std::size_t bytes);
void deallocate_aligned(void* block) noexcept;
/// Gives free parts of the heap back to the system, where the heap does not do so by itself.
void return_free_memory() noexcept;

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
  void deallocate(T* p, std::size_t) noexcept { deallocate_aligned(p); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const noexcept {
    return true;
  }
};

/// An AlignedAllocator that leaves new elements uninitialised unless a value is given. It serves matrices whose every
/// element is written before it is read: the thread that computes an element is then the first to touch its memory.
template <class T>
struct UninitializedAllocator : AlignedAllocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;
template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

/// A pool of objects that threads borrow. An object may outlive the pool; given back, it serves the next that asks.
template <class T>
class Lender {
 public:
  /// @param make  makes an object if none is idle  @return is given back when its last copy is destroyed
  std::shared_ptr<T> borrow(const auto& make) {
    std::unique_ptr<T> lent;
    if (const std::lock_guard lock(idle_->mutex); !idle_->objects.empty()) {
      lent = std::move(idle_->objects.back());
      idle_->objects.pop_back();
    }
    if (!lent) lent = make();
    return {lent.release(), [idle = idle_](T* returned) {
              const std::lock_guard lock(idle->mutex);
              idle->objects.emplace_back(returned);
            }};
  }

 private:
  struct Idle {
    std::mutex mutex;
    std::vector<std::unique_ptr<T>> objects;
  };
  std::shared_ptr<Idle> idle_ = std::make_shared<Idle>();
};

}  // namespace credence::core
