#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/task_bytes.hpp"
#include "credence/core/checkpoint.hpp"
#include "credence/core/context.hpp"

namespace credence::core {

/// The value that the context's checkpoint has under a key; none without a checkpoint.
template <class Value>
std::optional<Value> recalled(const Context& context, const Fingerprint& key) {
  if (context.checkpoint == nullptr) return std::nullopt;
  const std::optional<std::string> bytes = context.checkpoint->find(key.digest());
  if (!bytes) return std::nullopt;
  ByteReader reader(*bytes);
  std::optional<Value> value(std::in_place);
  reader(*value);
  return value;
}

/// Keeps a value in the context's checkpoint, if there is one.
template <class Value>
void keep(const Context& context, const Fingerprint& key, Value& value) {
  if (context.checkpoint == nullptr) return;
  ByteWriter writer;
  writer(value);
  context.checkpoint->keep(key.digest(), writer.content());
}

}  // namespace credence::core
