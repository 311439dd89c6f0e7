# Flags that make a fault in reading memory end the program instead of serving whoever caused it. SECURITY.md says what
# is promised; tests/package/hardened.cmake reads the flags back from the program.
option(CREDENCE_HARDEN "Build with the compiler's and linker's protections" ON)
if(NOT CREDENCE_HARDEN OR CREDENCE_SANITIZE)
  return()
endif()
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_compile_options(-fstack-protector-strong)
set(CREDENCE_PROTECTIONS -fcf-protection=full)
if(NOT APPLE)  # whose clang knows the flag and does nothing
  list(APPEND CREDENCE_PROTECTIONS -fstack-clash-protection)
endif()
foreach(flag ${CREDENCE_PROTECTIONS})
  string(MAKE_C_IDENTIFIER "CREDENCE_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()
# Level 3 needs optimisation, and GCC 12 or Clang.
add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
if(NOT WIN32 AND NOT APPLE)  # whose linkers protect so by themselves
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
