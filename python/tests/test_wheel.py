"""The installed package is whole."""

import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
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


def test_the_tag_is_that_of_the_page(source):
    """Code that calls a later C library raises the tag, on which pip takes no wheel where the page says it does."""
    tags = re.findall(r"manylinux_2_\d+(?=_)", importlib.metadata.distribution("credence").read_text("WHEEL"))
    if not tags or platform.libc_ver() != ("glibc", "2.36"):
        pytest.skip("not a whole wheel that was built on Debian 12")
    assert f"Its tag `{tags[0]}`" in (source / "docs" / "python.md").read_text()


def test_types_are_shipped():
    assert {"credence/py.typed", "credence/_core.pyi"} <= set(installed_files())


USED_RIGHTLY = """
import credence
import numpy as np

X, y = np.zeros((20, 2)), np.arange(20) % 2
search = credence.SVCSearchCV(C=[1, 10], gamma=0.1, cv=5, method="cv").fit(X, y)
print(search.honest_error_.lower, search.best_params_["C"])
machine = credence.SplitConformalClassifier(credence.SVC(kernel="linear"), calibration_size=0.5)
print(machine.fit(X, y).predict_p(X).mean(), credence.read("file.csv").data)
"""
USED_WRONGLY = ['credence.SVC(kernel="rfb")', "credence.SVC(folds=5)", "credence.SVC().fit()", "credence.read(1, 2)"]


@pytest.mark.parametrize("checker", ["pyright", "mypy"])
def test_type_checkers_see_the_arguments_of_the_installed_package(checker, tmp_path):
    """The build has written them; each line of wrong use is an error, and nothing else is."""
    program = Path(sys.executable).parent / checker
    if not program.is_file():
        pytest.skip(f"{checker} is not installed")
    (tmp_path / "right.py").write_text(USED_RIGHTLY)
    (tmp_path / "wrong.py").write_text("\n".join(["import credence", *USED_WRONGLY]) + "\n")
    where = ["--pythonpath" if checker == "pyright" else "--python-executable", sys.executable]
    done = subprocess.run([program, *where, "."], cwd=tmp_path, capture_output=True, text=True, check=False)
    found = re.findall(r"(\w+)\.py:(\d+)(?::\d+)?(?: -|:) error", done.stdout)
    assert sorted(set(found)) == [("wrong", str(k + 2)) for k in range(len(USED_WRONGLY))], done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CREDENCE_SLOW"), reason="compiles the module twice; CREDENCE_SLOW=1 runs it")
def test_a_source_distribution_builds_a_wheel_and_an_editable_install(source, tmp_path):
    """What the build writes is in both, and neither among the sources nor in their distribution."""
    tools = source / ".venv-wheel" / "bin" / "python"
    if not tools.is_file():
        pytest.skip("scripts/wheel.sh has made no .venv-wheel")
    written = {"credence/_arguments.py", "credence/_core.pyi"}

    def run_there(*arguments, folder):
        environment = {**os.environ, "PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}", "CXX": "c++"}
        done = subprocess.run([tools, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    build = "from scikit_build_core import build; build.build_sdist({!r})"
    run_there("-c", build.format(str(tmp_path)), folder=source)
    shutil.unpack_archive(next(tmp_path.glob("*.tar.gz")), tmp_path)
    unpacked = next(path for path in tmp_path.iterdir() if path.is_dir())
    assert not any((unpacked / "python" / name).exists() for name in written)
    pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-build-isolation"]
    run_there(*pip, "wheel", ".", *offline, "-w", str(tmp_path / "dist"), folder=unpacked)
    with zipfile.ZipFile(next((tmp_path / "dist").glob("*.whl"))) as wheel:
        assert written <= set(wheel.namelist())
    run_there(*pip, "install", "-e", ".", *offline, "--prefix", str(tmp_path / "site"), folder=unpacked)
    assert not any((unpacked / "python" / name).exists() for name in written)
    # The folder comes first, and its .pth file leads to the sources; other packages are those of this environment.
    site_folder = next((tmp_path / "site" / "lib").glob("python*/site-packages"))
    script = (
        f"import site; site.addsitedir({str(site_folder)!r}); import credence, credence._arguments; "
        "print(credence.__file__, credence._arguments.__file__, credence.SVC(C=2).fit([[0.0], [1.0]], [0, 1]).C)"
    )
    shown = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    package, arguments, value = shown.split()
    assert Path(package).is_relative_to(unpacked) and Path(arguments).is_relative_to(site_folder) and value == "2"


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
    """It finds its data; that it writes the same models as the package is for test_same_as_command.py."""
    assert run("--version").strip() == f"credence {credence.__version__}"
    data = Path(credence.__file__).parent / "data" / "breast_cancer.csv"
    run("select", data, "--C", "1,4", "--gamma", "0.01", "--quiet", "-o", "m.credence", cwd=tmp_path)
    table = credence.read(data)
    assert credence.load(tmp_path / "m.credence").score(table.data, table.target) > 0.97
    assert "honest estimate" in run("demo", cwd=tmp_path)


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
