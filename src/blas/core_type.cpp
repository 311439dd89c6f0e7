#include "blas/openblas.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "credence/blas/openblas.hpp"

namespace credence::blas {
namespace {

struct CoreTypes {
  Vectors vectors;
  std::vector<std::string_view> names;
};

/// Every x86 core type of OpenBLAS up to 0.3.21, by what its kernels of double precision use.
std::optional<Vectors> vectors_of(std::string_view name) {
  static const std::array<CoreTypes, 4> known{{
      {Vectors::sse, {"Katmai",    "Coppermine", "Northwood", "Prescott", "Banias",  "Atom",         "Core2",
                      "Penryn",    "Dunnington", "Nehalem",   "Athlon",   "Opteron", "Opteron_SSE3", "Opteron(SSE3)",
                      "Barcelona", "Nano",       "Bobcat",    "Generic",  "Core",    "Unknown"}},
      {Vectors::avx, {"Sandybridge", "Bulldozer", "Piledriver", "Steamroller", "Excavator"}},
      {Vectors::avx2, {"Haswell", "Zen"}},
      {Vectors::avx512, {"SkylakeX", "Cooperlake", "SapphireRapids"}},
  }};
  for (const auto& [vectors, names] : known)
    if (std::ranges::any_of(names, [&](std::string_view one) { return same_core_type(one, name); })) return vectors;
  return std::nullopt;
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
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(left, right, {}, small, small);
}

}  // namespace credence::blas
