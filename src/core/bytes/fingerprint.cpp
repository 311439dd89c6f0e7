#include "credence/core/fingerprint.hpp"

#include <algorithm>
#include <cstring>

namespace credence::core {

void Fingerprint::add(const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    add(field.name);
    if (field.get) add(text_of(field.get()));  // other spellings of a field cannot be read
  }
}

void Fingerprint::add_bytes(const void* data, std::size_t size) {
  if (size > 0) sum_.add({static_cast<const char*>(data), size});
}

std::array<std::uint8_t, 16> Fingerprint::digest() const {
  Sha256 copy = sum_;
  const Sha256::Digest whole = copy.finish();
  std::array<std::uint8_t, 16> first{};
  std::copy_n(whole.begin(), first.size(), first.begin());
  return first;
}

std::string Fingerprint::text() const {
  Sha256 copy = sum_;
  return hexadecimal(copy.finish());
}

std::uint32_t Fingerprint::value() const {
  const auto first = digest();
  std::uint32_t some = 0;
  std::memcpy(&some, first.data(), sizeof(some));
  return some;
}

}  // namespace credence::core
