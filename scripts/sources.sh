#!/usr/bin/env bash
# Prints the C++ sources, separated by NUL bytes; folders may be given, default: all.
set -euo pipefail
cd "$(dirname "$0")/.."
if (($# == 0)); then
  set -- include src cli report distributed reproduce selfcheck python/src tests benchmarks fuzz
fi
find "$@" \( -name '*.hpp' -o -name '*.cpp' \) -print0 | sort -z
