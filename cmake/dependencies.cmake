# Every library that Credence uses but does not own; all are packages of Debian 12 and 13.

# Stops with one sentence if what was looked for is not there.
macro(credence_need found title package)
  if(NOT ${found})
    message(FATAL_ERROR "Credence needs ${title}, which is Debian's package ${package}: run `make setup` in its sources, "
                        "or install the package.")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(Boost 1.74 CONFIG QUIET)  # FindBoost goes from CMake
if(NOT Boost_FOUND)
  find_package(Boost 1.74 QUIET)
endif()
credence_need(Boost_FOUND "Boost" libboost-dev)
find_package(hwy QUIET)
credence_need(hwy_FOUND "Highway" libhwy-dev)
find_package(fmt QUIET)
credence_need(fmt_FOUND "fmt" libfmt-dev)
find_package(nlohmann_json 3.11 QUIET)
credence_need(nlohmann_json_FOUND "nlohmann-json 3.11" nlohmann-json3-dev)
find_package(ZLIB QUIET)
credence_need(ZLIB_FOUND "zlib" zlib1g-dev)

# OpenBLAS comes without a usable CMake package.
find_path(CREDENCE_openblas_INCLUDE cblas.h PATH_SUFFIXES openblas openblas-pthread openblas-serial)
find_library(CREDENCE_openblas_LIBRARY openblas)
credence_need(CREDENCE_openblas_INCLUDE "OpenBLAS" libopenblas-dev)
credence_need(CREDENCE_openblas_LIBRARY "OpenBLAS" libopenblas-dev)
if(NOT TARGET credence::openblas)
  add_library(credence::openblas INTERFACE IMPORTED GLOBAL)
  target_include_directories(credence::openblas SYSTEM INTERFACE ${CREDENCE_openblas_INCLUDE})
  target_link_libraries(credence::openblas INTERFACE ${CREDENCE_openblas_LIBRARY})
endif()
