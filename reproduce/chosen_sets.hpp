#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "credence/core/error.hpp"

namespace credence::reproduce {

/// The sets with these keys, which commas separate, each once, in the order asked for; all sets if no key is given.
/// @throws Error invalid_argument, naming the keys there are
template <class Set>
std::vector<const Set*> chosen_sets(std::span<const Set> sets, const std::string& keys) {
  const auto set_of = [&](const std::string& key) {
    std::string known;
    for (const Set& set : sets) {
      if (key == set.key) return &set;
      known += (known.empty() ? "" : ", ") + std::string(set.key);
    }
    throw Error(ErrorCode::invalid_argument, fmt::format("--sets: '{}' is not one of {}", key, known));
  };
  std::vector<const Set*> chosen;
  if (keys.empty()) {
    for (const Set& set : sets) chosen.push_back(&set);
    return chosen;
  }
  for (std::size_t start = 0; start <= keys.size();) {
    const std::size_t comma = std::min(keys.find(',', start), keys.size());
    const Set* set = set_of(keys.substr(start, comma - start));
    if (std::find(chosen.begin(), chosen.end(), set) == chosen.end()) chosen.push_back(set);
    start = comma + 1;
  }
  return chosen;
}

}  // namespace credence::reproduce
