#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace credence::data {

/// The numbers of a matrix: a vector of its own, or memory of the caller that is read and never written.
///
/// Reading never copies. The first call of a borrowed list that may write (every call that is not const) copies the
/// numbers into a vector of its own and gives up the borrowed memory. Copies of a borrowed list share the memory;
/// copies of an owned list are lists of their own. A loop that writes takes `data()` or a row once, before the loop.
class Values {
 public:
  using value_type = double;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = double&;
  using const_reference = const double&;
  using iterator = std::vector<double>::iterator;
  using const_iterator = const double*;

  Values() = default;
  explicit Values(std::size_t count, double value = 0);
  Values(std::vector<double> numbers);            // NOLINT(google-explicit-constructor)
  Values(std::initializer_list<double> numbers);  // NOLINT(google-explicit-constructor)

  /// Reads `count` numbers at `first`, which stay as they are while the list or a copy of it lives.
  /// @param owner  keeps the memory alive; nullptr if the caller outlives the list and its copies
  static Values borrowed(const double* first, std::size_t count, std::shared_ptr<const void> owner);
  bool is_borrowed() const { return borrowed_ != nullptr; }
  /// Makes the numbers a vector of the list's own, for those who keep them longer than a call.
  void own() {
    if (borrowed_) [[unlikely]]
      copy_borrowed();
  }

  std::size_t size() const { return borrowed_ ? borrowed_size_ : own_.size(); }
  bool empty() const { return size() == 0; }
  const double* data() const { return borrowed_ ? borrowed_.get() : own_.data(); }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size(); }
  const double& operator[](std::size_t i) const { return data()[i]; }
  const double& front() const { return data()[0]; }
  const double& back() const { return data()[size() - 1]; }

  double* data() { return writable().data(); }
  iterator begin() { return writable().begin(); }
  iterator end() { return writable().end(); }
  double& operator[](std::size_t i) { return writable()[i]; }
  double& front() { return writable().front(); }
  double& back() { return writable().back(); }
  void push_back(double value) { writable().push_back(value); }
  void pop_back() { writable().pop_back(); }
  void reserve(std::size_t count) { writable().reserve(count); }
  void resize(std::size_t count, double value = 0) { writable().resize(count, value); }
  void assign(std::size_t count, double value);
  template <std::input_iterator First>
  void assign(First first, First last) {
    *this = std::vector<double>(first, last);
  }
  void clear();
  template <std::input_iterator First>
  iterator insert(iterator place, First first, First last) {
    return writable().insert(place, first, last);
  }
  iterator insert(iterator place, std::initializer_list<double> numbers);
  void swap(Values& other) noexcept;

  friend bool operator==(const Values& a, const Values& b);

 private:
  std::vector<double>& writable() {
    own();
    return own_;
  }
  void copy_borrowed();

  std::vector<double> own_;
  std::shared_ptr<const double> borrowed_;  ///< with the owner's count; null if the numbers are in `own_`
  std::size_t borrowed_size_ = 0;
};

}  // namespace credence::data
