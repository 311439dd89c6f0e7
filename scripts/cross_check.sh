#!/usr/bin/env bash
# Compiles and links the library, the command and the Python module for other systems, and runs nothing:
#   scripts/cross_check.sh [TARGET ...]      default: aarch64-macos x86_64-macos x86_64-windows-gnu
# The compiler is clang with the systems' headers from the Python package `ziglang`. OpenBLAS is loaded when the command
# runs: what the library asks for by name is looked up in the copies of `scipy-openblas32` for these systems. Python's
# headers are those of its sources; on Windows its import library is made of the list that python3.dll exports.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build-cross
jobs=${JOBS:-$(nproc)}
targets=("$@")
((${#targets[@]})) || targets=(aarch64-macos x86_64-macos x86_64-windows-gnu)
declare -A platforms=([aarch64-macos]=macosx_11_0_arm64 [x86_64-macos]=macosx_11_0_x86_64 [x86_64-windows-gnu]=win_amd64)
zig_version=0.17.1
python=$(basename "$(readlink -f /usr/bin/python3)")
build_requirement() { grep "^$1==" python/requirements-build.txt; }
mkdir -p "$work"

fetch_compiler() {
  [[ -x $work/zig/bin/python ]] || python3 -m venv "$work/zig"
  "$work/zig/bin/python" -m pip install --quiet --disable-pip-version-check ziglang==$zig_version "$(build_requirement nanobind)"
  zig=$("$work/zig/bin/python" -c 'import ziglang, pathlib; print(pathlib.Path(ziglang.__file__).parent / "zig")')
  nanobind=$("$work/zig/bin/python" -m nanobind --cmake_dir)
  # nanobind refuses the C++ library of this compiler on what has ELF files, and takes Windows for it.
  sed -i '/defined(_LIBCPP_VERSION)/s/ !defined(__APPLE__)$/& \&\& !defined(_WIN32)/' "$nanobind/../include/nanobind/nb_defs.h"
}

# Headers of Debian's packages, and the sources of Python and of two libraries that are more than headers.
fetch_libraries() {
  mkdir -p "$work/sources/headers"
  local name
  for name in boost CLI fmt nlohmann; do
    [[ -d /usr/include/$name ]] || { echo "cross_check: /usr/include/$name is missing; run make setup" >&2; return 1; }
    ln -sfn /usr/include/$name "$work/sources/headers/$name"
  done
  compgen -G "$work/sources/zlib-*" >/dev/null && compgen -G "$work/sources/highway-*" >/dev/null &&
    compgen -G "$work/sources/Python-*" >/dev/null && return
  local apt=$work/apt
  mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial "$apt"/sources
  # Of the release itself, whose mirrors keep every file that their lists name.
  awk -v RS= -v ORS='\n\n' '!/-security/ { sub(/Types:[^\n]*/, "Types: deb-src"); print }' \
    /etc/apt/sources.list.d/debian.sources >"$apt/sources/debian.sources"
  cat >"$apt/apt.conf" <<END
APT::Sandbox::User "$(id -un)";
Dir::State "$apt/state";
Dir::Cache "$apt/cache";
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$apt/sources";
END
  APT_CONFIG=$apt/apt.conf apt-get update -qq
  (cd "$work/sources" && APT_CONFIG=$apt/apt.conf apt-get source -qq --download-only highway zlib "$python" &&
    for name in ./*.orig.tar.*; do tar -xf "$name"; done)
}

# Programs named as a compiler's are, for one target.
make_tools() {
  local target=$1 tools=$work/$1/tools name
  mkdir -p "$tools"
  printf '#!/bin/sh\nexec "%s" c++ -target %s "$@"\n' "$zig" "$target" >"$tools/c++"
  printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$zig" "$target" >"$tools/cc"
  for name in ar ranlib rc; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$name" >"$tools/$name"; done
  printf '#!/bin/sh\n' >"$tools/true"
  # For a module on macOS this linker knows no bundle, and does not read the list of what Python has: a library that is
  # linked with the stub stands in for it.
  [[ $target != *macos* ]] || cat >"$tools/c++" <<END
#!/bin/sh
for word; do
  shift
  case \$word in
    -bundle) word=-dynamiclib ;;
    -Wl,@*python.sym) word=$work/$target/python/python3.tbd ;;
  esac
  set -- "\$@" "\$word"
done
exec "$zig" c++ -target $target "\$@"
END
  chmod +x "$tools"/*
}

# Python's headers and its own configuration: of Windows as it is; of macOS that of this machine, whose numbers have the
# same sizes. The headers of the stable interface look at nothing else of it. To link with, a stub that names what the
# stable interface has.
make_python() {
  local sources=("$work"/sources/Python-*) made=$work/$1/python list
  list=${sources[0]}/PC/python3dll.c
  rm -rf "$made"
  mkdir -p "$made"
  cp -r "${sources[0]}/Include" "$made/include"
  if [[ $1 == *windows* ]]; then
    cp "${sources[0]}/PC/pyconfig.h" "$made/include/"
    { printf 'LIBRARY python3.dll\nEXPORTS\n'
      sed -n 's/^EXPORT_FUNC(\(.*\))/\1/p; s/^EXPORT_DATA(\(.*\))/\1 DATA/p' "$list"; } >"$made/python3.def"
    "$zig" dlltool -m i386:x86-64 -d "$made/python3.def" -l "$made/python3.lib"
  else
    cp "/usr/include/$(uname -m)-linux-gnu/$python/pyconfig.h" "$made/include/"
    local targets="[ ${1/aarch64/arm64} ]"
    { printf -- "--- !tapi-tbd\ntbd-version: 4\ntargets: %s\ninstall-name: '@rpath/libpython3.dylib'\n" "$targets"
      printf 'exports:\n  - targets: %s\n    symbols: [ %s ]\n...\n' "$targets" \
        "$(sed -n 's/^EXPORT_\(FUNC\|DATA\)(\(.*\))/_\2/p' "$list" | paste -sd,)"; } >"$made/python3.tbd"
  fi
}

build_target() {
  export CREDENCE_CROSS_TARGET=$1 CREDENCE_CROSS_TOOLS=$work/$1/tools
  # The tools see the copy of OpenBLAS for the other system first; it is a folder of files to them.
  PYTHONPATH=$work/$1/openblas cmake -G Ninja -S . -B "$work/$1/build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" \
    -DCMAKE_PROJECT_credence_INCLUDE="$PWD/cmake/cross_libraries.cmake" -DCREDENCE_CROSS_SOURCES="$work/sources" \
    -DCREDENCE_openblas_INCLUDE="$work/$1/include" -DCREDENCE_openblas_LIBRARY="$2" \
    -DCREDENCE_BUILD_PYTHON=ON -DCREDENCE_CROSS_PYTHON="$work/$1/python" -DPython_EXECUTABLE="$work/zig/bin/python" \
    -Dnanobind_DIR="$nanobind" -DSKBUILD_SABI_VERSION=3.11 -DCREDENCE_UNITY=ON -DCREDENCE_BUILD_TESTS=OFF \
    -DCREDENCE_BUILD_REPRODUCE=OFF -DCREDENCE_BUILD_SELFCHECK=OFF -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS=-fno-sanitize=undefined -DCMAKE_CXX_FLAGS=-fno-sanitize=undefined \
    -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g0" -DCMAKE_C_FLAGS_DEBUG="-O0 -g0" >"$work/$1/configure.log" ||
    { cat "$work/$1/configure.log" >&2; return 1; }
  cmake --build "$work/$1/build" -j "$jobs" --target credence_cli credence_python
}

# The functions that the library asks for by name, with the prefix of this copy.
look_up() {
  python3 - "$1" <<'END'
import pathlib, re, sys
asked = set(re.findall(r'\{"((?:cblas_)?d\w+)"\}', pathlib.Path("src/blas/calls.hpp").read_text()))
asked |= set(re.findall(r'own<[^"]*\("(\w+)"\)', pathlib.Path("src/blas/openblas.cpp").read_text()))
library = pathlib.Path(sys.argv[1]).read_bytes()
missing = [name for name in sorted(asked) if not re.search(rb"\0_?scipy_%s\0" % name.encode(), library)]
if missing or len(asked) < 10:
    sys.exit(f"cross_check: {sys.argv[1]} lacks {missing or 'names to ask for'}")
print(f"{len(asked)} functions are in {pathlib.Path(sys.argv[1]).name}")
END
}

fetch_compiler
fetch_libraries
for target in "${targets[@]}"; do
  echo "== $target"
  begin=$SECONDS
  "$work/zig/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
    --target "$work/$target/openblas" --platform "${platforms[$target]}" --only-binary :all: "$(build_requirement scipy-openblas32)"
  library=$(find "$work/$target/openblas" -name 'libscipy_openblas.dylib' -o -name 'libscipy_openblas.dll')
  look_up "$library"
  # Its header, with the names that every other OpenBLAS has.
  mkdir -p "$work/$target/include"
  for name in cblas.h openblas_config.h; do
    sed 's/\bscipy_//g' "$work/$target/openblas/scipy_openblas32/include/$name" >"$work/$target/include/$name"
  done
  make_tools "$target"
  make_python "$target"
  build_target "$target" "$library"
  ls -l "$work/$target"/build/{,python/}{credence,credence.exe,_core.*} 2>/dev/null || true
  echo "$target: compiled and linked in $((SECONDS - begin)) s"
done
