#include "credence/core/version.hpp"

namespace credence {

std::string_view version() {
  return CREDENCE_VERSION;
}

}  // namespace credence
