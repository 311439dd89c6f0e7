#!/usr/bin/env bash
# Rewrites all sources in the project's format, or checks the format:  scripts/format.sh [--check]
# One version of clang-format for everybody: its rules about braces differ between versions.
set -euo pipefail
cd "$(dirname "$0")/.."
version=18.1.8
tool=.venv-format/bin/clang-format
if ! "$tool" --version 2>/dev/null | grep -qF "version $version"; then
  echo "format: installing clang-format $version in .venv-format"
  python3 -m venv --clear .venv-format
  .venv-format/bin/python -m pip install --quiet --disable-pip-version-check "clang-format==$version"
fi
if [[ ${1:-} == --check ]]; then
  scripts/sources.sh | xargs -0 "$tool" --dry-run -Werror
else
  scripts/sources.sh | xargs -0 "$tool" -i
fi
