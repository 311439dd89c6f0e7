#pragma once

namespace credence::io {

/// Calls `use` with the object as the one of these types that it has.
/// @return false if it has none of them
template <class... Types, class Base, class Use>
bool visit_as(const Base& object, Use use) {
  const auto attempt = [&](const auto* typed) {
    if (typed != nullptr) use(*typed);
    return typed != nullptr;
  };
  return (attempt(dynamic_cast<const Types*>(&object)) || ...);
}

}  // namespace credence::io
