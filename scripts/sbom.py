"""Adds the bill of materials to a wheel, as CycloneDX: credence-VERSION.dist-info/sboms/credence.cdx.json (PEP 770).

    python scripts/sbom.py wheelhouse/credence-*.whl
    python scripts/sbom.py --command VERSION FILE.json    the bill of the command alone, for a tarball

It lists what the wheel carries: the libraries of scripts/dependencies.json, in the versions that Debian's package
database of the building machine names, and the packages that draw charts, by report/page/package-lock.json.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[1]


def installed_version(package: str) -> str | None:
    """Return the version of a Debian package; nothing where dpkg does not know the package."""
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 and done.stdout else None


def library(entry: dict) -> Component:
    """Return one of the libraries of dependencies.json."""
    package = entry.get("run", entry.get("build"))
    version = installed_version(package) if package else None
    url = PackageURL("deb", "debian", package, version) if version else None
    if "python" in entry:
        version = importlib.metadata.version(entry["python"])
        url = PackageURL("pypi", None, entry["python"], version)
    return Component(
        type=ComponentType.LIBRARY,
        name=entry["name"],
        version=version or entry["version"],
        licenses=[LicenseFactory().make_from_string(entry["licence"])],
        purl=url,
        bom_ref=entry["name"],
        properties=[Property(name="credence:carried", value=entry.get("in_wheel", "system"))],
    )


def drawing_packages() -> list[Component]:
    """Return the packages of npm that the page may hold, by the lock file."""
    lock = json.loads((ROOT / "report/page/package-lock.json").read_text(encoding="utf-8"))
    found = []
    for path, package in lock["packages"].items():
        if not path:
            continue
        space, _, name = path.rpartition("node_modules/")[2].rpartition("/")
        version = package["version"]
        found.append(
            Component(
                type=ComponentType.LIBRARY,
                name=name,
                group=space or None,
                version=version,
                licenses=[LicenseFactory().make_from_string(package["license"])],
                purl=PackageURL("npm", space or None, name, version),
                bom_ref=f"{path}@{version}",
            )
        )
    return found


def bill(version: str, of_command: bool = False) -> str:
    """Return the bill of materials of a wheel, or of the command, as a text of JSON.

    The command carries no library: its bill has those that it was built with and that the system gives it.
    """
    listed = json.loads((ROOT / "scripts/dependencies.json").read_text(encoding="utf-8"))["libraries"]
    if of_command:
        carried = [library(entry) for entry in listed if "build" in entry or "run" in entry]
    else:
        carried = [library(entry) for entry in listed if entry.get("in_wheel", "system") != "system"]
    # The same sources give the same bytes: no number by chance, and the time of the sources where it is known.
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, f"credence {version} {'command' if of_command else 'wheel'}"))
    if "SOURCE_DATE_EPOCH" in os.environ:
        bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    bom.metadata.component = Component(
        type=ComponentType.LIBRARY,
        name="credence",
        version=version,
        licenses=[LicenseFactory().make_from_string("BSD-3-Clause")],
        purl=PackageURL("generic" if of_command else "pypi", None, "credence", version),
        bom_ref="credence",
    )
    for component in carried + drawing_packages():
        bom.components.add(component)
        bom.register_dependency(bom.metadata.component, [component])
    return JsonV1Dot6(bom).output_as_string(indent=1)


def main() -> int:
    """Unpack each wheel, add the file, and pack it again; or write the bill of the command."""
    if sys.argv[1:2] == ["--command"]:
        Path(sys.argv[3]).write_text(bill(sys.argv[2], of_command=True), encoding="utf-8")
        return 0
    for name in sys.argv[1:]:
        wheel = Path(name).resolve()
        with tempfile.TemporaryDirectory() as folder:
            run = [sys.executable, "-m", "wheel"]
            subprocess.run([*run, "unpack", "--dest", folder, wheel], check=True, stdout=subprocess.DEVNULL)
            (unpacked,) = Path(folder).iterdir()
            (information,) = unpacked.glob("*.dist-info")
            target = information / "sboms" / "credence.cdx.json"
            target.parent.mkdir(exist_ok=True)
            target.write_text(bill(information.name.removesuffix(".dist-info").partition("-")[2]), encoding="utf-8")
            # Rights are those that a clone with another umask gives too.
            for path in unpacked.rglob("*"):
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            subprocess.run([*run, "pack", "--dest-dir", wheel.parent, unpacked], check=True, stdout=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
