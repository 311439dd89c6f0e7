#!/usr/bin/env bash
# Builds the documentation's site into build/site, in an environment of its own.  scripts/docs/build.sh [BUILD_OPTION ...]
# The environment is made once, with the network; the site itself is built without.
set -euo pipefail
cd "$(dirname "$0")/../.."
environment=.venv-docs
if ! cmp -s docs/requirements.txt "$environment/requirements.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment" || { echo "build.sh: install the package python3-venv" >&2; exit 1; }
  "$environment"/bin/python -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt "$environment/requirements.txt"
fi
# Without the banner of the theme, the build says only what is wrong.
NO_MKDOCS_2_WARNING=1 "$environment"/bin/mkdocs build --strict --quiet "$@"
python3 scripts/docs/check_site.py build/site
echo "The site is build/site/index.html. Its search needs a server: python3 -m http.server --directory build/site"
