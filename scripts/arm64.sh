#!/usr/bin/env bash
# Builds for Linux on arm64 by Debian's cross compiler and runs what was built by qemu:
#   scripts/arm64.sh [PART ...]      default: root build tests wheel first      (after scripts/setup.sh arm64)
# root: Debian's arm64 packages, unpacked below build-arm64/root; the machine's own apt stays as it is.
# build: the command and the tests. tests: those that end in a reasonable time. wheel: built, installed and tested in
# an emulated Python. first: from nothing to the first result there, timed. compare: the table of docs/machine.md, beside
# the command in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build-arm64
root=$work/root
export CREDENCE_ARM64_ROOT=$root
jobs=${JOBS:-$(nproc)}
parts=("$@")
((${#parts[@]})) || parts=(root build tests wheel first)

# The libraries that Credence uses, what its tests use, and Python with the libraries that its own modules need.
packages=(
  libc6 libgcc-s1 libstdc++6 libgomp1 zlib1g libgfortran5 libopenblas0-pthread libfmt9 libhwy1 libsvm3
  libboost1.74-dev libcli11-dev libfmt-dev libgtest-dev libhwy-dev libopenblas-pthread-dev libsvm-dev
  nlohmann-json3-dev zlib1g-dev
  python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libpython3.11-dev libbz2-1.0 libcrypt1 libexpat1
  libffi8 liblzma5 libncursesw6 libreadline8 libsqlite3-0 libssl3 libtinfo6 libuuid1
)

# Rooms whose tests are built and run; ROOMS="core io" takes others.
rooms="core bounds io kernel qp neighbours data model conformal"

run_arm64() {
  qemu-aarch64-static -L "$root" "$@"
}

make_root() {
  local apt=$work/apt
  mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial "$apt"/packages
  touch "$apt/status"
  cat >"$apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::SourceParts "$apt/sources";
END
  mkdir -p "$apt/sources"
  cp /etc/apt/sources.list.d/debian.sources "$apt/sources/"
  APT_CONFIG=$apt/apt.conf apt-get update -qq
  (cd "$apt/packages" && rm -f ./*.deb && APT_CONFIG=$apt/apt.conf apt-get download -qq "${packages[@]}")
  rm -rf "$root"
  mkdir -p "$root"/usr/{bin,lib,sbin}
  ln -s usr/bin usr/lib usr/sbin "$root"
  local package
  for package in "$apt"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --no-same-owner --keep-directory-symlink -C "$root"
  done
  # Links to places of the machine lead into the root instead; the alternatives that dpkg would make.
  local link
  while read -r link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
  done < <(find "$root" -type l -lname '/*')
  local libraries=$root/usr/lib/aarch64-linux-gnu
  ln -sf openblas-pthread/libopenblas.so.0 "$libraries/libopenblas.so.0"
  ln -sf openblas-pthread/libopenblas.so "$libraries/libopenblas.so"
}

build_all() {
  cmake -G Ninja -B "$work/build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm64.cmake" -DCREDENCE_UNITY=ON \
    -DCREDENCE_BUILD_TESTS=ON -DCREDENCE_TEST_COMMAND="$work/credence" \
    -DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST
  # shellcheck disable=SC2086
  cmake --build "$work/build" -j "$jobs" --target credence_cli $(printf 'test_%s ' ${ROOMS:-$rooms})
  # The kernel of another machine starts no program of arm64: this script does.
  printf '#!/bin/sh\nexec qemu-aarch64-static -L %s %s "$@"\n' "$root" "$work/build/credence" >"$work/credence"
  chmod +x "$work/credence"
}

# Left out is what takes minutes: what is slow on a real processor already (SLOW_TESTS), papers, long simulations, and
# integrals in Boost's long doubles, which arm64 computes in software. Rooms whose tests start the command are not here.
run_tests() {
  local room left_out worst=0
  left_out="*PaperValues*:*BySimulation.*:ConfidenceOfSelectedModels.*:NeighboursValidity.*:RunningVsMixture.TheRate*"
  left_out+=":$(sed -n '/^set(SLOW_TESTS/,/)/p' tests/CMakeLists.txt | grep -o '"[^"]*"' | tr -d '"' | paste -sd:)"
  for room in ${ROOMS:-$rooms}; do
    echo "== test_$room"
    (cd "$work" && run_arm64 "build/test_$room" --gtest_brief=1 --gtest_filter="${FILTER:-*}:-$left_out") || worst=1
  done
  return $worst
}

# pip of this machine, which installs for arm64.
for_arm64=("$work/tools/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade
  --platform manylinux_2_34_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64
  --platform manylinux2014_aarch64 --platform manylinux_2_17_aarch64
  --python-version 3.11 --implementation cp --only-binary :all:)
python=$root/usr/bin/python3.11

# A wheel for arm64 by the tools of this machine, and a Python of arm64 that imports it.
try_wheel() {
  local tools=$work/tools
  cmp -s python/requirements-build.txt "$tools/installed.txt" || {
    python3 -m venv --clear "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check -r python/requirements-build.txt
    cp python/requirements-build.txt "$tools/installed.txt"
  }
  [[ -d $work/openblas ]] || "${for_arm64[@]}" --no-deps --target "$work/openblas" "$(grep scipy-openblas32 python/requirements-build.txt)"
  [[ -d $work/site ]] || "${for_arm64[@]}" --target "$work/site" nanobind-backend numpy scipy scikit-learn narwhals pandas pytest
  rm -rf "$work/dist"
  [[ -f python/credence/_arguments.py ]] || scripts/wheel.sh plain
  # The tools see the copy of OpenBLAS for arm64 first; it is a folder of files to them.
  PATH=$tools/bin:$PATH PYTHONPATH=$work/openblas _PYTHON_HOST_PLATFORM=linux-aarch64 \
    CMAKE_TOOLCHAIN_FILE=$PWD/cmake/arm64.cmake SKBUILD_BUILD_DIR=$work/python \
    SKBUILD_CMAKE_ARGS="-DPython_INCLUDE_DIR=$root/usr/include/python3.11;-DCMAKE_SKIP_RPATH=ON;-DCREDENCE_PYTHON_SOURCES=$PWD/python/credence" \
    "$tools/bin/python" -m pip wheel . --no-deps --no-build-isolation -w "$work/dist"
  "$tools/bin/abi3audit" --strict --summary "$work"/dist/*.whl
  "${for_arm64[@]}" --platform linux_aarch64 --no-deps --target "$work/site" "$work"/dist/*.whl
  chmod +x "$work/site/credence/_command"
  mkdir -p "$work/try"
  (
    cd "$work/try"
    export PYTHONHOME=$root/usr PYTHONPATH=$work/site OPENBLAS_NUM_THREADS=1 CREDENCE_SOURCE=$OLDPWD CREDENCE_COMMAND=$work/credence
    TIMEFORMAT='%R s on the clock, %U s of the processor'
    time run_arm64 "$python" -c 'import platform, credence; print(platform.machine(), credence.__version__, credence.__file__)'
    # Left out is a test that starts another Python.
    time run_arm64 "$python" -m pytest -q -c "$OLDPWD/pyproject.toml" --rootdir . -p no:cacheprovider -k "not without_frames" \
      ${PYTEST:-$(printf "$OLDPWD/python/tests/%s " test_svc_vs_sklearn.py test_files.py test_reading.py test_conformal_split_vs_naive.py)}
  )
}

# A program that an emulated one starts runs only where the kernel knows the emulator, so that pip is a folder as well.
first_result() {
  [[ -d $work/pip ]] || "${for_arm64[@]}" --no-deps --target "$work/pip" pip
  EMULATOR="qemu-aarch64-static -L $root" PYTHON=$python PYTHONHOME=$root/usr PYTHONPATH=$work/pip OPENBLAS_NUM_THREADS=1 \
    scripts/first_result.sh "$work"/dist/*.whl
}

compare() {
  python3 scripts/compare_platforms.py --here build/credence --there "$work/credence"
}

for part in "${parts[@]}"; do
  case $part in
    root) make_root ;;
    build) build_all ;;
    tests) run_tests ;;
    wheel) try_wheel ;;
    first) first_result ;;
    compare) compare ;;
    *)
      echo "arm64: unknown part '$part'; parts are: root build tests wheel first compare" >&2
      exit 2
      ;;
  esac
done
