#!/usr/bin/env bash
# Builds the wheel in dist/ and makes it whole in wheelhouse/:  scripts/wheel.sh [plain]
# With `plain`, the wheel is not repaired: it needs the machine's own libraries.
# The same sources give the same bytes in any folder, with the same compiler and libraries (scripts/wheel_again.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
tools=.venv-wheel
if ! cmp -s python/requirements-build.txt $tools/installed.txt; then
  echo "wheel: making $tools"
  python3 -m venv --clear $tools
  $tools/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-build.txt
  cp python/requirements-build.txt $tools/installed.txt
fi
# Many sources at once, as `pip install .` compiles them. With the compiler's name as the command has it, what ccache
# holds of the command's objects serves here; Python would name another.
export CXX=${CXX:-c++}
# Files in the wheel have the time of the commit, which an unpacked tarball of the sources has too.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)}
export SOURCE_DATE_EPOCH
rm -rf dist
PATH=$PWD/$tools/bin:$PATH $tools/bin/python -m pip wheel . --quiet --no-deps --no-build-isolation -w dist
# What the build has written, for editors, type checkers and the site.
cp build-python/python/written/_arguments.py build-python/python/written/_core.pyi python/credence/
grep -q '^CREDENCE_UNITY:.*=ON$' build-python/CMakeCache.txt || { echo "wheel: pyproject.toml does not set CREDENCE_UNITY" >&2; exit 1; }
[[ -f build-python/page/drawing.js ]] || echo "wheel: report pages are not built in, because npm ci failed or npm is missing" >&2
[[ ${1:-} == plain ]] && exit 0
rm -rf wheelhouse
# The tag is the oldest that the symbols allow: manylinux_2_34 from Debian 12, a later one from Debian 13.
PATH=$PWD/$tools/bin:$PATH $tools/bin/auditwheel repair --plat auto -w wheelhouse dist/*.whl
$tools/bin/python scripts/sbom.py wheelhouse/*.whl
# The module calls nothing that Python's stable interface lacks.
$tools/bin/abi3audit --strict --summary wheelhouse/*.whl
ls wheelhouse
