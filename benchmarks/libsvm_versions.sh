#!/usr/bin/env bash
# Debian's LIBSVM beside the newest of the Python registry, in one command: installs the newest libsvm-official into
# .venv-libsvm, runs both on two data sets, and writes docs/results/libsvm-versions.json:
#   benchmarks/libsvm_versions.sh [FOLDER OF THE DATA SETS]      default: ../shared/data
set -euo pipefail
cd "$(dirname "$0")/.."
data=${1:-../shared/data}
python3 -m venv --clear .venv-libsvm
.venv-libsvm/bin/python -m pip install --quiet --disable-pip-version-check numpy libsvm-official
.venv-libsvm/bin/python benchmarks/libsvm_versions.py -o docs/results/libsvm-versions.json \
  "$data"/ionosphere.csv.gz "$data"/breastw.csv.gz
python3 scripts/docs/write_pages.py
