"""The installed package is whole."""

import importlib.metadata
import re

import credence

LICENCES = {
    "libopenblas": "libopenblas0-pthread",
    "libgfortran": "libgfortran5",
    "libquadmath": "libquadmath0",
    "libfmt": "libfmt9",
    "libhwy": "libhwy1",
    "libcsv": "libcsv3",
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
    assert {"credence/py.typed", "credence/_core.pyi", "credence/_signatures.pyi"} <= set(installed_files())
