#!/usr/bin/env bash
# The Python package beside scikit-learn, MAPIE, crepes, online-cp and nonconformist:  benchmarks/python/run.sh
# DATA=FOLDER holds the data sets of search.py; the default is ../shared/data, beside the project.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ -d wheelhouse ]] || scripts/wheel.sh
tools=.venv-peers
if ! cmp -s benchmarks/python/requirements.txt $tools/installed.txt; then
  python3 -m venv --clear $tools
  $tools/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/python/requirements.txt
  cp benchmarks/python/requirements.txt $tools/installed.txt
fi
$tools/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps wheelhouse/*.whl
export CREDENCE_COMMAND=$PWD/build/credence
[[ -z ${DATA:-} ]] || export CREDENCE_TEST_DATA=$DATA
for script in search full_conformal split copies; do
  echo "== $script"
  $tools/bin/python benchmarks/python/$script.py
done
