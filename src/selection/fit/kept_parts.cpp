#include "selection/fit/kept_parts.hpp"

#include <vector>

#include "credence/data/fingerprint.hpp"

namespace credence::selection {

KeptParts::KeptParts(std::string_view kind, const data::Dataset& dataset, const Options& options,
                     const core::Context& context)
    : context_(context) {
  if (context.checkpoint == nullptr || kind.empty()) return;
  core::Fingerprint sum;
  sum.add(kind);
  data::add_with_columns(sum, dataset);
  Options copy = options;  // as they are: what resolves them once more might change them
  sum.add(copy.name());
  sum.add(core::word(copy.learner()));
  sum.add(core::word(copy.task));
  sum.add(fields_of(copy));
  scope_ = sum.text();
}

core::Fingerprint KeptParts::key_of(std::span<const std::uint64_t> part) const {
  core::Fingerprint sum;
  sum.add(scope_);
  sum.add(part);
  return sum;
}

}  // namespace credence::selection
