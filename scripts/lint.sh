#!/usr/bin/env bash
# Checks the format of all sources, then runs clang-tidy on all but tests and benchmarks:  scripts/lint.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

scripts/format.sh --check
echo "format: ok"

# A configuration of its own: clang-tidy cannot read the precompiled headers of another compiler. Many sources are read
# at once, so that their headers are.
cmake --preset lint >/dev/null
tidy=$(command -v clang-tidy-16 || command -v clang-tidy)
# "N warnings generated" counts those in system headers, which are not shown.
sed -n 's/^ *"file": "\(.*\)".*/\1/p' build-lint/compile_commands.json |
  xargs -d '\n' -n 1 -P "$jobs" "$tidy" -p build-lint --quiet 2>&1 |
  { grep -v ' warnings\? generated\.$' || true; }
echo "clang-tidy: ok"
