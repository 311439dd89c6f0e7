# Headers that nearly every source includes, compiled once for a target: credence_precompile(TARGET [more headers]), or
# credence_precompile(TARGET REUSE_FROM OTHER) where another target with the same options has them.
# Sources include what they use all the same, so that a build without them works: CREDENCE_PRECOMPILED_HEADERS=OFF.
set(CREDENCE_COMMON_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <functional> <limits>
    <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error>
    <utility> <variant> <vector> <fmt/format.h>)
if(CREDENCE_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # From here on, in kB, GCC collects garbage. By default it does from 128 MB on, which a precompiled header fills.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()
function(credence_precompile target)
  if(NOT CREDENCE_PRECOMPILED_HEADERS)
    return()
  endif()
  if("REUSE_FROM" IN_LIST ARGN)
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${CREDENCE_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# For targets that compute little: less time in the optimiser.
function(credence_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()
