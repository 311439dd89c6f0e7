#include "selection/in_sample/in_sample_labels.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace credence::selection {

std::vector<Labels> distinct_labels(std::size_t count, bool even, std::uint64_t seed, std::uint64_t purpose,
                                    const std::function<Labels(core::RandomStream&)>& make) {
  std::vector<Labels> drawn;
  std::set<Labels> known;
  for (std::uint64_t candidate = 0; drawn.size() < count; ++candidate) {
    core::RandomStream random(seed, purpose + candidate);
    Labels labels = make(random);
    Labels key = labels;
    if (even && key.front() < 0) std::transform(key.begin(), key.end(), key.begin(), std::negate<>{});
    if (known.insert(std::move(key)).second) drawn.push_back(std::move(labels));
  }
  return drawn;
}

}  // namespace credence::selection
