#!/usr/bin/env bash
# Configures, builds and tests one preset:  scripts/test.sh release|debug|asan|tsan [JOBS]
# CREDENCE_SHARD=K/N runs every Nth test only, from the Kth on; CREDENCE_BUILD_ALONE=1 runs none.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
jobs=${2:-$(nproc)}
build=build
[[ $preset == release ]] || build=build-$preset
report=$PWD/$build/tests.xml

# The release compiles many sources at once in a fresh folder, and a developer's folder stays as it is. The sanitizers
# compile each source by itself, with the compiler's warnings.
unity=(-DCREDENCE_UNITY=OFF)
if [[ $preset == release ]]; then
  unity=(-DCREDENCE_UNITY=ON)
  [[ ! -f $build/CMakeCache.txt ]] || unity=()
fi
cmake --preset "$preset" -DCREDENCE_BUILD_TESTS=ON "${unity[@]}"
cmake --build --preset "$preset" -j "$jobs"
[[ -z ${CREDENCE_BUILD_ALONE:-} ]] || exit 0

shard=()
[[ -z ${CREDENCE_SHARD:-} ]] || shard=(--tests-information "${CREDENCE_SHARD%/*},,${CREDENCE_SHARD#*/}")

rm -f "$report"
outcome=0
ctest --preset "$preset" -j "$jobs" "${shard[@]}" --no-tests=error --output-junit "$report" || outcome=$?

# The counts once more in one line; in ctest's own, a skipped test counts as passed.
suite=$(tr '\n\t' '  ' <"$report" | sed 's/<testcase.*//; s/.*<testsuite//')
count() { sed "s/.* $1=\"\([0-9]*\)\".*/\1/" <<<"$suite"; }
skipped=$(count skipped)
failed=$(count failures)
echo
if ((skipped)); then
  echo "Skipped tests need the large data sets (CREDENCE_TEST_DATA names their folder), scikit-learn (CREDENCE_PYTHON"
  echo "names an interpreter that has it), or valgrind and counts for this compiler (instructions); see CONTRIBUTING.md."
fi
echo "$(($(count tests) - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$outcome"
