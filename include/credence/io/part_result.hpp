#pragma once

#include <string>
#include <string_view>

#include "credence/selection/partition.hpp"

namespace credence::io {

/// What a part of a selection in cells found, as bytes on their way to another process (a CBOR document, as in model
/// files). merge_parts makes the same bits of results that took this way.
std::string part_result_bytes(const selection::PartResult& result);
/// The inverse. @throws Error format for other bytes, cut off or altered ones whose contents contradict each other
selection::PartResult part_result_of_bytes(std::string_view bytes);

}  // namespace credence::io
