#include "io/model_document.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace credence::io {
namespace {

/// Deeper than any document that this folder makes.
constexpr std::size_t deepest_nesting = 16;

[[noreturn]] void refuse_item(const char* why) {
  throw std::runtime_error(why);
}

/// The number that follows the first byte of an item.
std::uint64_t take_count(std::string_view& rest, unsigned low) {
  if (low < 24) return low;
  if (low > 27) refuse_item("a length is left open");
  const std::size_t width = std::size_t{1} << (low - 24);
  if (rest.size() < width) refuse_item("the bytes end too early");
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < width; ++i) count = count << 8U | static_cast<unsigned char>(rest[i]);
  rest.remove_prefix(width);
  return count;
}

/// Walks over the document without recursion: the parser recurses, in lists and in texts of open length, so neither may
/// be the file's choice. A length that the bytes cannot hold is refused before anything is allocated.
void check_nesting(std::string_view rest) {
  std::vector<std::uint64_t> left;  // items to come, of each open list
  do {
    if (rest.empty()) refuse_item("the bytes end too early");
    const auto first = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    const unsigned kind = first >> 5U;
    const std::uint64_t count = take_count(rest, first & 31U);
    constexpr unsigned bytes = 2, text = 3, list = 4, map = 5, tag = 6;
    if (kind >= bytes && kind <= map && count > rest.size()) refuse_item("a length is larger than the file");
    if (kind == tag) refuse_item("an item has a tag");
    if (!left.empty()) --left.back();
    if (kind == bytes || kind == text) rest.remove_prefix(static_cast<std::size_t>(count));
    if (kind == list || kind == map) left.push_back(kind == map ? 2 * count : count);
    if (left.size() > deepest_nesting) refuse_item("lists are nested too deep");
    while (!left.empty() && left.back() == 0) left.pop_back();
  } while (!left.empty());
}

}  // namespace

nlohmann::json document_of_cbor(std::string_view bytes) {
  check_nesting(bytes);
  return nlohmann::json::from_cbor(bytes.begin(), bytes.end());
}

}  // namespace credence::io
