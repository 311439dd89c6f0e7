#!/usr/bin/env bash
# Installs what the given groups need: build, page (what fetches the parts of report pages), test, bench, lint,
# fuzz, release, arm64 (a compiler for it, and an emulator).
# Needs no network and no rights if everything is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A packages=(
  [build]="g++ cmake ninja-build ccache pkg-config libopenblas-dev libhwy-dev libboost-dev
           zlib1g-dev libcli11-dev libfmt-dev nlohmann-json3-dev"
  [page]="nodejs npm"
  [test]="libgtest-dev libsvm-dev libsvm-tools python3-sklearn python3-dev python3-venv chromium tcc valgrind"
  [bench]="libbenchmark-dev libdlib-dev python3-venv"
  [fuzz]="clang libclang-rt-dev"
  [lint]="clang-tidy python3-venv"
  [release]="python3-venv debootstrap"
  [arm64]="g++-aarch64-linux-gnu qemu-user-static python3-venv"
)
# Clang 14, which Debian 12 takes by default, does not know how C++20 makes aggregates from parentheses.
if [[ $(. /etc/os-release && echo "${VERSION_ID:-}") == 12 ]]; then
  packages[fuzz]="clang-16 libclang-rt-16-dev"
  packages[lint]="clang-tidy-16 python3-venv"
fi

wanted=()
for group in "$@"; do
  if [[ -z ${packages[$group]:-} ]]; then
    echo "setup: unknown group '$group'; groups are: ${!packages[*]}" >&2
    exit 2
  fi
  read -r -d '' -a names <<<"${packages[$group]}" || true
  wanted+=("${names[@]}")
done

# Without these, report pages are not built in, or some tests are skipped; all else works.
is_optional() { [[ $1 =~ ^(nodejs|npm|chromium|tcc|valgrind|debootstrap)$ ]]; }

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; install the counterparts of these packages: ${wanted[*]}" >&2
else
  missing=()
  wished=()
  for name in "${wanted[@]}"; do
    # Node, npm and Chromium of another origin serve as well.
    is_optional "$name" && command -v "${name%js}" >/dev/null && continue
    status=$(dpkg-query -W -f='${db:Status-Abbrev}' "$name" 2>/dev/null || true)
    [[ $status == ii* || $status == hi* ]] && continue
    if is_optional "$name"; then wished+=("$name"); else missing+=("$name"); fi
  done

  if ((${#missing[@]} + ${#wished[@]})); then
    as_root=()
    if [[ $(id -u) == 0 ]]; then
      as_root=(env)
    elif sudo -n true 2>/dev/null; then
      as_root=(sudo -n env)
    fi
    install() {
      echo "setup: installing $*"
      "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
    }
    if ((${#as_root[@]})); then
      "${as_root[@]}" apt-get update -qq || ((${#missing[@]} == 0))
      ((${#missing[@]} == 0)) || install "${missing[@]}"
      ((${#wished[@]} == 0)) || install "${wished[@]}" || echo "setup: going on without ${wished[*]}" >&2
    elif ((${#missing[@]})); then
      echo "setup: packages are missing, and installing them needs root. Run:" >&2
      echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]} ${wished[*]}" >&2
      exit 1
    else
      echo "setup: going on without ${wished[*]}, as installing packages needs root" >&2
    fi
  fi
fi

# The benchmarks' Python packages live in .venv and are installed anew when the list changes.
if [[ " $* " == *" bench "* ]] && ! cmp -s benchmarks/requirements.txt .venv/installed.txt; then
  echo "setup: making .venv"
  python3 -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
  cp benchmarks/requirements.txt .venv/installed.txt
fi
