#!/usr/bin/env bash
# What a change needs before it is committed: the format, the rooms, clang-tidy on changed sources, and the tests that
# are not slow:  scripts/check.sh [JOBS] [BASE]      BASE: the commit that changes are counted from (default: HEAD)
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
base=${2:-HEAD}

scripts/format.sh --check
python3 scripts/rooms.py
python3 scripts/words.py
changed=$(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 'distributed/*.cpp' 'cli/*.cpp' 'report/*.cpp')
if [[ -n $changed ]]; then
  cmake --preset lint >/dev/null
  xargs -n 1 -P "$jobs" clang-tidy -p build-lint --quiet <<<"$changed" 2>&1 | { grep -v ' warnings\? generated\.$' || true; }
fi
cmake --preset release -DCREDENCE_BUILD_TESTS=ON -DCREDENCE_UNITY=OFF
cmake --build --preset release -j "$jobs"
ctest --preset release -j "$jobs" -LE slow
