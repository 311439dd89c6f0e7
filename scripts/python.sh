#!/usr/bin/env bash
# Builds the wheel, installs it into fresh virtual environments, and runs the tests of the Python package there: with
# the newest scikit-learn and with the oldest that is supported.  scripts/python.sh [environments|newest]
# With `environments`, makes the two environments alone: they need no wheel, and can be made while the command compiles.
# With `newest`, takes the environment of the newest scikit-learn that is there, and leaves out the site, pages in a browser
# and simulations of the core.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD

# make_environment FOLDER REQUIREMENTS: all that the tests need but the wheel. A fresh one of the same list stays.
make_environment() {
  ! cmp -s "$2" "$1/fresh" || return 0
  rm -rf "$1"
  python3 -m venv "$1"
  "$1"/bin/python -m pip install --quiet --disable-pip-version-check -r "$2"
  cp "$2" "$1/fresh"
}
make_environments() {
  make_environment .venv-python python/requirements-test.txt
  make_environment .venv-python-oldest python/requirements-test-oldest.txt
}
if [[ ${1:-} == environments ]]; then
  make_environments
  exit
fi

# Checks of the sources, with the newest packages.
check_sources() {
  .venv-python/bin/ruff check python scripts &&
    .venv-python/bin/ruff format --check python scripts &&
    .venv-python/bin/python scripts/python_arguments.py --check &&
    .venv-python/bin/pyright --pythonpath .venv-python/bin/python
}

# test_in ENVIRONMENT ARGUMENT...: outside the sources, so that the installed package is what is tested.
test_in() {
  local python=$source/$1/bin/python
  shift
  local folder outcome=0
  folder=$(mktemp -d)
  (cd "$folder" && CREDENCE_COMMAND=$source/build/credence CREDENCE_SOURCE=$source \
    "$python" -m pytest -q -c "$source/pyproject.toml" --rootdir "$folder" -p no:cacheprovider "$@") || outcome=$?
  rm -rf "$folder"
  return "$outcome"
}
tests=$source/python/tests
# These measure how soon a run stops, so they want the machine for themselves.
timed=$tests/test_running.py
# All others in processes side by side, one more than cores, as some wait for a browser or a worker. NumPy's threads would
# wait for each other on the cores that these share, by spinning; those of the core go on.
export OPENBLAS_NUM_THREADS=1
all=(--numprocesses=$(($(nproc) + 1)) --dist=worksteal --doctest-modules "$tests" --pyargs credence --ignore="$timed")

if [[ ${1:-} == newest ]]; then
  [[ -x .venv-python/bin/pytest ]] || make_environment .venv-python python/requirements-test.txt
  scripts/wheel.sh plain
  # pip takes a wheel of the same version for the one that is installed.
  .venv-python/bin/python -m pip uninstall --quiet --yes credence
  .venv-python/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
  check_sources
  rm -f .venv-python/fresh
  test_in .venv-python "${all[@]}" -m "not core and not browser" --ignore="$tests/test_site.py"
  exit
fi

# The environments are made beside the wheel.
make_environments &
prepared=$!
trap 'kill $prepared 2>/dev/null || true' EXIT
scripts/wheel.sh
wait "$prepared"
# The documentation's site, with the arguments that the wheel's build has written, builds without a warning; tests
# search in it.
scripts/docs/build.sh &
site=$!
trap 'kill $site 2>/dev/null || true' EXIT
wheel=$(ls wheelhouse/*.whl)
for environment in .venv-python .venv-python-oldest; do
  rm $environment/fresh
  $environment/bin/python -m pip install --quiet --disable-pip-version-check "$wheel"
done
check_sources
wait "$site"
trap - EXIT

outcome=0
test_in .venv-python "$timed" || outcome=$?
test_in .venv-python "${all[@]}" || outcome=$?
echo "With the oldest scikit-learn that is supported, without what older packages cannot change:"
test_in .venv-python-oldest "${all[@]}" -m "not command and not core and not page and not browser" || outcome=$?
exit "$outcome"
