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

outcome=0
ctest --preset release -j "$jobs" -LE slow || outcome=$?
scripts/python.sh newest || outcome=$?
exit "$outcome"
