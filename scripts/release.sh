#!/usr/bin/env bash
# Makes the files of a release in dist-release/:  scripts/release.sh
#   credence-VERSION.tar.gz               the sources, as git has them
#   credence-VERSION-debian12-ARCH.tar.gz  the command, the library, headers, manual and completions, below usr/local
#   credence-VERSION-*.whl                the Python package, with its bill of materials
#   CHANGES.md                            the changelog's section
#   SHA256SUMS                            checksums of all of them
# `make release` sets up, builds the command first, and ends with scripts/release_test.sh, which installs them on a
# clean root.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(credence VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
folder=dist-release

fail() {
  echo "release: $*" >&2
  exit 2
}
[[ -z $(git status --porcelain) ]] || fail "the working tree has changes that are not committed (git status)"
[[ -d tests/data/compat/${version%.*} ]] ||
  fail "tests/data/compat/${version%.*} is missing: scripts/compat.sh build/credence tests/data/compat/${version%.*}"
changes=$(sed -n "/^## \[$version\]/,/^## \[/p" CHANGELOG.md | sed '1!{/^## \[/d}')
[[ -n $changes ]] || fail "CHANGELOG.md has no section for version $version"
if [[ $changes == *unreleased* ]]; then
  echo "release: CHANGELOG.md calls version $version unreleased; put the date there before publishing" >&2
fi

rm -rf $folder
mkdir $folder
git archive --format=tar --prefix="credence-$version/" HEAD | gzip -9n >"$folder/credence-$version.tar.gz"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr/local >/dev/null
cmake --build --preset release -j "$(nproc)"
DESTDIR=$stage cmake --install build --strip >/dev/null
# Owners, order and times that do not depend on the machine, so that the same build gives the same bytes.
when=$(git log -1 --format=%ct)
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$when" -C "$stage" usr |
  gzip -9n >"$folder/credence-$version-debian12-$(uname -m).tar.gz"

scripts/wheel.sh
cp wheelhouse/*.whl $folder/
printf '%s\n' "$changes" >$folder/CHANGES.md
(cd $folder && sha256sum -- * >SHA256SUMS)
ls -l $folder
