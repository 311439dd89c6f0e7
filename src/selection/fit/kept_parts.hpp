#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "credence/core/recall.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/options.hpp"

namespace credence::selection {

/// Results of one kind in the checkpoint of the context, each of one part of a selection: of a gamma, or of a gamma on
/// one resample. A result is recalled for the same kind, data, options and part alone. Without a checkpoint nothing is
/// kept or recalled.
class KeptParts {
 public:
  /// The context must outlive the object.
  KeptParts(std::string_view kind, const data::Dataset& dataset, const Options& options, const core::Context& context);

  bool any() const { return context_.checkpoint != nullptr; }
  /// @param part  numbers that tell the part from all others
  /// @param fits  whether a value is one that the part can have: its sizes and the indices in it
  /// @throws Error format for a value that does not fit
  template <class Value, class Fits>
  std::optional<Value> recall(std::span<const std::uint64_t> part, const Fits& fits) const {
    return any() ? core::recalled<Value>(context_, key_of(part), fits) : std::nullopt;
  }
  template <class Value>
  void keep(std::span<const std::uint64_t> part, Value& value) const {
    if (any()) core::keep(context_, key_of(part), value);
  }

 private:
  core::Fingerprint key_of(std::span<const std::uint64_t> part) const;

  const core::Context& context_;
  std::string scope_;  ///< a checksum of all that the parts have in common
};

}  // namespace credence::selection
