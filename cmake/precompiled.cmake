# Headers that nearly every source includes, compiled once for a target: credence_precompile(TARGET [more headers]).
# Sources include what they use all the same, so that a build without them works: CREDENCE_PRECOMPILED_HEADERS=OFF.
set(CREDENCE_COMMON_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <functional> <limits>
    <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error>
    <utility> <variant> <vector> <fmt/format.h>)
function(credence_precompile target)
  if(CREDENCE_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${CREDENCE_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# For targets that compute little: less time in the optimiser.
function(credence_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()
