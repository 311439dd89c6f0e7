#!/usr/bin/env bash
# Makes every generated file anew; read `git diff` afterwards:  scripts/generated.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
cmake --preset release -DCREDENCE_BUILD_TESTS=ON
cmake --build --preset release -j "$jobs" --target credence_cli test_cli

# Options as the program describes them, and the sentences that it says of bad input.
CREDENCE_UPDATE_DOCS=1 build/test_cli --gtest_filter='OptionsPage.*' --gtest_brief=1
CREDENCE_UPDATE_BAD=1 build/test_cli --gtest_filter='BadInput.*' --gtest_brief=1
# Python's arguments and stub are written by the build of the package, described lines of its sources by the package.
scripts/wheel.sh plain
rm -rf .venv-generated
python3 -m venv .venv-generated
.venv-generated/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-test.txt dist/*.whl
.venv-generated/bin/python scripts/python_arguments.py
# Tables of the pages, from the options, the program and docs/results/.
PATH=$PWD/build:$PATH python3 scripts/docs/write_pages.py
# What the commands of the pages print.
.venv-generated/bin/python scripts/docs/examples.py --command build/credence README.md docs/*.md docs/methods/*.md
git status --short
