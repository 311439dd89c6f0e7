#!/usr/bin/env bash
# Credence beside LIBSVM and scikit-learn: prints the tables, writes build/bench/results.json.
#   benchmarks/run.sh [--quick] [--only pima,bupa] [--parts loo,in-sample] [...]
# All options: build/credence_bench --help.
# CREDENCE_BENCH names another build of the program, PYTHON another interpreter that has scikit-learn.
set -euo pipefail
cd "$(dirname "$0")/.."
bench=${CREDENCE_BENCH:-build/credence_bench}
python=${PYTHON:-.venv/bin/python}

if [[ ! -x $bench ]]; then
  echo "run.sh: $bench is missing; \`make bench\` builds it" >&2
  exit 1
fi
options=()
if "$python" -c 'import sklearn' 2>/dev/null; then
  options+=(--python "$python")
else
  echo "run.sh: $python has no scikit-learn; its column stays empty (scripts/setup.sh bench installs it)" >&2
fi
exec "$bench" "${options[@]}" "$@"
