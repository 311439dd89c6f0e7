#!/usr/bin/env bash
# Everything that `make test` leaves out, in parts that each take less than half an hour on two cores:
#   scripts/check_all.sh [PART ...]      default: all of them, one after the other
# A sanitizer has a part for its build and one for each third of the tests, so that a machine with little time runs them
# one by one.
set -uo pipefail
cd "$(dirname "$0")/.."
all=(alone asan-build asan-1 asan-2 asan-3 tsan-build tsan-1 tsan-2 tsan-3 lint fuzz faults selfcheck bench reproduce cross arm64 release)
parts=("$@")
((${#parts[@]})) || parts=("${all[@]}")
jobs=$(nproc)

# Each source compiled by itself, without a warning, gives byte by byte the results of the wheel, which is compiled many
# sources at once.
compile_alone() {
  local source=$PWD
  cmake --preset release -B build-alone -DCREDENCE_BUILD_TESTS=OFF -DCREDENCE_UNITY=OFF \
    -DCREDENCE_PRECOMPILED_HEADERS=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR=ON &&
    cmake --build build-alone -j "$jobs" --target credence_cli || return
  [[ -x .venv-python/bin/python ]] || make python || return
  (cd build-alone && CREDENCE_COMMAND=$source/build-alone/credence CREDENCE_SOURCE=$source \
    "$source"/.venv-python/bin/python -m pytest -q -c "$source/pyproject.toml" --rootdir "$source/build-alone" \
    -p no:cacheprovider "$source/python/tests/test_same_as_command.py")
}

run_part() {
  case $1 in
    alone) compile_alone ;;
    asan-build | tsan-build) CREDENCE_BUILD_ALONE=1 scripts/test.sh "${1%-build}" "$jobs" ;;
    asan-[123]) CREDENCE_SHARD=${1#*-}/3 scripts/test.sh asan "$jobs" ;;
    tsan-[123]) CREDENCE_SHARD=${1#*-}/3 scripts/test.sh tsan "$jobs" ;;
    lint) scripts/lint.sh "$jobs" ;;
    fuzz) make fuzz SECONDS=60 ;;
    faults) make faults ;;
    selfcheck) make selfcheck ;;
    bench) make bench BENCH=--quick ;;
    reproduce) make reproduce DATA="${CREDENCE_TEST_DATA:?names the folder of the large data sets}" ;;
    cross) scripts/cross_check.sh ;;
    arm64) scripts/setup.sh arm64 && scripts/arm64.sh ;;
    release) make release ;;
    *)
      echo "check_all: unknown part '$1'; parts are: ${all[*]}" >&2
      return 2
      ;;
  esac
}

outcomes=()
worst=0
for part in "${parts[@]}"; do
  echo "== $part"
  begin=$SECONDS
  code=0
  run_part "$part" || code=$?
  ((code == 0)) || worst=1
  outcomes+=("$(printf '%-10s %-7s %3d min %02d s' "$part" "$([[ $code == 0 ]] && echo passed || echo FAILED)" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60)))")
done
echo
printf '%s\n' "${outcomes[@]}"
exit $worst
