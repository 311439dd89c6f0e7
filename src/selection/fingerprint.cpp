#include "credence/selection/fingerprint.hpp"

namespace credence::selection {

void add_to(core::Fingerprint& sum, const Options& options) {
  Options resolved = options.resolved();
  sum.add(resolved.name());
  sum.add(core::word(resolved.learner()));
  sum.add(fields_of(resolved));
}

}  // namespace credence::selection
