#!/usr/bin/env bash
# From nothing to the first result: a fresh environment, one line that installs a wheel, then the first result by the
# command and by Python on the shipped data. Prints seconds, and what was downloaded and takes room:
#   scripts/first_result.sh [WHEEL]      default: the one in wheelhouse/
# EMULATOR="qemu-aarch64-static -L ROOT" and PYTHON=FILE name a Python of another processor, with pip, and what runs it
# (scripts/arm64.sh first).
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=$(realpath "${1:-$(ls wheelhouse/credence-*.whl)}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ -n ${EMULATOR:-} ]]; then
  # An emulated program starts no program of its processor: packages go into a folder in the place of an environment.
  site=$folder/site
  export PYTHONPATH=$site:${PYTHONPATH:-}
  python() { $EMULATOR "$PYTHON" "$@"; }
  pip() { python -m pip "$@" --target "$site"; }
  credence() { $EMULATOR "$site/credence/_command" "$@"; }
else
  python3 -m venv "$folder/venv"
  export PATH=$folder/venv/bin:$PATH
  site=$(echo "$folder"/venv/lib/python3*/site-packages)
fi
cp data/breast_cancer.csv "$folder"
cd "$folder"
TIMEFORMAT='%R s on the clock, %U s of the processor'

echo "pip install $(basename "$wheel")"
time pip install --no-cache-dir --disable-pip-version-check --progress-bar off "$wheel" >log
# pip says of each package: Downloading NAME.whl (8.9 MB)
awk -v own="$(stat -c %s "$wheel")" '
  /Downloading .*\.whl \(/ { gsub(/.*\(|\)/, ""); sum += $2 == "kB" ? $1 / 1000 : $1 }
  END { printf "downloaded: %.0f MB beside the wheel of %.1f MB\n", sum, own / 1e6 }' log
du -sm "$site"/credence* | awk '{ sum += $1 } END { printf "installed: %d MB\n", sum }'
[[ -z ${EMULATOR:-} ]] || chmod +x "$site/credence/_command"
echo "credence select breast_cancer.csv"
time credence select breast_cancer.csv 2>/dev/null | grep "honest estimate"
echo "python: SVCSearchCV().fit(X, y).honest_error_"
time python -c 'import credence; X, y = credence.datasets.load_breast_cancer(return_X_y=True); print(credence.SVCSearchCV().fit(X, y).honest_error_)'
