#!/usr/bin/env bash
# Builds the wheel of dist-release/ once more, from the tarball of the sources beside it, in another folder and without
# ccache, and compares every byte:  scripts/wheel_again.sh
set -euo pipefail
cd "$(dirname "$0")/.."
first=$(ls "$PWD"/dist-release/credence-*.whl)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=$(sed -n 's/^project(credence VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tar -xzf "dist-release/credence-$version.tar.gz" -C "$folder"
(cd "$folder/credence-$version" && CCACHE_DISABLE=1 scripts/wheel.sh) >"$folder/log" 2>&1 || { tail -20 "$folder/log" >&2; exit 1; }
second=$(ls "$folder/credence-$version"/wheelhouse/*.whl)
if cmp -s "$first" "$second"; then
  echo "wheel_again: built twice, equal byte for byte: $(basename "$first")"
  exit 0
fi
echo "wheel_again: two builds of $(basename "$first") differ in" >&2
python3 - "$first" "$second" >&2 <<'END'
import sys
import zipfile

one, other = ({entry.filename: entry for entry in zipfile.ZipFile(path).infolist()} for path in sys.argv[1:])
for name in sorted(one.keys() | other.keys()):
    if name not in one or name not in other:
        print(f"  {name}: in one of them only")
    elif one[name].CRC != other[name].CRC:
        print(f"  {name}: its bytes")
    elif one[name].date_time != other[name].date_time or one[name].external_attr != other[name].external_attr:
        print(f"  {name}: its time or its rights")
if list(one) != list(other):
    print("  the order of the files")
END
exit 1
