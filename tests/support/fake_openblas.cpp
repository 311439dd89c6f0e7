#include <cstdlib>
#include <string_view>

// An OpenBLAS that knows no processor: it takes its narrowest kernels unless OPENBLAS_CORETYPE names others, which it
// reads when it is loaded and when it chooses again. It computes nothing.
namespace {

const char* chosen = "";

}  // namespace

extern "C" __attribute__((constructor)) void gotoblas_dynamic_init() {
  const char* asked = std::getenv("OPENBLAS_CORETYPE");
  chosen = asked != nullptr && asked == std::string_view("SkylakeX")  ? "SkylakeX"
           : asked != nullptr && asked == std::string_view("Haswell") ? "Haswell"
                                                                      : "Prescott";
}

extern "C" void gotoblas_dynamic_quit() {
  chosen = "";
}

extern "C" const char* openblas_get_corename() {
  return chosen;
}

extern "C" const char* openblas_get_config() {
  return "an OpenBLAS that knows no processor";
}
