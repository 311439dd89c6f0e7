import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import credence
import numpy as np
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests for which a browser draws a page."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def command():
    """Return a function that runs the command; tests that need it are skipped visibly where it is missing.

    It is the command of the installed package, if there is one: both have the same OpenBLAS, and so the same bits.
    """
    own = Path(sysconfig.get_path("scripts")) / "credence"
    path = str(own) if own.is_file() else os.environ.get("CREDENCE_COMMAND", "")
    if not path or shutil.which(path) is None:
        pytest.skip("CREDENCE_COMMAND names no command")

    def run(*arguments, code=0):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    run.path = path
    return run


@pytest.fixture(scope="session")
def source():
    """Return the folder of the sources."""
    path = os.environ.get("CREDENCE_SOURCE", "")
    if not path or not Path(path).is_dir():
        pytest.skip("CREDENCE_SOURCE names no folder")
    return Path(path)


@pytest.fixture(scope="session")
def chart_of():
    """Return a function that finds a chart of a document by its name, with its rows as dicts."""

    def find(document, name):
        blocks = [block for section in document["report"]["sections"] for block in section["blocks"]]
        chart = next(block["chart"] for block in blocks if block.get("chart", {}).get("id") == name)
        fields = [column["field"] for column in chart["data"]["columns"]]
        return chart | {"rows": [dict(zip(fields, row, strict=True)) for row in chart["data"]["rows"]]}

    return find


@pytest.fixture(scope="session")
def breast_cancer():
    X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    X.flags.writeable = y.flags.writeable = False
    return X, y


@pytest.fixture(scope="session")
def imbalanced(breast_cancer):
    """Return 200 benign and 40 malignant rows: each class divides by 4."""
    X, y = breast_cancer
    rng = np.random.default_rng(0)
    rows = [rng.choice(np.flatnonzero(y == name), n, replace=False) for name, n in (("malignant", 40), ("benign", 200))]
    rows = np.sort(np.concatenate(rows))
    return X[rows], y[rows]


@pytest.fixture(scope="session")
def browser():
    """Return Debian's Chromium, driven by Playwright."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = os.environ.get("CREDENCE_CHROMIUM") or shutil.which("chromium") or ""
    if not Path(chromium).is_file():
        pytest.skip("chromium is not installed (Debian's package chromium)")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium)
        yield started
        started.close()


@pytest.fixture
def visit(browser):
    """visit(path, ...) opens a page without network and returns it, drawn; the console must stay silent."""
    contexts = []
    said = []

    def open_page(path, width=1000, drawn=True, **options):
        context = browser.new_context(viewport={"width": width, "height": 800}, offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("request", lambda request: said.append(f"request: {request.url}"))
        page.goto(f"file://{path}")
        said.remove(f"request: {page.url}")  # the page itself, and nothing else
        if drawn and options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", state="attached", timeout=30000)
            assert page.locator("[data-failed]").count() == 0
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []
