#!/usr/bin/env bash
# Builds the documentation's site into build/site, in an environment of its own.  scripts/docs/build.sh [--compare]
# The environment is made once, with the network; the site itself is built without.
# --compare also builds it by MkDocs with its theme Material, into build/site-mkdocs, and compares the two.
set -euo pipefail
cd "$(dirname "$0")/../.."

# environment FOLDER REQUIREMENTS: made anew when the requirements have changed
environment() {
  cmp -s "$2" "$1/requirements.txt" && return
  rm -rf "$1"
  python3 -m venv "$1" || { echo "build.sh: install the package python3-venv" >&2; exit 1; }
  "$1"/bin/python -m pip install --quiet --disable-pip-version-check -r "$2"
  cp "$2" "$1/requirements.txt"
}

# The site shows the arguments that a build of the package writes.
[[ -f python/credence/_arguments.py ]] || scripts/wheel.sh plain
python3 scripts/docs/pages.py build/pages
environment .venv-docs docs/requirements.txt
# What an earlier build has left is no page of this one.
rm -rf build/site .cache
.venv-docs/bin/zensical build --strict
python3 scripts/docs/check_site.py build/site
if [ "${1:-}" = --compare ]; then
  environment .venv-mkdocs docs/requirements-mkdocs.txt
  # Without the banner of the theme, the build says only what is wrong.
  NO_MKDOCS_2_WARNING=1 .venv-mkdocs/bin/mkdocs build --strict --quiet --site-dir build/site-mkdocs
  python3 scripts/docs/compare_sites.py build/site build/site-mkdocs
fi
echo "The site is build/site/index.html. Its search needs a server: python3 -m http.server --directory build/site"
