# For scripts/cross_check.sh, which includes this file at the head of the project: the libraries that Credence uses, from
# their headers and sources below CREDENCE_CROSS_SOURCES, in the place of packages of the platform.
enable_language(C)
set(headers ${CREDENCE_CROSS_SOURCES}/headers)
file(GLOB highway ${CREDENCE_CROSS_SOURCES}/highway-*)
file(GLOB zlib ${CREDENCE_CROSS_SOURCES}/zlib-*)

add_library(cross_highway STATIC ${highway}/hwy/aligned_allocator.cc ${highway}/hwy/per_target.cc ${highway}/hwy/targets.cc)
target_include_directories(cross_highway SYSTEM PUBLIC ${highway})

file(GLOB zlib_sources ${zlib}/*.c)
add_library(cross_zlib STATIC ${zlib_sources})
target_include_directories(cross_zlib SYSTEM PUBLIC ${zlib})
if(APPLE)
  target_compile_definitions(cross_zlib PRIVATE fdopen=fdopen)  # zlib 1.2.13 takes macOS for a system without it
endif()
if(NOT WIN32)
  target_compile_definitions(cross_zlib PUBLIC Z_HAVE_UNISTD_H)
endif()
foreach(library cross_highway cross_zlib)
  target_compile_options(${library} PRIVATE -w)
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endforeach()

foreach(target hwy::hwy ZLIB::ZLIB)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
endforeach()
target_link_libraries(hwy::hwy INTERFACE cross_highway)
target_link_libraries(ZLIB::ZLIB INTERFACE cross_zlib)
foreach(target Boost::headers fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${headers})
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

# `find_package` looks here first, and finds that all is said.
foreach(package boost hwy fmt nlohmann_json zlib cli11)
  file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${package}-config.cmake "")
  file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${package}-config-version.cmake "set(PACKAGE_VERSION_COMPATIBLE TRUE)")
endforeach()
