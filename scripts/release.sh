#!/usr/bin/env bash
# Makes the files of a release in dist-release/:  scripts/release.sh [KEY]
#   credence-VERSION.tar.gz               the sources, as git has them
#   credence-VERSION-debian12-ARCH.tar.gz  the command, the library, headers, manual and completions, below usr/local
#   credence-VERSION-*.whl                the Python package, with its bill of materials
#   credence-VERSION-docs.tar.gz          the site of the documentation below VERSION/, so that versions stand side by side
#   credence-VERSION.cdx.json             the bill of materials of the command, which its tarball holds too
#   CHANGES.md                            the changelog's section
#   SHA256SUMS                            checksums of all of them; with a KEY of gpg also their signature SHA256SUMS.asc
# `make release` sets up, and goes on with scripts/wheel_again.sh, which builds the wheel a second time and compares, and
# with scripts/release_test.sh, which installs them on a clean root.
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
cmp -s docs/results/bench.json "docs/results/bench/$version.json" ||
  fail "docs/results/bench/$version.json differs: cp docs/results/bench.json docs/results/bench/$version.json, then make generated"
changes=$(sed -n "/^## \[$version\]/,/^## \[/p" CHANGELOG.md | sed '1!{/^## \[/d}')
[[ -n $changes ]] || fail "CHANGELOG.md has no section for version $version"
if [[ $changes == *unreleased* ]]; then
  echo "release: CHANGELOG.md calls version $version unreleased; put the date there before publishing" >&2
fi

# Owners, order and times that do not depend on the machine, so that the same build gives the same bytes.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
pack() { tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$@" | gzip -9n; }

rm -rf $folder
mkdir $folder
git archive --format=tar --prefix="credence-$version/" HEAD | gzip -9n >"$folder/credence-$version.tar.gz"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr/local >/dev/null
cmake --build --preset release -j "$(nproc)"
DESTDIR=$stage cmake --install build --strip >/dev/null
scripts/wheel.sh
.venv-wheel/bin/python scripts/sbom.py --command "$version" "$folder/credence-$version.cdx.json"
install -D -m 644 "$folder/credence-$version.cdx.json" "$stage/usr/local/share/doc/credence/credence.cdx.json"
pack -C "$stage" usr >"$folder/credence-$version-debian12-$(uname -m).tar.gz"
cp wheelhouse/*.whl $folder/

scripts/docs/build.sh --compare
pack -C build/site --transform "s,^\.,$version," . >"$folder/credence-$version-docs.tar.gz"
printf '%s\n' "$changes" >$folder/CHANGES.md
(cd $folder && sha256sum -- * >SHA256SUMS)
[[ -z ${1:-} ]] || gpg --batch --yes --local-user "$1" --armor --detach-sign "$folder/SHA256SUMS"
ls -l $folder
