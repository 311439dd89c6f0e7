#!/usr/bin/env bash
# Installs the files of dist-release/ on a clean Debian 12 below a folder of its own, and uses them as a new user would:
#   scripts/release_test.sh
# Needs root, debootstrap and the network; without root or debootstrap the test is skipped, and says so (exit code 0).
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ $(id -u) != 0 ]] || ! command -v debootstrap >/dev/null; then
  echo "release_test: skipped, as it needs root and debootstrap (Debian's package debootstrap)" >&2
  exit 0
fi
version=$(sed -n 's/^project(credence VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
root=$(mktemp -d)
chmod 755 "$root"
clean() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean EXIT

(cd dist-release && sha256sum --check --quiet SHA256SUMS)
for name in /etc/resolv.conf /etc/hosts; do [[ -e $name ]] && mkdir -p "$root/etc" && cp -L $name "$root$name"; done
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >"$root.log" 2>&1 ||
  { tail -5 "$root.log" >&2; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
# What this machine trusts, and how it reaches the package index.
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
[[ ! -e /etc/pip.conf ]] || cp /etc/pip.conf "$root/etc/"
cp dist-release/* "$root/root/"
inside() { chroot "$root" env LC_ALL=C.UTF-8 HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin sh -ec "cd /root; $1"; }

echo "release_test: the command"
inside "apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libopenblas0-pthread libhwy1 libfmt9 zlib1g >/dev/null 2>&1
  tar -xzf credence-$version-debian12-*.tar.gz -C /
  credence --version | grep -qx 'credence $version'
  credence demo >demo.txt
  credence select /usr/local/share/credence/breast_cancer.csv --quiet -o m.credence --json r.json
  credence predict m.credence /usr/local/share/credence/breast_cancer.csv --quiet | wc -l | grep -qx 570
  credence report r.json -o page.html
  test -s /usr/local/share/man/man1/credence.1
  test -s /usr/local/share/bash-completion/completions/credence"

echo "release_test: the wheel, by the steps of the Dockerfile in docs/cpp.md"
cp dist-release/credence-*.whl "$root/tmp/"
sed -n '/^```dockerfile/,/^```$/s/^RUN //p' docs/cpp.md >"$root/root/steps.sh"
test -s "$root/root/steps.sh"
inside "export DEBIAN_FRONTEND=noninteractive
  sh -e steps.sh >steps.txt 2>&1 || { tail -5 steps.txt; exit 1; }
  /opt/credence/bin/credence demo >container.txt
  grep 'honest estimate' demo.txt >first.txt
  grep 'honest estimate' container.txt | cmp - first.txt
  /opt/credence/bin/python -c '
import credence
from sklearn.datasets import load_breast_cancer
X, y = load_breast_cancer(return_X_y=True)
model = credence.SVCSearchCV().fit(X[::2], y[::2])
assert model.score(X[1::2], y[1::2]) > 0.94
assert credence.__version__ == \"$version\"
table = credence.read(\"/usr/local/share/credence/breast_cancer.csv\")
assert credence.load(\"m.credence\").score(table.data, table.target) > 0.94
'"

echo "release_test: the sources"
inside "tar -xzf credence-$version.tar.gz && test -s credence-$version/CMakeLists.txt && test -x credence-$version/.ci/run"
echo "release_test: passed"
