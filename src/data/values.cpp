#include "credence/data/values.hpp"

namespace credence::data {

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
