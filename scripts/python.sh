#!/usr/bin/env bash
# Builds the wheel, installs it into fresh virtual environments, and runs the tests of the Python package there: with
# the newest scikit-learn and with the oldest that is supported.  scripts/python.sh
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
scripts/wheel.sh
wheel=$(ls wheelhouse/*.whl)

# Checks of the sources, with the newest packages.
check_sources() {
  .venv-python/bin/ruff check python scripts/python_stubs.py scripts/sbom.py scripts/docs
  .venv-python/bin/ruff format --check python scripts/python_stubs.py scripts/sbom.py scripts/docs
  .venv-python/bin/python scripts/python_stubs.py --check
  .venv-python/bin/pyright --pythonpath .venv-python/bin/python
}

# test ENVIRONMENT REQUIREMENTS: outside the sources, so that the installed package is what is tested.
test_in() {
  rm -rf "$1"
  python3 -m venv "$1"
  "$1"/bin/python -m pip install --quiet --disable-pip-version-check -r "$2" "$wheel"
  local folder
  folder=$(mktemp -d)
  (cd "$folder" && CREDENCE_COMMAND=$source/build/credence CREDENCE_SOURCE=$source \
    "$source/$1"/bin/python -m pytest -q -c "$source/pyproject.toml" --rootdir "$folder" -p no:cacheprovider \
    --doctest-modules "$source/python/tests" --pyargs credence)
  rm -rf "$folder"
}

test_in .venv-python python/requirements-test.txt
check_sources
# The documentation's site builds without a warning.
scripts/docs/build.sh
test_in .venv-python-oldest python/requirements-test-oldest.txt
