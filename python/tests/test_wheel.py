"""The installed package is whole."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import credence

LICENCES = {
    "libopenblas": "libopenblas0-pthread",
    "libgfortran": "libgfortran5",
    "libquadmath": "libquadmath0",
    "libfmt": "libfmt9",
    "libhwy": "libhwy1",
}


def installed_files():
    return [str(path) for path in importlib.metadata.files("credence") or []]


def test_every_library_that_the_wheel_carries_has_its_licence():
    files = installed_files()
    carried = {re.match(r"credence\.libs/(lib[a-z]+)", path)[1] for path in files if path.startswith("credence.libs/")}
    for name in carried:
        prefix = next(known for known in LICENCES if name.startswith(known))
        assert any(path.endswith(f"licenses/{LICENCES[prefix]}.txt") for path in files), name


def test_version_is_that_of_the_module():
    assert importlib.metadata.version("credence") == credence.__version__


def test_types_are_shipped():
    assert {"credence/py.typed", "credence/_core.pyi"} <= set(installed_files())


def test_the_module_is_hardened():
    """Read back from the file: the protections that SECURITY.md promises, and no shell, no network."""
    if not all(map(shutil.which, ("cmake", "readelf", "objdump"))):
        pytest.skip("cmake or binutils are missing")
    script = Path(os.environ["CREDENCE_SOURCE"]) / "tests" / "package" / "hardened.cmake"
    done = subprocess.run(
        ["cmake", f"-DPROGRAM={credence._core.__file__}", "-P", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def bill_of_materials():
    found = [path for path in importlib.metadata.files("credence") or [] if path.name == "credence.cdx.json"]
    if not found:
        pytest.skip("scripts/wheel.sh did not make this package")
    return found[0].read_text(encoding="utf-8")


def test_the_bill_of_materials_lists_what_the_wheel_carries():
    bill = json.loads(bill_of_materials())
    assert bill["metadata"]["component"]["version"] == credence.__version__
    listed = {
        each["value"]
        for component in bill["components"]
        for each in component.get("properties", [])
        if each["name"] == "credence:carried"
    }
    carried = {
        re.match(r"credence\.libs/(lib[a-z]+)", path)[1]
        for path in installed_files()
        if path.startswith("credence.libs/")
    }
    assert {next((name for name in listed if each.startswith(name)), each) for each in carried} <= listed
    assert {"vega", "vega-lite", "vega-embed"} <= {component["name"] for component in bill["components"]}
    assert all(component["licenses"] for component in bill["components"])


def test_the_bill_of_materials_is_valid_cyclonedx():
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    validator = validation.JsonStrictValidator(schema.SchemaVersion.V1_6)
    assert validator.validate_str(bill_of_materials()) is None
