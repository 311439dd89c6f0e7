#include "reproduce/experiment.hpp"
#include "reproduce/kernel_validity.hpp"

namespace credence::reproduce::kernel_validity {
namespace {

constexpr const char* quick_sets = "cleveland,hepatitis,switzerland,sinc";
constexpr int quick_splits = 4;

}  // namespace

Settings settings_of(const std::string& set_keys, bool quick, std::optional<int> splits, std::uint64_t seed) {
  Settings settings;
  for (const PaperSet* set : chosen_sets(paper_sets(), set_keys.empty() && quick ? quick_sets : set_keys))
    if (set->is_sinc())
      settings.sinc = true;
    else
      settings.sets.push_back(set);
  settings.splits = splits.value_or(quick ? quick_splits : settings.splits);
  settings.seed = seed;
  return settings;
}

}  // namespace credence::reproduce::kernel_validity
