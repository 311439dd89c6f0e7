# Every library that Credence uses but does not own; all are packages of Debian 12.

# Stops with one sentence if what was looked for is not there.
macro(credence_need found title package)
  if(NOT ${found})
    message(FATAL_ERROR "Credence needs ${title}, which is Debian's package ${package}: run `make setup` in its sources, "
                        "or install the package.")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(Boost 1.74 QUIET)
credence_need(Boost_FOUND "Boost" libboost-dev)
find_package(hwy QUIET)
credence_need(hwy_FOUND "Highway" libhwy-dev)
find_package(fmt QUIET)
credence_need(fmt_FOUND "fmt" libfmt-dev)
find_package(nlohmann_json 3.11 QUIET)
credence_need(nlohmann_json_FOUND "nlohmann-json 3.11" nlohmann-json3-dev)
find_package(ZLIB QUIET)
credence_need(ZLIB_FOUND "zlib" zlib1g-dev)

# OpenBLAS and libcsv come without usable CMake packages.
function(credence_find_library name title package header library)
  find_path(CREDENCE_${name}_INCLUDE ${header} PATH_SUFFIXES openblas openblas-pthread openblas-serial)
  find_library(CREDENCE_${name}_LIBRARY ${library})
  credence_need(CREDENCE_${name}_INCLUDE "${title}" ${package})
  credence_need(CREDENCE_${name}_LIBRARY "${title}" ${package})
  if(NOT TARGET credence::${name})
    add_library(credence::${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(credence::${name} SYSTEM INTERFACE ${CREDENCE_${name}_INCLUDE})
    target_link_libraries(credence::${name} INTERFACE ${CREDENCE_${name}_LIBRARY})
  endif()
endfunction()
credence_find_library(openblas "OpenBLAS" libopenblas-dev cblas.h openblas)
credence_find_library(csv "libcsv" libcsv-dev csv.h csv)
