# Toolchain for Linux on arm64 from another machine: Debian's cross compiler, and Debian's arm64 packages unpacked below
# CREDENCE_ARM64_ROOT (scripts/arm64.sh makes the folder). What is built runs by qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
if(NOT CREDENCE_ARM64_ROOT)
  set(CREDENCE_ARM64_ROOT $ENV{CREDENCE_ARM64_ROOT})
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CREDENCE_ARM64_ROOT)
set(CMAKE_FIND_ROOT_PATH ${CREDENCE_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # first in the root; nanobind is a package of the other Python
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${CREDENCE_ARM64_ROOT})
