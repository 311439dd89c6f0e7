"""The installed package is whole."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import credence

LICENCES = {
    "libscipy_openblas": "libscipy_openblas",
    "libfmt": "libfmt9",
    "libhwy": "libhwy1",
}


def installed_files():
    return [str(path) for path in importlib.metadata.files("credence") or []]


def carried():
    """Return the names of the libraries in the wheel, without what comes behind: hash, version, ending."""
    found = [re.match(r"credence(?:\.libs)?/(lib[a-z_]+)[^/]*\.so", path) for path in installed_files()]
    return {match[1] for match in found if match}


def test_every_library_that_the_wheel_carries_has_its_licence():
    files = installed_files()
    assert "libscipy_openblas" in carried()
    for name in carried():
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
    assert {next((name for name in listed if each.startswith(name)), each) for each in carried()} <= listed
    assert {"vega", "vega-lite", "vega-embed"} <= {component["name"] for component in bill["components"]}
    assert all(component["licenses"] for component in bill["components"])


def test_the_bill_of_materials_is_valid_cyclonedx():
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    validator = validation.JsonStrictValidator(schema.SchemaVersion.V1_6)
    assert validator.validate_str(bill_of_materials()) is None


def command_of_the_wheel():
    """Return the command that `pip install` put beside the interpreter."""
    path = Path(sysconfig.get_path("scripts")) / "credence"
    assert path.is_file()
    return path


def run(*arguments, **options):
    done = subprocess.run([command_of_the_wheel(), *arguments], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_comes_with_the_wheel(tmp_path):
    """It finds its data, and writes the same model as the package, byte for byte: both load the same OpenBLAS."""
    assert run("--version").strip() == f"credence {credence.__version__}"
    grid = {"C": [1, 4], "gamma": [0.01, 0.02]}
    data = Path(credence.__file__).parent / "data" / "breast_cancer.csv"
    flags = ["--C", "1,4", "--gamma", "0.01,0.02", "--quiet", "-o", "m.credence"]
    run("select", data, *flags, cwd=tmp_path)
    table = credence.read(data)
    search = credence.SVCSearchCV(**grid).fit(table.data, table.target)
    search.save(tmp_path / "python.credence")
    assert (tmp_path / "python.credence").read_bytes() == (tmp_path / "m.credence").read_bytes()
    run("demo", cwd=tmp_path)


def test_the_command_and_the_module_take_the_openblas_of_the_wheel():
    assert "0.3.2" not in run("doctor").split("OpenBLAS")[1].split("\n")[0]
    maps = "import credence; credence.RVC().fit([[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5)"
    script = f"{maps}; print([line for line in open('/proc/self/maps') if 'openblas' in line and 'credence' in line])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "credence/libscipy_openblas.so" in done.stdout


def test_manual_and_completions_come_with_the_wheel():
    prefix = Path(sysconfig.get_path("data")) / "share"
    assert ".TH" in (prefix / "man/man1/credence.1").read_text()
    assert "credence" in (prefix / "bash-completion/completions/credence").read_text()
    assert (prefix / "zsh/site-functions/_credence").is_file()
    assert (prefix / "fish/vendor_completions.d/credence.fish").is_file()


def test_the_command_starts_without_the_package():
    """Its script imports nothing but itself: scikit-learn would take a second."""
    script = "import sys, credence_command; credence_command.program(); print('credence' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
