# The installable package: `find_package(credence)` gives the target credence::credence.
include(CMakePackageConfigHelpers)
set(CREDENCE_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/credence)

install(TARGETS credence EXPORT credenceTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/credence DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
if(TARGET credence_distributed)
  # Whoever links credence::distributed writes `#include "distributed/outer_shards.hpp"`, as the project itself does.
  set_target_properties(credence_distributed PROPERTIES EXPORT_NAME distributed)
  target_include_directories(credence_distributed PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/credence>)
  install(TARGETS credence_distributed EXPORT credenceTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES distributed/outer_shards.hpp distributed/region_shards.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/credence/distributed)
endif()
install(FILES data/breast_cancer.csv DESTINATION ${CMAKE_INSTALL_DATADIR}/credence)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A static library does not carry its own dependencies: whoever links it has to find them too.
get_target_property(CREDENCE_LIBRARY_TYPE credence TYPE)
configure_package_config_file(cmake/credenceConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/credenceConfig.cmake
                              INSTALL_DESTINATION ${CREDENCE_CONFIG_FOLDER})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/credenceConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/credenceConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/credenceConfigVersion.cmake
        DESTINATION ${CREDENCE_CONFIG_FOLDER})

# For builds without CMake: c++ main.cpp $(pkg-config --cflags --libs credence)
file(RELATIVE_PATH CREDENCE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
if(CREDENCE_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
  set(CREDENCE_PC_REQUIRES "fmt libhwy zlib")
  string(JOIN " " CREDENCE_PC_LIBS ${CMAKE_THREAD_LIBS_INIT})
  list(TRANSFORM CMAKE_DL_LIBS PREPEND " -l" OUTPUT_VARIABLE CREDENCE_PC_DL)
  string(APPEND CREDENCE_PC_LIBS ${CREDENCE_PC_DL})
endif()
configure_file(cmake/credence.pc.in credence.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/credence.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES cmake/dependencies.cmake DESTINATION ${CREDENCE_CONFIG_FOLDER} RENAME credenceDependencies.cmake)
install(EXPORT credenceTargets NAMESPACE credence:: DESTINATION ${CREDENCE_CONFIG_FOLDER})
