#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace credence::data::detail {

/// Numbers distinct spellings 0, 1, ... in the order of their first appearance.
class Interner {
 public:
  Interner() = default;
  Interner(Interner&&) = default;
  Interner& operator=(Interner&&) = default;
  Interner(const Interner&) = delete;  // spellings_ points into codes_
  Interner& operator=(const Interner&) = delete;

  std::uint32_t code(std::string_view spelling, std::size_t line) {
    if (const auto known = codes_.find(spelling); known != codes_.end()) return known->second;
    const auto code = static_cast<std::uint32_t>(spellings_.size());
    spellings_.push_back(&codes_.emplace(spelling, code).first->first);
    lines_.push_back(line);
    return code;
  }
  bool contains(std::string_view spelling) const { return codes_.find(spelling) != codes_.end(); }
  const std::string& spelling(std::size_t code) const { return *spellings_[code]; }
  /// The line at which a spelling first appeared.
  std::size_t line(std::size_t code) const { return lines_[code]; }
  std::size_t size() const { return spellings_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> codes_;
  std::vector<const std::string*> spellings_;
  std::vector<std::size_t> lines_;
};

}  // namespace credence::data::detail
