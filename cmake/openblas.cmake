# The library loads OpenBLAS when BLAS is first called (src/blas): by the name that the linker would record, else by its
# path.
if(CREDENCE_openblas_LIBRARY MATCHES "\\.a$")
  message(FATAL_ERROR "Credence loads OpenBLAS when it runs, and ${CREDENCE_openblas_LIBRARY} is not a shared library")
endif()
get_filename_component(OPENBLAS_NAME ${CREDENCE_openblas_LIBRARY} NAME)
if(CMAKE_READELF)
  execute_process(COMMAND ${CMAKE_READELF} -d ${CREDENCE_openblas_LIBRARY} OUTPUT_VARIABLE OPENBLAS_DYNAMIC ERROR_QUIET)
  if(OPENBLAS_DYNAMIC MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    set(OPENBLAS_NAME ${CMAKE_MATCH_1})
  endif()
endif()
# The Python package carries the copy that scipy-openblas32 installs, beside its module and its command. It is found
# without an import, which would load the library: that of another processor does not load here.
set(OPENBLAS_CARRIED "")
if(CREDENCE_BUILD_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python_EXECUTABLE} -c
    "import glob, importlib.util as u; print(*glob.glob(u.find_spec('scipy_openblas32').submodule_search_locations[0] + '/lib/libscipy_openblas*.[sd][oyl]*'), end='')"
    OUTPUT_VARIABLE CREDENCE_CARRIED_OPENBLAS ERROR_QUIET)
  if(CREDENCE_CARRIED_OPENBLAS)
    get_filename_component(OPENBLAS_CARRIED ${CREDENCE_CARRIED_OPENBLAS} NAME)
    message(STATUS "The package carries ${CREDENCE_CARRIED_OPENBLAS}")
  endif()
endif()
set_source_files_properties(src/blas/openblas.cpp PROPERTIES COMPILE_DEFINITIONS
  "CREDENCE_OPENBLAS_NAME=\"${OPENBLAS_NAME}\";CREDENCE_OPENBLAS_FILE=\"${CREDENCE_openblas_LIBRARY}\";CREDENCE_OPENBLAS_CARRIED=\"${OPENBLAS_CARRIED}\"")
target_include_directories(credence SYSTEM PRIVATE ${CREDENCE_openblas_INCLUDE})
