#!/usr/bin/env bash
# What a change needs before it is committed, in a few minutes where all is built: the format, the rooms, the words, the
# tests that are not slow, and the Python package with the newest scikit-learn:  scripts/check.sh [JOBS]
# `make test` runs all tests, with the oldest scikit-learn too; `make lint` runs clang-tidy.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

scripts/format.sh --check
python3 scripts/rooms.py
python3 scripts/words.py
# As in scripts/test.sh: many sources at once in a fresh folder, and a developer's folder stays as it is.
[[ -f build/CMakeCache.txt ]] && unity=() || unity=(-DCREDENCE_UNITY=ON)
cmake --preset release -DCREDENCE_BUILD_TESTS=ON "${unity[@]}" >/dev/null
cmake --build --preset release -j "$jobs"

# The tests of Python run beside those of C++, and say what they found when these have ended.
log=$(mktemp)
scripts/python.sh newest >"$log" 2>&1 &
python=$!
trap 'kill $python 2>/dev/null || true' EXIT
outcome=0
ctest --preset release -j "$jobs" -LE slow || outcome=$?
wait "$python" || outcome=$?
trap - EXIT
cat "$log"
rm "$log"
exit "$outcome"
