#pragma once

#include <optional>
#include <string>
#include <utility>

#include "credence/core/bytes.hpp"
#include "credence/core/checkpoint.hpp"
#include "credence/core/context.hpp"
#include "credence/core/fingerprint.hpp"

namespace credence::core {

/// The value that the context's checkpoint has under a key; none without a checkpoint.
/// @param fits  whether a value is one that the work can have: its sizes and the indices in it
/// @throws Error format for a value that does not fit
template <class Value, class Fits>
std::optional<Value> recalled(const Context& context, const Fingerprint& key, const Fits& fits) {
  if (context.checkpoint == nullptr) return std::nullopt;
  const std::optional<std::string> bytes = context.checkpoint->find(key.digest());
  if (!bytes) return std::nullopt;
  ByteReader reader(*bytes);
  std::optional<Value> value(std::in_place);
  try {
    reader(*value);
  } catch (const Error&) {
    context.checkpoint->refuse_result();
  }
  if (!reader.at_end() || !fits(*value)) context.checkpoint->refuse_result();
  return value;
}

/// Keeps a value in the context's checkpoint, if there is one.
void keep(const Context& context, const Fingerprint& key, auto& value) {
  if (context.checkpoint == nullptr) return;
  ByteWriter writer;
  writer(value);
  context.checkpoint->keep(key.digest(), writer.content());
}

}  // namespace credence::core
