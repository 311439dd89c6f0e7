#include "core_type.hpp"

#include <strings.h>

#include <algorithm>
#include <array>
#include <optional>

namespace credence::cli {
namespace {

struct CoreType {
  std::string_view name;
  Vectors vectors;
};

/// Every x86 core type of OpenBLAS up to 0.3.21, and what its kernels of double precision use.
constexpr std::array<CoreType, 30> core_types{{
    {"Katmai", Vectors::sse},       {"Coppermine", Vectors::sse},    {"Northwood", Vectors::sse},
    {"Prescott", Vectors::sse},     {"Banias", Vectors::sse},        {"Atom", Vectors::sse},
    {"Core2", Vectors::sse},        {"Penryn", Vectors::sse},        {"Dunnington", Vectors::sse},
    {"Nehalem", Vectors::sse},      {"Athlon", Vectors::sse},        {"Opteron", Vectors::sse},
    {"Opteron_SSE3", Vectors::sse}, {"Opteron(SSE3)", Vectors::sse}, {"Barcelona", Vectors::sse},
    {"Nano", Vectors::sse},         {"Bobcat", Vectors::sse},        {"Generic", Vectors::sse},
    {"Core", Vectors::sse},         {"Unknown", Vectors::sse},       {"Sandybridge", Vectors::avx},
    {"Bulldozer", Vectors::avx},    {"Piledriver", Vectors::avx},    {"Steamroller", Vectors::avx},
    {"Excavator", Vectors::avx},    {"Haswell", Vectors::avx2},      {"Zen", Vectors::avx2},
    {"SkylakeX", Vectors::avx512},  {"Cooperlake", Vectors::avx512}, {"SapphireRapids", Vectors::avx512},
}};

std::optional<Vectors> vectors_of(std::string_view name) {
  const auto* found = std::find_if(core_types.begin(), core_types.end(),
                                   [&](const CoreType& type) { return same_core_type(type.name, name); });
  return found == core_types.end() ? std::nullopt : std::optional(found->vectors);
}

}  // namespace

Vectors widest_vectors() {
#if defined(__x86_64__) || defined(__i386__)
  // The compiler's own test asks the processor, and whether the system saves the registers (xgetbv).
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
                      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                      __builtin_cpu_supports("avx512vl") != 0;
  if (avx2 && avx512) return Vectors::avx512;
  if (avx2) return Vectors::avx2;
  if (__builtin_cpu_supports("avx") != 0) return Vectors::avx;
#endif
  return Vectors::sse;
}

std::vector<std::string> fitting_core_types() {
  const Vectors vectors = widest_vectors();
  if (vectors == Vectors::avx512) return {"SkylakeX", "Haswell"};
  if (vectors == Vectors::avx2) return {"Haswell"};
  return {};
}

bool is_lesser_core_type(std::string_view detected, std::string_view fitting) {
  const auto has = vectors_of(detected);
  const auto could = vectors_of(fitting);
  return has && could && *has < *could;
}

bool same_core_type(std::string_view left, std::string_view right) {
  return left.size() == right.size() && ::strncasecmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace credence::cli
