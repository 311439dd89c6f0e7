#include <cstdlib>

// An OpenBLAS that knows no processor: it takes its narrowest kernels unless OPENBLAS_CORETYPE names others, which it
// reads when it is loaded. It computes nothing.
namespace {

const char* chosen = "Prescott";

__attribute__((constructor)) void read_environment() {
  const char* asked = std::getenv("OPENBLAS_CORETYPE");
  if (asked != nullptr && *asked != '\0') chosen = asked;
}

}  // namespace

extern "C" const char* openblas_get_corename() {
  return chosen;
}

extern "C" const char* openblas_get_config() {
  return "an OpenBLAS that knows no processor";
}
