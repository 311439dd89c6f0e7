#include "credence/data/features.hpp"

#include <algorithm>
#include <utility>

namespace credence::data {

Values::Values(std::size_t count, double value) : own_(count, value) {}
Values::Values(std::vector<double> numbers) : own_(std::move(numbers)) {}
Values::Values(std::initializer_list<double> numbers) : own_(numbers) {}

void Values::assign(std::size_t count, double value) {
  *this = Values(count, value);
}

void Values::clear() {
  *this = Values();
}

Values::iterator Values::insert(iterator place, std::initializer_list<double> numbers) {
  return writable().insert(place, numbers);
}

void Values::swap(Values& other) noexcept {
  std::swap(*this, other);
}

bool operator==(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

Values Values::borrowed(const double* first, std::size_t count, std::shared_ptr<const void> owner) {
  Values values;
  values.borrowed_ = std::shared_ptr<const double>(std::move(owner), first);
  values.borrowed_size_ = count;
  return values;
}

void Values::copy_borrowed() {
  own_.assign(borrowed_.get(), borrowed_.get() + borrowed_size_);
  borrowed_.reset();
}

}  // namespace credence::data
